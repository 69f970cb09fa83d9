// SPDX-License-Identifier: Apache-2.0
// A firmware's version as people write it.
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "longarm/protocols/ur/realtime.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::size_t kMaxNumbers = 4;

// At most four numbers with dots in between; nothing if it is something else.
std::optional<std::array<std::int32_t, kMaxNumbers>> read_numbers(std::string_view text,
                                                                  std::size_t& count) {
  std::array<std::int32_t, kMaxNumbers> numbers{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  for (count = 0; count < kMaxNumbers; ++count) {
    const auto [behind, error] = std::from_chars(begin, end, numbers[count]);
    if (error != std::errc() || numbers[count] < 0) {
      return std::nullopt;
    }
    if (behind == end) {
      ++count;
      return numbers;
    }
    if (*behind != '.') {
      return std::nullopt;
    }
    begin = behind + 1;
  }
  return std::nullopt;
}

}  // namespace

Result<Firmware> read_firmware(std::string_view text) {
  std::size_t count = 0;
  const auto numbers = read_numbers(text, count);
  if (!numbers || count < 2 || (*numbers)[0] > 255 || (*numbers)[1] > 255) {
    return Error{fmt::format("'{}' is not a firmware version; for example 3.15", text)};
  }
  Firmware firmware;
  firmware.major = static_cast<std::uint8_t>((*numbers)[0]);
  firmware.minor = static_cast<std::uint8_t>((*numbers)[1]);
  firmware.bugfix = (*numbers)[2];
  firmware.build = (*numbers)[3];
  if (const Result<std::size_t> size = real_time_size(firmware); !size) {
    return size.error();
  }
  return firmware;
}

}  // namespace longarm::protocols::ur
