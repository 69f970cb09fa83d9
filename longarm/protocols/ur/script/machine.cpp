// SPDX-License-Identifier: Apache-2.0
// Which programs run: one, and `sec`s beside it.
#include "longarm/protocols/ur/script/machine.h"

#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/run.h"

namespace longarm::protocols::ur::script {

Machine::Machine(Host& host) : shared_(std::make_unique<Shared>(Shared{host})) {}

// Programs give back what they share.
Machine::~Machine() {
  primary_.reset();
  secondaries_.clear();
}

void Machine::start(Program program) {
  if (primary_) {
    end(*primary_, ProgramEnd::Kind::kStopped);
  }
  primary_.reset();
  is_paused_ = false;
  primary_ = std::make_unique<Run>(std::move(program), *shared_);
}

void Machine::start_secondary(Program program) {
  std::size_t instructions = program.code().instructions;
  for (const auto& run : secondaries_) {
    instructions += run->program().code().instructions;
  }
  const bool is_too_much = secondaries_.size() >= kMaximumSecondaries ||
                           shared_->threads >= kMaximumThreads ||
                           instructions > kMaximumSecondaryCode;
  if (is_too_much) {
    ends_.push_back({ProgramEnd::Kind::kFailed, program.name(), true,
                     fmt::format("too many programs at once: {} beside, {} threads",
                                 secondaries_.size(), shared_->threads),
                     1, 1});
    return;
  }
  secondaries_.push_back(std::make_unique<Run>(std::move(program), *shared_));
}

void Machine::end(Run& run, ProgramEnd::Kind kind) {
  const auto& program = run.program();
  ends_.push_back(
      run.ended().value_or(ProgramEnd{kind, program.name(), program.is_secondary(), {}, 0, 0}));
  // a bare statement is no `sec` and may run beside the program all the same
  ends_.back().is_secondary = &run != primary_.get();
}

void Machine::stop() {
  if (primary_) {
    end(*primary_, ProgramEnd::Kind::kStopped);
  }
  primary_.reset();
  for (auto& run : secondaries_) {
    end(*run, ProgramEnd::Kind::kStopped);
  }
  secondaries_.clear();
  is_paused_ = false;
}

void Machine::pause() {
  is_paused_ = primary_ != nullptr;
}
void Machine::resume() {
  is_paused_ = false;
}

bool Machine::is_running() const {
  return primary_ != nullptr;
}
bool Machine::is_paused() const {
  return is_paused_;
}

std::string Machine::program_name() const {
  return primary_ ? primary_->program().name() : "";
}

void Machine::run_cycle(const std::function<void()>& after_end) {
  if (primary_ && !is_paused_) {
    primary_->run_cycle();
    if (primary_->ended()) {
      end(*primary_, ProgramEnd::Kind::kFinished);
      primary_.reset();
      if (after_end) {
        after_end();
      }
    }
  }
  for (auto& run : secondaries_) {
    run->run_cycle();
    if (!run->ended()) {
      continue;
    }
    end(*run, ProgramEnd::Kind::kFinished);
    run.reset();
    if (after_end) {
      after_end();
    }
  }
  std::erase(secondaries_, nullptr);
}

std::vector<ProgramEnd> Machine::take_ends() {
  return std::exchange(ends_, {});
}

}  // namespace longarm::protocols::ur::script
