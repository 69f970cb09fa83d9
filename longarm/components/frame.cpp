// SPDX-License-Identifier: Apache-2.0
// Writes and reads the bytes before a payload; which of them there are depends on the kind.
#include "longarm/components/frame.h"

#include <fmt/format.h>

namespace longarm::components {
namespace {

struct Parts {
  bool has_id = false;
  bool has_name = false;
  bool has_who = false;
  int times = 0;
};

Parts parts_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kRequest:
      return {.has_id = true, .has_name = true};
    case FrameKind::kOneWay:
      return {.has_name = true};
    case FrameKind::kReply:
      return {.has_id = true, .times = 2};
    case FrameKind::kError:
    case FrameKind::kProgress:
    case FrameKind::kCancel:
      return {.has_id = true};
    case FrameKind::kSubscribe:
      return {.has_name = true, .has_who = true};
    case FrameKind::kDatum:
      return {.times = 1};
    case FrameKind::kBrokered:
      return {.has_name = true, .has_who = true, .times = 1};
  }
  return {};
}

// names that are longer than 16 bits can count are cut: nobody has such names
std::string_view cut(std::string_view text) {
  return text.substr(0, std::numeric_limits<std::uint16_t>::max());
}

std::size_t head_size(const Parts& parts, const Frame& frame) {
  return 1 + (parts.has_id ? 4 : 0) + (parts.has_name ? 2 + cut(frame.name).size() : 0) +
         (parts.has_who ? 2 + cut(frame.who).size() : 0) +
         8 * static_cast<std::size_t>(parts.times);
}

void write_text(internal::Writer& writer, std::string_view text) {
  writer.number(static_cast<std::uint16_t>(cut(text).size()));
  writer.raw(text.data(), cut(text).size());
}

std::string_view read_text(internal::Reader& reader, std::string_view field) {
  const auto size = reader.number<std::uint16_t>(field);
  const std::byte* from = reader.take(size, field);
  return from == nullptr ? std::string_view{}
                         : std::string_view(reinterpret_cast<const char*>(from), size);
}

}  // namespace

Bytes write_frame(const Frame& frame, std::span<const std::byte> payload) {
  const Parts parts = parts_of(frame.kind);
  Bytes bytes(head_size(parts, frame) + payload.size());
  internal::Writer writer{bytes.data()};
  writer.number(static_cast<std::uint8_t>(frame.kind));
  if (parts.has_id) {
    writer.number(frame.id);
  }
  if (parts.has_name) {
    write_text(writer, frame.name);
  }
  if (parts.has_who) {
    write_text(writer, frame.who);
  }
  if (parts.times > 0) {
    writer.number(frame.first.time_since_epoch().count());
  }
  if (parts.times > 1) {
    writer.number(frame.second.time_since_epoch().count());
  }
  writer.raw(payload.data(), payload.size());
  return bytes;
}

Result<Frame> read_frame(std::span<const std::byte> bytes) {
  internal::Reader reader{bytes, {}};
  Frame frame;
  const auto kind = reader.number<std::uint8_t>("kind");
  if (kind < 1 || kind > static_cast<std::uint8_t>(FrameKind::kBrokered)) {
    return Error{fmt::format("unknown frame type {}", kind)};
  }
  frame.kind = static_cast<FrameKind>(kind);
  const Parts parts = parts_of(frame.kind);
  if (parts.has_id) {
    frame.id = reader.number<std::uint32_t>("id");
  }
  if (parts.has_name) {
    frame.name = read_text(reader, "name");
  }
  if (parts.has_who) {
    frame.who = read_text(reader, "who");
  }
  if (parts.times > 0) {
    frame.first = Time(Duration(reader.number<std::int64_t>("time")));
  }
  if (parts.times > 1) {
    frame.second = Time(Duration(reader.number<std::int64_t>("time")));
  }
  if (!reader.is_good()) {
    return Error{"frame: " + reader.complaint};
  }
  frame.payload_at = bytes.size() - reader.rest.size();
  return frame;
}

}  // namespace longarm::components
