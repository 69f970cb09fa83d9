// SPDX-License-Identifier: Apache-2.0
// Link models through whole scenarios: the same delay said in many ways, DARPA's minutes against
// their closed form, and draws that depend on nothing but seed, direction and packet.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Events = std::vector<record::LinkEventMessage>;

/// What became of each packet of one direction, in order.
Events link_events(const PreparedScenario& prepared, const std::string& direction) {
  const TempFolder folder;
  SimulationOptions options;
  options.trace = folder.file("trace.mcap");
  (void)run_to_end(prepared, std::move(options));
  Events events;
  const auto contents =
      record::read_mcap(folder.file("trace.mcap"), [&](const record::McapMessage& message) {
        if (message.channel.topic == "/link/" + direction) {
          events.push_back(record::decode_link_event(message.data).value());
        }
      });
  EXPECT_TRUE(contents && contents->is_complete);
  return events;
}

std::set<std::uint64_t> lost(const Changes& changes, const std::string& direction) {
  std::set<std::uint64_t> indices;
  for (const record::LinkEventMessage& event : link_events(
           prepare("one-joint", Changes{"gain=10", "task.hold=500ms"} + changes), direction)) {
    if (event.event == "lost") {
      indices.insert(event.index);
    }
  }
  return indices;
}

// --- one delay, said in many ways ----------------------------------------------------------------

std::string bytes_of(std::initializer_list<std::uint32_t> numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(number >> shift & 0xffU);
    }
  }
  return bytes;
}

/// A capture of three raw IPv4 packets of 20 bytes that differ in their identification, 1 ms apart.
std::string capture(std::uint32_t first_us) {
  std::string file = bytes_of({0xa1b2c3d4, 0x00040002, 0, 0, 65535, 101});
  for (std::uint32_t i = 0; i < 3; ++i) {
    file += bytes_of({100, first_us + 1000 * i, 20, 20});
    file += bytes_of({0x14000045, i << 16U, 0x00001140, 0x0100000a, 0x0200000a});
  }
  return file;
}

/// 5 ms each way.
std::vector<Changes> ways_to_say_5ms(const TempFolder& folder) {
  folder.write("constant.csv", "time_s,delay_ms\n0,5\n0.01,5\n0.5,5\n");
  folder.write("ping.txt",
               "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n"
               "64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=10.0 ms\n"
               "64 bytes from 10.0.0.2: icmp_seq=2 ttl=64 time=10.0 ms\n");
  folder.write("sent.pcap", capture(0));
  folder.write("received.pcap", capture(5000));
  return {{"link.netem=delay 5ms"},
          {"link.netem=tc qdisc add dev eth0 root netem delay 5000"},
          {"link.phases=[7ms delay 5ms]"},
          {"link.trace=" + folder.file("constant.csv")},
          {"link.trace=" + folder.file("constant.csv"), "link.trace_by=packet"},
          {"link.trace=" + folder.file("ping.txt")},
          {"link.trace=" + folder.file("sent.pcap"),
           "link.trace_received=" + folder.file("received.pcap")}};
}

/// Runs with each of them and with `link.delay=5ms`.
void expect_one_hash(const std::string& scenario, const Changes& changes) {
  const TempFolder folder;
  const std::string delayed = state_hash(scenario, changes + Changes{"link.delay=5ms"});
  EXPECT_NE(delayed, state_hash(scenario, changes + Changes{"link.delay=6ms"}));
  for (const Changes& way : ways_to_say_5ms(folder)) {
    EXPECT_EQ(state_hash(scenario, changes + way), delayed) << way.back();
  }
}

TEST(Links, GiveTheSameBitsForTheSameDelayHoweverItIsSaid) {
  // the loops of effort and stale-servo hold 10 and 5 ms of J/kv = 50 ms; without a cut no link
  // counts, and a plan that arrives in the end arrives at the same time
  for (const char* cut : {"trajectory", "position", "velocity", "effort", "stale-servo"}) {
    SCOPED_TRACE(cut);
    expect_one_hash("one-joint",
                    {std::string("cut=") + cut, "gain=10", "servo.p=20", "task.hold=200ms"});
  }
  const std::string none = state_hash("one-joint", {"cut=none", "task.hold=200ms"});
  EXPECT_EQ(none, state_hash("one-joint", {"cut=none", "task.hold=200ms", "link.netem=delay 5ms"}));
}

