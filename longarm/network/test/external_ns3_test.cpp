// SPDX-License-Identifier: Apache-2.0
// longarm-ns3 beside the built-in network: framing, fates, changes and endings. Bit equality under
// load is in tests/fidelity.
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/external/external_backend.h"
#include "longarm/network/test/external_fixture.h"

namespace longarm::network {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// edge - switch - robot, 100 Mbit/s, 50 us each, Ethernet; the switch takes 3 us.
Topology through_a_switch() {
  Topology topology;
  topology.nodes = {{"edge", false, Duration(0)},
                    {"robot", false, Duration(0)},
                    {"switch", true, microseconds(3)}};
  for (std::uint32_t host = 0; host < 2; ++host) {
    Cable cable;
    cable.name = topology.nodes[host].name + "-cable";
    cable.ends[0] = NodeId{host};
    cable.ends[1] = NodeId{2};
    cable.rate_bit_s = 1e8;
    cable.propagation = microseconds(50);
    topology.cables.push_back(cable);
  }
  return topology;
}

FlowRequest flow_of(Transport transport) {
  FlowRequest request{NodeId{0}, NodeId{1}, {}};
  request.options.transport = transport;
  request.options.tcp.has_timestamps = false;
  request.options.tcp.rto_rule = RtoRule::kRfc6298;
  request.options.tcp.send_latency = Duration(1);
  return request;
}

class Ns3Backend : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> found = find_ns3_backend();
    if (!found) {
      GTEST_SKIP() << found.error().message;
    }
    program_ = *found;
  }

  std::unique_ptr<Backend> make(const Topology& topology, const BackendOptions& options = {}) {
    return make_external_backend(topology, options, {"ns3", {program_}, milliseconds(30000)});
  }

  std::string refusal(const Topology& topology) {
    try {
      make(topology);
    } catch (const InputError& error) {
      return error.diagnostics().at(0).message;
    }
    return "none";
  }

  std::string program_;
};

std::vector<Delivery> deliveries_until(Backend& backend, Time until) {
  std::vector<Delivery> out;
  while (backend.next_event() < until) {
    const Result<bool> advanced = backend.advance(until, out);
    EXPECT_TRUE(advanced.has_value()) << advanced.error().message;
    if (!advanced) {
      break;
    }
  }
  return out;
}

void expect_same(const std::vector<Delivery>& ours, const std::vector<Delivery>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].time.time_since_epoch().count(), theirs[i].time.time_since_epoch().count())
        << i;
    EXPECT_EQ(ours[i].message, theirs[i].message) << i;
    EXPECT_EQ(ours[i].side, theirs[i].side) << i;
    EXPECT_EQ(ours[i].fate, theirs[i].fate) << i;
  }
}

/// Without those of which it became known, sooner or later, that they were lost.
std::vector<Delivery> delivered(std::vector<Delivery> all) {
  std::erase_if(all, [](const Delivery& each) { return each.fate != Fate::kDelivered; });
  return all;
}

