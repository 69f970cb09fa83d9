// SPDX-License-Identifier: Apache-2.0
// Who answers a study's points: threads of this process, or the ranks of an MPI job.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "longarm/study/point.h"

namespace longarm::study {

/// Hands out points and takes their answers.
struct Work {
  std::vector<std::size_t> points;  ///< indices in the grid, in the order to begin with them
  /// Called in any thread.
  std::function<PointAnswer(std::size_t index)> answer;
  /// Called in the thread that called, in the order of arrival.
  std::function<void(PointAnswer)> take;
  /// Asked in the calling thread now and then; no more points are begun once it says so.
  std::function<bool()> is_stopped;
};

/// Returns when every point that was begun has been taken. What `take` throws comes out here, after
/// the threads have ended.
void work_in_threads(const Work& work, int threads);

/// As many as there are cores that this process may use.
int available_threads();

}  // namespace longarm::study
