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
  if (error_) {
    return;
  }
  // moving the rest to the front now and then costs less than doing it for every packet
  if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<std::string_view>> SizedFramer::next() {
  if (error_) {
    return *error_;
  }
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < sizeof(std::int32_t)) {
    return std::optional<std::string_view>();
  }
  const auto said = ByteReader(rest).get<std::int32_t>();
  const auto size = static_cast<std::size_t>(std::max(said, 0));
  if (!is_size_(size)) {
    error_ = Error{fmt::format("{} bytes is not the size of a {} packet", said, what_)};
    buffer_ = {};
    begin_ = 0;
    return *error_;
  }
  if (rest.size() < size) {
    return std::optional<std::string_view>();
  }
  begin_ += size;
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
