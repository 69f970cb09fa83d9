// SPDX-License-Identifier: Apache-2.0
// Which packets of a stream are sent when the world makes up for lost time: never a burst of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "longarm/core/time.h"
#include "longarm/serve/door_event.h"

namespace longarm::serve {

/// After a pause the world steps without rest until it has caught up, and its streams with it: a
/// client that expects a packet every 8 ms would find ten at once in its socket. So a packet that
/// follows the one before it, sent or not, in less than half of the time that it should have, is
/// left out. A world that is merely slow leaves out nothing.
class CyclicGate {
 public:
  using Clock = std::chrono::steady_clock;

  /// Speed 0: as fast as possible, nothing is ever too early.
  explicit CyclicGate(double speed) : speed_(speed) {}

  /// Of packets made at this instant of the world and of the wall clock.
  bool lets_pass(ConnectionId client, Time now, Clock::time_point wall) {
    const auto [found, is_first] = last_.try_emplace(client, Last{now, wall});
    const Last before = found->second;
    found->second = {now, wall};
    if (is_first || speed_ <= 0.0) {
      return true;
    }
    const std::chrono::duration<double> expected = (now - before.now) / speed_;
    const bool is_early = 2.0 * (wall - before.wall) < expected;
    left_out_ += is_early ? 1 : 0;
    return !is_early;
  }
  void forget(ConnectionId client) { last_.erase(client); }

  /// Packets, of all clients.
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Last {
    Time now;
    Clock::time_point wall;
  };

  double speed_;
  std::map<ConnectionId, Last> last_;
  std::uint64_t left_out_ = 0;
};

}  // namespace longarm::serve
