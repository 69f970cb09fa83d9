// SPDX-License-Identifier: Apache-2.0
// A run as a world that is served or replayed.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/run.h"
#include "longarm/serve/world.h"

namespace longarm::serve {

class RunWorld final : public World {
 public:
  /// Borrows the run.
  RunWorld(cell::Run& run, Duration period) : run_(run), period_(period) {
    run.world().pace().is_served = true;
  }

  Duration period() const override { return period_; }
  std::vector<protocols::Door*> doors() override { return run_.world().doors(); }
  Time now() const override { return run_.now(); }
  void step() override { run_.run_until(run_.now() + period_); }
  bool is_over() const override { return run_.is_over(); }
  bool is_paused() const override { return run_.world().pace().is_paused; }
  bool take_step() override {
    cell::Pace& pace = run_.world().pace();
    const bool is_wanted = pace.steps > 0;
    pace.steps -= is_wanted ? 1 : 0;
    return is_wanted;
  }
  bool is_reset_asked() const override { return run_.world().pace().is_reset_asked; }
  std::string hash() const override { return run_.world_hash(); }

 private:
  cell::Run& run_;
  Duration period_;
};

}  // namespace longarm::serve
