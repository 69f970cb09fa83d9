// SPDX-License-Identifier: Apache-2.0
// What a network simulator counted, under our names.
#include <fmt/format.h>

#include "longarm/network/external/protocol.h"
#include "longarm/network/external/reply_members.h"

namespace longarm::network::external {
namespace {

using nlohmann::json;

const std::string& name_of(const Topology& topology, NodeId node) {
  return topology.nodes[static_cast<std::size_t>(node)].name;
}

std::string flow_name(const Topology& topology, const FlowRequest& flow, std::size_t index,
                      bool is_back) {
  return fmt::format("{} > {} {} {}", name_of(topology, is_back ? flow.peer : flow.opener),
                     name_of(topology, is_back ? flow.opener : flow.peer),
                     transport_word(flow.options.transport), index);
}

}  // namespace

Result<NetworkFigures> read_figures(std::string_view line, const Topology& topology,
                                    const std::vector<FlowRequest>& flows) {
  const Result<json> reply = read_reply(line, {"figures"});
  if (!reply) {
    return reply.error();
  }
  Members members(*reply);
  NetworkFigures figures;
  figures.events = members.optional_count("events");
  const json* const flow_list = members.list("flows");
  const json* const cable_list = members.list("cables");
  for (const json& entry : flow_list != nullptr ? *flow_list : json::array()) {
    Members of(entry);
    const auto flow = static_cast<std::size_t>(of.integer("flow", 0));
    const std::int64_t side = of.integer("side", 0);
    if (flow >= flows.size() || side > 1 || !of.wrong().empty()) {
      return malformed("flows", line);
    }
    FlowFigures& added = figures.flows.emplace_back();
    added.name = flow_name(topology, flows[flow], flow, side == 1);
    added.messages_sent = of.optional_count("messages_sent");
    added.messages_delivered = of.optional_count("messages_delivered");
    added.bytes_delivered = of.optional_count("bytes_delivered");
    added.packets_sent = of.optional_count("packets_sent");
    added.packets_lost = of.optional_count("packets_lost");
    added.retransmissions = of.optional_count("retransmissions");
    added.timeouts = of.optional_count("timeouts");
    added.duplicate_acks = of.optional_count("duplicate_acks");
  }
  for (const json& entry : cable_list != nullptr ? *cable_list : json::array()) {
    Members of(entry);
    const auto index = static_cast<std::size_t>(of.integer("cable", 0));
    const std::int64_t direction = of.integer("direction", 0);
    if (index >= topology.cables.size() || direction > 1 || !of.wrong().empty()) {
      return malformed("cables", line);
    }
    const Cable& cable = topology.cables[index];
    CableFigures& added = figures.cables.emplace_back();
    added.name = fmt::format("{}: {} > {}", cable.name, name_of(topology, cable.ends[direction]),
                             name_of(topology, cable.ends[1 - direction]));
    added.packets = of.optional_count("packets");
    added.bytes = of.optional_count("bytes");
    added.dropped_queue = of.optional_count("dropped_queue");
    added.dropped_loss = of.optional_count("dropped_loss");
    added.longest_queue_packets = of.optional_count("longest_queue_packets");
    added.busy = Duration(static_cast<std::int64_t>(of.optional_count("busy_ns")));
  }
  if (!members.wrong().empty()) {
    return malformed(members.wrong(), line);
  }
  return figures;
}

}  // namespace longarm::network::external
