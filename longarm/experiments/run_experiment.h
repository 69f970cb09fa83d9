// SPDX-License-Identifier: Apache-2.0
// One experiment from scenario to run folder.
#pragma once

#include "longarm/experiments/experiment_run.h"
#include "longarm/scenario/run.h"

namespace longarm::experiments {

/// Runs and writes the folder as scenario::run_scenario() does: scenario.yaml, log.txt, trace.mcap
/// with where everything was, curves.csv with its picture curves.svg and, last, metrics.json.
/// Throws InputError before anything runs, if the experiment or the folder is no good.
scenario::RunResult run_experiment(const PreparedExperiment& prepared,
                                   const scenario::RunOptions& options);

}  // namespace longarm::experiments
