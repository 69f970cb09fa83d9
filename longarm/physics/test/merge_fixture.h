// SPDX-License-Identifier: Apache-2.0
// For tests of bodies that become one: a tray, a gear, and how close forces come.
#pragma once

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {

inline const model::Body kTray = make_mass(2.0, {0.4, 0.3, 0.1}, {0.01, 0.02, 0});
inline const model::Body kGear = make_mass(0.5, {0.06, 0.08, 0.1}, {0.02, 0, 0});

class MergeTest : public EngineTest {
 protected:
  /// In N and N·m; iterating leaves QuickStep a little off.
  double force_tolerance() const { return is("ode", "quick") ? 0.05 : 5e-3; }
  double torque_tolerance() const { return is("ode", "quick") ? 1e-2 : 1e-3; }
};

}  // namespace longarm::physics
