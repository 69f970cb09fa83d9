// SPDX-License-Identifier: Apache-2.0
// Judges options of flows that mean something only together with the rest of the network.
#include <algorithm>

#include <fmt/format.h>

#include "longarm/network/config/network_config.h"

namespace longarm::network {
namespace {

constexpr std::int64_t kTcpIpBytes = 40;
constexpr std::int64_t kTimestampBytes = 12;

/// Segments are never cut, so they must fit into a packet.
void judge_segment_size(const TcpOptions& tcp, std::vector<KeyRemark>& remarks) {
  const std::int64_t mtu_bytes = Topology{}.mtu_bytes;
  const std::int64_t largest = mtu_bytes - kTcpIpBytes - (tcp.has_timestamps ? kTimestampBytes : 0);
  if (tcp.mss_bytes >= 1 && tcp.mss_bytes <= largest) {
    return;
  }
  remarks.push_back(
      {"tcp.mss_bytes", fmt::format("mss_bytes must be between 1 and {}", largest),
       fmt::format("use at most {}: packets have {} bytes, headers {}{}", largest, mtu_bytes,
                   kTcpIpBytes, tcp.has_timestamps ? ", timestamps 12" : "")});
}

int most_priorities(const NetworkConfig& config) {
  int most = config.star.hosts > 0 ? config.star.cable.queue.priorities : 1;
  for (const LinkEntry& link : config.links) {
    most = std::max(most, link.queue.priorities);
  }
  return most;
}

void judge_priority(const NetworkConfig& config, std::vector<KeyRemark>& remarks) {
  const int most = most_priorities(config);
  if (config.flows.priority < most || config.is_empty()) {
    return;
  }
  remarks.push_back({"priority", fmt::format("no queue has a priority {}", config.flows.priority),
                     fmt::format("use {}, or give links queue.priorities of at least {}",
                                 most == 1 ? std::string("0") : fmt::format("0 to {}", most - 1),
                                 config.flows.priority + 1)});
}

/// It runs, but what it says about losses is not what the keys promise.
void judge_tcp_of_ns3(const TcpOptions& tcp, std::vector<KeyRemark>& remarks) {
  if (tcp.has_timestamps) {
    remarks.push_back({"tcp.timestamps",
                       "with timestamps, retransmission timeouts of ns-3 3.37 grow over the life "
                       "of a connection: after losses it waits too long",
                       "use network.flows.tcp.timestamps: false", Severity::kWarning});
  }
  if (tcp.rto_rule == RtoRule::kLinux) {
    remarks.push_back({"tcp.rto_rule",
                       "ns-3 implements only the timeout of the linux rule, not tail loss probes "
                       "or time-based loss detection",
                       "use rfc6298 to compare it with builtin", Severity::kWarning});
  }
  if (tcp.congestion == CongestionControl::kCubic) {
    remarks.push_back({"tcp.congestion",
                       "under random losses CUBIC of ns-3 3.37 gets about a third of what it gets "
                       "in Linux and with builtin",
                       "use network.flows.tcp.congestion: reno", Severity::kWarning});
  }
}

}  // namespace

std::vector<KeyRemark> judge_flows(const NetworkConfig& config) {
  std::vector<KeyRemark> remarks;
  judge_segment_size(config.flows.tcp, remarks);
  judge_priority(config, remarks);
  if (config.backend == "ns3" && config.flows.transport == Transport::kTcp) {
    judge_tcp_of_ns3(config.flows.tcp, remarks);
  }
  return remarks;
}

}  // namespace longarm::network
