// SPDX-License-Identifier: Apache-2.0
// Streams take what messages take: the same packets at the same instants, whatever the link does.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/link_fixture.h"
#include "longarm/network/test/packets_fixture.h"
#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

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
    const std::vector<Seen> expected =
        with_messages(rough(line), host(2), traffic, options, folder("messages"));
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
