// SPDX-License-Identifier: Apache-2.0
// Looks probes up by name.
#include "longarm/sim/probe.h"

namespace longarm::sim {

const Probe* Probes::find(const std::string& name) const {
  for (const Probe& probe : probes_) {
    if (probe.name == name) {
      return &probe;
    }
  }
  return nullptr;
}

}  // namespace longarm::sim
