// SPDX-License-Identifier: Apache-2.0
// A link that is good, bad, and good again, under UDP and TCP: backlog, drain and reordering
// against their closed forms.
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

// DARPA's rates and delays, but two seconds of each. A state of one joint has 52 bytes; with UDP,
// IP and Ethernet it sends 106 and rests for 12 more: 944 bits, hence 9.44 ms of the bad link.
const Changes kDarpa{
    "cut=position",
    "gain=10",
    "task.hold=6s",
    "states.period=5ms",
    "control.period=5ms",
    "network.hosts={edge: {}, robot: {}}",
    "network.links={wire: {between: [robot, edge], may_overtake: true, queue: {limit_packets: "
    "100000}, schedule_repeats: false, schedule: [2s rate 1mbit delay 50ms, 2s rate 100kbit delay "
    "500ms, 2s rate 1mbit delay 50ms]}}"};
constexpr double kSlow_s = 9.44e-3;

struct Arrival {
  double sent_s;
  double delay_s;
};

/// States in the order in which they arrived.
std::vector<Arrival> arrivals(const Changes& changes) {
  const TempFolder folder;
  SimulationOptions options;
  options.trace = folder.file("trace.mcap");
  (void)run_to_end(prepare("one-joint", kDarpa + changes), std::move(options));
  std::vector<Arrival> out;
  const auto contents =
      record::read_mcap(folder.file("trace.mcap"), [&](const record::McapMessage& message) {
        if (message.channel.topic != "/link/states") {
          return;
        }
        const record::LinkEventMessage event = record::decode_link_event(message.data).value();
        if (event.event == "arrived") {
          out.push_back({to_seconds(event.sent_at.time_since_epoch()), event.delay_s});
        }
      });
  EXPECT_TRUE(contents && contents->is_complete);
  return out;
}

Json states(const Changes& changes) {
  return run_to_end(prepare("one-joint", kDarpa + changes)).at("link").at("states");
}

TEST(DarpaTransport, BacklogOfUdpGrowsAndDrainsAsTheRatesSay) {
  const std::vector<Arrival> all = arrivals({"network.flows=udp"});

  // 5 ms apart, 9.44 ms each: after 2 s, 211 have left and the last of those was sent 1.05 s after
  // the first. It left 1.992 s after the first began, without the gap of 0.96 ms behind it, and
  // propagates for 0.5 s: 1.441 s in all.
  double longest_s = 0.0;
  for (const Arrival& each : all) {
    longest_s = std::max(longest_s, each.delay_s);
  }
  EXPECT_NEAR(longest_s, 1.441, kSlow_s);

  // 2 s · (188.8 − 100) kbit/s = 177.6 kbit have piled up; the good link takes them away at
  // (1000 − 188.8) kbit/s: 0.2189 s later nobody waits.
  double first_undisturbed_s = 10.0;
  for (const Arrival& each : all) {
    if (each.sent_s > 4.0 && each.delay_s < 50.8481e-3) {
      first_undisturbed_s = std::min(first_undisturbed_s, each.sent_s);
    }
  }
  // Messages come every 5 ms, and the one on the cable keeps the rate it began with.
  EXPECT_GE(first_undisturbed_s, 4.2189);
  EXPECT_LE(first_undisturbed_s, 4.2189 + 5e-3 + kSlow_s);
}

TEST(DarpaTransport, UdpIsReorderedWhereBadTurnsGoodAndNowhereElse) {
  // what left within the last 0.45 s of the bad phase is overtaken: 0.449 s / 9.44 ms = 47.6
  const std::vector<Arrival> all = arrivals({"network.flows=udp"});
  int overtaken = 0;
  double newest_s = -1.0;
  for (const Arrival& each : all) {
    if (each.sent_s < newest_s) {
      ++overtaken;
      const double at_s = each.sent_s + each.delay_s;
      EXPECT_GT(at_s, 4.05);
      EXPECT_LT(at_s, 4.51);
    }
    newest_s = std::max(newest_s, each.sent_s);
  }
  EXPECT_NEAR(overtaken, 47.6, 1.0);
  // and a link that keeps the order, does
  EXPECT_EQ(states({"network.flows=udp", "network.links.wire.may_overtake=false"}).at("reordered"),
            0);
}

TEST(DarpaTransport, UdpLosesWhatTheQueueCannotHoldAndStaysFresh) {
  // twenty wait before it: 20 · 9.44 ms, its own 8.48 ms, and 500 ms
  const Json udp = states(
      {"network.flows=udp", "network.links.wire.queue.limit_packets=20", "states.period=2ms"});
  EXPECT_GT(udp.at("queue_full"), 0);
  EXPECT_NEAR(udp.at("delay_max_s"), 20 * kSlow_s + 8.48e-3 + 0.5, 1e-6);
}

TEST(DarpaTransport, TcpLosesNothingAndPaysWithTime) {
  // 52 bytes every 2 ms are 208 kbit/s, which even whole segments (1448 of 1538 bytes) cannot carry
  // at 100 kbit/s: of 2 s of messages at most 0.91 s have left when the link turns good.
  const Changes offered{"network.links.wire.queue.limit_packets=20", "states.period=2ms"};
  const Json metrics =
      run_to_end(prepare("one-joint", kDarpa + offered + Changes{"network.flows=tcp"}));
  const Json& tcp = metrics.at("link").at("states");
  EXPECT_EQ(tcp.at("lost"), 0);
  EXPECT_EQ(tcp.at("reordered"), 0);
  EXPECT_GT(tcp.at("delay_max_s"), 1.09);
  EXPECT_GT(tcp.at("longest_outage_s"), 0.5);  // behind what was lost, all wait
  EXPECT_GT(metrics.at("network").at("flows").at(1).at("retransmissions"), 0);
  // it recovers: long after the change the link is as fast as before
  const std::vector<Arrival> all = arrivals(offered + Changes{"network.flows=tcp"});
  EXPECT_LT(all.back().delay_s, 0.06);
}

}  // namespace
}  // namespace longarm::actors
