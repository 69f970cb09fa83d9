// SPDX-License-Identifier: Apache-2.0
// RTDE packets to bytes and back.
#include "longarm/protocols/ur/rtde_codec.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/protocols/ur/bytes.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::size_t kMaxRtdeTextBytes = 255;  // a byte counts them

Error wrong_size(std::string_view what, std::size_t size, std::string_view expected) {
  return Error{fmt::format("{} of {} bytes, {} expected", what, size, expected)};
}

}  // namespace

std::string encode_rtde(RtdePacketType type, std::string_view payload) {
  check(payload.size() <= kRtdeMaxPayloadBytes, "an RTDE packet counts its bytes with 16 bits");
  ByteWriter out;
  out.reserve(kRtdeHeaderBytes + payload.size());
  out.put(static_cast<std::uint16_t>(kRtdeHeaderBytes + payload.size()));
  out.put(static_cast<std::uint8_t>(type));
  out.put_text(payload);
  return out.str();
}

void RtdePacketReader::add(std::string_view bytes,
                           const std::function<void(const RtdePacket&)>& take) {
  if (is_lost_) {
    return;
  }
  pending_ += bytes;
  std::string_view rest = pending_;
  while (rest.size() >= kRtdeHeaderBytes) {
    ByteReader header(rest);
    const auto size = header.get<std::uint16_t>();
    const auto type = header.get<std::uint8_t>();
    if (size < kRtdeHeaderBytes) {
      is_lost_ = true;
      pending_.clear();
      return;
    }
    if (rest.size() < size) {
      break;
    }
    take({type, std::string(rest.substr(kRtdeHeaderBytes, size - kRtdeHeaderBytes))});
    rest.remove_prefix(size);
  }
  pending_.erase(0, pending_.size() - rest.size());
}

std::string join_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

std::string encode_text(const RtdeText& text, RtdeVersion version) {
  ByteWriter out;
  const auto level = static_cast<std::uint8_t>(text.level);
  if (version == RtdeVersion::k1) {
    out.put(level);
    out.put_text(std::string_view(text.message).substr(0, kRtdeMaxPayloadBytes - 1));
    return encode_rtde(RtdePacketType::kText, out.text());
  }
  for (const std::string& part : {text.message, text.source}) {
    const std::string_view cut = std::string_view(part).substr(0, kMaxRtdeTextBytes);
    out.put(static_cast<std::uint8_t>(cut.size()));
    out.put_text(cut);
  }
  out.put(level);
  return encode_rtde(RtdePacketType::kText, out.text());
}

Result<RtdeText> decode_text(std::string_view payload, RtdeVersion version) {
  ByteReader in(payload);
  RtdeText text;
  std::uint8_t level = 0;
  if (version == RtdeVersion::k1) {
    level = in.get<std::uint8_t>();
    text.message = in.rest();
  } else {
    text.message = in.get_text(in.get<std::uint8_t>());
    text.source = in.get_text(in.get<std::uint8_t>());
    level = in.get<std::uint8_t>();
    if (in.is_good() && in.size() > 0) {
      return Error{fmt::format("a text with {} bytes too many", in.size())};
    }
  }
  if (!in.is_good()) {
    return Error{"a text that is cut off"};
  }
  if (level > static_cast<std::uint8_t>(RtdeLevel::kInfo)) {
    return Error{fmt::format("a text of level {}, 0 to 3 expected", level)};
  }
  text.level = static_cast<RtdeLevel>(level);
  return text;
}

std::string encode_output_setup(const RtdeOutputSetup& setup, RtdeVersion version) {
  ByteWriter out;
  if (version == RtdeVersion::k2) {
    out.put(setup.frequency_hz);
  }
  out.put_text(join_names(setup.names));
  return encode_rtde(RtdePacketType::kSetupOutputs, out.text());
}

Result<RtdeOutputSetup> decode_output_setup(std::string_view payload, RtdeVersion version) {
  ByteReader in(payload);
  RtdeOutputSetup setup;
  if (version == RtdeVersion::k2) {
    setup.frequency_hz = in.get<double>();
  }
  if (!in.is_good()) {
    return wrong_size("a setup of outputs", payload.size(), "a frequency (8) and names");
  }
  setup.names = split_names(in.rest());
  return setup;
}

std::string encode_setup_answer(RtdePacketType type, const RtdeSetupAnswer& answer,
                                bool has_recipe) {
  ByteWriter out;
  if (has_recipe) {
    out.put(answer.recipe);
  }
  out.put_text(join_names(answer.types));
  return encode_rtde(type, out.text());
}

Result<RtdeSetupAnswer> decode_setup_answer(std::string_view payload, bool has_recipe) {
  ByteReader in(payload);
  RtdeSetupAnswer answer;
  if (has_recipe) {
    answer.recipe = in.get<std::uint8_t>();
  }
  if (!in.is_good()) {
    return Error{"an answer to a setup without a recipe"};
  }
  answer.types = split_names(in.rest());
  return answer;
}

std::string encode_version_request(std::uint16_t version) {
  ByteWriter out;
  out.put(version);
  return encode_rtde(RtdePacketType::kProtocolVersion, out.text());
}

Result<std::uint16_t> decode_version_request(std::string_view payload) {
  if (payload.size() != 2) {
    return wrong_size("a request of a protocol version", payload.size(), "2");
  }
  return ByteReader(payload).get<std::uint16_t>();
}

std::string encode_accepted(RtdePacketType type, bool is_accepted) {
  return encode_rtde(type, std::string(1, is_accepted ? '\1' : '\0'));
}

Result<bool> decode_accepted(std::string_view payload) {
  if (payload.size() != 1) {
    return wrong_size("an acceptance", payload.size(), "1");
  }
  return payload[0] != '\0';
}

std::string encode_controller_version(const RtdeControllerVersion& version) {
  ByteWriter out;
  for (const std::uint32_t part : version) {
    out.put(part);
  }
  return encode_rtde(RtdePacketType::kControllerVersion, out.text());
}

Result<RtdeControllerVersion> decode_controller_version(std::string_view payload) {
  if (payload.size() != 16) {
    return wrong_size("a controller's version", payload.size(), "16");
  }
  ByteReader in(payload);
  RtdeControllerVersion version{};
  for (std::uint32_t& part : version) {
    part = in.get<std::uint32_t>();
  }
  return version;
}

std::string encode_data(std::optional<std::uint8_t> recipe, const std::vector<RtdeValue>& values) {
  ByteWriter out;
  if (recipe) {
    out.put(*recipe);
  }
  for (const RtdeValue& value : values) {
    put_rtde(out, value);
  }
  return encode_rtde(RtdePacketType::kData, out.text());
}

Result<std::vector<RtdeValue>> decode_values(std::string_view bytes,
                                             const std::vector<RtdeType>& types) {
  std::size_t expected = 0;
  for (const RtdeType type : types) {
    expected += rtde_size_bytes(type);
  }
  if (bytes.size() != expected) {
    return wrong_size("values", bytes.size(), fmt::format("{}", expected));
  }
  ByteReader in(bytes);
  std::vector<RtdeValue> values;
  values.reserve(types.size());
  for (const RtdeType type : types) {
    values.push_back(get_rtde(in, type));
  }
  return values;
}

}  // namespace longarm::protocols::ur
