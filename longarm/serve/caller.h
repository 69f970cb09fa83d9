// SPDX-License-Identifier: Apache-2.0
// Calls that a world's doors make: sockets on their way to somebody, without waiting for anyone.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/protocols/door.h"
#include "longarm/system/descriptor.h"
#include "longarm/system/reactor.h"

namespace longarm::serve {

/// To this computer's loopback addresses only, unless told otherwise: what a client uploads must
/// not reach into a network that the client itself may not see. Hosts are IPv4 addresses or
/// "localhost"; other names are not looked up, as that may take long.
class Caller {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{2};

  /// What became of a call: a socket, or why there is none.
  struct Outcome {
    std::size_t door = 0;
    system::Descriptor socket{};
    std::string problem{};
  };

  /// Whoever runs the reactor is woken when there is an outcome, unless it is that time is over.
  Caller(system::Reactor& reactor, bool may_call_others)
      : reactor_(reactor), may_call_others_(may_call_others) {}

  void begin(std::size_t door, const protocols::Call& whom);
  /// Calls that were answered, have failed, or have taken too long.
  std::vector<Outcome> take_outcomes();
  bool is_calling() const { return !pending_.empty() || !outcomes_.empty(); }

 private:
  struct Pending {
    std::size_t door = 0;
    system::Descriptor socket{};
    system::Reactor::WatchId watch{};
    std::string whom{};
    Clock::time_point until{};
  };

  Result<system::Descriptor> connect_to(const protocols::Call& whom) const;

  system::Reactor& reactor_;
  bool may_call_others_;
  std::vector<Pending> pending_;
  std::vector<Outcome> outcomes_;  ///< known at once
};

}  // namespace longarm::serve
