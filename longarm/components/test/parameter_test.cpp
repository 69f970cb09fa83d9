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

sim::Task<void> get_of(Node* node, std::string of, std::string name,
                       std::vector<std::string>* log) {
  Result<Parameter> value = co_await node->parameter_of(of, name);
  log->push_back(value ? value->dump() : value.error().message);
}
sim::Task<void> set_of(Node* node, std::string of, std::string name, Parameter value,
                       std::vector<std::string>* log) {
  Result<bool> done = co_await node->set_parameter_of(of, name, value);
  log->push_back(done ? "set" : done.error().message);
}

class NodeParametersOverTheNetwork : public ::testing::Test {
 protected:
  NodeParametersOverTheNetwork() {
    camera.node->declare_parameter({.name = "rate",
                                    .type = ParameterType::kDouble,
                                    .value = 30,
                                    .unit = "Hz",
                                    .doc = "frames per second",
                                    .least = 1.0,
                                    .most = 60.0});
    camera.node->declare_parameter(
        {.name = "frame", .type = ParameterType::kString, .value = "lens"});
    camera.node->declare_parameter(
        {.name = "size", .type = ParameterType::kIntegerArray, .value = {640, 480}});
    camera.node->follow_parameter("rate",
                                  [this](const Parameter& value) { seen.push_back(value.dump()); });
  }
  std::string set(const std::string& name, const Parameter& value) {
    user.node->spawn(set_of(user.node.get(), "camera", name, value, &log));
    system.run_for(1ms);
    return log.back();
  }
  std::string get(const std::string& name) {
    user.node->spawn(get_of(user.node.get(), "camera", name, &log));
    system.run_for(1ms);
    return log.back();
  }

  System system{2};
  TestComponent camera = system.make_known("left/camera", "pc2");
  TestComponent user = system.make_known("left/user", "pc1");
  std::vector<std::string> log;
  std::vector<std::string> seen;
};

TEST_F(NodeParametersOverTheNetwork, AreReadAndSet) {
  EXPECT_EQ(get("rate"), "30.0");
  EXPECT_EQ(set("rate", 15), "set");
  EXPECT_EQ(get("rate"), "15.0");
  EXPECT_EQ(set("size", {320, 240}), "set");
  EXPECT_EQ(get("size"), "[320,240]");
  EXPECT_THAT(seen, ElementsAre("15.0"));
  EXPECT_EQ(*camera.node->own_parameter("frame"), "lens");
  // each is a call of a service of the node
  ASSERT_GE(system.recorder.calls.size(), 2U);
  EXPECT_EQ(system.recorder.calls[0].server, "/left/camera");
  EXPECT_EQ(system.recorder.calls[0].method, "get_parameters");
  EXPECT_EQ(system.recorder.calls[1].method, "set_parameters");
  EXPECT_TRUE(system.recorder.calls[1].is_remote);
}

TEST_F(NodeParametersOverTheNetwork, RefuseWhatTheyAreNot) {
  EXPECT_EQ(get("rat"), "'/left/camera' has no parameter 'rat'; did you mean 'rate'?");
  EXPECT_EQ(set("rat", 1), "'/left/camera' has no parameter 'rat'; did you mean 'rate'?");
  EXPECT_EQ(set("rate", "fast"), R"(parameter 'rate': expected a number, found "fast")");
  EXPECT_EQ(set("rate", 0.5), "parameter 'rate': 0.5 is less than 1");
  EXPECT_EQ(set("rate", 100), "parameter 'rate': 100 is more than 60");
  EXPECT_EQ(set("size", {1, 2.5}), "parameter 'size': expected a whole number, found 2.5");
  EXPECT_EQ(set("size", 3), "parameter 'size': expected a list, found 3");
  EXPECT_EQ(set("frame", true), "parameter 'frame': expected a text, found true");
  EXPECT_EQ(get("rate"), "30.0");
  EXPECT_THAT(seen, ElementsAre());
}

TEST_F(NodeParametersOverTheNetwork, AreSetTogetherOrNotAtAll) {
  std::vector<Result<Bytes>> answers;
  const ParameterValues values{{{"frame", R"("base")"}, {"rate", "1000"}}};
  user.node->spawn(call_once(user.node.get(), "camera", std::string(kSetParameters), encode(values),
                             {}, &answers));
  system.run_for(1ms);
  EXPECT_EQ(outcome_of(answers.back()), "parameter 'rate': 1000 is more than 60");
  EXPECT_EQ(get("frame"), R"("lens")");
}

TEST_F(NodeParametersOverTheNetwork, AreListed) {
  std::vector<Result<Bytes>> answers;
  user.node->spawn(
      call_once(user.node.get(), "camera", std::string(kListParameters), {}, {}, &answers));
  system.run_for(1ms);
  const Result<ParameterDescriptions> list = decode<ParameterDescriptions>(*answers.back());
  ASSERT_TRUE(list);
  ASSERT_EQ(list->parameters.size(), 3U);
  EXPECT_EQ(list->parameters[0].name + list->parameters[0].type + list->parameters[0].json +
                list->parameters[0].unit + list->parameters[0].doc,
            "ratedouble30.0Hzframes per second");
}

TEST(ParameterText, IsReadAsItsTypeHasIt) {
  const auto read = [](ParameterType type, const std::vector<std::string>& words,
                       const std::string& unit = "") {
    const Result<Parameter> value =
        parse_parameter({.name = "x", .type = type, .value = {}, .unit = unit}, words);
    return value ? value->dump() : value.error().message;
  };
  EXPECT_EQ(read(ParameterType::kDouble, {"3"}), "3.0");
  EXPECT_EQ(read(ParameterType::kDouble, {"20ms"}, "s"), "0.02");
  EXPECT_EQ(read(ParameterType::kDouble, {"20ms"}), "expected a number, found '20ms'");
  EXPECT_EQ(read(ParameterType::kInteger, {"3"}), "3");
  EXPECT_EQ(read(ParameterType::kInteger, {"3.5"}), "expected a whole number, found 3.5");
  EXPECT_EQ(read(ParameterType::kBool, {"true"}), "true");
  EXPECT_EQ(read(ParameterType::kBool, {"yes"}), "expected true or false, found 'yes'");
  EXPECT_EQ(read(ParameterType::kString, {"3"}), R"("3")");
  EXPECT_EQ(read(ParameterType::kDouble, {"1", "2"}), "expected a number, found a list");
  EXPECT_EQ(read(ParameterType::kStringArray, {"a", "b"}), R"(["a","b"])");
  EXPECT_EQ(read(ParameterType::kBoolArray, {}), "[]");
}

}  // namespace
}  // namespace longarm::components::test