/// A datagram of each size every 400 us, one way.
std::vector<Delivery> send_datagrams(Backend& backend, int count) {
  const FlowId flow = backend.open(flow_of(Transport::kUdp), at_ns(0)).value();
  for (int i = 0; i < count; ++i) {
    backend.send(flow, Side::kOpener, MessageId{static_cast<std::uint64_t>(i)},
                 static_cast<std::uint32_t>(1 + 37 * i % 4000), at_ns(400'000 * (i + 1)));
  }
  return deliveries_until(backend, at_ns(400'000LL * count + 1'000'000'000));
}

TEST_F(Ns3Backend, PadsSmallFramesAsEthernetDoes) {
  const std::unique_ptr<Backend> backend = make(through_a_switch());
  const FlowId flow = backend->open(flow_of(Transport::kUdp), at_ns(0)).value();
  backend->send(flow, Side::kOpener, MessageId{1}, 1, at_ns(0));
  backend->send(flow, Side::kOpener, MessageId{2}, 1, at_ns(0));
  const std::vector<Delivery> out = deliveries_until(*backend, at_ns(1'000'000'000));
  // 1 + 28 bytes are padded to a frame of 64, with preamble 72 bytes: 5760 ns at 100 Mbit/s.
  // Two cables and the switch: 2 x (5760 + 50 000) + 3000. The second frame begins after 12 bytes
  // of gap: (72 + 12) x 80 ns = 6720 later.
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].time, at_ns(114'520));
  EXPECT_EQ(out[1].time, at_ns(121'240));
}

TEST_F(Ns3Backend, GivesPacketsTheSameFatesAsTheBuiltInNetwork) {
  Topology topology = through_a_switch();
  topology.cables[0].impairment[0] = std::make_shared<Netem>("delay 2ms 1ms loss 10% duplicate 5%");
  topology.cables[1].impairment[1] = std::make_shared<Netem>("delay 1ms");
  BackendOptions options;
  options.seed = 11;
  // some 1500 packets: more than one block of fates
  const std::unique_ptr<Backend> builtin = make_builtin_backend(topology, options);
  const std::unique_ptr<Backend> ns3 = make(topology, options);
  const std::vector<Delivery> ours = send_datagrams(*builtin, 700);
  expect_same(ours, send_datagrams(*ns3, 700));
  EXPECT_EQ(ours.size(), 700u) << "each datagram is delivered or lost, once";
  EXPECT_EQ(ns3->figures().cables[0].dropped_loss, builtin->figures().cables[0].dropped_loss);
}

TEST_F(Ns3Backend, ChangesCablesAsTheBuiltInNetworkDoes) {
  for (const bool may_overtake : {false, true}) {
    Topology topology = through_a_switch();
    topology.cables[0].may_overtake = may_overtake;
    topology.cables[0].changes = {
        {at_ns(10'000'000), std::nullopt, 1e6, milliseconds(20), std::nullopt},
        {at_ns(70'000'000), std::nullopt, 1e8, microseconds(50), std::nullopt},
        {at_ns(90'000'000), Direction::kForward, std::nullopt, std::nullopt, false},
        {at_ns(100'000'000), Direction::kForward, std::nullopt, std::nullopt, true}};
    const std::unique_ptr<Backend> builtin = make_builtin_backend(topology, {});
    const std::unique_ptr<Backend> ns3 = make(topology);
    const std::vector<Delivery> ours = delivered(send_datagrams(*builtin, 300));
    EXPECT_GT(ours.size(), 80u);
    EXPECT_LT(ours.size(), 250u);
    expect_same(ours, delivered(send_datagrams(*ns3, 300)));
  }
}

TEST_F(Ns3Backend, EndsConnections) {
  const std::unique_ptr<Backend> backend = make(through_a_switch());
  const FlowId closed = backend->open(flow_of(Transport::kTcp), at_ns(0)).value();
  const FlowId reset = backend->open(flow_of(Transport::kTcp), at_ns(1'000'000)).value();
  backend->send(closed, Side::kOpener, MessageId{1}, 5000, at_ns(0));  // before the handshake
  backend->close(closed, Side::kOpener, at_ns(5'000'000));
  backend->reset(reset, Side::kPeer, at_ns(5'000'000));
  std::vector<Delivery> of_closed;
  std::vector<Delivery> of_reset;
  for (const Delivery& delivery : deliveries_until(*backend, at_ns(3'000'000'000))) {
    (delivery.flow == closed ? of_closed : of_reset).push_back(delivery);
  }
  ASSERT_EQ(of_closed.size(), 4u);
  EXPECT_EQ(of_closed[2].message, MessageId{1});
  EXPECT_EQ(of_closed[3].fate, Fate::kReset) << "the peer hears of the end of the stream";
  EXPECT_EQ(of_closed[3].side, Side::kPeer);
  ASSERT_EQ(of_reset.size(), 3u);
  EXPECT_EQ(of_reset[2].fate, Fate::kReset);
  EXPECT_EQ(of_reset[2].side, Side::kOpener);
}

TEST_F(Ns3Backend, WaitsForLinuxTimeouts) {
  // Of 1 kB calls the fourth is lost on its way. The round trip is 2 x 114 us or so: by RFC 6298
  // it is sent again after 200 ms, by Linux' rule after 200 ms and a smoothed round trip.
  for (const RtoRule rule : {RtoRule::kRfc6298, RtoRule::kLinux}) {
    Topology topology = through_a_switch();
    topology.cables[0].changes = {
        {at_ns(39'900'000), Direction::kForward, std::nullopt, std::nullopt, false},
        {at_ns(45'000'000), Direction::kForward, std::nullopt, std::nullopt, true}};
    const std::unique_ptr<Backend> backend = make(topology);
    FlowRequest request = flow_of(Transport::kTcp);
    request.options.tcp.rto_rule = rule;
    const FlowId flow = backend->open(request, at_ns(0)).value();
    for (std::uint64_t i = 1; i <= 4; ++i) {
      backend->send(flow, Side::kOpener, MessageId{i}, 1000,
                    at_ns(static_cast<std::int64_t>(i) * 10'000'000));
    }
    const std::vector<Delivery> out = deliveries_until(*backend, at_ns(2'000'000'000));
    ASSERT_EQ(out.size(), 6u);
    const double took_ms = 1e-6 * static_cast<double>((out[5].time - at_ns(40'000'000)).count());
    if (rule == RtoRule::kRfc6298) {
      EXPECT_NEAR(took_ms, 200.0 + 0.28, 0.1);
    } else {
      EXPECT_GT(took_ms, 200.0 + 0.28 + 0.2);
    }
  }
}

TEST_F(Ns3Backend, NamesWhatItCannotDo) {
  Topology codel = through_a_switch();
  codel.cables[1].queue.kind = QueueKind::kCoDel;
  EXPECT_EQ(
      refusal(codel),
      "network backend 'ns3' does not support: cable 'robot-cable': a queue other than drop-tail");
  Topology bare = through_a_switch();
  bare.cables[0].framing = Framing::kNone;
  EXPECT_THAT(refusal(bare), HasSubstr("cable 'edge-cable': framing 'none'"));

  const std::unique_ptr<Backend> backend = make(through_a_switch());
  FlowRequest alive = flow_of(Transport::kTcp);
  alive.options.tcp.keep_alive_after = milliseconds(100);
  EXPECT_EQ(
      backend->open(alive, at_ns(0)).error().message,
      "network backend 'ns3' does not support: TCP with keep-alive, which ns-3 does not have");
  EXPECT_THAT(backend->open(flow_of(Transport::kRaw), at_ns(0)).error().message,
              HasSubstr("transport 'raw'"));
}

TEST_F(Ns3Backend, CountsWhatHasLeftAndSaysWhatFoundNoRoom) {
  // 20 datagrams at once, of which 5 find a place beside the first; 74 bytes are 128 with the
  // preamble, 10.24 us, and a gap of 0.96 us
  Topology topology = through_a_switch();
  topology.cables[0].queue.limit_packets = 5;
  const auto ns3 = make(topology);
  const auto builtin = make_builtin_backend(topology, {});
  for (Backend* const each : {ns3.get(), builtin.get()}) {
    const FlowId flow = each->open(flow_of(Transport::kUdp), at_ns(0)).value();
    for (std::uint64_t i = 1; i <= 20; ++i) {
      each->send(flow, Side::kOpener, MessageId{i}, 74, at_ns(0));
    }
    for (const Delivery& lost : deliveries_until(*each, at_ns(30'000))) {
      EXPECT_EQ(lost.reason, DropReason::kQueueFull) << each->name();
    }
    const CableFigures carried = each->figures(at_ns(30'000)).cables[0];
    EXPECT_EQ(carried.packets, 2U) << each->name();
    EXPECT_EQ(carried.bytes, 256U) << each->name();
    EXPECT_EQ(carried.busy, Duration(2 * 10'240 + 30'000 - 22'400)) << each->name();
    EXPECT_EQ(carried.dropped_queue, 14U) << each->name();
  }
}

TEST_F(Ns3Backend, CapturesPackets) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "longarm_ns3_capture";
  std::filesystem::remove_all(folder);  // it is made
  const auto sizes = [&](const char* name, const auto& make_one) {
    BackendOptions options;
    options.capture_folder = folder / name;
    send_datagrams(*make_one(options), 3);
    std::map<std::string, std::uintmax_t> out;
    for (const auto& file : std::filesystem::directory_iterator(folder / name)) {
      out[file.path().filename()] = file.file_size();
    }
    return out;
  };
  const auto ours = sizes("builtin", [](const BackendOptions& options) {
    return make_builtin_backend(through_a_switch(), options);
  });
  const auto theirs = sizes(
      "ns3", [&](const BackendOptions& options) { return make(through_a_switch(), options); });
  // Ethernet's headers and padding in both; 24 bytes for the file, 16 for each packet
  EXPECT_EQ(theirs, ours);
  EXPECT_GT(theirs.at("robot-robot-cable.pcap"), 24u + 3 * (16 + 60));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace longarm::network
