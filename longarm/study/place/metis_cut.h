// SPDX-License-Identifier: Apache-2.0
// The balanced minimum cut of a communication graph, as METIS finds it: where a search starts.
#pragma once

#include <vector>

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
  int seed = 0;                    ///< METIS's
  int found = 1;                   ///< how many of the attempts came to this placement
};

/// What METIS finds depends on its seed, by a factor at times: many attempts, the same ones always.
struct MetisCuts {
  std::vector<MetisCut> different;  ///< different placements, the cheapest cut first; at least one
  int attempts = 0;
  int discarded = 0;  ///< attempts so far from the constraints that mending made them another cut

  const MetisCut& best() const { return different.front(); }
};

/// Both of METIS's algorithms with twenty seeds each; then mended, because METIS is content with
/// nearly balanced parts and knows no pins. As METIS draws from the C library's random numbers,
/// call it from one thread at a time. Throws InputError without METIS, or if the constraints leave
/// nothing.
MetisCuts metis_cuts(const PlacementSpace& space);

}  // namespace longarm::study
