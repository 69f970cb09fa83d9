// SPDX-License-Identifier: Apache-2.0
// What the registers of the belt's controller mean.
#pragma once

#include <cstdint>

namespace longarm::protocols::modbus {

/// The lab's holding registers begin here; the controller strips the offset, so that 0, 1 and 2 are
/// the same three.
constexpr std::uint16_t kOffset = 0x8000;

/// Holding registers.
enum PlcHolding : std::uint16_t {
  kOnOff = 0,      ///< 0 or 1; also coil 0
  kDirection = 1,  ///< 0 forward, 1 reverse (or the other way round); also coil 1
  kSpeed = 2,      ///< 0 … 0x8000, which is full speed
  kHoldingCount = 3,
};

/// Input registers, as of the last scan: an extension, the lab has none. Pairs have their high word
/// first.
enum PlcInput : std::uint16_t {
  kMeasuredSpeed = 0,  ///< of the surface, signed, 0.1 mm/s
  kEncoderHigh = 1,    ///< how far it has come, signed 32 bits, 0.01 mm, wraps
  kEncoderLow = 2,
  kFlags = 3,           ///< bits of PlcFlag
  kCommandedSpeed = 4,  ///< what the drive is told, signed, 0.1 mm/s
  kWritesHigh = 5,      ///< registers and coils written so far, 32 bits
  kWritesLow = 6,
  kScansHigh = 7,  ///< scans so far, 32 bits
  kScansLow = 8,
  kInputCount = 9,
};

/// Bits of kFlags, and discrete inputs of the same numbers.
enum PlcFlag : std::uint16_t {
  kIsRunning = 0,        ///< the surface moves at 1 mm/s or more
  kIsJammed = 1,         ///< the drive presses with all it has and gets nowhere
  kIsStopped = 2,        ///< held, whatever is commanded
  kIsSafetyStopped = 3,  ///< by the safety system
  kFlagCount = 4,
};

constexpr std::uint16_t kFullSpeed = 0x8000;

/// The count of the speed register for a fraction of full speed; outside of 0 … 1 it is cut.
constexpr std::uint16_t speed_count(double fraction) {
  if (!(fraction > 0.0)) {
    return 0;
  }
  return fraction >= 1.0 ? kFullSpeed : static_cast<std::uint16_t>(fraction * kFullSpeed + 0.5);
}

/// A signed 32-bit number out of two registers.
constexpr std::int32_t joined(std::uint16_t high, std::uint16_t low) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(high) << 16) | low);
}

}  // namespace longarm::protocols::modbus
