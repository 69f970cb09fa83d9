// SPDX-License-Identifier: Apache-2.0
// The communication graph: counted from calls and messages, cut between hosts, kept as JSON.
#include "longarm/components/communication_graph.h"

#include <chrono>

#include <gtest/gtest.h>

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

CallRecord call(const char* caller, const char* server, std::size_t request, std::size_t reply) {
  CallRecord record;
  record.caller = caller;
  record.server = server;
  record.request_bytes = request;
  record.reply_bytes = reply;
  return record;
}

// in 2 s: A and B have 2 calls of 100 + 20 bytes, one each way; B sends C a message of 40 bytes
CommunicationGraph example() {
  TrafficCounter counter({"A", "/B", "C", "Quiet"});
  counter.called(call("/A", "/B", 100, 20));
  counter.called(call("/B", "A", 100, 20));
  counter.published("/B", "topic", "/C", 40, Time{}, Time{});
  counter.called(call("/A", "/NameService", 5, 5));
  counter.called(call("/A", "/A", 7, 7));
  EXPECT_EQ(counter.calls(), 4U);
  EXPECT_EQ(counter.messages(), 1U);
  return counter.graph(2s);
}

TEST(CommunicationGraph, CountsBothWaysOfAPairTogether) {
  const CommunicationGraph graph = example();
  EXPECT_EQ(graph.components, (std::vector<std::string>{"A", "B", "C", "Quiet"}));
  ASSERT_EQ(graph.edges.size(), 2U);
  EXPECT_EQ(graph.edges[0].a, 0U);
  EXPECT_EQ(graph.edges[0].b, 1U);
  EXPECT_EQ(graph.edges[0].calls_per_s, 1.0);
  EXPECT_EQ(graph.edges[0].bytes_per_s, 120.0);
  EXPECT_EQ(graph.edges[1].bytes_per_s, 20.0);
  EXPECT_EQ(graph.total_calls_per_s(), 1.5);
  EXPECT_EQ(graph.total_bytes_per_s(), 140.0);
  EXPECT_EQ(graph.find("/C"), 2U);
  EXPECT_EQ(graph.find("D"), 4U);
}

TEST(CommunicationGraph, CutsWhatIsOnDifferentHosts) {
  const CommunicationGraph graph = example();
  EXPECT_EQ(graph.cut_bytes_per_s({0, 0, 0, 0}), 0.0);
  EXPECT_EQ(graph.cut_bytes_per_s({0, 1, 1, 0}), 120.0);
  EXPECT_EQ(graph.cut_bytes_per_s({0, 1, 2, 3}), 140.0);
}

TEST(CommunicationGraph, ReadsBackWhatItWrote) {
  const CommunicationGraph graph = example();
  const Result<CommunicationGraph> back = graph_from_json(to_json(graph));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(graph));
}

TEST(CommunicationGraph, RefusesWhatIsNone) {
  EXPECT_FALSE(graph_from_json(nlohmann::ordered_json::array()));
  EXPECT_FALSE(graph_from_json({{"components", {"A"}}}));
  nlohmann::ordered_json json = to_json(example());
  json["edges"][0]["b"] = "Nobody";
  EXPECT_FALSE(graph_from_json(json));
}

}  // namespace
}  // namespace longarm::components
