// SPDX-License-Identifier: Apache-2.0
// A live run that goes on when it is told to, line by line: `step 10`, `run 2s`, `quit`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/serve/live_run.h"

namespace longarm::serve {

struct StepWords {
  std::uint64_t steps = 1;
};
struct RunWords {
  Duration length{};
};
struct QuitWords {};
using SteppedWords = std::variant<StepWords, RunWords, QuitWords>;

/// The error is for the one who typed it.
Result<SteppedWords> parse_stepped(std::string_view line);

/// Reads lines from `input` until `quit`, its end, or the end of the run. `step` goes as fast as it
/// can, `run` at the run's speed; in between clients are answered while the world stands still.
/// `tell` gets a prompt with the time before each line, and complaints.
void run_stepped(LiveRun& run, const World& world, Time end, int input,
                 const std::function<void(const std::string&)>& tell,
                 const LiveRun::Asked& is_asked_to_stop);

}  // namespace longarm::serve
