// SPDX-License-Identifier: Apache-2.0
// Numbers that stand in the robot messages of a UR controller.
#pragma once

#include <cstdint>

#include "longarm/protocols/ur/controller_port.h"

namespace longarm::protocols::ur {

enum class MessageType : std::uint8_t {
  kText = 0,
  kProgramLabel = 1,
  kVersion = 3,
  kSafetyMode = 5,
  kErrorCode = 6,
  kKey = 7,
  kRuntimeException = 10,
};

constexpr std::uint64_t kNoTimestamp = ~std::uint64_t{0};
/// Who speaks: the control software itself, or the machine that runs programs.
constexpr std::int8_t kControlSource = -2;
constexpr std::int8_t kProgramSource = -3;
constexpr std::uint32_t kNoReportData = 0;

constexpr MessageType type_of(RobotMessage::Kind kind) {
  switch (kind) {
    case RobotMessage::Kind::kText:
      return MessageType::kText;
    case RobotMessage::Kind::kProgramLabel:
      return MessageType::kProgramLabel;
    case RobotMessage::Kind::kSafetyMode:
      return MessageType::kSafetyMode;
    case RobotMessage::Kind::kErrorCode:
      return MessageType::kErrorCode;
    case RobotMessage::Kind::kRuntimeException:
      return MessageType::kRuntimeException;
    case RobotMessage::Kind::kKey:
      return MessageType::kKey;
  }
  return MessageType::kText;
}

/// Version messages of older ones go on with the date.
constexpr bool has_build_number(const Firmware& firmware) {
  return firmware.major > 3 || (firmware.major == 3 && firmware.minor >= 3);
}

}  // namespace longarm::protocols::ur
