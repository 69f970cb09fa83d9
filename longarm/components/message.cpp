// SPDX-License-Identifier: Apache-2.0
// The parts of the codec that do not depend on the message.
#include "longarm/components/message.h"

#include <fmt/format.h>

namespace longarm::components::internal {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

SplitTime split(Time time) {
  const std::int64_t ns = std::max<std::int64_t>(time.time_since_epoch().count(), 0);
  const std::int64_t seconds = ns / kNanosecondsPerSecond;
  if (seconds > std::numeric_limits<std::uint32_t>::max()) {
    return {std::numeric_limits<std::uint32_t>::max(), kNanosecondsPerSecond - 1};
  }
  return {static_cast<std::uint32_t>(seconds),
          static_cast<std::uint32_t>(ns % kNanosecondsPerSecond)};
}

SplitTime split(Duration duration) {
  // nanoseconds count upwards also before zero, as ROS normalises them
  const std::int64_t ns = duration.count();
  const std::int64_t floor = ns % kNanosecondsPerSecond < 0 ? 1 : 0;
  const std::int64_t seconds = ns / kNanosecondsPerSecond - floor;
  if (seconds > std::numeric_limits<std::int32_t>::max()) {
    return {static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()),
            kNanosecondsPerSecond - 1};
  }
  if (seconds < std::numeric_limits<std::int32_t>::min()) {
    return {static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::min()), 0};
  }
  return {static_cast<std::uint32_t>(seconds),
          static_cast<std::uint32_t>(ns - seconds * kNanosecondsPerSecond)};
}

void Reader::fail(std::string_view field, std::string_view what) {
  if (is_good()) {
    complaint = field.empty() ? std::string(what) : fmt::format("'{}': {}", field, what);
  }
}

const std::byte* Reader::take(std::size_t size, std::string_view field) {
  if (!is_good()) {
    return nullptr;
  }
  if (size > rest.size()) {
    fail(field, fmt::format("needs {} bytes, {} are left", size, rest.size()));
    return nullptr;
  }
  const std::byte* from = rest.data();
  rest = rest.subspan(size);
  return from;
}

std::size_t Reader::length(std::size_t least, std::string_view field) {
  const auto count = number<std::uint32_t>(field);
  if (!is_good()) {
    return 0;
  }
  // refuse before anything is allocated; elements without bytes could be claimed without end
  if (count > rest.size() / std::max<std::size_t>(least, 1)) {
    fail(field, fmt::format("claims {} elements, {} bytes are left", count, rest.size()));
    return 0;
  }
  return count;
}

}  // namespace longarm::components::internal
