// SPDX-License-Identifier: Apache-2.0
// Streams take what messages take: the same packets at the same instants, whatever the link does.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/link_fixture.h"
#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

/// Of one packet what does not depend on who wrote it: no ports, no checksums, no contents.
struct Seen {
  std::int64_t time_ns = 0;
  std::uint32_t length = 0;
  std::string header;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> packets_in(const std::filesystem::path& file) {
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

class StreamsEqualMessages : public StreamsFixture {
 protected:
  static Topology rough(const std::string& line) {
    Cable each = cable(1e7, 2ms);
    if (!line.empty()) {
      each.impairment[0] = each.impairment[1] = netem(line);
    }
    return chain(each, 2);
  }

  std::filesystem::path folder(const char* what) const {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::filesystem::path(::testing::TempDir()) / "longarm_streams_equal" / info->name() /
           what;
  }

  /// At both ends of the chain.
  static std::vector<Seen> seen_in(const std::filesystem::path& folder) {
    std::vector<Seen> all = packets_in(folder / "h0-c0.pcap");
    const std::vector<Seen> more = packets_in(folder / "h1-c1.pcap");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::vector<Seen> with_messages(const Topology& topology, const Plan& traffic) const {
    sim::Kernel kernel;
    const sim::SourceId source = kernel.add_source("test");
    {
      std::vector<Host> hosts(topology.nodes.size());
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        hosts[i].name = topology.nodes[i].name;
      }
      Network network(kernel,
                      make_builtin_backend(topology, {7, folder("messages").string(), nullptr}),
                      hosts, 7);
      FlowRequest request{host(0), host(2), {}};
      request.options.tcp = options;
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
        kernel.at(at(write.at), sim::Phase::kControl, source,
                  [&network, &flow, write](Time) { network.send(flow, write.side, write.bytes); });
      }
      EXPECT_TRUE(kernel.run_until(at(1000s)));
    }
    return seen_in(folder("messages"));
  }

  std::vector<Seen> with_streams(const Topology& topology, const Plan& traffic) {
    start(topology, {7, folder("streams").string(), nullptr});
    int calls = 0;
    const auto call = [&] {
      if (calls++ < traffic.calls) {
        client.write(traffic.request_bytes);
      } else if (traffic.closes) {
        client.stream.reset();
      }
    };
    client.on_readable = [&] {
      if (traffic.calls > 0 && client.stream && !client.stream->has_fin() &&
          client.read == static_cast<std::uint64_t>(calls) * traffic.request_bytes) {
        call();
      }
    };
    server.on_readable = [&] {
      if (!server.stream || server.stream->is_at_end()) {
        server.stream.reset();
      } else if (traffic.calls > 0 && server.read % traffic.request_bytes == 0) {
        server.write(traffic.request_bytes);
      }
    };
    client.on_connected = [&] {
      if (traffic.calls > 0) {
        call();
      }
    };
    connect();
    for (const Plan::Write& write : traffic.writes) {
      at_time(write.at, [this, write] {
        (write.side == Side::kOpener ? client : server).write(write.bytes);
      });
    }
    run(1000s);
    client.stream.reset();
    server.stream.reset();
    streams_.reset();
    network_.reset();
    return seen_in(folder("streams"));
  }

  void compare(const std::string& line, const Plan& traffic, std::size_t least_packets) {
    const std::vector<Seen> expected = with_messages(rough(line), traffic);
    const std::vector<Seen> seen = with_streams(rough(line), traffic);
    EXPECT_GE(expected.size(), least_packets);
    ASSERT_EQ(seen.size(), expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i].time_ns, expected[i].time_ns) << i;
      ASSERT_EQ(seen[i].length, expected[i].length) << i;
      ASSERT_TRUE(seen[i] == expected[i]) << i;
    }
  }
};

constexpr const char* kLossAndJitter = "delay 3ms 1ms distribution normal loss 2%";

// each call is two segments with data at least, seen at both ends
TEST_F(StreamsEqualMessages, CallsOverAGoodLink) {
  compare("", {{}, 200, 100, true}, 800);
}
TEST_F(StreamsEqualMessages, CallsOverALossyLinkWithJitter) {
  compare(kLossAndJitter, {{}, 200, 100, true}, 800);
}
TEST_F(StreamsEqualMessages, LargeCallsOverALossyLinkWithJitter) {
  compare(kLossAndJitter, {{}, 100, 10'000, true}, 2000);
}
TEST_F(StreamsEqualMessages, LargeCallsWithNagle) {
  options.is_nodelay = false;
  compare(kLossAndJitter, {{}, 100, 10'000, true}, 2000);
}

// 3 000 000 bytes are 2072 segments, acknowledged two by two
TEST_F(StreamsEqualMessages, BulkOverAGoodLink) {
  compare("", {{{100ms, Side::kOpener, 3'000'000}}}, 6000);
}
TEST_F(StreamsEqualMessages, BulkOverALossyLinkWithJitter) {
  compare(kLossAndJitter, {{{100ms, Side::kOpener, 3'000'000}}}, 6000);
}
TEST_F(StreamsEqualMessages, BulkOverALossyLinkByAnotherStack) {
  options.rto_rule = RtoRule::kRfc6298;
  options.congestion = CongestionControl::kReno;
  options.has_timestamps = false;
  compare(kLossAndJitter, {{{100ms, Side::kOpener, 3'000'000}}}, 6000);
}
TEST_F(StreamsEqualMessages, BulkLimitedByAWindowWithoutSack) {
  options.has_sack = false;
  options.receive_buffer_bytes = 50'000;
  compare("loss 1%", {{{100ms, Side::kOpener, 3'000'000}}}, 6000);
}
TEST_F(StreamsEqualMessages, WritesOfBothSidesAtManyTimes) {
  Plan traffic;
  for (int i = 0; i < 500; ++i) {
    traffic.writes.push_back({100ms + i * 3'700us, i % 3 == 0 ? Side::kPeer : Side::kOpener,
                              static_cast<std::uint32_t>(1 + i * 7919 % 4000)});
  }
  compare(kLossAndJitter, traffic, 1000);
}

}  // namespace
}  // namespace longarm::network
