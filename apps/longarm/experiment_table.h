// SPDX-License-Identifier: Apache-2.0
// What a run of an experiment came to, as a person reads it.
#pragma once

#include <string>

#include "longarm/experiments/load_experiment.h"
#include "longarm/scenario/run.h"

namespace longarm::app {

/// Title line, the kind's metrics with their closed forms, hash, speed and where the results are.
std::string experiment_text(const experiments::PreparedExperiment& prepared,
                            const scenario::RunResult& result);

}  // namespace longarm::app
