// SPDX-License-Identifier: Apache-2.0
// What it costs to cut a program of 27 functions into 27 components: hops, and nothing else.
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

constexpr int kFunctions = 27;
constexpr Duration kWork = 10us;

std::string topic(int i) {
  return "/stage" + std::to_string(i);
}

sim::Task<void> stage(Node* node, int i, Bytes data) {
  co_await node->compute(kWork);
  node->publish_raw(topic(i + 1), data);
}

/// Each function a component, from topic to topic; how long one message takes through all of them.
Duration pipeline_time(const network::Host& host, std::size_t bytes) {
  System system(1, host);
  std::vector<TestComponent> stages;
  Time end{};
  for (int i = 0; i < kFunctions; ++i) {
    stages.push_back(system.make_known("stage" + std::to_string(i), "pc1"));
    Node* node = stages.back().node.get();
    node->advertise_raw(topic(i + 1), Blob::kTypeName);
    if (i > 0) {
      node->subscribe_raw(topic(i), Blob::kTypeName,
                          [node, i](const Bytes& data) { node->spawn(stage(node, i, data)); });
    }
  }
  system.run_for(1s);
  const Time start = system.kernel.now();
  Node* first = stages.front().node.get();
  first->spawn(stage(first, 0, Bytes(bytes)));
  system.run_for(1s);
  for (const Recorder::Published& datum : system.recorder.data) {
    end = std::max(end, datum.arrived);
  }
  return end + kWork - start;  // of the last function, which nobody hears
}

network::Host host_with_hops() {
  // chosen so that the ratio is the worst that Krauß et al. 2018 quote from van der Hoorn: up to 16
  // times
  network::Host host;
  host.serialise.fixed = 50us;
  host.loopback.fixed = 56us;
  host.deserialise.fixed = 50us;
  return host;
}

TEST(Monolith, IsFasterByTheHopsThatItDoesNotMake) {
  // 27 functions of 10 µs: 270 µs in one program; as components 26 hops of 156 µs more: 4326 µs,
  // 16.02 times as long
  const Duration monolith = kFunctions * kWork;
  const Duration components = pipeline_time(host_with_hops(), 100);
  EXPECT_EQ(components, monolith + 26 * 156us);
  EXPECT_NEAR(to_seconds(components) / to_seconds(monolith), 16.0, 0.1);
}

TEST(Monolith, IsFasterByALineInTheSizeOfMessages) {
  network::Host host = host_with_hops();
  host.serialise.per_byte_ns = 2.0;
  host.deserialise.per_byte_ns = 3.0;
  // of each datum's 9 bytes of frame and the payload, 5 ns a byte, in 26 hops
  const Duration small = pipeline_time(host, 1'000);
  const Duration large = pipeline_time(host, 101'000);
  EXPECT_EQ(large - small, 26 * 100'000 * 5ns);
}

}  // namespace
}  // namespace longarm::components::test
