// SPDX-License-Identifier: Apache-2.0
// One experiment from scenario to run folder.
#pragma once

#include <filesystem>

#include "longarm/experiments/experiment_run.h"
#include "longarm/scenario/run.h"

namespace longarm::experiments {

/// scenario.yaml into a run's folder, and copies of the files that it names where they are needed
/// to read it back. Throws InputError.
void write_scenario(const PreparedExperiment& prepared, const std::filesystem::path& folder);

/// Runs and writes the folder as scenario::run_scenario() does: scenario.yaml, log.txt, trace.mcap
/// with where everything was, curves.csv with its picture curves.svg and, last, metrics.json.
/// Throws InputError before anything runs, if the experiment or the folder is no good.
/// `ideal`, if not null, is what load_ideal() made of it: metrics.json then has `reference`.
scenario::RunResult run_experiment(const PreparedExperiment& prepared,
                                   const scenario::RunOptions& options,
                                   const PreparedExperiment* ideal = nullptr);

}  // namespace longarm::experiments
