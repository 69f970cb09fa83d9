// SPDX-License-Identifier: Apache-2.0
// Standard streams of programs that the simulation runs: output that somebody keeps, and no input.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "longarm/core/random.h"
#include "longarm/core/time.h"
#include "longarm/programs/kernel/file.h"

namespace longarm::programs {

/// Hands on what is written, with the simulated time. Looks like a pipe that always has room.
class OutputFile final : public File {
 public:
  using Sink = std::function<void(Time now, std::span<const std::byte> bytes)>;
  OutputFile(Kernel& kernel, Sink sink) : File(kernel), sink_(std::move(sink)) {}

  Placeholder placeholder() const override { return Placeholder::kPipeWrite; }
  int access() const override;
  std::uint32_t readiness() const override;
  std::int64_t write(std::span<const std::byte> bytes) override;

 private:
  Sink sink_;
};

/// As /dev/null: reads end at once, writes are forgotten.
class EmptyFile final : public File {
 public:
  using File::File;

  Placeholder placeholder() const override { return Placeholder::kNull; }
  bool can_epoll() const override { return false; }
  std::uint32_t readiness() const override;
  std::int64_t read(std::span<std::byte>) override { return 0; }
  std::int64_t write(std::span<const std::byte> bytes) override {
    return static_cast<std::int64_t>(bytes.size());
  }
};

/// As /dev/urandom, of the program that reads.
class RandomFile final : public File {
 public:
  RandomFile(Kernel& kernel, std::shared_ptr<RandomStream> random)
      : File(kernel), random_(std::move(random)) {}

  Placeholder placeholder() const override { return Placeholder::kNull; }
  bool can_epoll() const override { return false; }
  std::uint32_t readiness() const override;
  std::int64_t read(std::span<std::byte> out) override;
  std::int64_t write(std::span<const std::byte> bytes) override {
    return static_cast<std::int64_t>(bytes.size());
  }

 private:
  std::shared_ptr<RandomStream> random_;
};

/// The stream's next bytes.
void fill_random(RandomStream& random, std::span<std::byte> out);

}  // namespace longarm::programs
