// SPDX-License-Identifier: Apache-2.0
// The calling thread takes the answers, so that only it writes.
#include "longarm/study/workers.h"

#include <chrono>
#include <optional>
#include <utility>

#include <sched.h>

#include "longarm/study/thread_team.h"

namespace longarm::study {
namespace {

/// How often somebody looks whether to stop.
constexpr auto kLookForStop = std::chrono::milliseconds(50);

}  // namespace

void work_in_threads(const Work& work, int threads) {
  PointQueue queue(work.points);
  queue.close();
  ThreadTeam team(queue, work.answer, threads);
  const StopAtEnd stop{queue};
  while (!team.is_over()) {
    if (std::optional<PointAnswer> answer = team.next(kLookForStop)) {
      work.take(std::move(*answer));
    }
    if (work.is_stopped && work.is_stopped()) {
      queue.stop();
    }
  }
}

int available_threads() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return count > 0 ? count : 1;
}

}  // namespace longarm::study
