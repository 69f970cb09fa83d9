// SPDX-License-Identifier: Apache-2.0
// The count of an eventfd.
#include "longarm/programs/kernel/event_file.h"

#include <cerrno>
#include <cstring>

#include <poll.h>

namespace longarm::programs {
namespace {

constexpr std::uint64_t kFullCount = ~std::uint64_t{0};  // never reached by writes

}  // namespace

std::uint32_t EventFile::readiness() const {
  return (count_ > 0 ? POLLIN : 0U) | (count_ == kFullCount ? POLLERR : 0U) |
         (count_ < kFullCount - 1 ? POLLOUT : 0U);
}

std::int64_t EventFile::read(std::span<std::byte> out) {
  if (out.size() < sizeof count_) {
    return -EINVAL;
  }
  if (count_ == 0) {
    return -EAGAIN;
  }
  const std::uint64_t value = is_semaphore_ ? 1 : count_;
  count_ -= value;
  std::memcpy(out.data(), &value, sizeof value);
  changed(POLLOUT);
  return sizeof value;
}

std::int64_t EventFile::write(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  if (bytes.size() != sizeof value) {
    return -EINVAL;
  }
  std::memcpy(&value, bytes.data(), sizeof value);
  if (value == kFullCount) {
    return -EINVAL;
  }
  if (kFullCount - count_ <= value) {
    return -EAGAIN;
  }
  count_ += value;
  changed(POLLIN);
  return sizeof value;
}

}  // namespace longarm::programs
