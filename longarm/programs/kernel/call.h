// SPDX-License-Identifier: Apache-2.0
// A system call of Linux on x86-64 as a thread makes it, and what becomes of it.
#pragma once

#include <array>
#include <cstdint>

namespace longarm::programs {

struct Call {
  std::int64_t number = -1;  ///< as SYS_read
  std::array<std::uint64_t, 6> arguments{};
  std::uint64_t place = 0;  ///< of the instruction, for reports

  int descriptor() const { return static_cast<int>(arguments[0]); }
};

/// What the kernel says to a call.
struct Reply {
  enum class Kind : std::uint8_t {
    kDone,     ///< `value` is the result, or an error number below zero
    kNative,   ///< the machine's own kernel is to do it, now
    kWaits,    ///< later, when the kernel resumes the thread
    kRestart,  ///< a signal is pending and ends the wait: its handler runs, then the call is made
               ///< again if SA_RESTART says so, and fails with EINTR otherwise
    kUnsupported,  ///< nobody does: the run has to end with words
  };
  Kind kind = Kind::kDone;
  std::int64_t value = 0;

  static Reply done(std::int64_t value) { return {Kind::kDone, value}; }
  static Reply error(int number) { return {Kind::kDone, -static_cast<std::int64_t>(number)}; }
  static Reply native() { return {Kind::kNative, 0}; }
  static Reply waits() { return {Kind::kWaits, 0}; }
  static Reply restart() { return {Kind::kRestart, 0}; }
  static Reply unsupported() { return {Kind::kUnsupported, 0}; }
};

}  // namespace longarm::programs
