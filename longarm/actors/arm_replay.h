// SPDX-License-Identifier: Apache-2.0
// Repeats a recorded run and says whether its arms did the same; an arm by itself without its
// controller and its link.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "longarm/cell/scenario.h"
#include "longarm/core/time.h"

namespace longarm::actors {

struct ReplayReport {
  std::uint64_t states_compared = 0;  ///< of all arms' /joint_states, number by number
  bool is_same = true;                ///< all of them, bit by bit
  std::optional<Time> differs_at;     ///< first
  double largest_difference = 0.0;    ///< of a position, in rad or m
  std::string world_hash;             ///< of the replay
  std::string recorded_hash;          ///< of the run; empty if it, or its trace, was cut short
  Time end{};                         ///< how far the run went, or its trace goes
  std::string trace_problem;          ///< why it goes no further; empty if it is whole
};

/// Reads scenario.yaml and trace.mcap in `folder`. To an arm by itself the recorded messages are
/// fed; where others share its network they are sent anew, so that all meet them again. Also for
/// runs that were interrupted, up to there, or killed: as far as the trace goes. `progress` is
/// called now and then. `out`, if not empty, is a folder to make: the whole run is then made again,
/// controllers and links included, and leaves its results there. Throws InputError if the folder
/// has no trace, or if model files have changed since.
ReplayReport replay_run(const std::string& folder, const cell::Plugins& plugins,
                        const std::function<void(Time now, Time end)>& progress = {},
                        const std::string& out = {});

}  // namespace longarm::actors
