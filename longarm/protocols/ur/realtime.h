// SPDX-License-Identifier: Apache-2.0
// The packet of a UR controller's real-time port: one fixed layout per generation of firmware.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// All that exist, in bytes: 1.6, 1.7, 1.8, 3.0, 3.2, 3.5, 3.10 (and 5.4), 5.9, 5.10. The size is
/// all that tells a client which one it has got.
constexpr std::array<std::size_t, 9> kRealTimeSizes{756,  764,  812,  1044, 1060,
                                                    1108, 1116, 1140, 1220};

/// Of the firmware we speak for, 3.2 … 3.15: 1060, 1108 or 1116. The error says why not and what
/// to take instead.
Result<std::size_t> real_time_size(const Firmware& firmware);

/// "3.15", "3.15.8" or "3.15.8.106339"; what is not given is 0. The error also covers firmware that
/// we do not speak for.
Result<Firmware> read_firmware(std::string_view text);

/// The firmware must be one that real_time_size() has a size for. Parts that the layout reserves
/// are 0.
std::string encode_real_time(const ControllerState& state, const Firmware& firmware);

/// What a client learns from a packet. Members of the state that the layout does not have keep
/// their defaults.
struct RealTimeReading {
  std::size_t bytes = 0;  ///< one of kRealTimeSizes
  ControllerState state;
  /// From 3.10 on: like the safety mode, but with values that only newer controllers know.
  std::optional<std::int32_t> safety_status{};

  bool has_robot_mode() const { return bytes >= 764; }
  bool has_joint_modes() const { return bytes >= 812; }
  /// Also control currents, target pose and speed, speed scaling and voltages.
  bool has_safety_mode() const { return bytes >= 1044; }
  /// Also the program's state.
  bool has_digital_outputs() const { return bytes >= 1060; }
  bool has_elbow() const { return bytes >= 1108; }
  bool has_payload() const { return bytes >= 1220; }
};

/// A whole packet and nothing else. The error is a size that no firmware has, or a mode that is
/// none.
Result<RealTimeReading> decode_real_time(std::string_view packet);

}  // namespace longarm::protocols::ur
