// SPDX-License-Identifier: Apache-2.0
// CPU time is the thread's own, so that being preempted does not count as work.
#include "longarm/components/real/burning_processor.h"

#include <ctime>
#include <utility>

namespace longarm::components {
namespace {

Duration thread_cpu_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

}  // namespace

void burn(Duration work) {
  const Duration end = thread_cpu_time() + work;
  while (thread_cpu_time() < end) {
  }
}

void BurningProcessor::execute(Duration work, std::function<void()> done) {
  sim::Kernel& kernel = loop_.kernel();
  // as an event of its own: whoever asked goes on to the end of its line first
  kernel.deliver(kernel.now(), source_, [this, work, done, is_alive = is_alive_](Time) {
    if (!*is_alive) {
      return;
    }
    burn(work);
    loop_.kernel().deliver(loop_.stamp(), source_, [done, is_alive](Time) {
      if (*is_alive) {
        done();
      }
    });
  });
}

}  // namespace longarm::components
