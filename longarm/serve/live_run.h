// SPDX-License-Identifier: Apache-2.0
// A world that goes on by the wall clock while clients talk to its doors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "longarm/core/log.h"
#include "longarm/serve/carrier.h"
#include "longarm/serve/conversations.h"
#include "longarm/serve/cyclic_gate.h"
#include "longarm/serve/inbox.h"
#include "longarm/serve/pacer.h"
#include "longarm/serve/recording.h"
#include "longarm/serve/world.h"

namespace longarm::serve {

struct LiveConfig {
  double speed = 1.0;                   ///< of simulated to real time; 0: as fast as possible
  Duration most_behind{1'000'000'000};  ///< then the schedule is shifted
  Duration checkpoint_every{1'000'000'000};
  Log log{};  ///< calls that failed
};

/// What clients say takes effect between two steps: at the start of the next one that has not
/// begun; who speaks while a wait of 1 ms or less goes on is heard at its end. One thread steps,
/// delivers and waits; clients can make it deliver for a fifth of a step's time only while a step
/// is due. Streams leave out packets while late steps catch up (CyclicGate).
class LiveRun {
 public:
  using Asked = std::function<bool()>;

  /// Borrows everything. `carrier_of` has one for each door of the world, or null where there is
  /// none.
  LiveRun(World& world, const LiveConfig& config, Inbox& inbox, std::vector<Carrier*> carrier_of,
          RecordingWriter& recording);

  /// Paced, until then, or until the world is over or `is_asked_to_stop`, which is called between
  /// steps.
  void run_until(Time until, const Asked& is_asked_to_stop);
  /// At once, without a pause.
  void step();
  /// While the world stands still: answers what it can. Waits for clients, or for something to read
  /// from `descriptor`, for no longer than `patience`; true if there is something to read.
  bool idle(int descriptor, Duration patience);
  /// The last words of the recording.
  void finish(const std::string& why);

  std::uint64_t steps() const { return steps_; }
  Time now() const { return world_.now(); }
  const PaceReport& pace() const { return pacer_.report(); }
  /// Packets of streams that were not sent because steps were made up for.
  std::uint64_t cyclic_left_out() const { return gate_.left_out(); }
  const Conversations& conversations() const { return conversations_; }

 private:
  bool deliver(Pacer::Clock::time_point until);
  void stand_still();
  void wait_until_due(const Asked& is_asked_to_stop);
  void pass_on(Said said);
  void call(std::size_t door, const protocols::Call& whom);
  void note_failed_call(const DoorEvent& event);
  void add_checkpoint(const std::string& end);

  World& world_;
  LiveConfig config_;
  Inbox& inbox_;
  std::vector<Carrier*> carrier_of_;
  std::vector<Carrier*> carriers_;  ///< each once
  RecordingWriter& recording_;
  Pacer pacer_;
  CyclicGate gate_;
  bool is_by_the_clock_ = false;  ///< steps are paced now
  Conversations conversations_;
  std::uint64_t steps_ = 0;
  Time next_checkpoint_{};
};

}  // namespace longarm::serve
