// SPDX-License-Identifier: Apache-2.0
// What users are told about networks that make no sense, and what the others become.
#include "longarm/network/config/network_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/config/network_schedule.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Host host(const std::string& name) {
  Host out;
  out.name = name;
  return out;
}

LinkEntry link(const std::string& name, const std::string& a, const std::string& b) {
  LinkEntry out;
  out.name = name;
  out.between = {a, b};
  return out;
}

/// edge and robot with one cable.
NetworkConfig pair() {
  NetworkConfig config;
  config.hosts = {host("edge"), host("robot")};
  config.links = {link("wire", "edge", "robot")};
  return config;
}

/// edge, robot, and two switches between them, one of which is a detour.
NetworkConfig detour() {
  NetworkConfig config;
  config.hosts = {host("edge"), host("robot")};
  config.switches = {{"near", 0ns}, {"far", 3us}};
  config.links = {link("a", "edge", "near"), link("b", "near", "robot"), link("c", "near", "far"),
                  link("d", "far", "robot")};
  return config;
}

/// "key: message / hint"
std::vector<std::string> remarks(NetworkConfig config) {
  InputFiles files;
  std::vector<std::string> out;
  for (const KeyRemark& remark : load(config, files)) {
    out.push_back(remark.key + ": " + remark.message + " / " + remark.hint);
  }
  return out;
}

TEST(NetworkConfig, OfTwoHostsAndACableIsGood) {
  EXPECT_THAT(remarks(pair()), IsEmpty());
  EXPECT_THAT(remarks(detour()), IsEmpty());
  EXPECT_THAT(remarks(NetworkConfig{}), IsEmpty());
}

TEST(NetworkConfig, NamesAnEndThatIsNotThere) {
  NetworkConfig config = pair();
  config.links[0].between[1] = "robto";
  EXPECT_THAT(remarks(config), ElementsAre("links.wire.between: link 'wire' ends at 'robto', which "
                                           "is not a host or switch / did you mean 'robot'?"));
}

TEST(NetworkConfig, RefusesALinkToItselfAndOneWithoutEnds) {
  NetworkConfig config = pair();
  config.links.push_back(link("loop", "edge", "edge"));
  config.links.push_back(link("loose", "edge", "robot"));
  config.links.back().between = {"edge"};
  EXPECT_THAT(remarks(config),
              ElementsAre("links.loop.between: link 'loop' goes from 'edge' to itself / programs "
                          "on one host use its loopback and need no link",
                          "links.loose.between: link 'loose' has 1 ends instead of 2 / for example "
                          "between: [edge, robot]"));
}

TEST(NetworkConfig, RefusesRatesOfZeroAndWordsThatAreNone) {
  NetworkConfig config = pair();
  config.links[0].rate = "0mbit";
  EXPECT_THAT(remarks(config),
              ElementsAre(HasSubstr("links.wire.rate: a rate of 0 never sends anything")));
  config.links[0].rate = "fast";
  EXPECT_THAT(
      remarks(config),
      ElementsAre(
          "links.wire.rate: 'fast' is not a rate / use tc syntax: 1Gbit, 100Mbit, 250kbit"));
}

TEST(NetworkConfig, RefusesNegativeTimesAndImpossibleHosts) {
  NetworkConfig config = pair();
  config.links[0].propagation = -1ms;
  config.links[0].queue.priorities = 0;
  config.hosts[0].load = 1.0;
  config.hosts[0].speed = 0.0;
  config.hosts[1].cores = -1;
  EXPECT_THAT(remarks(config),
              ElementsAre(HasSubstr("hosts.edge.speed: the speed of a host must be greater than 0"),
                          HasSubstr("hosts.edge.load: load must be at least 0 and below 1"),
                          HasSubstr("hosts.robot.cores: cores must be between 0 and 100000"),
                          HasSubstr("links.wire.propagation: a time must not be negative"),
                          HasSubstr("links.wire.queue.priorities: priorities must be between 1")));
}

TEST(NetworkConfig, RefusesANameUsedTwiceAndNamesWithDots) {
  NetworkConfig config = detour();
  config.switches.push_back({"edge", 0ns});
  config.links.push_back(link("a.b", "edge", "near"));
  EXPECT_THAT(remarks(config),
              ElementsAre(HasSubstr("switches.edge: a host and a switch are both called 'edge'"),
                          HasSubstr("links: 'a.b' is not a valid name in links")));
}

TEST(NetworkConfig, NamesHostsWithoutAWayToEachOther) {
  NetworkConfig config = pair();
  config.hosts.push_back(host("island"));
  const std::vector<std::string> found = remarks(config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr("links: "));
  EXPECT_THAT(found[0], HasSubstr("island"));
}

TEST(NetworkConfig, NamesRoutesThatRunInCircles) {
  // near sends to far, and far back to near
  NetworkConfig config = detour();
  config.routes = {{"out", "near", "robot", "c"}, {"back", "far", "robot", "c"}};
  const std::vector<std::string> found = remarks(config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr("routes: "));
  EXPECT_THAT(found[0], HasSubstr("near"));
  EXPECT_THAT(found[0], HasSubstr("far"));
}

