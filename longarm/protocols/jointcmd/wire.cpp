// SPDX-License-Identifier: Apache-2.0
// Fields of protocol buffers to and from bytes.
#include "longarm/protocols/jointcmd/wire.h"

#include "longarm/system/bytes.h"

namespace longarm::protocols::jointcmd {
namespace {

void append_tag(std::string& out, std::uint32_t field, std::uint32_t type) {
  append_varint(out, (std::uint64_t{field} << 3U) | type);
}

}  // namespace

template <typename Bits>
std::optional<std::uint64_t> WireReader::fixed() {
  system::ByteReader<std::endian::little> in(rest_);
  const Bits bits = in.get<Bits>();
  rest_ = in.rest();
  return in.is_good() ? std::optional<std::uint64_t>(bits) : std::nullopt;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || has_failed_) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> tag = take_varint(rest_);
  if (!tag.has_value() || *tag > UINT32_MAX || (*tag >> 3U) == 0) {
    return fail();
  }
  WireField field;
  field.number = static_cast<std::uint32_t>(*tag >> 3U);
  field.type = static_cast<std::uint32_t>(*tag & 7U);
  std::optional<std::uint64_t> value;
  switch (field.type) {
    case 0:
    case 2:
      value = take_varint(rest_);
      break;
    case 1:
      value = fixed<std::uint64_t>();
      break;
    case 5:
      value = fixed<std::uint32_t>();
      break;
    default:  // groups, which no message of ours has had
      return fail();
  }
  if (!value.has_value() || (field.type == 2 && *value > rest_.size())) {
    return fail();
  }
  if (field.type == 2) {
    field.bytes = rest_.substr(0, *value);
    rest_.remove_prefix(*value);
  } else {
    field.bits = *value;
  }
  return field;
}

std::optional<WireField> WireReader::fail() {
  has_failed_ = true;
  return std::nullopt;
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const std::uint64_t byte = static_cast<unsigned char>(bytes[i]);
    if (i == 9 && byte > 1) {
      return std::nullopt;
    }
    value |= (byte & 0x7FU) << (7 * i);
    if (byte < 0x80U) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80U) {
    out += static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

void append_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  append_tag(out, field, 0);
  append_varint(out, value);
}

void append_double(std::string& out, std::uint32_t field, double value) {
  append_tag(out, field, 1);
  std::array<char, sizeof value> bytes{};
  system::store<std::endian::little>(value, bytes.data());
  out.append(bytes.data(), bytes.size());
}

void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_tag(out, field, 2);
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace longarm::protocols::jointcmd
