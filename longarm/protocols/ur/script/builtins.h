// SPDX-License-Identifier: Apache-2.0
// The one table of URScript functions: names, parameters, defaults, and who carries them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

/// Who carries a function out, and what it may do.
enum class Effect : std::uint8_t {
  kPure,    ///< the language itself: mathematics, lists, poses, strings
  kRobot,   ///< the Host; reads or sets something, talks to a socket, takes time
  kMotion,  ///< the Host; commands motion, hence nothing for a `sec`; one thread at a time
  kForce    ///< the Host; how motions give way: nothing for a `sec`, but any thread may
};

/// What stands for a parameter that a call leaves out.
struct Parameter {
  enum class Default : std::uint8_t {
    kRequired,  ///< must be given
    kNothing,   ///< the Host gets std::monostate and decides
    kFloat,
    kInteger,
    kBoolean,
    kText
  };
  std::string_view name;
  Default kind = Default::kRequired;
  double number = 0.0;  ///< of kFloat, kInteger, kBoolean
  std::string_view text{};
};

struct Builtin {
  static constexpr std::size_t kMaximumParameters = 6;

  std::string_view name;
  Effect effect = Effect::kRobot;
  std::size_t count = 0;
  std::array<Parameter, kMaximumParameters> all{};

  /// In the order of positional arguments.
  std::span<const Parameter> parameters() const { return {all.data(), count}; }
};

/// All of them, in alphabetical order.
std::span<const Builtin> builtins();

/// Null if there is none of that name.
const Builtin* find_builtin(std::string_view name);

/// Signals as old programs write them: `digital_out[2] = True`, `if digital_in[0]:`. Inputs have no
/// setter.
struct OldArray {
  std::string_view name;
  std::string_view getter;
  std::string_view setter;
};
/// Null if there is none of that name.
const OldArray* find_old_array(std::string_view name);

/// What the Host gets for a parameter that was left out; std::monostate for kRequired.
Value default_value(const Parameter& parameter);

}  // namespace longarm::protocols::ur::script
