// SPDX-License-Identifier: Apache-2.0
// For tests that compare packets: what simulated actors put on the wire, as captures have it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/network.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {

/// Of one packet what does not depend on who wrote it: no ports, no checksums, no contents.
struct Seen {
  std::int64_t time_ns = 0;
  std::uint32_t length = 0;
  std::string header;
  bool operator==(const Seen&) const = default;
};

inline std::vector<Seen> packets_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  const auto number = [&](std::size_t place) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
      value = value << 8U | static_cast<std::uint8_t>(all[place + i]);
    }
    return value;
  };
  std::vector<Seen> packets;
  constexpr std::size_t kIp = 20;
  for (std::size_t place = 24; place < all.size(); place += 16 + number(place + 8)) {
    Seen seen;
    seen.time_ns = std::int64_t{number(place)} * 1'000'000'000 + number(place + 4);
    seen.length = number(place + 12);
    // raw IP: sequence, acknowledgement, flags and window; then options
    const std::string packet = all.substr(place + 16, number(place + 8));
    const std::size_t header = static_cast<std::uint8_t>(packet[kIp + 12]) / 16U * 4U;
    seen.header = packet.substr(kIp + 4, 12) + packet.substr(kIp + 18, header - 18);
    packets.push_back(seen);
  }
  return packets;
}

/// What is sent between two hosts, h0 and h1.
struct Plan {
  struct Write {
    Duration at{};
    Side side{};
    std::uint32_t bytes = 0;
  };
  std::vector<Write> writes;
  int calls = 0;  ///< of `request_bytes`, each answered by as many
  std::uint32_t request_bytes = 0;
  bool closes = false;
};

/// At both ends of a chain or star of two cables.
inline std::vector<Seen> seen_in(const std::filesystem::path& folder) {
  std::vector<Seen> all = packets_in(folder / "h0-c0.pcap");
  const std::vector<Seen> more = packets_in(folder / "h1-c1.pcap");
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Messages from h0 to the host `far`, over one connection.
inline std::vector<Seen> with_messages(const Topology& topology, NodeId far, const Plan& traffic,
                                       const TcpOptions& tcp, const std::filesystem::path& folder) {
  sim::Kernel kernel;
  const sim::SourceId source = kernel.add_source("test");
  {
    std::vector<Host> hosts(topology.nodes.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      hosts[i].name = topology.nodes[i].name;
    }
    Network network(kernel, make_builtin_backend(topology, {7, folder.string(), nullptr}), hosts,
                    7);
    FlowRequest request{NodeId{0}, far, {}};
    request.options.tcp = tcp;
    FlowId flow{};
    int calls = 0;
    const auto call = [&] {
      if (calls++ < traffic.calls) {
        network.send(flow, Side::kOpener, traffic.request_bytes);
      } else if (traffic.closes) {
        network.close(flow, Side::kOpener);
      }
    };
    FlowEvents events;
    events.connected = [&](Side side) {
      if (side == Side::kOpener && traffic.calls > 0) {
        call();
      }
    };
    events.delivered = [&](Side side, MessageId) {
      if (traffic.calls > 0 && side == Side::kPeer) {
        network.send(flow, Side::kPeer, traffic.request_bytes);
      } else if (traffic.calls > 0) {
        call();
      }
    };
    flow = *network.open(request, events);
    for (const Plan::Write& write : traffic.writes) {
      kernel.at(Time(write.at), sim::Phase::kControl, source,
                [&network, &flow, write](Time) { network.send(flow, write.side, write.bytes); });
    }
    EXPECT_TRUE(kernel.run_until(Time(std::chrono::seconds(1000))));
  }
  return seen_in(folder);
}

}  // namespace longarm::network
