// SPDX-License-Identifier: Apache-2.0
// Packets of the primary and secondary ports, written.
#include <algorithm>
#include <limits>

#include "longarm/protocols/ur/bytes.h"
#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/primary_messages.h"

namespace longarm::protocols::ur {
namespace {

// The packet must stay below 512 bytes: some drivers read no more of it.
constexpr std::size_t kMaxNameBytes = 100;
// Of a message; nobody needs more.
constexpr std::size_t kMaxMessageTextBytes = 16'384;
constexpr std::size_t kMaxTitleBytes = 255;

template <typename Value>
void put_value(ByteWriter& out, const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    out.put(value);
  } else {
    for (const auto& element : value) {
      out.put(element);
    }
  }
}

// Everything that begins with its size: where it is said.
class Sized {
 public:
  Sized(ByteWriter& out, std::uint8_t type) : out_(out), begin_(out.size()) {
    out_.put(std::int32_t{0});
    out_.put(type);
  }
  void end() { out_.put_at(begin_, static_cast<std::int32_t>(out_.size() - begin_)); }

 private:
  ByteWriter& out_;
  std::size_t begin_;
};

template <typename Package>
void put_package(ByteWriter& out, const std::optional<Package>& package,
                 std::size_t least_bytes = 0) {
  if (!package) {
    return;
  }
  const std::size_t begin = out.size();
  Sized sized(out, static_cast<std::uint8_t>(Package::kType));
  visit_fields(*package, [&](const auto& value) { put_value(out, value); });
  while (out.size() - begin < least_bytes) {
    out.put(std::uint8_t{0});
  }
  sized.end();
}

void put_message_head(ByteWriter& out, std::uint64_t timestamp_us, std::int8_t source,
                      MessageType type) {
  out.put(timestamp_us);
  out.put(source);
  out.put(static_cast<std::uint8_t>(type));
}

}  // namespace

std::string encode_version(const VersionMessage& version) {
  ByteWriter out;
  Sized packet(out, static_cast<std::uint8_t>(PacketType::kRobotMessage));
  put_message_head(out, kNoTimestamp, kControlSource, MessageType::kVersion);
  const std::string_view name = std::string_view(version.project).substr(0, kMaxNameBytes);
  out.put(static_cast<std::uint8_t>(name.size()));
  out.put_text(name);
  out.put(version.firmware.major);
  out.put(version.firmware.minor);
  out.put(version.firmware.bugfix);
  if (has_build_number(version.firmware)) {
    out.put(version.firmware.build);
  }
  out.put_text(std::string_view(version.build_date).substr(0, kMaxNameBytes));
  packet.end();
  return out.str();
}

std::string encode_robot_state(const RobotStatePacket& state) {
  ByteWriter out;
  out.reserve(1186);
  Sized packet(out, static_cast<std::uint8_t>(PacketType::kRobotState));
  put_package(out, state.robot_mode, state.sizes.robot_mode_bytes);
  put_package(out, state.joints);
  put_package(out, state.tool);
  put_package(out, state.masterboard, state.sizes.masterboard_bytes);
  put_package(out, state.cartesian);
  put_package(out, state.kinematics);
  put_package(out, state.configuration);
  packet.end();
  return out.str();
}

std::string encode_message(const MessagePacket& message) {
  using Kind = RobotMessage::Kind;
  ByteWriter out;
  Sized packet(out, static_cast<std::uint8_t>(PacketType::kRobotMessage));
  put_message_head(out, message.timestamp_us, message.source, type_of(message.kind));
  switch (message.kind) {
    case Kind::kText:
      break;
    case Kind::kProgramLabel:
      out.put(message.code);
      break;
    case Kind::kSafetyMode:
      out.put(std::int32_t{0});
      out.put(message.argument);
      out.put(static_cast<std::uint8_t>(std::clamp(message.code, 0, 255)));
      out.put(kNoReportData);
      out.put(std::uint32_t{0});
      packet.end();
      return out.str();  // the only one without a text
    case Kind::kErrorCode:
      out.put(message.code);
      out.put(message.argument);
      out.put(static_cast<std::int32_t>(message.level));
      out.put(kNoReportData);
      out.put(std::uint32_t{0});
      break;
    case Kind::kRuntimeException:
      out.put(message.code);
      out.put(message.argument);
      break;
    case Kind::kKey: {
      const std::string_view title = std::string_view(message.title).substr(0, kMaxTitleBytes);
      out.put(message.code);
      out.put(message.argument);
      out.put(static_cast<std::uint8_t>(title.size()));
      out.put_text(title);
      break;
    }
  }
  out.put_text(std::string_view(message.text).substr(0, kMaxMessageTextBytes));
  packet.end();
  return out.str();
}

}  // namespace longarm::protocols::ur
