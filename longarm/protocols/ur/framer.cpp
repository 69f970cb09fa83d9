// SPDX-License-Identifier: Apache-2.0
// Cutting a stream at the sizes that it says itself.
#include "longarm/protocols/ur/framer.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "longarm/protocols/ur/bytes.h"
#include "longarm/protocols/ur/realtime.h"

namespace longarm::protocols::ur {

void SizedFramer::feed(std::string_view bytes) {
  if (!error_) {
    queue_.add(bytes);
  }
}

Result<std::optional<std::string_view>> SizedFramer::next() {
  if (error_) {
    return *error_;
  }
  const std::string_view rest = queue_.rest();
  if (rest.size() < sizeof(std::int32_t)) {
    return std::optional<std::string_view>();
  }
  const auto said = ByteReader(rest).get<std::int32_t>();
  const auto size = static_cast<std::size_t>(std::max(said, 0));
  if (!is_size_(size)) {
    error_ = Error{fmt::format("{} bytes is not the size of a {} packet", said, what_)};
    queue_ = {};
    return *error_;
  }
  if (rest.size() < size) {
    return std::optional<std::string_view>();
  }
  queue_.drop(size);
  return std::optional(rest.substr(0, size));
}

RealTimeFramer::RealTimeFramer()
    : SizedFramer("real-time", [](std::size_t size) {
        return std::find(kRealTimeSizes.begin(), kRealTimeSizes.end(), size) !=
               kRealTimeSizes.end();
      }) {}

PrimaryFramer::PrimaryFramer()
    : SizedFramer("primary", [](std::size_t size) { return size >= 5 && size <= kMaxBytes; }) {}

}  // namespace longarm::protocols::ur
