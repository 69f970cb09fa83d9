// SPDX-License-Identifier: Apache-2.0
// Oracles of how far an arm is behind a plan that moves with constant speed.
#include <cmath>

#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kFollowingGroup = "following";
constexpr double kGain = 20.0;
constexpr double kAt_s = 2.0;

/// From 0.1 to 3.1 rad with about 1 rad/s, which the plan has from 0.1 s on: at 2 s there is
/// e^(−K · 1.9 s) = e^(−38) left of the start. `lag_s` is the expected lag as a part of the plan's
/// speed.
Comparison compare_lag(double lag_s, const Settings& settings) {
  Settings all = {"task.path=joint", "task.joints_rad=[[3.1]]", "task.velocity_limit_rad_s=1",
                  fmt::format("gain={}", kGain), "task.hold=100ms"};
  all.insert(all.end(), settings.begin(), settings.end());
  const Recording run = record("one-joint", all);
  const auto k = static_cast<std::size_t>(std::lround(kAt_s / run.period_s));
  const double speed_rad_s = (run.plan.at(k) - run.plan.at(k - 100)) / (100.0 * run.period_s);
  return {lag_s * speed_rad_s, run.plan.at(k) - run.position.at(k), 1e-9,
          "what is left of the start after 1.9 s, and how much the engine's motor yields"};
}

struct FollowingCase {
  const char* name;
  const char* what;
  double lag_s;
  Settings settings;
};

}  // namespace

void add_following_oracles(std::vector<Oracle>& all) {
  // Steady: the joint moves with v, so that every command that acts says v, however late it comes:
  // v = K (p(t) − q(t − d_s)) + f v, hence p − q = v (1 − f)/K − v d_s. The commands' delay does
  // not appear.
  constexpr double kLag_s = 1.0 / kGain;
  const std::vector<FollowingCase> cases = {
      {"lag", "without feed-forward an arm lags a plan of speed v by v/K", kLag_s, {}},
      {"lag-half-feed-forward",
       "half of the feed-forward halves the lag",
       0.5 * kLag_s,
       {"feed_forward=0.5"}},
      {"lag-feed-forward", "full feed-forward leaves no lag", 0.0, {"feed_forward=1"}},
      {"lag-states-delay",
       "a delay d of the states takes v d from the lag",
       kLag_s - 0.02,
       {"link.states.delay=20ms"}},
      {"lag-commands-delay",
       "a delay of the commands changes nothing about the steady lag",
       kLag_s,
       {"link.commands.delay=20ms"}},
      {"lead-feed-forward-states-delay",
       "with full feed-forward the arm is ahead of its plan by v times the states' delay",
       -0.02,
       {"feed_forward=1", "link.states.delay=20ms", "link.commands.delay=5ms"}},
      {"lead-clock-offset",
       "a controller whose clock is 30 ms ahead runs the plan 30 ms ahead",
       -0.03,
       {"feed_forward=1", "control.clock_offset=30ms"}},
      {"lag-position-cut",
       "positions that arrive 20 ms late add v times the delay to the lag",
       kLag_s + 0.02,
       {"cut=position", "link.commands.delay=20ms"}},
      {"lag-position-cut-states",
       "where positions cross the link, a delay of the states changes nothing",
       kLag_s,
       {"cut=position", "link.states.delay=20ms"}},
      {"lag-trajectory-cut",
       "a plan that arrives 20 ms late is followed 20 ms late",
       kLag_s + 0.02,
       {"cut=trajectory", "link.commands.delay=20ms"}},
      {"lag-servo-lag",
       "a velocity servo of lag T has caught up with a constant speed",
       kLag_s,
       {"servo.model=pid", "servo.p=100"}},
      {"lag-ode", "the lag v/K on engine ode", kLag_s, {"engine=ode"}},
  };
  for (const FollowingCase& c : cases) {
    all.push_back(
        {c.name, kFollowingGroup, c.what, "rad", [c] { return compare_lag(c.lag_s, c.settings); }});
  }
}

}  // namespace longarm::oracles
