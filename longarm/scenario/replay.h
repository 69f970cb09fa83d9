// SPDX-License-Identifier: Apache-2.0
// Repeats a recorded run without its controller and its link, and says whether the robot did the
// same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "longarm/core/time.h"
#include "longarm/scenario/scenario.h"

namespace longarm::scenario {

struct ReplayReport {
  std::uint64_t states_compared = 0;  ///< of /joint_states, number by number
  bool is_same = true;                ///< all of them, bit by bit
  std::optional<Time> differs_at;     ///< first
  double largest_difference = 0.0;    ///< of a position, in rad or m
  std::string world_hash;             ///< of the replay
  std::string recorded_hash;          ///< of the run; empty if it, or its trace, was cut short
  Time end{};                         ///< how far the trace goes
  std::string trace_problem;          ///< why it goes no further; empty if it is whole
};

/// Reads scenario.yaml and trace.mcap in `folder` and feeds the recorded messages to a simulation
/// of the same cell. Also for runs that were killed: as far as the trace goes. `progress` is called
/// now and then. Throws InputError if the folder has no trace, or if model files have changed
/// since.
ReplayReport replay_run(const std::string& folder, const Plugins& plugins,
                        const std::function<void(Time now, Time end)>& progress = {});

}  // namespace longarm::scenario
