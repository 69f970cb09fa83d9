// SPDX-License-Identifier: Apache-2.0
// An experiment as a world that is served or replayed.
#pragma once

#include <string>
#include <vector>

#include "longarm/experiments/experiment_run.h"
#include "longarm/serve/world.h"

namespace longarm::serve {

class ExperimentWorld final : public World {
 public:
  /// Borrows the run.
  ExperimentWorld(experiments::ExperimentRun& run, Duration period) : run_(run), period_(period) {}

  Duration period() const override { return period_; }
  std::vector<protocols::Door*> doors() override { return run_.doors(); }
  Time now() const override { return run_.now(); }
  void step() override { run_.run_until(run_.now() + period_); }
  bool is_over() const override { return run_.is_over(); }
  std::string hash() const override { return run_.world_hash(); }

 private:
  experiments::ExperimentRun& run_;
  Duration period_;
};

}  // namespace longarm::serve
