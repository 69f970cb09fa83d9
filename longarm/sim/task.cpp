// SPDX-License-Identifier: Apache-2.0
// Starts, cancels and finally destroys root tasks.
#include "longarm/sim/task.h"

namespace longarm::sim {

Tasks::~Tasks() {
  while (!roots_.empty()) {
    kernel_.cancel(roots_.back().start);
    roots_.pop_back();
  }
}

TaskId Tasks::spawn(TaskContext context, Task<void> task) {
  const std::size_t index = roots_.size();
  const EventId start = kernel_.deliver(kernel_.now(), context.source,
                                        [this, index](Time) { roots_[index].task->start(); });
  roots_.push_back({std::move(task), start, context.source});
  return TaskId(static_cast<std::uint32_t>(index));
}

void Tasks::cancel(TaskId id) {
  const auto index = static_cast<std::size_t>(id);
  kernel_.cancel(roots_.at(index).start);
  kernel_.deliver(kernel_.now(), roots_[index].source,
                  [this, index](Time) { roots_[index].task.reset(); });
}

bool Tasks::is_over(TaskId id) const {
  const Root& root = roots_.at(static_cast<std::size_t>(id));
  return !root.task || root.task->is_done();
}

}  // namespace longarm::sim
