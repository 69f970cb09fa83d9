// SPDX-License-Identifier: Apache-2.0
// What a run came to, as a person reads it.
#pragma once

#include <string>

#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run_folder.h"

namespace longarm::app {

/// Title line, metrics with their closed forms, hash, speed and where the results are.
std::string run_text(const cell::PreparedScenario& prepared, const cell::RunResult& result);

}  // namespace longarm::app
