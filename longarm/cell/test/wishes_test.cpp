// SPDX-License-Identifier: Apache-2.0
// Who asks whom for what: what users are told when that cannot be, and where, word by word.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/cell/judge_wishes.h"
#include "longarm/cell/run.h"
#include "longarm/cell/wish.h"

namespace longarm::cell {
namespace {

struct Lever {
  static constexpr Interface kInterface{"lever", Reach::kBody};
};
struct Song {
  static constexpr Interface kInterface{"song", Reach::kSpoken};
};
struct Exchange {
  static constexpr Interface kInterface{"telephone exchange", Reach::kSpoken, true};
};

/// Only has a name and a port.
class MuteDoor final : public protocols::Door {
 public:
  using Door::Door;

 private:
  void do_open(protocols::ConnectionId, Time) override {}
  void do_receive(protocols::ConnectionId, std::string_view, Time) override {}
  void do_close(protocols::ConnectionId, Time) override {}
  std::string do_take_output(protocols::ConnectionId) override { return {}; }
  bool do_is_over(protocols::ConnectionId) const override { return false; }
};

/// Says in its results which actors were there when it was made.
class FakeActor final : public Actor {
 public:
  FakeActor(World& world, const std::string& name, std::optional<double> port,
            std::vector<std::string>& made)
      : door_(name, static_cast<std::uint16_t>(port.value_or(0))) {
    if (port) {
      world.offer_door(name, door_);
    }
    made.push_back(name);
  }

 private:
  MuteDoor door_;
};

class FakeModel final : public ActorModel {
 public:
  FakeModel(std::vector<Interface> offers, std::vector<std::string>& made)
      : offers_(std::move(offers)), made_(made) {}

  void list_fields(Fields& fields) override {
    list_wish(fields, "lever", lever_, "a body's");
    list_wish(fields, "song", song_, "spoken");
    list_wish(fields, "exchange", exchange_, "spoken between hosts");
    list_wishes(fields, "choir", choir_, "several songs");
    fields.field("drives", drives_, "models");
    fields.field("port", port_, "of its server; none: it has none");
  }
  std::vector<Interface> offers() const override { return offers_; }
  std::vector<WishInfo> wishes() const override {
    std::vector<WishInfo> wishes{{"lever", lever_.name, Lever::kInterface},
                                 {"song", song_.name, Song::kInterface},
                                 {"exchange", exchange_.name, Exchange::kInterface}};
    for (const Wish& wish : choir_) {
      wishes.push_back({"choir", wish.name, Song::kInterface});
    }
    return wishes;
  }
  std::vector<std::string> drives() const override { return drives_; }
  std::unique_ptr<Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<FakeActor>(world, name, port_, made_);
  }
  Figures figures() const override { return {{}, {{"turns", "turns", "", 1.0, 0}}, ""}; }

 private:
  std::vector<Interface> offers_;
  std::vector<std::string>& made_;
  Wish lever_;
  Wish song_;
  Wish exchange_;
  std::vector<Wish> choir_;
  std::vector<std::string> drives_;
  std::optional<double> port_;
};

/// Kinds that have all keys, and offer what their names say.
class Wishes : public ::testing::Test {
 protected:
  Wishes() {
    plugins_.engines = physics::built_in_engines();
    plugins_.link_models = network::built_in_link_models();
    const auto add = [this](const std::string& kind, std::vector<Interface> offers) {
      plugins_.actors.add(kind, "",
                          [this, offers] { return std::make_unique<FakeModel>(offers, made_); });
    };
    add("machine", {Lever::kInterface});
    add("singer", {Song::kInterface});
    add("operator", {Exchange::kInterface});
    add("worker", {Lever::kInterface, Song::kInterface});
    add("watcher", {});
  }

  /// As the program loads it: throws InputError with the places of everything that is wrong.
  PreparedScenario prepare(const std::string& text) const {
    return load_scenario_text("engine: kinematic\n" + text, "cell.yaml", {}, plugins_);
  }

