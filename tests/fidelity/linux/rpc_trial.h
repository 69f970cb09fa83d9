// SPDX-License-Identifier: Apache-2.0
// Remote procedure calls or streams of messages over TCP through a link, and how long each took.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "tests/fidelity/linux/relay.h"

namespace longarm::fidelity {

struct RpcTrial {
  std::string netem;  ///< each way, for packets as IP has them
  std::string congestion = "reno";
  std::uint32_t request_bytes = 200;
  std::uint32_t reply_bytes = 200;
  int connections = 1;
  int calls = 100;  ///< of each connection, one after the other
  /// Not 0: a stream. Nobody answers, a request is sent each period, and timed from when it was due
  /// until all of it has arrived.
  std::chrono::nanoseconds period{0};

  bool is_stream() const { return period.count() > 0; }
  std::uint64_t seed = 1;
};

struct RpcTimes {
  std::vector<double> seconds;  ///< of every call, sorted
  Lateness relay;               ///< of a real trial
  bool has_real_time = false;   ///< whether the machine granted it

  double quantile(double share) const;
  double mean() const;
  /// Of the mean, from how far the calls are apart.
  double standard_error() const;
};

/// With this machine's TCP, in two network namespaces, in real time.
Result<RpcTimes> measure_on_linux(const RpcTrial& trial);
/// The same with the built-in network.
Result<RpcTimes> simulate(const RpcTrial& trial);

/// The link of one direction, "forward" or "backward".
std::unique_ptr<network::Link> make_trial_link(const RpcTrial& trial, const std::string& name);

}  // namespace longarm::fidelity
