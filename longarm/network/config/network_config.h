// SPDX-License-Identifier: Apache-2.0
// The `network` section of a scenario: hosts, switches, links and routes, or a star of so many
// hosts.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/network/backend.h"
#include "longarm/network/host.h"
#include "longarm/network/link.h"
#include "longarm/network/topology.h"

namespace longarm::network {

struct ImpairmentConfig {
  std::string model = "none";
  std::shared_ptr<LinkModel> plugin;  ///< shared: copies of a config only read it
};

/// Keys of a cable that a star's cables share.
struct CableConfig {
  std::string rate;  ///< as tc writes it, "1Gbit"; empty: unlimited
  Duration propagation{0};
  Framing framing = Framing::kEthernet;
  QueueSettings queue;
  ImpairmentConfig forward;  ///< from the first end to the second; of a star: to the switch
  ImpairmentConfig backward;
  bool may_overtake = false;
  /// What it is like over time, in place of `rate` and `propagation`: the name of a ready profile,
  /// or phases such as "60s rate 1mbit delay 50ms" and "5s down". Empty: always the same.
  std::vector<std::string> schedule;
  bool schedule_repeats = true;  ///< otherwise the last phase goes on
};

struct LinkEntry : CableConfig {
  std::string name;
  std::vector<std::string> between;
};

struct SwitchEntry {
  std::string name;
  Duration forwarding{0};
};

struct RouteEntry {
  std::string name;  ///< made up by the user
  std::string at;
  std::string to;
  std::string link;
};

/// `star: {hosts: 5, rate: 1Gbit}` makes pc1 … pc5 around a switch.
struct StarConfig {
  std::int64_t hosts = 0;
  CableConfig cable;
};

struct NetworkConfig {
  std::string backend = "builtin";  ///< ideal, builtin, ns3, or external
  std::string command;              ///< for external: how to start it; it is given a socket
  Duration answer_timeout{
      10'000'000'000};  ///< wall-clock: after so long without an answer it has hung
  Host host_defaults;
  std::vector<Host> hosts;
  std::vector<SwitchEntry> switches;
  std::vector<LinkEntry> links;
  std::vector<RouteEntry> routes;
  StarConfig star;
  FlowOptions flows;     ///< the transport that is used where nothing else is said
  bool capture = false;  ///< pcap files of every interface, in the run's folder

  bool is_empty() const { return hosts.empty() && star.hosts == 0; }
};

void list_fields(Fields& fields, NetworkConfig& config, const LinkModelRegistry& models);
/// `flows: udp` is short for `flows: {transport: udp}`.
void list_fields(Fields& fields, FlowOptions& options);

/// Keys are those of the options' own.
std::vector<KeyRemark> judge(const FlowOptions& options);
/// The same of `flows`, in view of the network: segments that do not fit into packets,
/// priorities that no queue has, what ns-3 does otherwise.
std::vector<KeyRemark> judge_flows(const NetworkConfig& config);

/// Reads the files that keys name and judges everything: ends that do not exist, hosts without a
/// way to each other, routes in circles, rates of zero. Keys of remarks are those below `network`.
std::vector<KeyRemark> load(NetworkConfig& config, InputFiles& files);

/// After load(). Schedules that repeat do so until `horizon`.
Topology make_topology(const NetworkConfig& config, Duration horizon = std::chrono::hours(1));
/// By NodeId: hosts in their order, then switches.
std::vector<Host> make_hosts(const NetworkConfig& config);
/// Throws InputError if the backend is not there or cannot do what the topology asks for.
std::unique_ptr<Backend> make_backend(const NetworkConfig& config, const Topology& topology,
                                      const BackendOptions& options);

}  // namespace longarm::network
