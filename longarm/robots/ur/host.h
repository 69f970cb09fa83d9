// SPDX-License-Identifier: Apache-2.0
// The robot as URScript programs see it: looks functions up, and keeps what threads wait for.
#pragma once

#include <map>
#include <string_view>

#include "longarm/protocols/ur/script/host.h"
#include "longarm/robots/ur/core.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {

/// Motion acts on the core's UrMotion, which advances after all threads have run.
class UrHost final : public protocols::ur::script::Host {
 public:
  using Outcome = protocols::ur::script::Outcome;
  using ThreadId = protocols::ur::script::ThreadId;

  /// The core outlives it.
  explicit UrHost(UrCore& core);

  Outcome begin(ThreadId thread, std::string_view function,
                std::span<const protocols::ur::script::Value> arguments) override;
  Outcome go_on(ThreadId thread) override;
  void abandon(ThreadId thread) override;

  bool knows(std::string_view function) const { return functions_.contains(function); }

 private:
  /// Does a thread other than this one wait for a motion that goes on?
  bool is_moved_by_another(ThreadId thread) const;

  UrCore& core_;
  std::map<std::string_view, UrFunction> functions_;
  std::map<ThreadId, UrWait> waits_;
};

}  // namespace longarm::robots