  /// What users are told about it.
  std::string told(const std::string& text) const {
    try {
      prepare(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }

  std::vector<std::string> made_;  ///< names, in the order of making
  Plugins plugins_;
};

TEST_F(Wishes, AreOfActorsThatAreThere) {
  EXPECT_EQ(told(R"(actors:
  press: {kind: machine}
  hand: {kind: watcher, lever: pres}
)"),
            "cell.yaml:4:32: error: there is no actor 'pres'\n"
            "  hint: did you mean 'press'?");
  EXPECT_EQ(told(R"(actors:
  hand:
    kind: watcher
    lever: {of: press, priority: 1}
)"),
            "cell.yaml:5:12: error: there is no actor 'press'\n"
            "  hint: add one that offers a lever");
  EXPECT_EQ(told(R"(actors:
  alto: {kind: singer}
  conductor:
    kind: watcher
    choir: [alto, bass]
)"),
            "cell.yaml:6:12: error: there is no actor 'bass'\n"
            "  hint: valid names are: alto, conductor");
}

TEST_F(Wishes, AreOfWhatTheOtherOffers) {
  EXPECT_EQ(told(R"(actors:
  alto: {kind: singer}
  hand: {kind: watcher, lever: alto}
)"),
            "cell.yaml:4:32: error: 'alto' is a singer, which offers song; 'hand' needs a lever\n"
            "  hint: kinds that offer a lever: machine, worker");
  EXPECT_EQ(told(R"(actors:
  idler: {kind: watcher}
  hand: {kind: watcher, exchange: idler}
)"),
            "cell.yaml:4:35: error: 'idler' is a watcher, which offers nothing; 'hand' needs a "
            "telephone exchange\n"
            "  hint: kinds that offer a telephone exchange: operator");
}

TEST_F(Wishes, NeedHostsWhereTheNetworkIsSpokenTo) {
  EXPECT_EQ(told(R"(actors:
  exchange: {kind: operator, host: town}
  caller: {kind: watcher, exchange: exchange}
)"),
            "cell.yaml:4:37: error: 'caller' uses the telephone exchange of 'exchange' across the "
            "network, but 'caller' has no host\n"
            "  hint: set actors.caller.host");
  EXPECT_EQ(told(R"(actors:
  exchange: {kind: operator}
  caller: {kind: watcher, host: farm, exchange: exchange}
)"),
            "cell.yaml:4:49: error: 'caller' uses the telephone exchange of 'exchange' across the "
            "network, but 'exchange' has no host\n"
            "  hint: set actors.exchange.host");
  EXPECT_EQ(told(R"(actors:
  exchange: {kind: operator, host: town}
  caller: {kind: watcher, host: farm, exchange: exchange}
)"),
            "nothing");
}

TEST_F(Wishes, OfBodiesDoNotReachFromHostToHost) {
  EXPECT_EQ(told(R"(actors:
  press: {kind: machine, host: hall}
  hand: {kind: watcher, host: office, lever: press}
)"),
            "cell.yaml:4:46: error: the lever of 'press' is on host 'hall', but 'hand' is on "
            "'office', and this interface does not cross the network\n"
            "  hint: put both on one host, or use an interface that crosses the network");
  // on one host, or where one of the two has none, they do; songs carry everywhere
  EXPECT_EQ(told(R"(actors:
  press: {kind: machine, host: hall}
  alto: {kind: singer, host: stage}
  hand: {kind: watcher, host: hall, lever: press, song: alto}
  observer: {kind: watcher, lever: press, song: alto}
  bare: {kind: machine}
  far: {kind: watcher, host: office, lever: bare}
)"),
            "nothing");
}

TEST_F(Wishes, DoNotGoRoundInACircle) {
  EXPECT_EQ(told(R"(actors:
  first: {kind: worker, lever: second}
  idler: {kind: watcher, lever: first}
  second: {kind: worker, song: third}
  third: {kind: worker, choir: [first]}
)"),
            "cell.yaml:3:10: error: actors need each other in a cycle: 'first' needs 'second' "
            "needs 'third' needs 'first'\n"
            "  hint: remove one of these references");
}

TEST_F(Wishes, AreNotOfOneself) {
  EXPECT_EQ(told(R"(actors:
  hand: {kind: worker, lever: hand}
)"),
            "cell.yaml:3:31: error: 'hand' needs a lever and names itself\n"
            "  hint: name another actor");
}

TEST_F(Wishes, DecideWhoIsMadeFirst) {
  const PreparedScenario prepared = prepare(R"(actors:
  hand: {kind: watcher, lever: press, song: alto}
  idler: {kind: watcher}
  press: {kind: worker, song: alto}
  alto: {kind: singer}
)");
  EXPECT_EQ(prepared.order, (std::vector<std::size_t>{3, 2, 0, 1}));
  made_.clear();
  const cell::Run run(prepared);
  EXPECT_EQ(made_, (std::vector<std::string>{"alto", "press", "hand", "idler"}));
  EXPECT_NE(run.find("press"), nullptr);
  EXPECT_EQ(run.find("pres"), nullptr);
}

TEST_F(Wishes, SayHowMessagesTravel) {
  network::FlowOptions usual;
  usual.priority = 2;
  const network::FlowOptions plain = Wish{"alto", ""}.options(usual);
  EXPECT_EQ(plain.transport, network::Transport::kTcp);
  EXPECT_EQ(plain.priority, 2);
  const network::FlowOptions told_so = Wish{"alto", "udp", 5.0}.options(usual);
  EXPECT_EQ(told_so.transport, network::Transport::kUdp);
  EXPECT_EQ(told_so.priority, 5);
  EXPECT_EQ(told(R"(actors:
  alto: {kind: singer}
  hand: {kind: watcher, song: {of: alto, priority: 8}}
)"),
            "cell.yaml:4:52: error: priority must be a whole number from 0 to 7\n"
            "  hint: 0 is the highest");
}

TEST_F(Wishes, AskForHostsOfTheNetwork) {
  EXPECT_EQ(told(R"(network:
  hosts: {hall: {}, office: {}}
  links: {wire: {between: [hall, office]}}
actors:
  press: {kind: machine, host: hal}
)"),
            "cell.yaml:6:32: error: the network has no host 'hal'\n"
            "  hint: did you mean 'hall'?");
}

TEST_F(Wishes, AreOfOneActorPerName) {
  EXPECT_EQ(told(R"(actors:
  press: {kind: machine}
  press: {kind: singer}
)"),
            "cell.yaml:4:3: error: duplicate key 'press'\n"
            "  hint: it is already set in line 3");
}

TEST_F(Wishes, AreOfActorsWithNamesOfTheirOwn) {
  EXPECT_EQ(told(R"(actors:
  world: {kind: machine}
)"),
            "cell.yaml:3:10: error: 'world' is reserved and cannot be the name of an actor\n"
            "  hint: choose another name");
  EXPECT_EQ(told(R"(actors:
  left press: {kind: machine}
)"),
            "cell.yaml:3:15: error: 'left press' is not a valid name: it contains a space, dot, "
            "colon or slash\n"
            "  hint: use letters, digits, - and _");
}

TEST_F(Wishes, AreOfActorsThatHaveAKind) {
  EXPECT_EQ(told(R"(actors:
  press: {host: hall}
)"),
            "cell.yaml:3:10: error: actor 'press' has no kind\n"
            "  hint: for example kind: camera; run longarm list to see all kinds");
  EXPECT_EQ(told(R"(actors:
  press: {kind: machin}
)"),
            "cell.yaml:3:17: error: unknown actors.press.kind 'machin'\n"
            "  hint: did you mean 'machine'?");
}

TEST_F(Wishes, AreForMetricsThatThereAre) {
  EXPECT_EQ(told(R"(actors:
  press: {kind: machine}
measure: [press.turns, press.tunrs]
)"),
            "cell.yaml:4:10: error: no actor has a metric 'press.tunrs'\n"
            "  hint: for example press.turns");
}

TEST_F(Wishes, AreForModelsThatNobodyElseDrives) {
  EXPECT_EQ(told(R"(actors:
  left: {kind: machine, drives: [arm]}
  right: {kind: machine, drives: [leg, arm]}
)"),
            "cell.yaml:4:10: error: 'left' and 'right' both drive 'arm'\n"
            "  hint: give each actor a model of its own");
}

TEST_F(Wishes, MayBeForThePortOfAnotherUntilSomebodyServesThem) {
  EXPECT_EQ(told(R"(actors:
  left: {kind: machine, port: 502}
  right: {kind: machine, port: 502}
)"),
            "nothing");
}

TEST_F(Wishes, AreAllToldAtOnce) {
  EXPECT_EQ(
      told(R"(actors:
  world: {kind: machine}
  hand: {kind: watcher, lever: pres, song: world}
  circle: {kind: worker, lever: hand}
)"),
      "cell.yaml:3:10: error: 'world' is reserved and cannot be the name of an actor\n"
      "  hint: choose another name\n"
      "cell.yaml:4:32: error: there is no actor 'pres'\n"
      "  hint: valid names are: world, hand, circle\n"
      "cell.yaml:4:44: error: 'world' is a machine, which offers lever; 'hand' needs a song\n"
      "  hint: kinds that offer a song: singer, worker\n"
      "cell.yaml:5:33: error: 'hand' is a watcher, which offers nothing; 'circle' needs a lever\n"
      "  hint: kinds that offer a lever: machine, worker");
}

}  // namespace
}  // namespace longarm::cell
