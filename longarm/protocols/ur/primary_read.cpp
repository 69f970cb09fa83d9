// SPDX-License-Identifier: Apache-2.0
// Packets of the primary and secondary ports, read.
#include <fmt/format.h>

#include "longarm/protocols/ur/bytes.h"
#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/primary_messages.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::size_t kHeadBytes = 5;

template <typename Value>
void get_value(ByteReader& in, Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    value = in.get<Value>();
  } else {
    for (auto& element : value) {
      element = in.get<std::remove_reference_t<decltype(element)>>();
    }
  }
}

// Whether there was enough of it.
template <typename Package>
bool get_package(ByteReader in, std::optional<Package>& package) {
  package.emplace();
  visit_fields(*package, [&](auto& value) { get_value(in, value); });
  return in.is_good();
}

bool get_package(PackageType type, ByteReader in, RobotStatePacket& state) {
  switch (type) {
    case PackageType::kRobotMode:
      return get_package(in, state.robot_mode);
    case PackageType::kJoints:
      return get_package(in, state.joints);
    case PackageType::kTool:
      return get_package(in, state.tool);
    case PackageType::kMasterboard:
      return get_package(in, state.masterboard);
    case PackageType::kCartesian:
      return get_package(in, state.cartesian);
    case PackageType::kKinematics:
      return get_package(in, state.kinematics);
    case PackageType::kConfiguration:
      return get_package(in, state.configuration);
  }
  return true;  // somebody else's
}

Result<PrimaryPacket> decode_robot_state(ByteReader in) {
  RobotStatePacket state;
  while (in.size() > 0) {
    const auto size = in.get<std::int32_t>();
    const auto type = in.get<std::uint8_t>();
    if (!in.is_good() || size < static_cast<std::int32_t>(kHeadBytes) ||
        static_cast<std::size_t>(size) - kHeadBytes > in.size()) {
      return Error{fmt::format(
          "a robot state with a sub-package of {} bytes, which exceeds the packet", size)};
    }
    const ByteReader data(in.get_text(static_cast<std::size_t>(size) - kHeadBytes));
    if (static_cast<PackageType>(type) == PackageType::kRobotMode) {
      state.sizes.robot_mode_bytes = static_cast<std::size_t>(size);
    } else if (static_cast<PackageType>(type) == PackageType::kMasterboard) {
      state.sizes.masterboard_bytes = static_cast<std::size_t>(size);
    }
    if (!get_package(static_cast<PackageType>(type), data, state)) {
      return Error{fmt::format("a robot state whose sub-package {} is cut short after {} bytes",
                               type, size)};
    }
  }
  return PrimaryPacket(state);
}

Result<PrimaryPacket> decode_version(ByteReader in) {
  VersionMessage version;
  version.project = in.get_text(in.get<std::uint8_t>());
  version.firmware.major = in.get<std::uint8_t>();
  version.firmware.minor = in.get<std::uint8_t>();
  version.firmware.bugfix = in.get<std::int32_t>();
  version.firmware.build = has_build_number(version.firmware) ? in.get<std::int32_t>() : 0;
  version.build_date = in.rest();
  if (!in.is_good()) {
    return Error{"a version message that is cut short"};
  }
  return PrimaryPacket(std::move(version));
}

Result<PrimaryPacket> decode_message(ByteReader in) {
  using Kind = RobotMessage::Kind;
  MessagePacket message;
  message.timestamp_us = in.get<std::uint64_t>();
  message.source = in.get<std::int8_t>();
  const auto type = in.get<std::uint8_t>();
  if (!in.is_good()) {
    return Error{"a robot message that is cut short"};
  }
  switch (static_cast<MessageType>(type)) {
    case MessageType::kVersion:
      return decode_version(in);
    case MessageType::kText:
      message.kind = Kind::kText;
      break;
    case MessageType::kProgramLabel:
      message.kind = Kind::kProgramLabel;
      message.code = in.get<std::int32_t>();
      break;
    case MessageType::kSafetyMode:
      message.kind = Kind::kSafetyMode;
      in.skip(sizeof(std::int32_t));  // the code of a report; we have none
      message.argument = in.get<std::int32_t>();
      message.code = in.get<std::uint8_t>();
      in.skip(2 * sizeof(std::uint32_t));
      break;
    case MessageType::kErrorCode:
      message.kind = Kind::kErrorCode;
      message.code = in.get<std::int32_t>();
      message.argument = in.get<std::int32_t>();
      message.level = static_cast<ReportLevel>(in.get<std::int32_t>());
      in.skip(2 * sizeof(std::uint32_t));  // type of data, data
      break;
    case MessageType::kRuntimeException:
      message.kind = Kind::kRuntimeException;
      message.code = in.get<std::int32_t>();
      message.argument = in.get<std::int32_t>();
      break;
    case MessageType::kKey:
      message.kind = Kind::kKey;
      message.code = in.get<std::int32_t>();
      message.argument = in.get<std::int32_t>();
      message.title = in.get_text(in.get<std::uint8_t>());
      break;
    default:
      return PrimaryPacket(OtherPacket{static_cast<std::uint8_t>(PacketType::kRobotMessage), type});
  }
  if (!in.is_good()) {
    return Error{fmt::format("a robot message of type {} that is cut short", type)};
  }
  message.text = message.kind == Kind::kSafetyMode ? std::string_view() : in.rest();
  return PrimaryPacket(std::move(message));
}

}  // namespace

Result<PrimaryPacket> decode_primary(std::string_view packet) {
  ByteReader in(packet);
  const auto size = in.get<std::int32_t>();
  const auto type = in.get<std::uint8_t>();
  if (!in.is_good() || size < 0 || static_cast<std::size_t>(size) != packet.size()) {
    return Error{
        fmt::format("{} bytes that claim to be {} are not a valid packet", packet.size(), size)};
  }
  switch (static_cast<PacketType>(type)) {
    case PacketType::kRobotState:
      return decode_robot_state(in);
    case PacketType::kRobotMessage:
      return decode_message(in);
  }
  return PrimaryPacket(OtherPacket{type});
}

}  // namespace longarm::protocols::ur
