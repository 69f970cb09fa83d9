// SPDX-License-Identifier: Apache-2.0
// What other loops are measured against: mj_step of the same model with nothing around it.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

#include "longarm/actors/arm.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::bench {

inline constexpr int kSteps = 2000;  // per block
inline constexpr int kBlocks = 40;

/// CPU time of this thread: the machine's other work does not count.
inline double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The same compiled model, held still without gravity so that nothing touches, and stepped with
/// nothing around it.
class BareLoop {
 public:
  BareLoop(const cell::PreparedScenario& prepared, bool looks_for_contacts) {
    const physics::FlatCell cell(prepared.model);
    model_ = physics::compile_mujoco_model(
        physics::write_mjcf(cell, {.period_s = 1e-3}, physics::count_slots(cell)));
    data_ = physics::make_mujoco_data(*model_);
    const std::vector<double>& home = actors::arm_of(prepared).config().home_rad.values;
    std::copy(home.begin(), home.end(), data_->qpos);
    std::fill_n(model_->opt.gravity, 3, 0.0);
    if (!looks_for_contacts) {
      model_->opt.disableflags |= mjDSBL_CONTACT;
    }
  }

  /// CPU time of kSteps steps.
  double block() {
    const double start = cpu_s();
    for (int i = 0; i < kSteps; ++i) {
      mj_step(model_.get(), data_.get());
    }
    return cpu_s() - start;
  }

 private:
  physics::MujocoModelPtr model_;
  physics::MujocoDataPtr data_;
};

}  // namespace longarm::bench