TEST(Links, GiveTheSameBitsForTheSameDelayOfAnArm) {
  expect_one_hash("ur5-waypoints", {"task.poses_m_deg=[[0.5, 0.3, 0.3, 180, 0, -90]]",
                                    "task.acceleration_limit_rad_s2=5", "task.hold=100ms"});
}

TEST(Links, HalveThePingAndSayThatTheyDo) {
  const TempFolder folder;
  const Changes ping = ways_to_say_5ms(folder)[5];
  const PreparedScenario prepared = prepare("one-joint", ping + Changes{"task.hold=50ms"});
  std::vector<std::string> warnings;
  for (const Diagnostic& warning : prepared.warnings) {
    warnings.push_back(warning.message);
  }
  EXPECT_THAT(warnings, Contains(HasSubstr("ping measures round trips: each way is taken as half "
                                           "of them")));
  const Json link = run_to_end(prepared)["link"];
  for (const char* direction : {"states", "commands"}) {
    EXPECT_EQ(link[direction]["delay_min_s"], 0.005);
    EXPECT_EQ(link[direction]["delay_max_s"], 0.005);
  }
}

// --- DARPA ---------------------------------------------------------------------------------------

// States of one joint have 16 + 3·4 + 3·8 = 52 bytes, 416 bits: every 2 ms that is 208 kbit/s,
// which the good minute's 1 Mbit/s carries and the bad one's 100 kbit/s does not. A gain of 0.01/s
// outlives any of these delays.
const Changes kStream{"states.period=2ms", "physics.period=2ms", "control.period=10ms",
                      "gain=0.01"};

TEST(Darpa, BacklogDrainAndReorderingAreThoseOfTheClosedForm) {
  const PreparedScenario prepared =
      prepare("one-joint", kStream + Changes{"task.hold=140s", "link.states.profile=darpa"});
  std::map<std::uint64_t, Time> arrivals;
  std::vector<Time> overtaken_at;
  std::uint64_t newest = 0;
  for (const record::LinkEventMessage& event : link_events(prepared, "states")) {
    if (event.event != "arrived") {
      continue;
    }
    arrivals[event.index] = event.stamp;
    if (event.index < newest) {
      overtaken_at.push_back(event.stamp);
    }
    newest = std::max(newest, event.index);
  }
  const auto delay = [&](Time sent) {
    const auto index = static_cast<std::uint64_t>(sent.time_since_epoch() / 2ms);
    return arrivals.at(index) - sent;
  };
  const Duration alone = 416us;  // 416 bits at 1 Mbit/s

  // the good minute: each packet leaves before the next one comes
  EXPECT_EQ(delay(Time(0s)), alone + 50ms);
  EXPECT_EQ(delay(Time(59998ms)), alone + 50ms);
  // The bad one: packet j of it leaves 4.16 ms · (j + 1) after it began. The last of its packets,
  // sent 2 ms before the good minute returns, finds 30000 · 416 - 6·10⁶ = 6.48 Mbit in all
  // (208 - 100 kbit/s, for 60 s), which then take 6.48 s, itself among them.
  EXPECT_EQ(delay(Time(60s)), 4160us + 500ms);
  EXPECT_EQ(delay(Time(88s)), 14001 * 4160us - 28s + 500ms);
  EXPECT_EQ(delay(Time(119998ms)), 2ms + 6480ms + 50ms);
  // The 1000 - 208 kbit/s that are left drain it in 8.1818 s; the first packet after that waits for
  // none.
  EXPECT_GT(delay(Time(128180ms)), alone + 50ms);
  EXPECT_EQ(delay(Time(128182ms)), alone + 50ms);
  EXPECT_EQ(delay(Time(139s)), alone + 50ms);

  // Packet 14423 of the bad minute is the first to leave in the good one: 32 of its bits went
  // before, 384 take 384 us. It is there at 120.050384 s and overtakes those that take half a
  // second: 60 s + 4.16 ms · m + 500 ms is later for m = 14315 to 14423.
  EXPECT_EQ(arrivals.at(30000 + 14423), Time(120'050'384us));
  EXPECT_EQ(overtaken_at.size(), 109U);
  EXPECT_EQ(overtaken_at.front(), Time(60s + 14315 * 4160us + 500ms));
  EXPECT_EQ(overtaken_at.back(), Time(60s + 14423 * 4160us + 500ms));

  const Json states = run_to_end(prepared)["link"]["states"];
  EXPECT_EQ(states["sent"], 70000);
  EXPECT_EQ(states["dropped"], 0);
  EXPECT_EQ(states["reordered"], 109);
  EXPECT_EQ(states["in_flight"], 25);  // of 139.950 to 139.998 s: 50.416 ms are not over
  // the most patient is the last that leaves in the bad minute: number 14423, sent at 88.844 s
  EXPECT_NEAR(states["delay_max_s"].get<double>(), 14423 * 0.00416 - 14422 * 0.002 + 0.5, 1e-9);
}

