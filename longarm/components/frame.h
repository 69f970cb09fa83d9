// SPDX-License-Identifier: Apache-2.0
// What nodes say to each other: a few bytes before each payload. docs/how-to/components.md has the
// table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "longarm/components/message.h"

namespace longarm::components {

enum class FrameKind : std::uint8_t {
  kRequest = 1,    ///< id, name of the method
  kOneWay = 2,     ///< name of the method; no reply
  kReply = 3,      ///< id, when the request arrived, when it was executed
  kError = 4,      ///< id; the payload is text
  kProgress = 5,   ///< id
  kCancel = 6,     ///< id
  kSubscribe = 7,  ///< name of the topic, the subscriber
  kDatum = 8,      ///< when it was sent
  kBrokered = 9    ///< name of the topic, the publisher, when it was sent
};

/// Views into the bytes it was read from.
struct Frame {
  FrameKind kind = FrameKind::kRequest;
  std::uint32_t id = 0;
  std::string_view name{};
  std::string_view who{};
  Time first{};
  Time second{};
  std::size_t payload_at = 0;
};

Bytes write_frame(const Frame& frame, std::span<const std::byte> payload = {});
Result<Frame> read_frame(std::span<const std::byte> bytes);

}  // namespace longarm::components
