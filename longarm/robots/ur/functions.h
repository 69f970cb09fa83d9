// SPDX-License-Identifier: Apache-2.0
// How a function of URScript is carried out by a UR controller, and the lists of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/protocols/ur/script/host.h"
#include "longarm/robots/ur/core.h"

namespace longarm::robots {

using UrOutcome = protocols::ur::script::Outcome;
using UrValue = protocols::ur::script::Value;

/// Reads the arguments of a call; of what does not fit the first is remembered, in words.
class UrArguments {
 public:
  UrArguments(std::string_view function, std::span<const UrValue> values)
      : function_(function), values_(values) {}

  double number(std::size_t i);
  std::optional<double> number_or_nothing(std::size_t i);
  std::int32_t integer(std::size_t i);
  /// A whole number from 0 to `end` − 1.
  std::size_t index(std::size_t i, std::size_t end);
  bool boolean(std::size_t i);
  std::string text(std::size_t i);
  Vector6 six(std::size_t i);
  bool has(std::size_t i) const;
  bool is_pose(std::size_t i) const;
  const UrValue& value(std::size_t i) const { return values_[i]; }
  std::string_view function() const { return function_; }

  bool is_good() const { return failure_.empty(); }
  const std::string& failure() const { return failure_; }

 private:
  void refuse(std::size_t i, std::string_view wanted);
  void refuse_six(std::size_t i);

  std::string_view function_;
  std::span<const UrValue> values_;
  std::string failure_;
};

/// What a thread waits for: asked once per cycle until it is done.
struct UrWait {
  std::function<UrOutcome()> go_on;
  std::function<void()> abandon{};  ///< may be empty
  std::optional<UrMoveId> move{};   ///< if it is a motion
};

/// `wait` is set by functions that answer kWaiting. Arguments that do not fit need no answer: the
/// caller looks at them.
struct UrCall {
  UrCore& core;
  UrArguments& arguments;
  UrWait wait{};
};

using UrFunction = UrOutcome (*)(UrCall& call);
struct UrNamedFunction {
  std::string_view name;
  UrFunction function;
};

std::span<const UrNamedFunction> ur_motion_functions();
std::span<const UrNamedFunction> ur_signal_functions();
std::span<const UrNamedFunction> ur_state_functions();
std::span<const UrNamedFunction> ur_socket_functions();

UrOutcome ur_done(UrValue value = {});
UrOutcome ur_failed(std::string why);
UrOutcome ur_waiting();
/// At least one; times that are meant as whole cycles count as those.
std::uint64_t ur_cycles_of(double time_s);

}  // namespace longarm::robots
