// SPDX-License-Identifier: Apache-2.0
// Network stacks that work on the host's cores, against closed forms: waiting for a computation,
// queues of packets, packets of a long message, order, and ends of connections.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"
#include "longarm/core/input_files.h"
#include "longarm/core/random.h"
#include "longarm/network/config/network_config.h"

namespace longarm::components::test {
namespace {

using network::FlowId;
using network::MessageId;
using network::Side;
using ::testing::ElementsAre;

network::Host one_core() {
  network::Host host;
  host.cores = 1;
  host.scheduling = network::Scheduling::kFifo;
  host.stack_send.fixed = 1ms;
  host.stack_receive.fixed = 2ms;
  host.loopback.fixed = 3ms;
  host.stack_uses_cores = true;
  return host;
}

/// Two hosts without a cable in between: all that takes time is work on their cores.
class StackCores : public ::testing::Test {
 protected:
  void make(const network::Host& like) { system = std::make_unique<System>(2, like); }

  FlowId open(network::Transport transport, bool is_loopback = false) {
    network::FlowRequest request{
        network::NodeId{0}, network::NodeId{is_loopback ? 0U : 1U}, {transport, {}, 0}};
    network::FlowEvents events;
    events.delivered = [this](Side, MessageId message) {
      arrivals.push_back(system->kernel.now().time_since_epoch());
      messages.push_back(message);
    };
    events.reset = [this](Side) { resets.push_back(system->kernel.now().time_since_epoch()); };
    const Result<FlowId> flow = system->network->open(request, std::move(events));
    EXPECT_TRUE(flow);
    return *flow;
  }
  MessageId send(FlowId flow, std::uint32_t size = 100) {
    return system->network->send(flow, Side::kOpener, size);
  }
  void compute(const std::string& host, Duration work) {
    processors.push_back(system->simulated->make_processor("busy", host));
    processors.back()->execute(
        work, [this] { computed.push_back(system->kernel.now().time_since_epoch()); });
  }

  std::unique_ptr<System> system;
  std::vector<std::unique_ptr<Processor>> processors;
  std::vector<Duration> arrivals;
  std::vector<MessageId> messages;
  std::vector<Duration> resets;
  std::vector<Duration> computed;
};

TEST_F(StackCores, APacketWaitsForWhatIsBeingComputed) {
  // sender: 10 ms of computing, then 1 ms of stack; receiver: its own 12 ms end at 12, then 2 ms
  make(one_core());
  const FlowId flow = open(network::Transport::kRaw);
  compute("pc1", 10ms);
  compute("pc2", 12ms);
  send(flow);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(14ms));
  EXPECT_DOUBLE_EQ(system->simulated->busy_s("pc1"), 0.011);
  EXPECT_DOUBLE_EQ(system->simulated->busy_s("pc2"), 0.014);
}

TEST_F(StackCores, AComputationWaitsForPackets) {
  // three packets of 1 ms each stand before it
  make(one_core());
  const FlowId flow = open(network::Transport::kRaw);
  for (int i = 0; i < 3; ++i) {
    send(flow);
  }
  compute("pc1", 10ms);
  system->run_for(1s);
  EXPECT_THAT(computed, ElementsAre(13ms));
  // received one after the other: 1 + 2, then 2 each, as they come faster than that
  EXPECT_THAT(arrivals, ElementsAre(3ms, 5ms, 7ms));
}

TEST_F(StackCores, AFairCoreIsSharedWithComputing) {
  // 1 ms of stack at half speed takes 2 ms; computing has 9 ms left then; the other host is idle
  network::Host host = one_core();
  host.scheduling = network::Scheduling::kFair;
  make(host);
  const FlowId flow = open(network::Transport::kRaw);
  compute("pc1", 10ms);
  send(flow);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(4ms));
  EXPECT_THAT(computed, ElementsAre(11ms));
}

TEST_F(StackCores, WithoutTheKeyNothingWaits) {
  network::Host host = one_core();
  host.stack_uses_cores = false;
  make(host);
  const FlowId flow = open(network::Transport::kRaw);
  compute("pc1", 10ms);
  send(flow);
  send(flow);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(3ms, 3ms));
}

