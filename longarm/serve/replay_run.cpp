// SPDX-License-Identifier: Apache-2.0
// Steps to where the next line belongs, then does what it says.
#include "longarm/serve/replay_run.h"

#include "longarm/serve/conversations.h"

namespace longarm::serve {
namespace {

void compare(const Checkpoint& recorded, ReplayReport& report) {
  ++report.checkpoints;
  report.how_it_ended = recorded.end;
  const bool is_world_same = recorded.world_hash == report.world_hash;
  const bool is_said_same = recorded.said_hash == report.said_hash;
  if ((is_world_same && is_said_same) || !report.is_same) {
    return;
  }
  report.is_same = false;
  report.differs_at = recorded.step;
  report.difference = !is_world_same ? "the world" : "output to clients";
}

}  // namespace

ReplayReport replay(World& world, RecordingReader& recording,
                    const std::function<void(Time now)>& progress) {
  ReplayReport report;
  Conversations conversations(world.doors());
  while (const auto entry = recording.next()) {
    while (report.steps < entry->step && !world.is_over()) {
      world.step();
      conversations.after_step();
      ++report.steps;
      if (progress) {
        progress(world.now());
      }
    }
    if (entry->event) {
      ++report.events;
      conversations.apply(*entry->event, world.now());
      continue;
    }
    report.world_hash = world.hash();
    report.said_hash = conversations.hash();
    compare(entry->checkpoint, report);
  }
  report.end = world.now();
  report.world_hash = world.hash();
  report.said_hash = conversations.hash();
  report.problem = recording.problem();
  return report;
}

}  // namespace longarm::serve
