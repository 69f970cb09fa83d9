// SPDX-License-Identifier: Apache-2.0
// All programs of one simulation, with the kernel that answers them and the hosts they run on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/hash.h"
#include "longarm/core/log.h"
#include "longarm/core/result.h"
#include "longarm/network/host.h"
#include "longarm/network/network.h"
#include "longarm/network/streams.h"
#include "longarm/programs/kernel/internet.h"
#include "longarm/programs/kernel/kernel.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {

struct Program {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> environment;  ///< "NAME=value", beside a few of ours
  std::string folder;                    ///< to work in; empty: ours
  std::shared_ptr<Computing> computing;  ///< null: it takes no time
  /// What it writes to standard output (1) and standard error (2).
  std::function<void(int stream, std::string_view bytes)> written;
  /// How it ended, as wait(2) has it.
  std::function<void(int status)> ended;
};

/// "exit code 3", "killed by signal 11 (Segmentation fault)".
std::string describe_status(int status);

class Programs {
 public:
  /// An error says what the machine lacks, or that this network carries no streams. All that is
  /// borrowed outlives it.
  static Result<std::unique_ptr<Programs>> make(sim::Kernel& clock, network::Network& network,
                                                std::size_t hosts, std::uint64_t seed,
                                                const network::TcpOptions& tcp, const Log& log,
                                                KernelOptions::Compute compute = {});
  ~Programs();

  /// At this instant. The process, for signals; an error says why it cannot start.
  Result<Process*> start(network::NodeId host, Program program);
  /// SIGKILL now.
  void kill(Process& process);
  /// The same when nobody wants to hear of it: its Program::ended is not called.
  void end(Process& process);
  /// A port of a host that the simulation itself serves.
  HostPorts& ports(network::NodeId host);
  /// The host of this name or address; nothing: there is none.
  std::optional<network::NodeId> find_host(const std::string& name) const;
  Host& host(network::NodeId node) const;
  network::Streams& streams() { return *streams_; }

  std::uint64_t call_count() const { return supervisor_->call_count(); }
  /// Of all calls with their instants: equal runs have equal ones.
  std::uint64_t digest() const { return supervisor_->digest(); }

 private:
  Programs() = default;

  // in the order in which they need each other
  std::unique_ptr<network::Streams> streams_;
  std::unique_ptr<Supervisor> supervisor_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace longarm::programs