TEST(NetworkConfig, JudgesTheWordsOfRoutes) {
  NetworkConfig config = detour();
  config.routes = {{"one", "edgy", "near", "e"}, {"two", "edge", "robot", "d"}};
  EXPECT_THAT(remarks(config),
              ElementsAre(HasSubstr("routes.one.at: 'edgy' is not a host or switch / did you mean"),
                          HasSubstr("routes.one.to: 'near' is not a host"),
                          HasSubstr("routes.one.link: 'e' is not a link"),
                          HasSubstr("routes.two.link: link 'd' is not connected to 'edge'")));
}

TEST(NetworkConfig, TakesAStarOrLinksButNotBoth) {
  NetworkConfig config = pair();
  config.star.hosts = 3;
  EXPECT_THAT(remarks(config), ElementsAre(HasSubstr("links: a star cannot be combined with links"),
                                           HasSubstr("hosts.edge: a star of 3 has no host 'edge'"),
                                           HasSubstr("hosts.robot: a star of 3 has no host")));
  config.star.hosts = -1;
  EXPECT_THAT(remarks(config), ElementsAre(HasSubstr("star.hosts: hosts must be between 0")));
}

TEST(NetworkConfig, AsksForTheCommandOfAnExternalBackendOnly) {
  NetworkConfig config = pair();
  config.backend = "external";
  EXPECT_THAT(remarks(config), ElementsAre(HasSubstr("command: an external backend needs")));
  config.backend = "builtin";
  config.command = "python3 mine.py";
  EXPECT_THAT(remarks(config), ElementsAre(HasSubstr("command: backend 'builtin' ignores")));
}

TEST(NetworkConfig, JudgesOptionsOfTcp) {
  NetworkConfig config = pair();
  config.flows.tcp.mss_bytes = 0;
  config.flows.tcp.min_rto = 0ms;
  EXPECT_THAT(remarks(config),
              ElementsAre(HasSubstr("flows.tcp.min_rto: this time must be greater than zero"),
                          HasSubstr("flows.tcp.mss_bytes: mss_bytes must be between 1 and 1448")));
}

TEST(NetworkConfig, RefusesSegmentsThatDoNotFitIntoPackets) {
  // 1500 of Ethernet, 20 of IP, 20 of TCP, 12 of timestamps
  NetworkConfig config = pair();
  config.flows.tcp.mss_bytes = 1449;
  EXPECT_THAT(remarks(config),
              ElementsAre("flows.tcp.mss_bytes: mss_bytes must be between 1 and 1448 / use at most "
                          "1448: packets have 1500 bytes, headers 40, timestamps 12"));
  config.flows.tcp.has_timestamps = false;
  config.flows.tcp.mss_bytes = 1460;
  EXPECT_THAT(remarks(config), IsEmpty());
  config.flows.tcp.mss_bytes = 1461;
  EXPECT_THAT(remarks(config), ElementsAre(HasSubstr("use at most 1460: packets")));
}

TEST(NetworkConfig, RefusesAPriorityThatNoQueueHas) {
  NetworkConfig config = pair();
  config.flows.priority = 1;
  EXPECT_THAT(remarks(config),
              ElementsAre("flows.priority: no queue has a priority 1 / use 0, or give links "
                          "queue.priorities of at least 2"));
  config.links[0].queue.priorities = 2;
  EXPECT_THAT(remarks(config), IsEmpty());
}

TEST(NetworkConfig, WarnsOfWhatNs3DoesOtherwise) {
  NetworkConfig config = pair();
  config.backend = "ns3";
  InputFiles files;
  const std::vector<KeyRemark> said = load(config, files);
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0].key, "flows.tcp.timestamps");
  EXPECT_EQ(said[0].severity, Severity::kWarning);
  EXPECT_EQ(said[1].key, "flows.tcp.rto_rule");
  EXPECT_EQ(said[1].severity, Severity::kWarning);
  EXPECT_EQ(said[2].key, "flows.tcp.congestion");
  EXPECT_EQ(said[2].severity, Severity::kWarning);
  EXPECT_EQ(
      said[2].message,
      "under random losses CUBIC of ns-3 3.37 gets about a third of what it gets in Linux and "
      "with builtin");
  config.flows.tcp.has_timestamps = false;
  config.flows.tcp.rto_rule = RtoRule::kRfc6298;
  config.flows.tcp.congestion = CongestionControl::kReno;
  EXPECT_THAT(remarks(config), IsEmpty());
  config.flows = {};
  config.flows.transport = Transport::kUdp;
  EXPECT_THAT(remarks(config), IsEmpty());
}

