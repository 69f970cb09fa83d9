// SPDX-License-Identifier: Apache-2.0
// The vDSO, the code of the machine's kernel that programs read clocks with and that makes no
// system call: replaced from outside by code that reads constants of ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::programs {

/// What programs read, as it stands behind the code that replaces the vDSO's.
struct VdsoTime {
  Duration real{0};       ///< since 1970
  Duration monotonic{0};  ///< since the host's start

  auto operator<=>(const VdsoTime&) const = default;
};

/// The same for all processes of a machine: our own is looked at.
class Vdso {
 public:
  /// Nothing at all to replace is fine: then every reading is a system call. An error: its code
  /// cannot be replaced.
  static Result<Vdso> find();

  bool is_there() const { return !patches_.empty(); }

  /// `memory` is /proc/PID/mem, `base` where the process has the vDSO. False: it is sealed, or the
  /// machine does not let us write.
  bool replace(int memory, std::uint64_t base) const;
  bool is_replaced(int memory, std::uint64_t base) const;
  bool write_time(int memory, std::uint64_t base, const VdsoTime& time) const;
  /// From now on each reading is a system call.
  bool make_readings_calls(int memory, std::uint64_t base) const;

 private:
  struct Patch {
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Patch> patches_;  ///< the code, then jumps to it
  std::vector<Patch> calls_;    ///< instead of the jumps: system calls
  std::uint64_t time_ = 0;      ///< offset of what is read
};

}  // namespace longarm::programs
