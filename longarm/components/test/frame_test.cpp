// SPDX-License-Identifier: Apache-2.0
// Frames: each kind and back, and bytes that are no frame.
#include "longarm/components/frame.h"

#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"
#include "longarm/core/random.h"

namespace longarm::components::test {
namespace {

TEST(Frames, HaveTheBytesOfTheirTable) {
  const Bytes payload = bytes_of("!");
  // kind 1, id 7, length 2, "go", payload
  const std::uint8_t request[] = {1, 7, 0, 0, 0, 2, 0, 'g', 'o', '!'};
  const auto expected = std::as_bytes(std::span(request));
  EXPECT_EQ(write_frame({.kind = FrameKind::kRequest, .id = 7, .name = "go"}, payload),
            Bytes(expected.begin(), expected.end()));
}

TEST(Frames, OfEachKindComeBackAndTheirPrefixesDoNot) {
  // kind 1; id 4; name 2 + 4; who 2 + 5; times 8 each
  const std::size_t heads[] = {0, 11, 7, 21, 5, 5, 5, 14, 9, 22};
  for (std::uint8_t kind = 1; kind <= 9; ++kind) {
    const Frame frame{.kind = FrameKind(kind),
                      .id = 77,
                      .name = "name",
                      .who = "whose",
                      .first = Time(5ns),
                      .second = Time(-6ns)};
    const Bytes bytes = write_frame(frame, bytes_of("payload"));
    ASSERT_EQ(bytes.size(), heads[kind] + 7) << int(kind);
    const Result<Frame> back = read_frame(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->kind, frame.kind);
    EXPECT_EQ(back->payload_at, heads[kind]);
    EXPECT_EQ(write_frame(*back, std::span(bytes).subspan(back->payload_at)), bytes);
    for (std::size_t size = 0; size < heads[kind]; ++size) {
      EXPECT_FALSE(read_frame(std::span(bytes).first(size))) << int(kind) << " " << size;
    }
  }
  EXPECT_EQ(read_frame(bytes_of("x")).error().message, "unknown frame type 120");
}

/// Says anything to anybody.
struct Babbler final : TransportEvents {
  void connected(ConnectionId) override {}
  void received(ConnectionId, Bytes) override {}
  void closed(ConnectionId, const std::string&) override {}
};

TEST(Frames, ThatAreNonsenseDoNotBringANodeDown) {
  System system(2);
  TestComponent victim = system.make("victim", "pc2");
  victim.node->advertise<Text>("chatter");
  victim.node->subscribe<Text>("chatter", [](const Text&) {});
  victim.node->serve_raw("echo", [](Bytes) -> sim::Task<Bytes> { co_return Bytes{}; });
  system.run_for(1ms);
  Babbler babbler;
  const auto transport = system.simulated->make_transport("babbler", "pc1");
  transport->start(babbler);
  const ConnectionId at_victim = transport->connect(victim.transport->address(), {});
  const ConnectionId at_names = transport->connect(system.names.transport->address(), {});
  const char* const names[] = {"echo",           "longarm/publishers", "longarm/topic",
                               "names/find",     "longarm/parameter",  "parameters/set",
                               "names/register", "/chatter",           "names/subscribe"};
  RandomStream random(5, "babble");
  for (int i = 0; i < 3000; ++i) {
    Bytes payload(random.bits() % 40);
    for (std::byte& byte : payload) {
      byte = static_cast<std::byte>(random.bits() % 5 == 0 ? random.bits() : 0);
    }
    const std::string_view name = names[random.bits() % std::size(names)];
    Bytes frame = write_frame({.kind = FrameKind(1 + random.bits() % 9),
                               .id = static_cast<std::uint32_t>(random.bits() % 4),
                               .name = name,
                               .who = "babbler"},
                              payload);
    frame.resize(random.bits() % 4 == 0 ? random.bits() % (frame.size() + 1) : frame.size());
    transport->send(random.bits() % 2 == 0 ? at_victim : at_names, frame);
    system.run_for(1us);
  }
  std::vector<Result<Bytes>> answers;
  TestComponent client = system.make_known("client", "pc1");
  client.node->spawn(call_once(client.node.get(), "victim", "echo", {}, {}, &answers));
  system.run_for(1ms);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(outcome_of(answers[0]), "ok ");
  EXPECT_EQ(victim.node->complaints().size(), 100U);  // the newest hundred
}

}  // namespace
}  // namespace longarm::components::test
