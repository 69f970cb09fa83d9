// SPDX-License-Identifier: Apache-2.0
// Lexical forms of XML Schema, and characters in UTF-8.
#include "longarm/protocols/crcl/xml_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace longarm::protocols::crcl {
namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

// How many digits `text` begins with.
std::size_t digits_of(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

// mantissa ('e' | 'E' exponent)?, without the mantissa's sign
bool is_unsigned_decimal(std::string_view text) {
  const std::size_t whole = digits_of(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = digits_of(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) {
    return false;
  }
  if (text.empty()) {
    return true;
  }
  if (text.front() != 'e' && text.front() != 'E') {
    return false;
  }
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) {
    text.remove_prefix(1);
  }
  return !text.empty() && digits_of(text) == text.size();
}

// from_chars says only that a number is out of range: too large, or too small? Its decimal
// magnitude tells: where its first digit stands, counted from the point, plus the exponent.
double out_of_range(std::string_view text) {
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const double place = static_cast<double>(point) - static_cast<double>(first);

  double exponent = 0.0;
  if (exponent_at < text.size()) {
    const bool is_negative = text[exponent_at + 1] == '-';
    const std::size_t digits_at = text.find_first_of("0123456789", exponent_at);
    for (const char digit : text.substr(digits_at)) {
      exponent = exponent * 10.0 + static_cast<double>(digit - '0');
    }
    exponent = is_negative ? -exponent : exponent;
  }
  return place + exponent > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

template <typename Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  Integer value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The characters of XML 1.0, production 2.
bool is_xml_character(std::uint32_t character) {
  return character == 0x9 || character == 0xA || character == 0xD ||
         (character >= 0x20 && character <= 0xD7FF) ||
         (character >= 0xE000 && character <= 0xFFFD) ||
         (character >= 0x10000 && character <= 0x10FFFF);
}

struct Decoded {
  std::uint32_t character = 0;
  std::size_t size = 1;
  bool is_good = false;
};

// The first character of `text`, which is not empty; a bad one is one byte long.
Decoded first_character(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte_at(0);
  if (lead < 0x80) {
    return {lead, 1, is_xml_character(lead)};
  }
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) {
    return {};
  }
  std::uint32_t character = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(i) & 0xC0U) != 0x80U) {
      return {};
    }
    character = (character << 6U) | (byte_at(i) & 0x3FU);
  }
  const bool is_shortest = size == 2 || (size == 3 && character >= 0x800) || character >= 0x10000;
  if (!is_shortest || !is_xml_character(character)) {
    return {};
  }
  return {character, size, true};
}

void append_utf8(std::string& out, std::uint32_t character) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xC0U | (character >> 6U));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xE0U | (character >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (character >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

// `name` is what stands between '&' and ';'.
bool append_reference(std::string& out, std::string_view name) {
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const int base = name.starts_with('x') ? 16 : 10;
    name.remove_prefix(base == 16 ? 1 : 0);
    std::uint32_t character = 0;
    const auto [end, failure] =
        std::from_chars(name.data(), name.data() + name.size(), character, base);
    if (failure != std::errc() || end != name.data() + name.size() ||
        !is_xml_character(character)) {
      return false;
    }
    append_utf8(out, character);
    return true;
  }
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [entity, byte] : kEntities) {
    if (name == entity) {
      out += byte;
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_xml_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_xml_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_xml_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string collapsed(std::string_view text) {
  std::string out;
  for (const char byte : trimmed(text)) {
    const bool is_space = is_xml_space(byte);
    if (!is_space || out.back() != ' ') {
      out += is_space ? ' ' : byte;
    }
  }
  return out;
}

std::optional<double> parse_double(std::string_view text) {
  text = trimmed(text);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "INF") {
    return kInfinity;
  }
  if (text == "-INF") {
    return -kInfinity;
  }
  if (text == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (!is_unsigned_decimal(text)) {
    return std::nullopt;
  }
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc::result_out_of_range) {
    value = out_of_range(text);
  }
  return sign * value;
}

std::optional<std::int64_t> parse_long(std::string_view text) {
  return parse_integer<std::int64_t>(text);
}

std::optional<std::int32_t> parse_int(std::string_view text) {
  return parse_integer<std::int32_t>(text);
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trimmed(text);
  if (text == "true" || text == "1") {
    return true;
  }
  if (text == "false" || text == "0") {
    return false;
  }
  return std::nullopt;
}

bool is_name_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '-' || byte == '_' ||
           byte == ':';
  });
}

bool is_id(std::string_view text) {
  return is_name_token(text) && (is_letter(text.front()) || text.front() == '_') &&
         text.find(':') == std::string_view::npos;
}

bool is_xml_text(std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = first_character(text);
    if (!decoded.is_good) {
      return false;
    }
    text.remove_prefix(decoded.size);
  }
  return true;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t start = text.find('&');
    out += text.substr(0, start);
    if (start == std::string_view::npos) {
      return out;
    }
    const std::size_t end = text.find(';', start);
    if (end == std::string_view::npos ||
        !append_reference(out, text.substr(start + 1, end - start - 1))) {
      return std::nullopt;
    }
    text.remove_prefix(end + 1);
  }
}

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = first_character(text);
    if (!decoded.is_good) {
      append_utf8(out, 0xFFFD);
    } else if (text.front() == '<') {
      out += "&lt;";
    } else if (text.front() == '>') {
      out += "&gt;";
    } else if (text.front() == '&') {
      out += "&amp;";
    } else if (text.front() == '\r') {
      out += "&#13;";  // a bare one would be read as a line feed
    } else {
      out += text.substr(0, decoded.size);
    }
    text.remove_prefix(decoded.size);
  }
}

}  // namespace longarm::protocols::crcl
