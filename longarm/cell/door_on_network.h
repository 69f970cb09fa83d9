// SPDX-License-Identifier: Apache-2.0
// A door at a port of its host, for programs that connect across the simulated network.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "longarm/core/hash.h"
#include "longarm/core/time.h"
#include "longarm/network/streams.h"
#include "longarm/protocols/door.h"
#include "longarm/sim/kernel.h"

namespace longarm::programs {
class Programs;
}

namespace longarm::cell {

/// Listens at the door's port from now on, and calls whom the door wants to call, by name or
/// address. Everything that it borrows outlives it.
class DoorOnNetwork {
 public:
  /// Connections are counted from `first` on.
  DoorOnNetwork(sim::Kernel& kernel, programs::Programs& programs, network::NodeId host,
                protocols::Door& door, std::uint32_t first);
  ~DoorOnNetwork();
  DoorOnNetwork(const DoorOnNetwork&) = delete;
  DoorOnNetwork& operator=(const DoorOnNetwork&) = delete;

  /// After each step: sends what the door has to say, in whatever pieces there is room for.
  void flush(Time now);
  /// Of all that arrived, and when.
  const Hash& traffic_hash() const { return traffic_; }

 private:
  struct Conversation;
  struct Calling;

  void take(std::unique_ptr<network::Stream> stream);
  void call(const protocols::Call& whom);

  sim::Kernel& kernel_;
  programs::Programs& programs_;
  network::NodeId host_;
  protocols::Door& door_;
  std::uint32_t next_;
  std::list<std::unique_ptr<Conversation>> conversations_;
  std::unique_ptr<Calling> calling_;  ///< null: it calls nobody
  Hash traffic_;
};

}  // namespace longarm::cell
