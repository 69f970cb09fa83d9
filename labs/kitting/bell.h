// SPDX-License-Identifier: Apache-2.0
// A bell that wakes one waiting task, or its time-out does.
#pragma once

#include <coroutine>

#include "longarm/core/check.h"
#include "longarm/core/time.h"
#include "longarm/sim/task.h"

namespace longarm::kitting {

/// `const bool rang = co_await bell.wait_until(context, deadline);`
/// Ringing is a delivery of the present instant, never a call into the waiting task's lines; a ring
/// that nobody waits for is lost. Outlives the tasks that wait for it; one at a time.
class Bell {
 public:
  class Awaiter {
   public:
    Awaiter(Bell& bell, sim::TaskContext context, Time deadline)
        : bell_(bell), context_(context), deadline_(deadline) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      context_.kernel.cancel(wake_up_);
      if (bell_.waiting_ == this) {
        bell_.waiting_ = nullptr;
      }
    }

    bool await_ready() const { return deadline_ <= context_.kernel.now(); }
    void await_suspend(std::coroutine_handle<> frame) {
      check(bell_.waiting_ == nullptr, "two tasks wait for one bell");
      bell_.waiting_ = this;
      frame_ = frame;
      wake_up_ = context_.kernel.at(deadline_, sim::Phase::kControl, context_.source,
                                    [this](Time) { resume(); });
    }
    /// False when nothing rang before the deadline.
    bool await_resume() const { return has_rung_; }

   private:
    friend class Bell;
    void ring() {
      if (has_rung_) {
        return;
      }
      has_rung_ = true;
      context_.kernel.cancel(wake_up_);
      wake_up_ = context_.kernel.deliver(context_.kernel.now(), context_.source,
                                         [this](Time) { resume(); });
    }
    void resume() {
      bell_.waiting_ = nullptr;
      frame_.resume();
    }

    Bell& bell_;
    sim::TaskContext context_;
    Time deadline_;
    std::coroutine_handle<> frame_;
    sim::EventId wake_up_{UINT32_MAX, 0};
    bool has_rung_ = false;
  };

  Awaiter wait_until(sim::TaskContext context, Time deadline) { return {*this, context, deadline}; }
  Awaiter wait_for(sim::TaskContext context, Duration span) {
    return {*this, context, context.kernel.now() + span};
  }
  void ring() {
    if (waiting_ != nullptr) {
      waiting_->ring();
    }
  }

 private:
  Awaiter* waiting_ = nullptr;
};

}  // namespace longarm::kitting
