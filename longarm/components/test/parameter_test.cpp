// SPDX-License-Identifier: Apache-2.0
// Parameters: scalars, lists, dictionaries; read, changed and watched over the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/name_messages.h"
#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

using ::testing::ElementsAre;

sim::Task<void> get(Node* node, std::string name, std::vector<std::string>* log) {
  Result<Parameter> value = co_await node->parameter(name);
  log->push_back(value ? value->dump() : value.error().message);
}
sim::Task<void> set(Node* node, std::string name, Parameter value, std::vector<std::string>* log) {
  Result<bool> done = co_await node->set_parameter(name, value);
  log->push_back(done ? "set" : done.error().message);
}

TEST(Parameters, AreScalarsListsDictionariesAndBinary) {
  System system(2);
  TestComponent node = system.make("arm/controller", "pc2");
  std::vector<std::string> log;
  const Bytes raw = bytes_of("foobar");
  system.name_service->set_parameter("/gains", Parameter{{"p", 10.5}, {"i", {1, 2, 3}}});
  system.name_service->set_parameter("/arm/controller/blob", binary_parameter(raw));
  for (const char* name : {"/gains", "/gains/p", "/gains/i", "~blob", "gains", "/gains/p/x"}) {
    node.node->spawn(get(node.node.get(), name, &log));
  }
  system.run_for(1ms);
  EXPECT_THAT(log, ElementsAre(R"({"p":10.5,"i":[1,2,3]})", "10.5", "[1,2,3]", R"("Zm9vYmFy")",
                               "no parameter '/arm/gains'", "no parameter '/gains/p/x'"));
}

TEST(Parameters, ChangeAtRunTimeAndWatchersAreTold) {
  System system(2);
  TestComponent writer = system.make("writer", "pc1");
  TestComponent reader = system.make("reader", "pc2");
  std::vector<std::string> log, seen;
  reader.node->watch_parameter("/gains/p",
                               [&seen](const Parameter& value) { seen.push_back(value.dump()); });
  const auto change = [&](const std::string& name, const Parameter& value) {
    writer.node->spawn(set(writer.node.get(), name, value, &log));
    system.run_for(1ms);
  };
  system.run_for(1ms);
  EXPECT_THAT(seen, ElementsAre());  // it has no value yet
  change("/gains/p", 1);
  change("/gains/p", "high");
  change("/gains/i", 7);                  // another one
  change("/gains", Parameter{{"p", 2}});  // above it
  change("/gains/p/x", true);             // below it
  EXPECT_THAT(seen, ElementsAre("1", R"("high")", "2", R"({"x":true})"));
  EXPECT_THAT(log, ElementsAre("set", "set", "set", "set", "set"));

  std::vector<std::string> late;
  TestComponent third = system.make("third", "pc2");
  third.node->watch_parameter("/gains",
                              [&late](const Parameter& value) { late.push_back(value.dump()); });
  system.run_for(1ms);
  EXPECT_THAT(late, ElementsAre(R"({"p":{"x":true}})"));  // the value it has
}

TEST(Parameters, OfNonsenseAreRefused) {
  System system(2);
  TestComponent node = system.make_known("node", "pc2");
  std::vector<Result<Bytes>> answers;
  const auto ask = [&](std::string_view method, const Bytes& request) {
    node.node->spawn(
        call_once(node.node.get(), "names", std::string(method), request, {}, &answers));
    system.run_for(1ms);
    return outcome_of(answers.back());
  };
  EXPECT_EQ(ask(kGetParameter, encode(ParameterEntry{"x", "", {}})),
            "the name 'x' does not begin with '/'");
  EXPECT_EQ(ask(kGetParameter, encode(ParameterEntry{"/~2", "", {}})),
            "the name '/~2' contains '~'; use letters, digits, '_', '-', '.' and '/'");
  EXPECT_EQ(ask(kSetParameter, encode(ParameterEntry{"/x", "{", {}})),
            "the value of '/x' is not JSON");
  EXPECT_EQ(ask(kSetParameter, encode(ParameterEntry{"/a//b", "1", {}})),
            "the name '/a//b' has an empty part");
  EXPECT_EQ(ask(kWatchParameter, encode(ParameterEntry{"", "", {}})),
            "the name '' does not begin with '/'");
  EXPECT_EQ(ask(kFind, bytes_of("?")).substr(0, 22), "longarm/ComponentEntry");
}

}  // namespace
}  // namespace longarm::components::test
