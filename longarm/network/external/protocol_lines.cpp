// SPDX-License-Identifier: Apache-2.0
// What we say to a network simulator.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/network/external/protocol.h"

namespace longarm::network::external {
namespace {

using nlohmann::json;

std::string line_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::int64_t in_ns(Time time) {
  return time.time_since_epoch().count();
}

template <typename Id>
std::int64_t number(Id id) {
  return static_cast<std::int64_t>(id);
}

json as_json(const CableChange& change) {
  json result{{"at_ns", in_ns(change.at)}};
  result["direction"] = change.direction ? json(number(*change.direction)) : json();
  if (change.rate_bit_s) {
    result["rate_bit_s"] = static_cast<std::int64_t>(*change.rate_bit_s);
  }
  if (change.propagation) {
    result["propagation_ns"] = change.propagation->count();
  }
  if (change.is_up) {
    result["is_up"] = *change.is_up;
  }
  return result;
}

std::string framing_word(Framing framing) {
  switch (framing) {
    case Framing::kEthernet:
      return "ethernet";
    case Framing::kPpp:
      return "ppp";
    case Framing::kNone:
      break;
  }
  return "none";
}

std::string fates_word(const std::shared_ptr<const LinkModel>& impairment) {
  if (!impairment) {
    return "none";
  }
  return impairment->fate_rule() == FateRule::kByIndexInOrder ? "in_order" : "any_order";
}

json as_json(const Cable& cable) {
  json changes = json::array();
  for (const CableChange& change : cable.changes) {
    changes.push_back(as_json(change));
  }
  const QueueSettings& queue = cable.queue;
  return {{"name", cable.name},
          {"ends", {number(cable.ends[0]), number(cable.ends[1])}},
          {"rate_bit_s",
           cable.rate_bit_s ? json(static_cast<std::int64_t>(*cable.rate_bit_s)) : json()},
          {"propagation_ns", cable.propagation.count()},
          {"framing", framing_word(cable.framing)},
          {"queue",
           {{"kind", queue.kind == QueueKind::kCoDel ? "codel" : "drop_tail"},
            {"limit_packets", queue.limit_packets},
            {"limit_bytes", queue.limit_bytes},
            {"target_ns", queue.target.count()},
            {"interval_ns", queue.interval.count()},
            {"priorities", queue.priorities}}},
          {"fates", {fates_word(cable.impairment[0]), fates_word(cable.impairment[1])}},
          {"may_overtake", cable.may_overtake},
          {"changes", changes}};
}

json as_json(const TcpOptions& tcp) {
  return {{"mss_bytes", tcp.mss_bytes},
          {"initial_window_segments", tcp.initial_window_segments},
          {"timestamps", tcp.has_timestamps},
          {"sack", tcp.has_sack},
          {"nodelay", tcp.is_nodelay},
          {"delayed_ack_segments", tcp.delayed_ack_segments},
          {"delayed_ack_timeout_ns", tcp.delayed_ack_timeout.count()},
          {"rto_rule", tcp.rto_rule == RtoRule::kLinux ? "linux" : "rfc6298"},
          {"min_rto_ns", tcp.min_rto.count()},
          {"initial_rto_ns", tcp.initial_rto.count()},
          {"max_retries", tcp.max_retries},
          {"congestion", tcp.congestion == CongestionControl::kCubic ? "cubic" : "reno"},
          {"send_buffer_bytes", tcp.send_buffer_bytes},
          {"receive_buffer_bytes", tcp.receive_buffer_bytes},
          {"keep_alive_after_ns", tcp.keep_alive_after.count()},
          {"keep_alive_every_ns", tcp.keep_alive_every.count()},
          {"keep_alive_probes", tcp.keep_alive_probes},
          {"send_latency_ns", tcp.send_latency.count()}};
}

std::string end_line(const char* what, FlowId flow, Side side, Time at) {
  return fmt::format("{{\"do\":\"{}\",\"flow\":{},\"side\":{},\"at_ns\":{}}}\n", what, number(flow),
                     number(side), in_ns(at));
}

}  // namespace

const char* transport_word(Transport transport) {
  switch (transport) {
    case Transport::kRaw:
      return "raw";
    case Transport::kUdp:
      return "udp";
    case Transport::kTcp:
      break;
  }
  return "tcp";
}

std::string hello_line() {
  return line_of({{"do", "hello"}, {"protocol", "longarm-network"}, {"version", kProtocolVersion}});
}

std::string build_line(const Topology& topology, const RoutingTable& routes,
                       const BackendOptions& options) {
  json nodes = json::array();
  json next_cable = json::array();
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const Node& node = topology.nodes[i];
    nodes.push_back({{"name", node.name},
                     {"is_switch", node.is_switch},
                     {"forwarding_ns", node.forwarding.count()}});
    // nobody sends to switches
    json ways = json::array();
    for (std::size_t to = 0; to < topology.nodes.size(); ++to) {
      const bool is_way = to != i && !topology.nodes[to].is_switch;
      ways.push_back(is_way ? number(routes.next(NodeId(static_cast<std::uint32_t>(i)),
                                                 NodeId(static_cast<std::uint32_t>(to))))
                            : -1);
    }
    next_cable.push_back(std::move(ways));
  }
  json cables = json::array();
  for (const Cable& cable : topology.cables) {
    cables.push_back(as_json(cable));
  }
  return line_of({{"do", "build"},
                  {"seed", options.seed},
                  {"mtu_bytes", topology.mtu_bytes},
                  {"capture_folder", options.capture_folder},
                  {"nodes", nodes},
                  {"cables", cables},
                  {"next_cable", next_cable}});
}

