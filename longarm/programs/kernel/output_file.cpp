// SPDX-License-Identifier: Apache-2.0
// Standard streams, and what stands for devices.
#include "longarm/programs/kernel/output_file.h"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <poll.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {
namespace {

// what poll(2) says of files that cannot wait
constexpr std::uint32_t kAlwaysReady = POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;

}  // namespace

int OutputFile::access() const {
  return O_WRONLY;
}

std::uint32_t OutputFile::readiness() const {
  return POLLOUT | POLLWRNORM;
}

std::int64_t OutputFile::write(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    sink_(kernel().now(), bytes);
  }
  return static_cast<std::int64_t>(bytes.size());
}

std::uint32_t EmptyFile::readiness() const {
  return kAlwaysReady;
}

std::uint32_t RandomFile::readiness() const {
  return kAlwaysReady;
}

std::int64_t RandomFile::read(std::span<std::byte> out) {
  fill_random(*random_, out);
  return static_cast<std::int64_t>(out.size());
}

void fill_random(RandomStream& random, std::span<std::byte> out) {
  while (!out.empty()) {
    const std::uint64_t bits = random.bits();
    const std::size_t count = std::min(out.size(), sizeof bits);
    std::memcpy(out.data(), &bits, count);
    out = out.subspan(count);
  }
}

}  // namespace longarm::programs
