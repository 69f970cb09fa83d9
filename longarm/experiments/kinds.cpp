// SPDX-License-Identifier: Apache-2.0
// Their names.
#include "longarm/experiments/kinds.h"

namespace longarm::experiments {

ExperimentRegistry built_in_experiments() {
  ExperimentRegistry kinds("experiment");
  kinds.add("belt-bench", "a part put on a running belt: how long and how far it slips",
            make_belt_bench);
  return kinds;
}

}  // namespace longarm::experiments
