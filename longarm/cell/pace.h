// SPDX-License-Identifier: Apache-2.0
// What clients of a cell ask of whoever makes it go on by the wall clock.
#pragma once

#include <cstdint>

namespace longarm::cell {

/// A run in simulated time alone pays no heed to it.
struct Pace {
  bool is_served = false;  ///< somebody heeds what is asked
  bool is_paused = false;
  std::uint64_t steps = 0;  ///< to be made in spite of it
  bool is_reset_asked = false;
};

}  // namespace longarm::cell