/// The same in 0.6 s each.
const std::string kShortPhases =
    "link.states.phases=[600ms rate 1mbit delay 50ms, 600ms rate 100kbit delay 500ms]";

TEST(Overtaking, OfAProfileIsAKeyOfItsOwn) {
  const auto reordered = [](const Changes& changes) {
    const Changes all = kStream + Changes{"task.hold=2s"} + changes;
    return run_to_end(prepare("one-joint", all))["link"]["states"]["reordered"].get<int>();
  };
  // 144 packets leave in the slow phase, the next at 1.20032 s; it is there 50 ms later, before
  // numbers 37 to 144: 0.6 s + 4.16 ms · m + 0.5 s
  EXPECT_EQ(reordered({kShortPhases, "link.states.overtaking=true"}), 108);
  EXPECT_EQ(reordered({kShortPhases, "link.states.overtaking=false"}), 0);
  EXPECT_EQ(reordered({kShortPhases}), 0);
}

TEST(Overtaking, IsOnForDarpaUnlessSaidOtherwise) {
  const auto is_overtaking = [](const Changes& changes) {
    const PreparedScenario prepared =
        prepare("one-joint", Changes{"link.profile=darpa", "task.hold=10ms"} + changes);
    const std::string yaml = to_yaml(prepared.scenario, prepared.plugins);
    return yaml.find("overtaking: true") != std::string::npos;
  };
  EXPECT_TRUE(is_overtaking({}));
  EXPECT_FALSE(is_overtaking({"link.overtaking=false"}));
}

TEST(Overtaking, WhereItIsOffTheOthersWaitForTheLastSlowPacket) {
  // Number 144 comes at 0.6 s + 144 · 4.16 ms + 0.5 s = 1.69904 s. Behind it wait all that left the
  // queue until 50 ms before: it is drained when 2 ms · j - 0.6 s = (416 j - 60000) bits at
  // 1 Mbit/s, j = 340.9; from then on packet j leaves at 0.6 s + 2 ms · j + 0.416 ms, in time for
  // j <= 524. That is packets 143 to 524 of the phase, 382 of them.
  const Events events =
      link_events(prepare("one-joint", kStream + Changes{"task.hold=2s", kShortPhases}), "states");
  const auto together = std::count_if(events.begin(), events.end(), [](const auto& event) {
    return event.event == "arrived" && event.stamp == Time(1'699'040us);
  });
  EXPECT_EQ(together, 382);
}

// --- which keys win ------------------------------------------------------------------------------

/// One joint for 50 ms with a link of one's own.
std::string hash_with_link(const std::string& link, const Changes& changes) {
  const std::string scenario =
      "robot: {model: one-joint, end_effector: tip, home_rad: [0.1]}\n"
      "task: {path: step, joints_rad: [[0]], hold: 50ms}\n"
      "gain: 10\n";
  return run_to_end(
             load_scenario_text(scenario + link, "cell.yaml", {changes, {}}, built_in_plugins()))
      .at("state_hash");
}

const std::vector<std::string> kOtherLinks{
    "link: {netem: delay 9ms loss 50%}\n",
    "link: {model: netem, netem: delay 9ms}\n",
    "link: {phases: [1s delay 9ms], repeat: false, overtaking: true}\n",
    "link: {profile: darpa}\n",
    "link: {preset: wan}\n",
    "link: {trace: not-there.csv, trace_by: packet, overtaking: false}\n",
    "link: {states: {netem: delay 9ms}, commands: {trace: not-there.csv}}\n",
};

TEST(Links, SetOnTheCommandLineReplaceThoseOfTheFile) {
  const std::string delayed = hash_with_link("link: {delay: 5ms}\n", {});
  for (const std::string& file : kOtherLinks) {
    EXPECT_EQ(hash_with_link(file, {"link.delay=5ms"}), delayed) << file;
    EXPECT_EQ(hash_with_link(file, {"link.netem=delay 5ms"}), delayed) << file;
  }
  // one direction stays as it was
  EXPECT_EQ(hash_with_link("link: {states: {netem: delay 5ms}, commands: {trace: not-there.csv}}\n",
                           {"link.commands.slots=5"}),
            delayed);
}

