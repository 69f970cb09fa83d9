// SPDX-License-Identifier: Apache-2.0
// Keeps sliding contacts on the ground: Coulomb friction as MuJoCo alone does not do it.
#pragma once

#include <vector>

#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

/// Solves the constraints, as mj_fwdConstraint does, without the lift that it gives to whatever
/// slides.
///
/// MuJoCo's friction cone makes a contact that slides at speed v also separate at about μ·v, as if
/// it climbed a wedge; parts that slide hop along. Taking that separation out of the normal's
/// reference leaves plain Coulomb friction. How much it is comes out of the solution, so we guess,
/// solve and correct; what the last step found is the first guess.
class MujocoSliding {
 public:
  MujocoSliding(const mjModel& model, const MujocoNumbers& numbers);

  void solve(const mjModel& model, mjData& data);

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  struct Slide {
    int geom1 = 0;  ///< as compiled
    int geom2 = 0;
    double excess = 0.0;  ///< m/s², of the tangential acceleration over what would stop the slide
  };

  void guess(const mjData& data);
  void apply(mjData& data) const;
  double correct(const mjModel& model, mjData& data);
  void remember(const mjData& data);
  int compiled(int geom) const { return numbers_.shapes[static_cast<std::size_t>(geom)].compiled; }

  const MujocoNumbers& numbers_;
  std::vector<Slide> last_step_;
  std::vector<char> is_used_;         ///< by entry of last_step_
  std::vector<double> excess_;        ///< by contact
  std::vector<double> reference_;     ///< by contact, of its normal, uncorrected
  std::vector<double> acceleration_;  ///< by constraint row
};

}  // namespace longarm::physics