TEST_F(StackCores, EachPacketOfAMessageCosts) {
  // 3000 bytes by UDP are three fragments, (3000 + 8) / 1480: 3 · 1 + 3 · 2 ms
  make(one_core());
  const FlowId flow = open(network::Transport::kUdp);
  send(flow, 3000);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(9ms));
}

TEST_F(StackCores, OnOneHostTheLoopbackIsTheWork) {
  make(one_core());
  const FlowId flow = open(network::Transport::kRaw, true);
  compute("pc1", 10ms);
  send(flow);
  send(flow);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(13ms, 16ms));
}

TEST_F(StackCores, OnOneFlowNothingOvertakes) {
  // two cores: the long message takes 1 ms + 10 ms, the short one 1 ms and waits behind it; of the
  // receiver's work 2 ms each, side by side
  network::Host host = one_core();
  host.cores = 2;
  host.stack_send.per_byte_ns = 1e4;
  make(host);
  const FlowId flow = open(network::Transport::kRaw);
  const MessageId first = send(flow, 1000);
  const MessageId second = send(flow, 0);
  system->run_for(1s);
  EXPECT_THAT(arrivals, ElementsAre(13ms, 13ms));
  EXPECT_THAT(messages, ElementsAre(first, second));
}

TEST_F(StackCores, AConnectionEndsBehindWhatWasSent) {
  make(one_core());
  const FlowId flow = open(network::Transport::kTcp);
  system->run_for(1ms);
  send(flow);
  system->network->close(flow, Side::kOpener);
  system->run_for(1s);
  // written at 1 ms: 1 ms and 2 ms of work; the end is heard by the other side behind it
  EXPECT_THAT(arrivals, ElementsAre(4ms));
  EXPECT_THAT(resets, ElementsAre(4ms));
}

TEST_F(StackCores, PacketsAtRandomTimesQueueAsInMD1) {
  // packets at random, each its own flow's way: s + ρ·s / (2·(1 − ρ)), s = 1 ms, ρ = 0.6: 1.75 ms.
  // Received without cost. Twenty other seeds spread by 0.008 (as of cores); four of those.
  network::Host host = one_core();
  host.stack_receive.fixed = 0ms;
  make(host);
  const FlowId flow = open(network::Transport::kRaw);
  constexpr int kPackets = 200'000;
  RandomStream gaps(11, "gaps");
  double due_ns = 0.0;
  double sum_sent_ns = 0.0;
  const sim::SourceId source = system->kernel.add_source("arrivals");
  for (int i = 0; i < kPackets; ++i) {
    due_ns += -1e6 / 0.6 * std::log(1.0 - gaps.uniform());
    const Duration due(std::llround(due_ns));
    sum_sent_ns += static_cast<double>(due.count());
    system->kernel.deliver(Time(due), source, [this, flow](Time) { send(flow); });
  }
  system->run_for(1000s);
  ASSERT_EQ(arrivals.size(), static_cast<std::size_t>(kPackets));
  double sum_arrived_ns = 0.0;
  for (const Duration arrival : arrivals) {
    sum_arrived_ns += static_cast<double>(arrival.count());
  }
  EXPECT_NEAR((sum_arrived_ns - sum_sent_ns) / kPackets / 1e6, 1.75, 0.03);
}

TEST(StackCoresConfig, NeedsANumberOfCores) {
  network::NetworkConfig config;
  config.star.hosts = 3;
  config.hosts.resize(3);
  for (int i = 0; i < 3; ++i) {
    config.hosts[static_cast<std::size_t>(i)].name = "pc" + std::to_string(i + 1);
    config.hosts[static_cast<std::size_t>(i)].stack_uses_cores = true;
  }
  config.hosts[0].cores = 4;
  config.hosts[1].shares_cores_with = "pc1";
  InputFiles files;
  std::vector<std::string> problems;
  for (const network::KeyRemark& remark : network::load(config, files)) {
    problems.push_back(remark.key + ": " + remark.message + " (" + remark.hint + ")");
  }
  EXPECT_THAT(
      problems,
      ElementsAre(
          "hosts.pc3.stack_uses_cores: stack_uses_cores of 'pc3' has no effect: 'pc3' has an "
          "unlimited number of cores (give 'pc3' a number of cores, for example cores: 4)"));
}

}  // namespace
}  // namespace longarm::components::test
