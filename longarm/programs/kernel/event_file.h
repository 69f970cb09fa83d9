// SPDX-License-Identifier: Apache-2.0
// eventfd(2): a count that is written to and read from.
#pragma once

#include <cstdint>

#include "longarm/programs/kernel/file.h"

namespace longarm::programs {

class EventFile final : public File {
 public:
  /// A semaphore is read one by one.
  EventFile(Kernel& kernel, std::uint64_t count, bool is_semaphore)
      : File(kernel), count_(count), is_semaphore_(is_semaphore) {}

  bool is_stream() const override { return false; }
  std::uint32_t readiness() const override;
  std::int64_t read(std::span<std::byte> out) override;
  std::int64_t write(std::span<const std::byte> bytes) override;

 private:
  std::uint64_t count_;
  bool is_semaphore_;
};

}  // namespace longarm::programs
