// SPDX-License-Identifier: Apache-2.0
// A recorded run once more, without its clients: the same calls at the same steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "longarm/serve/recording.h"
#include "longarm/serve/world.h"

namespace longarm::serve {

struct ReplayReport {
  std::uint64_t events = 0;       ///< of clients
  std::uint64_t checkpoints = 0;  ///< compared
  std::uint64_t steps = 0;
  Time end{};
  bool is_same = true;                      ///< at all checkpoints, bit by bit
  std::optional<std::uint64_t> differs_at;  ///< step of the first checkpoint that is not
  std::string difference;                   ///< what it is that differs there
  std::string how_it_ended;                 ///< the recorded run; empty: it was killed
  std::string problem;                      ///< of the recording
  std::string world_hash;
  std::string said_hash;
};

/// As far as the recording goes. Of a run that was killed also the steps after the last checkpoint
/// are made, as far as clients said something; they are compared with nothing.
ReplayReport replay(World& world, RecordingReader& recording,
                    const std::function<void(Time now)>& progress = {});

}  // namespace longarm::serve
