// SPDX-License-Identifier: Apache-2.0
// The door through which processes that are not ours join a simulation, and never run ahead of it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/lockstep/foreign_component.h"
#include "longarm/components/lockstep/lockstep_config.h"
#include "longarm/sim/kernel.h"
#include "longarm/system/child_process.h"
#include "longarm/system/descriptor.h"

namespace longarm::components {

/// What it cost to wait for others.
struct LockstepFigures {
  std::uint64_t turns = 0;        ///< times that a client was told something
  std::uint64_t collections = 0;  ///< times that all were listened to for a time-out
  double waited_s = 0.0;          ///< by the wall clock
};

/// Each message that a client sends is held until its simulated twin has arrived; the simulation
/// stands still while a client that it has told something is busy. A client that crashes, hangs,
/// answers out of order, speaks another version or makes no sense ends the run: kernel.fail() with
/// who and why. Outlives the nodes it drives.
class LockstepDoor final : private TurnTaker {
 public:
  /// Listens from now on. Throws InputError if the socket cannot be had.
  LockstepDoor(sim::Kernel& kernel, LockstepConfig config);
  ~LockstepDoor() override;
  LockstepDoor(const LockstepDoor&) = delete;
  LockstepDoor& operator=(const LockstepDoor&) = delete;

  /// What clients are to be given: "127.0.0.1:40123" or the path.
  const std::string& address() const { return address_; }

  /// This node's program is a client that joins under the node's name. If `command` is not empty,
  /// open() starts it, with LONGARM_LOCKSTEP (the address) and LONGARM_COMPONENT in its
  /// environment.
  void add(Node& node, std::string host, std::string command = {});
  /// Waits, by the wall clock, until all have joined; they speak for the first time once the kernel
  /// runs, in the order of add().
  Result<bool> open();
  /// The simulation is over: tells all clients, and lets the programs that were started end.
  void close();

  LockstepFigures figures() const;

 private:
  struct Guest {
    ForeignComponent component;
    std::string command;
    std::optional<system::ChildProcess> process;
  };

  bool is_exact() const override { return config_.is_exact(); }
  Duration patience() const override { return config_.answer_timeout; }
  void collect(CollectionPhase phase) override;
  void fail(const std::string& who, const std::string& what) override;
  bool has_failed() const override { return failure_.has_value(); }

  void say_what_to_start() const;
  Result<bool> start_programs();
  Result<bool> welcome(system::Descriptor socket);
  Result<bool> look_for_dead_programs();
  std::string missing() const;
  Duration timeout(CollectionPhase phase) const;

  sim::Kernel& kernel_;
  LockstepConfig config_;
  sim::SourceId source_;
  system::Descriptor listener_;
  std::string address_;
  std::string path_;          ///< of the Unix socket, to remove; or empty
  std::deque<Guest> guests_;  ///< a deque: nodes keep references
  std::optional<Error> failure_;
  LockstepFigures figures_;
};

}  // namespace longarm::components
