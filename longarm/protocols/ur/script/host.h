// SPDX-License-Identifier: Apache-2.0
// The robot as a URScript program sees it: functions that act on the world or take time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "longarm/core/time.h"
#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

/// Unique among all threads of all programs of a controller.
enum class ThreadId : std::uint32_t {};

/// What became of a call.
struct Outcome {
  enum class Kind : std::uint8_t {
    kDone,     ///< with a value; the thread goes on at once
    kWaiting,  ///< the thread is asked again in the next cycle
    kFailed    ///< a runtime exception: the program ends, `failure` says why
  };
  Kind kind = Kind::kDone;
  Value value{};
  std::string failure{};
  /// Took something that came from outside: a loop around it is not one that spins by itself.
  bool took_input = false;
};

/// Pure functions (mathematics, lists, poses, strings) are the language's own; all others come
/// here, with every argument in its place: named ones resolved and defaults filled in, as the
/// table of builtins says.
class Host {
 public:
  virtual ~Host() = default;

  virtual Outcome begin(ThreadId thread, std::string_view function,
                        std::span<const Value> arguments) = 0;
  /// Of a thread that waits, once per cycle.
  virtual Outcome go_on(ThreadId thread) = 0;
  /// Of a thread that waits and will not be asked again: killed, or its program was replaced.
  virtual void abandon(ThreadId thread) = 0;
};

}  // namespace longarm::protocols::ur::script
