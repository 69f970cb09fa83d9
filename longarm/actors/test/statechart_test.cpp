// SPDX-License-Identifier: Apache-2.0
// Statecharts from YAML: which calls they make when, counted by hand, and what is wrong with some.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/test/scenario_fixture.h"
#include "longarm/actors/statechart_config.h"

namespace longarm::actors {
namespace {

using testing::HasSubstr;
using ChartJson = nlohmann::ordered_json;

// calls take no time, so that counts are whole numbers of cycles: at 0, 10, 20, … ms
constexpr const char* kDoor = R"(length: 1s
network: {hosts: [pc]}
placement: {rule: together}
actors:
  system: {kind: middleware, settle: 0s, measure: Gate}
  Gate:
    kind: component
    program: statechart
    period: 10ms
    states:
      Closed:
        transitions:
          open: {on: push, to: Open}
      Open:
        enter: {unlock: {to: Lock}}
        transitions: {close: {after: 200ms, to: Closed}}
      Swinging:
        inside: Open
        calls: {move: {to: Motor}}
        transitions: {stop: {when: cycles >= 3, to: Resting}}
      Resting:
        inside: Open
        calls: {look: {to: Lock}}
    serves: {push: {}}
  Visitor:
    kind: component
    period: 1s
    phase: 95ms
    calls: {push: {to: Gate}}
  Motor: {kind: component, serves: {move: {}}}
  Lock: {kind: component, serves: {unlock: {}, look: {}}}
)";

ChartJson run_chart(const std::vector<std::string>& changes = {}) {
  return labs::run_to_end(labs::load_text(kDoor, "chart.yaml", changes))["system"];
}

std::string chart_error(const std::vector<std::string>& changes) {
  return labs::load_error(kDoor, "chart.yaml", changes);
}

// pushed at 95 ms: Open in the cycle at 100 ms, where it swings for three cycles (100, 110, 120).
// The guard holds after the third one's reply; it looks from 130 ms until it closes at 300 ms.
TEST(Statechart, MakesTheCallsOfTheStatesThatItIsIn) {
  const ChartJson results = run_chart();
  const ChartJson& phases = results["call_phases"];
  EXPECT_EQ(results["states_entered"]["Gate"].dump(),
            R"({"Closed":2,"Open":1,"Swinging":1,"Resting":1})");
  // the first cycle has two calls, those after it one: 3 of moving, 17 of looking
  EXPECT_EQ(results["cycles_by_calls"]["2"]["cycles"], 1);
  EXPECT_EQ(results["cycles_by_calls"]["1"]["cycles"], 19);
  EXPECT_EQ(phases["unlock"]["calls"], 1);
  EXPECT_EQ(phases["move"]["calls"], 3);
  EXPECT_EQ(phases["look"]["calls"], 17);
}

// outer transitions hold in inner states, too: closed after 15 ms, in the cycle at 120 ms
TEST(Statechart, LeavesInnerStatesWithTheOuterOne) {
  const ChartJson results = run_chart({"actors.Gate.states.Open.transitions.close.after=15ms"});
  EXPECT_EQ(results["call_phases"]["move"]["calls"], 2);
  EXPECT_EQ(results["states_entered"]["Gate"]["Resting"], 0);
  EXPECT_EQ(results["states_entered"]["Gate"]["Closed"], 2);
}

// who pushes an open gate is not remembered when it has closed
TEST(Statechart, ForgetsEventsThatNobodyTakes) {
  const ChartJson results = run_chart({"actors.Visitor.period=100ms"});
  // pushed at 95, 195, …: open from 100, 400 and 700 ms on, closed 200 ms later
  EXPECT_EQ(results["states_entered"]["Gate"]["Open"], 3);
}

TEST(Statechart, CountsFailuresForItsGuards) {
  const ChartJson results =
      run_chart({"actors.Gate.states.Closed.calls={look: {to: Lock, timeout: 1ms}}",
                 "actors.Gate.states.Closed.transitions.open={when: failures >= 2, to: Open}",
                 "actors.Lock.serves.look.execution=5ms", "actors.Gate.states.Resting.calls={}"});
  // two cycles of calls that are given up, then it opens, for 200 ms; over and over
  EXPECT_GE(results["states_entered"]["Gate"]["Open"].get<int>(), 4);
}

TEST(Statechart, SaysWhatIsWrongAndWhere) {
  const std::string gate = "actors.Gate.";
  EXPECT_THAT(chart_error({gate + "states.Open.transitions.close.to=Closd"}),
              HasSubstr("there is no state 'Closd'\n  hint: did you mean 'Closed'?"));
  EXPECT_THAT(chart_error({gate + "states.Closed.transitions.open.on=pull"}),
              HasSubstr("'pull' is neither a topic that it subscribes to nor a method that it "
                        "serves\n  hint: valid names are: push"));
  EXPECT_THAT(chart_error({gate + "states.Closed.transitions.open.on=\"\""}),
              HasSubstr("this transition has no trigger\n"
                        "  hint: give on, when or after"));
  EXPECT_THAT(chart_error({gate + "states.Swinging.transitions.stop.when=cycle >= 3"}),
              HasSubstr("this program has no value 'cycle'\n"
                        "  hint: did you mean 'cycles'?"));
  EXPECT_THAT(chart_error({gate + "states.Swinging.transitions.stop.when=cycles >="}),
              HasSubstr("'cycles >=' is not a comparison of a value with a number\n"
                        "  hint: for example cycles >= 10, or distance_m < 0.002"));
  EXPECT_THAT(chart_error({gate + "states.Open.inside=Swinging"}),
              HasSubstr("state 'Open' would contain itself"));
  EXPECT_THAT(chart_error({gate + "states.Swinging.inside=Opn"}),
              HasSubstr("there is no state 'Opn'\n  hint: did you mean 'Open'?"));
  EXPECT_THAT(chart_error({gate + "states.Swinging.target=[1, 2, 3]"}),
              HasSubstr("this program has no targets\n"
                        "  hint: remove it"));
  EXPECT_THAT(chart_error({gate + "states.Swinging.calls.move.to=Moto"}),
              HasSubstr("there is no component 'Moto'\n  hint: did you mean 'Motor'?"));
  EXPECT_THAT(chart_error({gate + "calls.move.to=Motor"}),
              HasSubstr("a statechart makes calls only in its states\n"
                        "  hint: move them into a state: states: {NAME: {calls: …}}"));
  EXPECT_THAT(chart_error({gate + "program=loop"}),
              HasSubstr("program 'loop' has no states\n  hint: use program: statechart"));
  EXPECT_THAT(chart_error({"actors.Motor.program=statechart", "actors.Motor.period=1s"}),
              HasSubstr("a statechart has states\n  hint: for example states:"));
}

TEST(Guard, IsOneOrMoreComparisons) {
  const Result<std::vector<GuardTerm>> guard = parse_guard("distance_m < 2e-3 and cycles != 4");
  ASSERT_TRUE(guard);
  ASSERT_EQ(guard->size(), 2U);
  EXPECT_TRUE((*guard)[0].holds(0.001));
  EXPECT_FALSE((*guard)[0].holds(0.002));
  EXPECT_FALSE((*guard)[1].holds(4.0));
  EXPECT_EQ(parse_guard("cycles = 3").error().message, "'=' has no value to compare");
  EXPECT_EQ(parse_guard("cycles < many").error().message, "'many' is no number");
  EXPECT_FALSE(parse_guard("cycles < 3 or cycles > 5"));
}

}  // namespace
}  // namespace longarm::actors