TEST(Links, SetAsPhasesReplaceThoseOfTheFile) {
  const std::string delayed = hash_with_link("link: {delay: 5ms}\n", {});
  for (const std::string& file : kOtherLinks) {
    EXPECT_EQ(hash_with_link(file, {"link.phases=[1s delay 5ms]"}), delayed) << file;
  }
}

TEST(Links, SetForEachDirectionReplaceThoseOfTheFile) {
  const std::string delayed = hash_with_link("link: {delay: 5ms}\n", {});
  for (const std::string& file : kOtherLinks) {
    EXPECT_EQ(hash_with_link(file, {"link.states.delay=5ms", "link.commands.delay=5ms"}), delayed)
        << file;
  }
}

// --- presets -------------------------------------------------------------------------------------

TEST(Links, OfEachPresetDelayByWhatItsLineSays) {
  // base and jitter of docs/how-to/links.md; uniform: ± jitter, normal: at most 4
  // jitters, pareto: -2/3 to 4 jitters; states
  // have 416 bits: 8.32 us at 50 Mbit/s, 72.2 us at 5.76 Mbit/s
  struct Range {
    const char* preset;
    double least_s, most_s;
  };
  for (const Range& range :
       {Range{"urllc-required", 500e-6, 500e-6}, Range{"embb-required", 4008.32e-6, 4008.32e-6},
        Range{"private-5g", 7e-3 - 4 * 1531e-6, 7e-3 + 4 * 1531e-6},
        Range{"private-lte", 4516e-6 - 871e-6 * 2 / 3, 4516e-6 + 4 * 871e-6},
        Range{"lte", 25e-3, 29e-3}, Range{"3g", 30e-3 + 416 / 5.76e6, 30e-3 + 416 / 5.76e6},
        Range{"wifi", 650e-6 - 840e-6 * 2 / 3, 650e-6 + 4 * 840e-6}, Range{"wan", 75e-3, 125e-3}}) {
    SCOPED_TRACE(range.preset);
    const Json states =
        run_to_end(prepare("one-joint", {std::string("link.preset=") + range.preset, "gain=1",
                                         "task.hold=500ms"}))["link"]["states"];
    EXPECT_GE(states["delay_min_s"].get<double>(), range.least_s - 1e-9);
    EXPECT_LE(states["delay_max_s"].get<double>(), range.most_s + 1e-9);
  }
}

// --- draws ---------------------------------------------------------------------------------------

TEST(Draws, AreThoseOfTheSeed) {
  const auto hash = [](int seed) {
    return state_hash("one-joint",
                      {fmt::format("seed={}", seed), "link.netem=delay 3ms 2ms loss 5%", "gain=20",
                       "task.hold=300ms"});
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
  EXPECT_NE(lost({"link.netem=loss 20%"}, "states"),
            lost({"link.netem=loss 20%", "seed=2"}, "states"));
}

TEST(Draws, OfOneDirectionDoNotDependOnTheOther) {
  const std::set<std::uint64_t> states = lost({"link.netem=loss 20%"}, "states");
  const std::set<std::uint64_t> commands = lost({"link.netem=loss 20%"}, "commands");
  // 500 packets: 100 ± 9 lost, and the two directions are not each other's copy
  EXPECT_NEAR(static_cast<double>(states.size()), 100.0, 27.0);
  EXPECT_NEAR(static_cast<double>(commands.size()), 100.0, 27.0);
  EXPECT_NE(states, commands);
  EXPECT_EQ(lost({"link.states.netem=loss 20%"}, "states"), states);
  EXPECT_EQ(lost({"link.commands.netem=loss 20%"}, "commands"), commands);
  EXPECT_THAT(lost({"link.commands.netem=loss 20%"}, "states"), ElementsAre());
}

TEST(Draws, OfOneOptionDoNotDependOnTheOthers) {
  const std::set<std::uint64_t> plain = lost({"link.netem=loss 20%"}, "states");
  EXPECT_EQ(lost({"link.netem=delay 3ms 2ms distribution normal loss 20%"}, "states"), plain);
  EXPECT_EQ(lost({"link.netem=loss 20%", "states.period=1ms", "control.period=5ms"}, "states"),
            plain);
}

}  // namespace
}  // namespace longarm::actors