std::string open_line(FlowId flow, const FlowRequest& request, Time at) {
  json line{{"do", "open"},
            {"flow", number(flow)},
            {"opener", number(request.opener)},
            {"peer", number(request.peer)},
            {"at_ns", in_ns(at)},
            {"transport", transport_word(request.options.transport)},
            {"priority", request.options.priority}};
  if (request.options.transport == Transport::kTcp) {
    line["tcp"] = as_json(request.options.tcp);
  }
  return line_of(line);
}

std::string send_line(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes,
                      Time at) {
  return fmt::format(
      "{{\"do\":\"send\",\"flow\":{},\"side\":{},\"message\":{},\"bytes\":{},\"at_ns\":{}}}\n",
      number(flow), number(from), static_cast<std::uint64_t>(message), size_bytes, in_ns(at));
}

std::string close_line(FlowId flow, Side side, Time at) {
  return end_line("close", flow, side, at);
}

std::string reset_line(FlowId flow, Side side, Time at) {
  return end_line("reset", flow, side, at);
}

std::string change_line(CableId cable, const CableChange& change) {
  json line = as_json(change);
  line["do"] = "change";
  line["cable"] = number(cable);
  return line_of(line);
}

std::string fates_line(CableId cable, Direction direction, std::uint64_t first,
                       const std::vector<PacketFate>& fates) {
  json extra = json::array();
  for (const PacketFate& fate : fates) {
    if (fate.size() > 1) {
      json copies = json::array();
      for (const Duration copy : fate) {
        copies.push_back(copy.count());
      }
      extra.push_back(std::move(copies));
    } else {
      extra.push_back(fate.empty() ? -1 : fate[0].count());
    }
  }
  return line_of({{"do", "fates"},
                  {"cable", number(cable)},
                  {"direction", number(direction)},
                  {"first", first},
                  {"extra_ns", extra}});
}

std::string advance_line(Time until) {
  return fmt::format("{{\"do\":\"advance\",\"until_ns\":{},\"stop_at_first_delivery\":true}}\n",
                     in_ns(until));
}

std::string figures_line(Time now) {
  return fmt::format("{{\"do\":\"figures\",\"at_ns\":{}}}\n", in_ns(now));
}

std::string quit_line() {
  return "{\"do\":\"quit\"}\n";
}

}  // namespace longarm::network::external
