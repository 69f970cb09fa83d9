// SPDX-License-Identifier: Apache-2.0
// Version 1 of the protocol between us and a network simulator: what we say, as lines of JSON, and
// what we understand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/network/backend.h"
#include "longarm/network/external/fate_source.h"
#include "longarm/network/topology.h"

namespace longarm::network::external {

inline constexpr int kProtocolVersion = 1;

/// "raw", "udp" or "tcp".
const char* transport_word(Transport transport);

// What we say. Each is one line with its end.
std::string hello_line();
std::string build_line(const Topology& topology, const RoutingTable& routes,
                       const BackendOptions& options);
std::string open_line(FlowId flow, const FlowRequest& request, Time at);
std::string send_line(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes, Time at);
std::string close_line(FlowId flow, Side side, Time at);
std::string reset_line(FlowId flow, Side side, Time at);
std::string change_line(CableId cable, const CableChange& change);
std::string fates_line(CableId cable, Direction direction, std::uint64_t first,
                       const std::vector<PacketFate>& fates);
std::string advance_line(Time until);
/// Time::max(): whenever that is.
std::string figures_line(Time now);
std::string quit_line();

struct Hello {
  std::string backend;  ///< "ns-3 3.37"
  std::vector<std::string> capabilities;
};
struct FatesWanted {
  CableId cable{};
  Direction direction{};
  std::uint64_t first = 0;
};
struct Advanced {
  Time time{};
  Time next_event{};
  std::vector<Delivery> deliveries;
  std::vector<FatesWanted> fates_wanted;
};

// What we understand. Errors are parts of a sentence about the other side: "sent something that is
// no JSON: …". They never throw.
Result<Hello> read_hello(std::string_view line);
/// True for built and opened; false and why for refused.
struct Consent {
  bool is_given = false;
  std::string why_not;
};
Result<Consent> read_built(std::string_view line);
Result<Consent> read_opened(std::string_view line, FlowId flow);
Result<Advanced> read_advanced(std::string_view line);
/// Names are ours: `flows` and the topology's cables.
Result<NetworkFigures> read_figures(std::string_view line, const Topology& topology,
                                    const std::vector<FlowRequest>& flows);

}  // namespace longarm::network::external
