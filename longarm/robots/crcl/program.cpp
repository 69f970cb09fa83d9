// SPDX-License-Identifier: Apache-2.0
// Steps through a program's commands; LoopBlockStart and LoopBlockEnd repeat what stands between.
#include "longarm/robots/crcl/program.h"

#include <utility>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

CrclProgramRun::CrclProgramRun(std::shared_ptr<const crcl::Program> program)
    : program_(std::move(program)) {}

Result<bool> CrclProgramRun::follow(const crcl::CommandBody& body) {
  if (const auto* start = std::get_if<crcl::LoopBlockStart>(&body)) {
    loops_.push_back({start->loop, index_, 0});
    return true;
  }
  const auto* end = std::get_if<crcl::LoopBlockEnd>(&body);
  if (end == nullptr) {
    return false;
  }
  if (loops_.empty() || loops_.back().name != end->loop) {
    return Error{fmt::format("loop '{}' ends without having begun", end->loop)};
  }
  if (end->max_count < 1) {
    return Error{fmt::format("loop '{}' must be done at least once", end->loop)};
  }
  Loop& loop = loops_.back();
  if (++loop.done < end->max_count) {
    index_ = loop.begin;
  } else {
    loops_.pop_back();
  }
  return true;
}

Result<std::optional<crcl::CommandInstance>> CrclProgramRun::next() {
  // an empty loop of many rounds must not hold up the cell
  for (int marks = 0; marks < 1000; ++marks) {
    if (index_ >= program_->commands.size()) {
      if (!loops_.empty()) {
        return Error{fmt::format("loop '{}' never ends", loops_.back().name)};
      }
      return std::optional<crcl::CommandInstance>();
    }
    const std::size_t at = index_++;
    const crcl::Command& command = program_->commands[at];
    const Result<bool> followed = follow(command.body);
    if (!followed) {
      return followed.error();
    }
    if (*followed) {
      continue;
    }
    crcl::CommandInstance instance;
    instance.command = command;
    if (!program_->name.empty()) {
      instance.program_file = program_->name;
    }
    instance.program_index = static_cast<std::int32_t>(at);
    instance.program_length = static_cast<std::int32_t>(program_->commands.size());
    return std::optional<crcl::CommandInstance>(std::move(instance));
  }
  return Error{"a loop does nothing, very often"};
}

}  // namespace longarm::robots
