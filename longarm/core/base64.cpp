// SPDX-License-Identifier: Apache-2.0
// Three bytes make four digits; fewer make one more than they are, and '=' fills up.
#include "longarm/core/base64.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace longarm {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[bits >> (18U - 6U * k) & 63U] : '=';
    }
  }
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return Error{"not base64 text: its length is not a multiple of four"};
  }
  for (int fill = 0; fill < 2 && text.ends_with('='); ++fill) {
    text.remove_suffix(1);
  }
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t value = kDigits.find(c);
    if (value == kDigits.npos) {
      return Error{fmt::format("not base64 text: it contains a '{}'", c)};
    }
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xffU);
    }
  }
  return bytes;
}

}  // namespace longarm
