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
  RunWorld(cell::Run& run, Duration period) : run_(run), period_(period) {}

  Duration period() const override { return period_; }
  std::vector<protocols::Door*> doors() override { return run_.world().doors(); }
  Time now() const override { return run_.now(); }
  void step() override { run_.run_until(run_.now() + period_); }
  bool is_over() const override { return run_.is_over(); }
  std::string hash() const override { return run_.world_hash(); }

 private:
  cell::Run& run_;
  Duration period_;
};

}  // namespace longarm::serve
