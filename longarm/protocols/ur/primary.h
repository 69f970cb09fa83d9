// SPDX-License-Identifier: Apache-2.0
// Packets of a UR controller's primary and secondary ports: version, robot states, messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/primary_packages.h"

namespace longarm::protocols::ur {

/// The first packet that a client gets.
struct VersionMessage {
  std::string project = "URControl";
  Firmware firmware;
  std::string build_date = "01-01-2022, 00:00:00";
};

/// Sub-packages of a robot state; a controller may leave out any of them.
struct RobotStatePacket {
  PackageSizes sizes{};
  std::optional<RobotModePackage> robot_mode{};
  std::optional<JointsPackage> joints{};
  std::optional<ToolPackage> tool{};
  std::optional<MasterboardPackage> masterboard{};
  std::optional<CartesianPackage> cartesian{};
  std::optional<KinematicsPackage> kinematics{};
  std::optional<ConfigurationPackage> configuration{};
};

/// A robot message, other than the version, of a kind that we know the layout of.
struct MessagePacket {
  RobotMessage::Kind kind = RobotMessage::Kind::kText;
  std::uint64_t timestamp_us = 0;
  std::int8_t source = 0;
  std::string text{};
  /// Error: code and argument. Runtime exception: line and column. Label: its id. Safety mode: the
  /// mode, and the argument of its code.
  std::int32_t code = 0;
  std::int32_t argument = 0;
  ReportLevel level = ReportLevel::kViolation;  ///< of an error
  std::string title{};                          ///< of a key message
};

/// Something else, whose type is all that we look at.
struct OtherPacket {
  std::uint8_t type = 0;
  std::optional<std::uint8_t> message_type{};  ///< of a robot message
};

using PrimaryPacket = std::variant<RobotStatePacket, VersionMessage, MessagePacket, OtherPacket>;

/// The layout depends on the firmware: from 3.3 on it has a build number.
std::string encode_version(const VersionMessage& version);

/// All sub-packages that there are; those that are shorter than its sizes say end with zeros.
std::string encode_robot_state(const RobotStatePacket& packet);
std::string encode_message(const MessagePacket& message);

/// What a controller says of itself.
RobotStatePacket describe(const ControllerInfo& info, const ControllerState& state);
/// `ahead`: of the controller's clock before simulated time.
MessagePacket describe(const RobotMessage& message, Duration ahead);

/// A whole packet and nothing else. Sub-packages and messages of other kinds, and what newer
/// controllers have at the end of a sub-package, are skipped.
Result<PrimaryPacket> decode_primary(std::string_view packet);

}  // namespace longarm::protocols::ur
