// SPDX-License-Identifier: Apache-2.0
// An arm and its controller on hosts of a network: the smallest one is the link, bit for bit, and
// larger ones add what their headers and hops cost.
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/actors/test/broken_fixture.h"

namespace longarm::actors {
namespace {

using testing::HasSubstr;

/// A link of the network with no headers of its own, for messages as they are.
const Changes kBare{"network.hosts={edge: {}, robot: {}}",
                    "network.links={wire: {between: [edge, robot], framing: none}}",
                    "network.flows=raw"};
/// 100 Mbit/s and 1 ms of Ethernet.
const Changes kEthernet{
    "network.hosts={edge: {}, robot: {}}",
    "network.links={wire: {between: [edge, robot], rate: 100Mbit, propagation: 1ms}}"};

const Changes kShortStep{"gain=10", "task.hold=500ms"};

Json one_joint(const Changes& changes) {
  return run_to_end(prepare("one-joint", kShortStep + changes));
}

class SmallestNetwork : public testing::TestWithParam<std::string> {};

TEST_P(SmallestNetwork, IsTheLinkBitForBit) {
  const Json link = one_joint({"link." + GetParam()});
  const Json network = one_joint(kBare + Changes{"network.links.wire." + GetParam()});
  EXPECT_EQ(network.at("state_hash"), link.at("state_hash"));
  for (const char* direction : {"states", "commands"}) {
    for (const char* figure : {"sent", "delivered", "reordered", "in_flight", "delay_mean_s"}) {
      EXPECT_EQ(network.at("link").at(direction).value(figure, Json()),
                link.at("link").at(direction).value(figure, Json()))
          << direction << " " << figure;
    }
  }
  // a network that carried nothing would be equal to a link that does nothing
  EXPECT_NE(network.at("state_hash"), one_joint({}).at("state_hash"));
}

INSTANTIATE_TEST_SUITE_P(Links, SmallestNetwork,
                         testing::Values("delay=10ms", "slots=3",
                                         "netem=delay 5ms 2ms distribution normal loss 5%",
                                         "netem=delay 2ms reorder 20% gap 3 rate 1mbit",
                                         "netem=delay 4ms 3ms duplicate 30%", "preset=wifi",
                                         "profile=darpa"));

TEST(ArmNetwork, WithoutAnythingInBetweenIsNoNetwork) {
  EXPECT_EQ(one_joint(kBare).at("state_hash"), one_joint({}).at("state_hash"));
  EXPECT_EQ(one_joint(kBare + Changes{"network.backend=ideal"}).at("state_hash"),
            one_joint({}).at("state_hash"));
}

TEST(ArmNetwork, IsTheLinkForEveryCutOfAnArm) {
  for (const char* cut : {"velocity", "position", "effort", "trajectory"}) {
    const Changes common{std::string("cut=") + cut, "task.hold=0s", "control.period=4ms",
                         "states.period=4ms"};
    EXPECT_EQ(state_hash("ur5-waypoints", common + kBare + Changes{"network.links.wire.delay=7ms"}),
              state_hash("ur5-waypoints", common + Changes{"link.delay=7ms"}))
        << cut;
  }
}

TEST(ArmNetwork, TellsDirectionsApart) {
  // the cable's first end is the controller's: forward carries commands
  const Json network = one_joint(kBare + Changes{"network.links.wire.forward.delay=3ms"});
  EXPECT_EQ(network.at("state_hash"), one_joint({"link.commands.delay=3ms"}).at("state_hash"));
  const Json turned =
      one_joint(kBare + Changes{"network.links.wire.between=[robot, edge]",
                                "network.links.wire.forward.netem=delay 3ms loss 10%"});
  EXPECT_EQ(turned.at("state_hash"),
            one_joint({"link.states.netem=delay 3ms loss 10%"}).at("state_hash"));
}

TEST(ArmNetwork, AddsTheHeadersOfUdpAndEthernet) {
  // states of one joint: 16 + 12 + 3 · 8 = 52 bytes; UDP 8, IP 20, Ethernet 18, preamble 8: 106
  // bytes take 8.48 us of 100 Mbit/s. Commands: 16 + 8 + 8 = 32, hence 86 bytes and 6.88 us.
  const Json metrics = one_joint(kEthernet + Changes{"network.flows=udp"});
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_min_s"), 1.00848e-3);
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_max_s"), 1.00848e-3);
  EXPECT_DOUBLE_EQ(metrics.at("link").at("commands").at("delay_min_s"), 1.00688e-3);
  // the states of 52 + 28 + 18 bytes and the preamble, one a millisecond: busy 0.848 %
  const Json& back = metrics.at("network").at("cables").at(1);
  const double seconds = metrics.at("simulated_s");
  EXPECT_EQ(back.at("name"), "wire: robot > edge");
  EXPECT_NEAR(back.at("busy_s").get<double>(), 0.00848 * seconds, 1e-4);
}

TEST(ArmNetwork, AddsTheHeadersOfTcp) {
  // TCP with timestamps has 32 bytes instead of UDP's 8: 130 bytes, 10.4 us. States travel every
  // millisecond, so that acknowledgements ride on commands and the other way round.
  const Json metrics = one_joint(kEthernet);
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_min_s"), 1.0104e-3);
  EXPECT_EQ(metrics.at("network").at("flows").at(0).at("retransmissions"), 0);
}

TEST(ArmNetwork, StoresAndForwardsAtASwitch) {
  // the same frame twice, 2 us in the switch, and 1 ms + 0.5 ms of cable
  const Json metrics =
      one_joint({"network.hosts={edge: {}, robot: {}}", "network.switches={hub: {forwarding: 2us}}",
                 "network.links={a: {between: [edge, hub], rate: 100Mbit, propagation: 1ms}, "
                 "b: {between: [robot, hub], rate: 100Mbit, propagation: 500us}}",
                 "network.flows=udp"});
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_min_s"), 2 * 8.48e-6 + 2e-6 + 1.5e-3);
}

TEST(ArmNetwork, AddsTheDelaysOfOperatingSystems) {
  const Json metrics = one_joint(
      kEthernet + Changes{"network.flows=udp", "network.hosts.robot.stack_send=30us",
                          "network.hosts.edge.stack_receive={fixed: 10us, per_byte_ns: 100}"});
  // 52 bytes received: 5.2 us more
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_min_s"), 1.00848e-3 + 45.2e-6);
  EXPECT_DOUBLE_EQ(metrics.at("link").at("commands").at("delay_min_s"), 1.00688e-3);
}

TEST(ArmNetwork, IsAStarIfItSaysSo) {
  // two cables of 1 Gbit/s: 106 bytes take 848 ns on each
  const Json metrics = one_joint({"network.star={hosts: 4, rate: 1Gbit, propagation: 1us}",
                                  "network.flows=udp", "control.host=pc4", "robot.host=pc1"});
  EXPECT_DOUBLE_EQ(metrics.at("link").at("states").at("delay_min_s"), 2 * 848e-9 + 2e-6);
}

TEST(ArmNetwork, ReadsBackTheSame) {
  const PreparedScenario prepared = prepare(
      "one-joint", kShortStep + kEthernet +
                       Changes{"network.links.wire.backward.netem=delay 3ms loss 10%",
                               "network.flows={transport: tcp, tcp: {congestion: reno}}",
                               "network.switches={hub: {}}",
                               "network.links.spare={between: [robot, hub], queue: codel}"});
  const std::string yaml = to_yaml(prepared.scenario, prepared.plugins);
  const PreparedScenario again = load_scenario_text(yaml, "one-joint.yaml", {}, built_in_plugins());
  EXPECT_EQ(to_yaml(again.scenario, again.plugins), yaml);
  EXPECT_EQ(again.identity, prepared.identity);
  EXPECT_EQ(run_to_end(again).at("state_hash"), run_to_end(prepared).at("state_hash"));
}

TEST(ArmNetwork, IsNotWrittenDownWhereThereIsNone) {
  const PreparedScenario prepared = prepare("one-joint", kShortStep);
  const std::string yaml = to_yaml(prepared.scenario, prepared.plugins);
  EXPECT_THAT(yaml, testing::Not(HasSubstr("network")));
  EXPECT_THAT(yaml, testing::Not(HasSubstr("host")));
}

TEST(ArmNetwork, IdentityCoversTheFilesItReads) {
  const TempFolder folder;
  const auto identity = [&](const std::string& content) {
    folder.write("stack.csv", content);
    return prepare("one-joint", kShortStep + kEthernet +
                                    Changes{"network.host_defaults.stack_send={file: " +
                                            folder.file("stack.csv") + "}"})
        .identity;
  };
  const std::string first = identity("seconds\n0.00001\n0.00002\n");
  EXPECT_NE(identity("seconds\n0.00001\n0.00003\n"), first);
  EXPECT_EQ(identity("seconds\n0.00001\n0.00002\n"), first);
}

TEST(ArmNetwork, ComparesWithTheRunWithoutIt) {
  const PreparedScenario bare = without_network(prepare("one-joint", kShortStep + kEthernet));
  EXPECT_EQ(bare.cell().network.backend, "ideal");
  EXPECT_EQ(run_to_end(bare).at("actors_hash"), one_joint({}).at("actors_hash"));
}

// --- what users are told -------------------------------------------------------------------------

std::string network_complaint(const std::string& network) {
  const std::string text =
      "robot: {model: one-joint, end_effector: tip}\n"
      "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n"
      "gain: 10\n" +
      network;
  try {
    load_scenario_text(text, "cell.yaml", {}, built_in_plugins());
  } catch (const InputError& problem) {
    return problem.what();
  }
  return {};
}

class BrokenNetwork : public testing::TestWithParam<Broken> {};

TEST_P(BrokenNetwork, IsExplained) {
  EXPECT_EQ(network_complaint(GetParam().text), GetParam().complaint);
}

const std::string kHosts = "network:\n  hosts: {edge: {}, robot: {}}\n";

INSTANTIATE_TEST_SUITE_P(
    All, BrokenNetwork,
    testing::Values(
        Broken{"LinkAndNetwork",
               "link: {delay: 1ms}\n" + kHosts + "  links: {w: {between: [edge, robot]}}\n",
               "cell.yaml:4:7: error: 'link' and 'network' both describe the connection between "
               "controller and robot\n"
               "  hint: set the link model on a link of the network instead: network.links.NAME.…"},
        Broken{"NoHosts", "network: {capture: true}\n",
               "cell.yaml:4:10: error: the network has no hosts\n  hint: for example network: "
               "{hosts: {edge: {}, robot: {}}, links: {wire: {between: [edge, robot], delay: "
               "10ms}}}"},
        Broken{"HostWithoutNetwork", "control: {host: edge}\n",
               "cell.yaml:4:17: error: control.host has no effect without a network\n"
               "  hint: name hosts and links under network, or remove it"},
        Broken{"UnknownHost",
               kHosts + "  links: {w: {between: [edge, robot]}}\ncontrol: {host: edeg}\n",
               "cell.yaml:7:17: error: the network has no host 'edeg'\n  hint: did "
               "you mean 'edge'?"},
        Broken{"UnknownKey", kHosts + "  links:\n    w: {between: [edge, robot], dealy: 1ms}\n",
               "cell.yaml:7:33: error: unknown key 'network.links.w.dealy'\n  hint: did you mean "
               "'delay'?"},
        Broken{"TwoModels",
               kHosts + "  links:\n    w: {between: [edge, robot], delay: 1ms, slots: 2}\n",
               "cell.yaml:7:45: error: 'slots' cannot be combined with 'delay': they belong to "
               "link models queue and delay\n"
               "  hint: keep one of them"},
        Broken{"BadNetem",
               kHosts + "  links:\n    w: {between: [edge, robot], netem: delay fast}\n",
               "cell.yaml:7:40: error: 'fast' after 'delay' is not a time such as 100ms, 250us or "
               "1.5s\n  hint: delay TIME [JITTER [CORRELATION]] [distribution "
               "uniform|normal|pareto|paretonormal]"},
        Broken{"ZeroRate", kHosts + "  links:\n    w: {between: [edge, robot], rate: 0bit}\n",
               "cell.yaml:7:39: error: a rate of 0 never sends anything\n"
               "  hint: use a rate above 0, or remove it to send in no time"},
        Broken{"UnknownTransport",
               kHosts + "  links: {w: {between: [edge, robot]}}\n  flows: sctp\n",
               "cell.yaml:7:10: error: unknown network.flows 'sctp'\n  hint: valid names are: raw, "
               "udp, tcp"},
        Broken{"NotAGroup", "network: fast\n",
               "cell.yaml:4:10: error: 'network' must be a group of keys, not 'fast'\n  hint: its "
               "keys are: backend, command, answer_timeout, host_defaults, hosts, switches, links, "
               "routes, star, flows, capture"}),
    name_of);

}  // namespace
}  // namespace longarm::actors
