// SPDX-License-Identifier: Apache-2.0
// What the ports of a UR controller can ask and tell it; who implements it moves the arm.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// Of the controller's software, which decides the layout of its packets.
struct Firmware {
  std::uint8_t major = 3;
  std::uint8_t minor = 15;
  std::int32_t bugfix = 8;
  std::int32_t build = 0;

  auto operator<=>(const Firmware&) const = default;
};

/// Sizes of sub-packages of a robot state that differ between versions, with their heads of five
/// bytes; what we have no field for is zeros at the end.
struct PackageSizes {
  std::size_t robot_mode_bytes = 47;
  std::size_t masterboard_bytes = 75;
};
/// Those of a version: the former has a reserved byte at its end from 3.5 on, the latter from 3.10.
PackageSizes package_sizes(const Firmware& firmware);

/// What does not change while it runs.
struct ControllerInfo {
  Firmware firmware;
  PackageSizes packages;
  Joints dh_a_m{};
  Joints dh_d_m{};
  Joints dh_alpha_rad{};
  Joints dh_theta_rad{};
  Joints joint_lower_rad{};
  Joints joint_upper_rad{};
  Joints joint_speed_rad_s{};
  Joints joint_acceleration_rad_s2{};
  /// Defaults of motion: joint speed, joint acceleration, tool speed, tool acceleration.
  double joint_speed_default_rad_s = 1.05;
  double joint_acceleration_default_rad_s2 = 1.4;
  double tool_speed_default_m_s = 0.25;
  double tool_acceleration_default_m_s2 = 1.2;
  Duration cycle{8'000'000};
  std::string serial_number = "20153500001";
};

/// How bad an error is, as numbered on the wire.
enum class ReportLevel : std::uint8_t { kInfo = 1, kWarning = 2, kViolation = 3, kFault = 4 };

/// What the controller says to whoever listens at the primary port.
struct RobotMessage {
  enum class Kind : std::uint8_t {
    kText,              ///< textmsg() and the like
    kProgramLabel,      ///< a program began or ended
    kSafetyMode,        ///< protective stop and so on
    kErrorCode,         ///< C…A…, with a text
    kRuntimeException,  ///< a script that cannot go on: line and column
    kKey,               ///< a title that clients look for, and what it is about
  };

  Kind kind = Kind::kText;
  std::uint64_t number = 0;  ///< counts from 0
  Time time{};
  std::string text;
  std::int32_t code = 0;                        ///< of an error; of a runtime exception its line
  std::int32_t argument = 0;                    ///< likewise; its column
  ReportLevel level = ReportLevel::kViolation;  ///< of an error
  std::string title{};                          ///< of a key message
};

/// Titles of key messages; the text is the program's name.
inline constexpr std::string_view kProgramStarted = "PROGRAM_XXX_STARTED";
inline constexpr std::string_view kProgramStopped = "PROGRAM_XXX_STOPPED";

/// What RTDE clients write. Absent: left as it is.
struct RtdeInputs {
  std::optional<double> speed_slider;
  /// Which bits of `digital_outputs` take the value they have in `values`.
  std::uint64_t digital_output_mask = 0;
  std::uint64_t digital_output_values = 0;
  std::uint8_t analog_output_mask = 0;     ///< bit 0: output 0
  std::uint8_t analog_output_types = 0;    ///< 1 voltage, 0 current
  std::array<double, 2> analog_outputs{};  ///< fraction of the range, 0 … 1
  std::optional<Vector6> external_force;
  /// Of Registers: which of them are written is kept by their owner, one bit each.
  Registers registers;
  std::array<bool, Registers::kBits> has_bit{};
  std::uint64_t has_integer = 0;
  std::uint64_t has_double = 0;
};

/// Calls come between two steps; what they cause shows from the next cycle on.
class ControllerPort {
 public:
  virtual ~ControllerPort() = default;

  virtual const ControllerInfo& info() const = 0;
  /// As of the last cycle.
  virtual const ControllerState& state() const = 0;
  /// Cycles so far: a stream has something new when this has grown.
  virtual std::uint64_t cycles() const = 0;
  /// The newest ones, in order of their numbers; older ones are forgotten.
  virtual std::span<const RobotMessage> messages() const = 0;

  /// A whole `def` or `sec`, or one statement. What is wrong with it becomes a message, as on the
  /// real one: nobody is answered.
  virtual void run_script(std::string_view text) = 0;
  /// A script that could not even be kept; `why` becomes a message.
  virtual void refuse_script(std::string_view why) = 0;
  virtual void write_inputs(const RtdeInputs& inputs) = 0;

  // What the dashboard can do; the error is what it says then.
  virtual Result<bool> power_on() = 0;
  virtual Result<bool> power_off() = 0;
  virtual Result<bool> release_brakes() = 0;
  /// A program that was loaded, or the one that was paused.
  virtual Result<bool> play() = 0;
  virtual Result<bool> pause() = 0;
  virtual Result<bool> stop() = 0;
  virtual Result<bool> load(std::string_view file) = 0;
  virtual Result<bool> unlock_protective_stop() = 0;
  /// The same without the wait that the dashboard imposes: the primary port's own order.
  virtual Result<bool> unlock_at_once() = 0;
  /// Ends every stop of the safety system; the robot is without power then.
  virtual Result<bool> restart_safety() = 0;
  virtual std::string loaded_program() const = 0;
  /// Shows a text to whoever stands at the robot; an empty one closes what is shown.
  virtual void show_popup(std::string_view text) = 0;
  /// Into the controller's log, which is what the primary port says.
  virtual void add_to_log(std::string_view text) = 0;
};

}  // namespace longarm::protocols::ur
