// SPDX-License-Identifier: Apache-2.0
// Random programs of system calls that mean the same to Linux and to the emulated kernel: nothing
// in them depends on how fast the machine is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/random.h"

namespace longarm::programs {

/// Memory that programs read from and write to: bytes, and behind them structures.
inline constexpr std::size_t kDataBytes = 96 * 1024;
inline constexpr std::size_t kStructureBytes = 4096;
inline constexpr std::size_t kMemoryBytes = kDataBytes + kStructureBytes;

struct Argument {
  bool is_place = false;  ///< the value is an offset into the memory
  std::uint64_t value = 0;
};

/// One system call, with what is put into memory before, and what it may have changed there.
struct Step {
  std::int64_t number = 0;
  std::array<Argument, 6> arguments{};
  struct Input {
    std::size_t offset = 0;
    std::vector<std::uint8_t> bytes;
    bool is_pointer = false;  ///< the bytes are an offset, of which the address is put there
  };
  std::vector<Input> inputs;
  /// Data of this pattern, at offset 0.
  std::size_t data_bytes = 0;
  std::uint8_t pattern = 0;
  std::vector<std::pair<std::size_t, std::size_t>> outputs;  ///< offset, size
  bool returns_data = false;  ///< as many bytes at offset 0 as it returns

  /// What came of it in the emulated kernel.
  std::int64_t result = 0;
  std::uint64_t digest = 0;
  bool blocks = false;  ///< until a signal ends it
};

using Program = std::vector<Step>;

/// Families of calls, each of which adds a step now and then. To add one, add a function and its
/// name.
std::vector<std::string> family_names();
/// `families`: bits by place in the list of names.
Program random_program(RandomStream& random, std::uint64_t families, bool may_wait);

std::string describe_step(const Step& step);

}  // namespace longarm::programs
