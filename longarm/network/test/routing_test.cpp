// SPDX-License-Identifier: Apache-2.0
// Which way packets go, and what is said where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::HasSubstr;

/// Nodes by name, a trailing '*' marks a switch; cables by the names of their ends.
Topology topology_of(const std::vector<std::string>& nodes,
                     const std::vector<std::pair<std::string, std::string>>& cables) {
  Topology topology;
  for (const std::string& name : nodes) {
    const bool is_switch = name.back() == '*';
    topology.nodes.push_back({is_switch ? name.substr(0, name.size() - 1) : name, is_switch});
  }
  for (const auto& [first, second] : cables) {
    Cable each;
    each.name = first + "-" + second;
    each.ends[0] = *topology.find(first);
    each.ends[1] = *topology.find(second);
    topology.cables.push_back(std::move(each));
  }
  return topology;
}

void add_route(Topology& topology, const std::string& node, const std::string& to,
               std::uint32_t cable) {
  topology.routes.push_back({*topology.find(node), *topology.find(to), CableId{cable}});
}

std::string routing_error(const Topology& topology) {
  const Result<RoutingTable> table = RoutingTable::make(topology);
  return table ? "" : table.error().message;
}

TEST(Routing, TakesTheFewestCablesAndThenTheFirst) {
  // a - x - b with two cables a - x; and the longer a - y - z - b
  const Topology topology =
      topology_of({"a", "b", "x*", "y*", "z*"},
                  {{"a", "y"}, {"y", "z"}, {"z", "b"}, {"a", "x"}, {"a", "x"}, {"x", "b"}});
  const Result<RoutingTable> table = RoutingTable::make(topology);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->next(NodeId{0}, NodeId{1}), CableId{3});
  EXPECT_EQ(table->next(NodeId{2}, NodeId{1}), CableId{5});
  EXPECT_EQ(table->next(NodeId{2}, NodeId{0}), CableId{3});
  EXPECT_EQ(table->next(NodeId{4}, NodeId{0}), CableId{1});
}

TEST(Routing, WhatIsSaidWins) {
  Topology topology =
      topology_of({"a", "b", "x*", "y*"}, {{"a", "x"}, {"x", "b"}, {"a", "y"}, {"y", "b"}});
  add_route(topology, "a", "b", 2);
  const Result<RoutingTable> table = RoutingTable::make(topology);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->next(NodeId{0}, NodeId{1}), CableId{2});
  EXPECT_EQ(table->next(NodeId{1}, NodeId{0}), CableId{1});  // back as usual
}

TEST(Routing, NamesHostsWithoutAWay) {
  const Topology topology = topology_of({"a", "b", "c", "x*"}, {{"a", "x"}, {"x", "b"}});
  EXPECT_EQ(
      routing_error(topology),
      "no path from 'a' to 'c'; no path from 'b' to 'c'; no path from 'c' to 'a'; no path from "
      "'c' to 'b'");
}

TEST(Routing, NamesWaysInCircles) {
  // a's packets for b: at x to y, at y back to x
  Topology topology =
      topology_of({"a", "b", "x*", "y*"}, {{"a", "x"}, {"x", "y"}, {"y", "b"}, {"x", "b"}});
  add_route(topology, "x", "b", 1);
  add_route(topology, "y", "b", 1);
  EXPECT_EQ(routing_error(topology), "the route from 'a' to 'b' is a loop: a > x > y > x");
}

TEST(Routing, ARingWithoutRoutesIsNoCircle) {
  EXPECT_EQ(
      routing_error(topology_of({"a", "b", "x*", "y*", "z*"},
                                {{"a", "x"}, {"x", "y"}, {"y", "z"}, {"z", "x"}, {"z", "b"}})),
      "");
}

TEST(Routing, RefusesRoutesByCablesElsewhere) {
  Topology topology = topology_of({"a", "b", "x*"}, {{"a", "x"}, {"x", "b"}});
  add_route(topology, "a", "b", 1);
  EXPECT_EQ(routing_error(topology), "a route at 'a' leaves by 'x-b', which does not end there");
}

TEST(Routing, ALongListIsCutShort) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    names.push_back("h" + std::to_string(i));
  }
  EXPECT_THAT(routing_error(topology_of(names, {})), HasSubstr("and 862 more"));  // 30 x 29 pairs
}

TEST(Routing, TheBuiltInBackendRefusesSuchTopologies) {
  const Topology apart = topology_of({"a", "b"}, {});
  try {
    (void)make_builtin_backend(apart, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no path from 'a' to 'b'"));
  }
  Topology tiny = topology_of({"a", "b"}, {{"a", "b"}});
  tiny.mtu_bytes = 20;
  EXPECT_THROW((void)make_builtin_backend(tiny, {}), InputError);
}

TEST(Routing, HostsWithSeveralCablesPassOn) {
  // a - b - c, all of them hosts
  const Topology topology = topology_of({"a", "b", "c"}, {{"a", "b"}, {"b", "c"}});
  Traffic traffic(topology);
  const FlowId flow = traffic.open(0, 2, Transport::kUdp);
  traffic.send(flow, 100, at(1ms));
  traffic.run();
  EXPECT_EQ(traffic.arrivals().size(), 1U);
}

}  // namespace
}  // namespace longarm::network
