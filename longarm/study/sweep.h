// SPDX-License-Identifier: Apache-2.0
// Runs a study: every point that its file does not answer yet.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "longarm/study/point.h"
#include "longarm/study/store.h"
#include "longarm/study/workers.h"

namespace longarm::study {

struct SweepProgress {
  std::size_t asked = 0;     ///< points of the study
  std::size_t answered = 0;  ///< of those, by now
  std::size_t ran = 0;       ///< of those, in this call
};

struct SweepOptions {
  std::string command;  ///< that repeats it
  /// Who does the work; by default the threads of this process.
  std::function<void(const Work&)> workers;
  std::function<void(const SweepProgress&)> progress;  ///< may be empty
  std::function<bool()> is_interrupted;                ///< may be empty
};

/// A point that could not be simulated.
struct SweepFailure {
  std::vector<std::string> assignments;
  std::string message;
};

/// Said of the scenario at some of the points that ran now.
struct SweepWarning {
  std::string text;
  std::size_t points = 0;
};

struct SweepResult {
  SweepProgress progress;
  std::vector<SweepFailure> failures;
  std::vector<SweepWarning> warnings;  ///< each text once, in the order of texts
};

/// Asks the study's question in `store` and answers what is open. Each finished run is committed at
/// once; a sweep that ends early, however that is, is continued by calling this again. The rows do
/// not depend on who did the work, or in which order.
SweepResult sweep(const StudySource& source, const PointRunner& runner, Store& store,
                  const SweepOptions& options);

}  // namespace longarm::study
