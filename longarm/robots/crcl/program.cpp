// SPDX-License-Identifier: Apache-2.0
// Steps through a program's commands; LoopBlockStart and LoopBlockEnd repeat what stands between.
#include "longarm/robots/crcl/program.h"

#include <utility>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

CrclProgramRun::CrclProgramRun(std::shared_ptr<const crcl::Program> program)
    : program_(std::move(program)) {}

Result<bool> CrclProgramRun::check_loops() {
  struct Open {
    std::string name;
    std::size_t at = 0;
  };
  std::vector<Open> open;
  for (here_ = 0; here_ < program_->commands.size(); ++here_) {
    const crcl::CommandBody& body = program_->commands[here_].body;
    if (const auto* start = std::get_if<crcl::LoopBlockStart>(&body)) {
      open.push_back({start->loop, here_});
    }
    const auto* end = std::get_if<crcl::LoopBlockEnd>(&body);
    if (end == nullptr) {
      continue;
    }
    if (open.empty() || open.back().name != end->loop) {
      return Error{fmt::format("loop '{}' ends without a start", end->loop)};
    }
    if (end->max_count < 1) {
      return Error{fmt::format("loop '{}': MaxCount is {}, and must be at least 1", end->loop,
                               end->max_count)};
    }
    open.pop_back();
  }
  if (!open.empty()) {
    here_ = open.back().at;
    return Error{fmt::format("loop '{}' never ends", open.back().name)};
  }
  return true;
}

bool CrclProgramRun::follow(const crcl::CommandBody& body) {
  if (const auto* start = std::get_if<crcl::LoopBlockStart>(&body)) {
    loops_.push_back({start->loop, index_, 0});
    return true;
  }
  const auto* end = std::get_if<crcl::LoopBlockEnd>(&body);
  if (end == nullptr) {
    return false;
  }
  if (++loops_.back().done < end->max_count) {
    index_ = loops_.back().begin;
  } else {
    loops_.pop_back();
  }
  return true;
}

Result<std::optional<crcl::CommandInstance>> CrclProgramRun::next() {
  // an empty loop of many rounds must not hold up the cell
  for (int marks = 0; marks < 1000; ++marks) {
    if (index_ >= program_->commands.size()) {
      return std::optional<crcl::CommandInstance>();
    }
    here_ = index_++;
    if (!follow(program_->commands[here_].body)) {
      return std::optional<crcl::CommandInstance>(here());
    }
  }
  return Error{"a loop without commands repeats too often"};
}

crcl::CommandInstance CrclProgramRun::here() const {
  crcl::CommandInstance instance;
  instance.command = program_->commands[here_];
  if (!program_->name.empty()) {
    instance.program_file = program_->name;
  }
  instance.program_index = static_cast<std::int32_t>(here_);
  instance.program_length = static_cast<std::int32_t>(program_->commands.size());
  return instance;
}

}  // namespace longarm::robots