TEST(NetworkConfig, MakesTheTopologyThatItSays) {
  NetworkConfig config = detour();
  config.links[1].rate = "100Mbit";
  config.links[1].propagation = 5us;
  config.links[1].framing = Framing::kPpp;
  config.routes = {{"detour", "near", "robot", "c"}};
  const Topology topology = make_topology(config);
  ASSERT_EQ(topology.nodes.size(), 4U);
  EXPECT_EQ(topology.nodes[3].name, "far");
  EXPECT_TRUE(topology.nodes[3].is_switch);
  EXPECT_EQ(topology.nodes[3].forwarding, 3us);
  ASSERT_EQ(topology.cables.size(), 4U);
  EXPECT_EQ(topology.cables[0].rate_bit_s, std::nullopt);
  EXPECT_EQ(topology.cables[1].rate_bit_s, 1e8);
  EXPECT_EQ(topology.cables[1].propagation, 5us);
  EXPECT_EQ(topology.cables[1].framing, Framing::kPpp);
  EXPECT_EQ(topology.cables[1].ends[1], NodeId(1));
  ASSERT_EQ(topology.routes.size(), 1U);
  EXPECT_EQ(topology.routes[0].cable, CableId(2));
  EXPECT_EQ(make_hosts(config).size(), 4U);
}

TEST(NetworkConfig, MakesAStarOfItsHosts) {
  NetworkConfig config;
  config.star.hosts = 3;
  config.star.cable.rate = "1Gbit";
  config.host_defaults.cores = 4;
  config.hosts = {host("pc2")};
  config.hosts[0].cores = 8;
  ASSERT_THAT(remarks(config), IsEmpty());
  const Topology topology = make_topology(config);
  ASSERT_EQ(topology.nodes.size(), 4U);
  EXPECT_EQ(topology.nodes[0].name, "pc1");
  EXPECT_TRUE(topology.nodes[3].is_switch);
  ASSERT_EQ(topology.cables.size(), 3U);
  EXPECT_EQ(topology.cables[2].ends[0], NodeId(2));
  EXPECT_EQ(topology.cables[2].ends[1], NodeId(3));
  EXPECT_EQ(topology.cables[2].rate_bit_s, 1e9);
  const std::vector<Host> hosts = make_hosts(config);
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[0].cores, 4);
  EXPECT_EQ(hosts[1].cores, 8);
}

TEST(NetworkConfig, TurnsDarpasMinutesIntoChangesUntilTheHorizon) {
  NetworkConfig config = pair();
  config.links[0].schedule = {"darpa"};
  ASSERT_THAT(remarks(config), IsEmpty());
  // good until 60 s, bad until 120 s, good again until 180 s, which is beyond 150 s
  const Cable cable = make_topology(config, 150s).cables.at(0);
  EXPECT_EQ(cable.rate_bit_s, 1e6);
  EXPECT_EQ(cable.propagation, 50ms);
  ASSERT_EQ(cable.changes.size(), 3U);
  EXPECT_EQ(cable.changes[0].at, Time(60s));
  EXPECT_EQ(cable.changes[0].rate_bit_s, 1e5);
  EXPECT_EQ(cable.changes[0].propagation, 500ms);
  EXPECT_EQ(cable.changes[1].at, Time(120s));
  EXPECT_EQ(cable.changes[1].rate_bit_s, 1e6);
}

TEST(NetworkConfig, TakesACableDownAndUpAgain) {
  NetworkConfig config = pair();
  config.links[0].schedule = {"2s rate 1mbit delay 1ms", "500ms down", "1s rate 2mbit delay 1ms"};
  config.links[0].schedule_repeats = false;
  ASSERT_THAT(remarks(config), IsEmpty());
  const Cable cable = make_topology(config).cables.at(0);
  ASSERT_EQ(cable.changes.size(), 2U);
  EXPECT_EQ(cable.changes[0].at, Time(2s));
  EXPECT_EQ(cable.changes[0].is_up, false);
  EXPECT_EQ(cable.changes[1].at, Time(2500ms));
  EXPECT_EQ(cable.changes[1].is_up, true);
  EXPECT_EQ(cable.changes[1].rate_bit_s, 2e6);
}

TEST(NetworkConfig, RefusesSchedulesThatAreNone) {
  const auto complaint = [](std::vector<std::string> schedule, const std::string& rate = {}) {
    NetworkConfig config = pair();
    config.links[0].schedule = std::move(schedule);
    config.links[0].rate = rate;
    return remarks(config);
  };
  EXPECT_THAT(complaint({"dapra"}),
              ElementsAre(HasSubstr("phase 1: a phase must start with its duration")));
  EXPECT_THAT(complaint({"1s rate 0bit"}),
              ElementsAre(HasSubstr("use 'down' for a cable that is cut")));
  EXPECT_THAT(complaint({"1s delay 1ms loss 1%"}), ElementsAre(HasSubstr("set loss with netem")));
  EXPECT_THAT(complaint({"1ms delay 1ms"}), ElementsAre(HasSubstr("must last at least 10ms")));
  EXPECT_THAT(complaint({"1s down"}), ElementsAre(HasSubstr("cannot start with the cable down")));
  EXPECT_THAT(complaint({"1s rate 1mbit", "1s delay 2ms"}),
              ElementsAre(HasSubstr("some phases have a rate and others none")));
  EXPECT_THAT(complaint({"darpa"}, "1mbit"),
              ElementsAre(HasSubstr("a schedule sets rate and propagation itself")));
}

}  // namespace
}  // namespace longarm::network
