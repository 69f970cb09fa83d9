// SPDX-License-Identifier: Apache-2.0
// What we say to network simulators and what we understand, without any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/external/fate_source.h"
#include "longarm/network/external/protocol.h"
#include "longarm/network/test/external_fixture.h"

namespace longarm::network::external {
namespace {

using testing::HasSubstr;

TEST(Protocol, WritesOneLinePerCommand) {
  EXPECT_EQ(hello_line(), "{\"do\":\"hello\",\"protocol\":\"longarm-network\",\"version\":1}\n");
  EXPECT_EQ(send_line(FlowId{3}, Side::kPeer, MessageId{18446744073709551615ULL}, 200, at_ns(17)),
            "{\"do\":\"send\",\"flow\":3,\"side\":1,\"message\":18446744073709551615,"
            "\"bytes\":200,\"at_ns\":17}\n");
  EXPECT_EQ(reset_line(FlowId{0}, Side::kOpener, at_ns(5)),
            "{\"do\":\"reset\",\"flow\":0,\"side\":0,\"at_ns\":5}\n");
  EXPECT_EQ(advance_line(at_ns(1'000'000)),
            "{\"do\":\"advance\",\"until_ns\":1000000,\"stop_at_first_delivery\":true}\n");
  CableChange change;
  change.at = at_ns(9);
  change.is_up = false;
  EXPECT_EQ(change_line(CableId{2}, change),
            "{\"at_ns\":9,\"cable\":2,\"direction\":null,\"do\":\"change\",\"is_up\":false}\n");
}

TEST(Protocol, WritesLossesAndCopies) {
  EXPECT_EQ(fates_line(CableId{1}, Direction::kBackward, 5,
                       {{Duration(3)}, {}, {Duration(1), Duration(2)}}),
            "{\"cable\":1,\"direction\":1,\"do\":\"fates\",\"extra_ns\":[3,-1,[1,2]],"
            "\"first\":5}\n");
}

TEST(Protocol, ReadsDeliveries) {
  const Result<Advanced> advanced = read_advanced(
      R"({"reply":"advanced","time_ns":12,"next_event_ns":null,"deliveries":[)"
      R"({"time_ns":12,"flow":1,"side":0,"message":18446744073709551615,"fate":"delivered"},)"
      R"({"time_ns":12,"flow":2,"side":1,"fate":"connected"}],)"
      R"("fates_wanted":[{"cable":4,"direction":1,"first":1024}]})");
  ASSERT_TRUE(advanced.has_value()) << advanced.error().message;
  EXPECT_EQ(advanced->time, at_ns(12));
  EXPECT_EQ(advanced->next_event, Time::max());
  ASSERT_EQ(advanced->deliveries.size(), 2u);
  EXPECT_EQ(advanced->deliveries[0].message, MessageId{18446744073709551615ULL});
  EXPECT_EQ(advanced->deliveries[1].fate, Fate::kConnected);
  ASSERT_EQ(advanced->fates_wanted.size(), 1u);
  EXPECT_EQ(advanced->fates_wanted[0].direction, Direction::kBackward);
}

TEST(Protocol, NamesWhatIsWrongWithAnAnswer) {
  const auto wrong = [](const char* line) { return read_advanced(line).error().message; };
  EXPECT_EQ(wrong("[]"), "sent an invalid answer: '[]'");
  EXPECT_EQ(wrong("{\"reply\":1}"), "sent an invalid answer: '{\"reply\":1}'");
  EXPECT_THAT(wrong(R"({"reply":"advanced","time_ns":-1,"next_event_ns":1,"deliveries":[]})"),
              HasSubstr("'time_ns' is missing or wrong"));
  EXPECT_THAT(wrong(R"({"reply":"advanced","time_ns":1e3,"next_event_ns":1,"deliveries":[]})"),
              HasSubstr("'time_ns' is missing or wrong"));
  EXPECT_THAT(wrong(R"({"reply":"advanced","time_ns":1,"next_event_ns":1,"deliveries":[7]})"),
              HasSubstr("'deliveries' is missing or wrong"));
}

TEST(Protocol, SurvivesAnyBytes) {
  const std::string good =
      R"({"reply":"advanced","time_ns":12,"next_event_ns":5,"deliveries":[{"time_ns":12,"flow":1,)"
      R"("side":0,"message":4,"fate":"lost"}],"fates_wanted":[]})";
  RandomStream random(1, "protocol");
  int understood = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string line = good;
    for (std::uint64_t change = random.bits() % 4 + 1; change > 0; --change) {
      line[random.bits() % line.size()] = static_cast<char>(random.bits());
    }
    line.resize(random.bits() % 8 == 0 ? random.bits() % line.size() : line.size());
    understood += read_advanced(line).has_value() ? 1 : 0;
    EXPECT_FALSE(read_hello(line).has_value());
    EXPECT_FALSE(read_built(line).has_value());
    EXPECT_FALSE(read_figures(line, {}, {}).has_value());
  }
  EXPECT_LT(understood, 3000);
}

class Arrivals final : public LinkOutput {
 public:
  void arrive(const Packet&, Time when) override { times.push_back(when); }
  void drop(const Packet&, DropReason) override {}
  std::vector<Time> times;
};

TEST(FateSource, DrawsWhatTheLinkItselfWould) {
  const Netem model("delay 10ms 4ms 25% loss 5% duplicate 3% reorder 10% gap 3 corrupt 1%");
  ASSERT_EQ(model.fate_rule(), FateRule::kByIndex);
  const LinkContext context{7, "wire.edge"};
  FateSource source(model, context);
  std::vector<PacketFate> fates = source.draw(300);
  for (const PacketFate& fate : source.draw(200)) {
    fates.push_back(fate);  // a second block goes on where the first ended
  }

  // packets 1 ms apart, of changing size, overtake each other: their fates are the same
  const std::unique_ptr<Link> link = model.make(context);
  std::size_t lost = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Time now = at_ns(static_cast<std::int64_t>(i) * 1'000'000);
    Arrivals arrivals;
    link->send(now, {i, 100 + i, 0}, arrivals);
    ASSERT_EQ(arrivals.times.size(), fates[i].size()) << i;
    for (std::size_t copy = 0; copy < fates[i].size(); ++copy) {
      EXPECT_EQ(arrivals.times[copy] - now, fates[i][copy]) << i;
    }
    lost += fates[i].empty() ? 1 : 0;
  }
  EXPECT_GT(lost, 10u);
  EXPECT_LT(lost, 50u);
}

TEST(FateRule, GoesByTimeWhereRatesAndSlotsDo) {
  EXPECT_EQ(Netem("delay 1ms rate 1mbit").fate_rule(), FateRule::kByTime);
  EXPECT_EQ(Netem("slot 1ms 2ms").fate_rule(), FateRule::kByTime);
  const LinkModelRegistry models = built_in_link_models();
  EXPECT_EQ(models.make("none")->fate_rule(), FateRule::kByIndex);
  EXPECT_EQ(models.make("delay")->fate_rule(), FateRule::kByIndex);
  EXPECT_EQ(models.make("profile")->fate_rule(), FateRule::kByTime);
  EXPECT_EQ(models.make("queue")->fate_rule(), FateRule::kByTime);
  EXPECT_EQ(models.make("trace")->fate_rule(), FateRule::kByTime);
}

}  // namespace
}  // namespace longarm::network::external
