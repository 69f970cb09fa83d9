// SPDX-License-Identifier: Apache-2.0
// The balanced minimum cut of a communication graph, as METIS finds it: where a search starts.
#pragma once

#include <cstdint>
#include <optional>

#include "longarm/study/place/space.h"

namespace longarm::study {

/// False where the program was built without METIS.
bool has_metis();

struct MetisCut {
  Placement placement;             ///< allowed
  double bytes_per_s = 0.0;        ///< between hosts
  double metis_bytes_per_s = 0.0;  ///< before anything was repaired
  int repaired_violations = 0;     ///< what METIS's own answer broke of the constraints
  const char* algorithm = "";      ///< "recursive bisection" or "k-way"
};

/// Both of METIS's algorithms, the better result; then mended, because METIS is content with nearly
/// balanced parts and knows no pins. As METIS draws from the C library's random numbers, call it
/// from one thread at a time. Throws InputError without METIS, or if the constraints leave nothing.
MetisCut metis_cut(const PlacementSpace& space, std::uint64_t seed);

}  // namespace longarm::study
