// SPDX-License-Identifier: Apache-2.0
// Chooses solref, solimp and margin of a contact.
#include "longarm/physics/mujoco/mujoco_surface.h"

#include <algorithm>

#include "longarm/physics/pair_surface.h"

namespace longarm::physics {
namespace {

// A contact harder than this hops by less than a micrometre, and slides while it is in the air.
constexpr double kHardest = 0.9;

double inverse_mass(const mjModel& model, const mjContact& contact) {
  return model.body_invweight0[2 * model.geom_bodyid[contact.geom1]] +
         model.body_invweight0[2 * model.geom_bodyid[contact.geom2]];
}

void set_spring(const mjModel& model, const PairSpring& spring, mjContact& contact) {
  const double h = model.opt.timestep;
  // 1/R over the bodies' own mass
  const double weight =
      h * (h * spring.stiffness_N_m + spring.damping_N_s_m) * inverse_mass(model, contact);
  const double d = std::max(weight / (1.0 + weight), mjMINIMP);
  if (d > kHardest) {
    return;  // as hard as the engine can, which is the default
  }
  contact.solimp[0] = contact.solimp[1] = d;
  // in this form k = -solref[0]/d and b = -solref[1]/d
  contact.solref[0] = -spring.error_reduction(h) / (h * h) * d;
  contact.solref[1] = -1.0 / h * d;
}

/// How much of an overlap a step removes when nothing else acts.
double error_reduction(const mjModel& model, const mjContact& contact) {
  const bool is_direct = contact.solref[0] < 0.0;
  const double h = model.opt.timestep;
  // by default k·r = b·v: v = r/(2T) for a time constant T
  return is_direct ? h * contact.solref[0] / contact.solref[1] : h / (2.0 * contact.solref[0]);
}

}  // namespace

void set_mujoco_surface(const mjModel& model, const model::Surface& a, const model::Surface& b,
                        mjContact& contact) {
  if (is_springy(a, b)) {
    set_spring(model, pair_spring(a, b), contact);
  }
  // the margin shifts what MuJoCo takes for the overlap
  const double depth =
      corrected_depth(a, b, -contact.dist, error_reduction(model, contact), model.opt.timestep);
  contact.includemargin = contact.dist + depth;
}

}  // namespace longarm::physics
