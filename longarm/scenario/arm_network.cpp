// SPDX-License-Identifier: Apache-2.0
// Keys of the network meet keys of the arm here.
#include "longarm/scenario/arm_network.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/network/flow_link.h"

namespace longarm::scenario {
namespace {

/// Where the user wrote it: what stands for both directions is read for each.
SourceLocation place_of(const std::string& key, const ConfigSource& source) {
  std::string whole = "network." + key;
  for (const std::string direction : {".forward.", ".backward."}) {
    const std::size_t at = whole.find(direction);
    if (at != std::string::npos && !source.has(whole)) {
      whole.replace(at, direction.size(), ".");
    }
  }
  return source.where(whole);
}

void check_hosts(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const network::Node& node : network::make_topology(s.network).nodes) {
    if (!node.is_switch) {
      names.push_back(node.name);
    }
  }
  for (const auto& [key, host] :
       {std::pair<std::string, std::string>{"control.host", s.control.host},
        {"robot.host", s.robot.host}}) {
    if (std::find(names.begin(), names.end(), host) == names.end()) {
      const SourceLocation where = source.where(source.has(key) ? key : "network");
      diagnostics.error(where, fmt::format("{} '{}' is no host of the network", key, host),
                        suggest(host, names));
    }
  }
}

void check_keys_without_network(const Scenario& s, const ConfigSource& source,
                                Diagnostics& diagnostics) {
  for (const auto& [key, host] :
       {std::pair<std::string, std::string>{"control.host", s.control.host},
        {"robot.host", s.robot.host}}) {
    if (!host.empty()) {
      diagnostics.error(source.where(key), key + " means nothing without a network",
                        "name hosts and links under network, or remove it");
    }
  }
  if (source.has("network")) {
    diagnostics.error(source.where("network"), "the network has no hosts",
                      "for example network: {hosts: {edge: {}, robot: {}}, links: {wire: "
                      "{between: [edge, robot], delay: 10ms}}}");
  }
}

network::NodeId node(const network::Topology& topology, const std::string& name) {
  return *topology.find(name);
}

void name_streams(network::Topology& topology, network::NodeId control, network::NodeId robot) {
  for (network::Cable& cable : topology.cables) {
    if (cable.ends[0] == control && cable.ends[1] == robot) {
      cable.stream[0] = "link.commands";
      cable.stream[1] = "link.states";
    } else if (cable.ends[0] == robot && cable.ends[1] == control) {
      cable.stream[0] = "link.states";
      cable.stream[1] = "link.commands";
    } else {
      continue;
    }
    return;  // a second cable beside it has its own
  }
}

}  // namespace

void load_arm_network(Scenario& s, const ConfigSource& source, InputFiles& files,
                      Diagnostics& diagnostics) {
  if (s.network.is_empty()) {
    check_keys_without_network(s, source, diagnostics);
    return;
  }
  if (s.link.states.model != "none" || s.link.commands.model != "none") {
    diagnostics.error(source.where("link"),
                      "'link' and 'network' both say what is between controller and robot",
                      "give the link model to a link of the network: network.links.NAME.…");
  }
  bool is_good = true;
  for (const network::KeyRemark& remark : network::load(s.network, files)) {
    is_good = is_good && remark.severity != Severity::kError;
    const Diagnostic diagnostic{place_of(remark.key, source), remark.message, remark.hint,
                                remark.severity};
    const bool is_said =
        std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                    [&](const Diagnostic& d) { return d.format() == diagnostic.format(); });
    if (!is_said) {
      diagnostics.add(diagnostic);
    }
  }
  if (is_good) {
    check_hosts(s, source, diagnostics);
  }
}

ArmNetwork make_arm_network(const Scenario& s, sim::Kernel& kernel, Duration run_length,
                            const std::string& capture_folder) {
  network::Topology topology = network::make_topology(s.network, run_length);
  const network::NodeId control = node(topology, s.control.host);
  const network::NodeId robot = node(topology, s.robot.host);
  name_streams(topology, control, robot);

  const auto seed = static_cast<std::uint64_t>(s.seed);
  network::BackendOptions options;
  options.seed = seed;
  options.capture_folder = s.network.capture ? capture_folder : "";
  ArmNetwork out;
  out.network = std::make_unique<network::Network>(
      kernel, network::make_backend(s.network, topology, options), network::make_hosts(s.network),
      seed);
  Result<network::FlowLinks> flow =
      network::open_flow_links(*out.network, kernel, {control, robot, s.network.flows});
  if (!flow) {
    throw InputError(Diagnostic{{}, flow.error().message, ""});
  }
  network::FlowLinks both = std::move(flow).value();
  out.links = {std::move(both.from_peer), std::move(both.from_opener)};
  return out;
}

}  // namespace longarm::scenario
