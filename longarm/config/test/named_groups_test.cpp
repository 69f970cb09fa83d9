// SPDX-License-Identifier: Apache-2.0
// Tests of groups under names that the user makes up: reading, writing, and what is said of
// mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/config/config_reader.h"
#include "longarm/config/config_writer.h"

namespace longarm::config {
namespace {

using ::testing::HasSubstr;

struct Host {
  std::string name;
  std::int64_t cores = 1;
  Duration stack{0};
};

void list_hosts(Fields& fields, std::vector<Host>& hosts) {
  named(fields, "hosts", "computers", hosts, [](Fields& group, Host& host) {
    group.field("cores", host.cores, "how many");
    group.field("stack", host.stack, "of its operating system");
  });
}

std::vector<Host> read(const std::string& yaml, Diagnostics& diagnostics,
                       std::vector<Host> hosts = {}) {
  const ConfigNode root = parse_config(yaml, "cell.yaml", diagnostics);
  ConfigReader reader(root, diagnostics);
  list_hosts(reader, hosts);
  reader.finish();
  return hosts;
}

TEST(NamedGroups, KeepTheOrderOfTheFile) {
  Diagnostics diagnostics;
  const auto hosts = read("hosts: {robot: {cores: 2}, edge: {stack: 20us}, idle: {}}", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[0].name, "robot");
  EXPECT_EQ(hosts[0].cores, 2);
  EXPECT_EQ(hosts[1].name, "edge");
  EXPECT_EQ(hosts[1].stack, std::chrono::microseconds(20));
  EXPECT_EQ(hosts[2].name, "idle");
}

TEST(NamedGroups, OfTheFileReplaceDefaultsAltogether) {
  Diagnostics diagnostics;
  const std::vector<Host> defaults = {{"a", 8, {}}, {"b", 8, {}}};
  EXPECT_EQ(read("", diagnostics, defaults).size(), 2U);
  const auto hosts = read("hosts: {c: {}}", diagnostics, defaults);
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].cores, 1);
}

TEST(NamedGroups, ReadBackAsTheyWereWritten) {
  std::vector<Host> hosts = {{"edge", 4, std::chrono::microseconds(5)}, {"pc 2", 1, {}}};
  ConfigWriter writer;
  list_hosts(writer, hosts);
  Diagnostics diagnostics;
  std::vector<Host> copy = read(writer.yaml(), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  ConfigWriter again;
  list_hosts(again, copy);
  EXPECT_EQ(again.yaml(), writer.yaml());
  EXPECT_THAT(writer.yaml(), HasSubstr("\"pc 2\":"));
}

TEST(NamedGroups, TellTheirKeysEvenIfThereAreNone) {
  std::vector<Host> none;
  ConfigWriter writer;
  list_hosts(writer, none);
  EXPECT_EQ(writer.yaml(), "");
  ASSERT_EQ(writer.lines().size(), 2U);
  EXPECT_EQ(writer.lines()[0].key, "hosts.NAME.cores");
  EXPECT_TRUE(none.empty());
}

TEST(NamedGroups, NameTheEntryInErrors) {
  Diagnostics diagnostics;
  read("hosts:\n  edge: {corse: 2}\n  robot: 4\n", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_THAT(diagnostics.all()[0].format(), HasSubstr("unknown key 'hosts.edge.corse'"));
  EXPECT_THAT(diagnostics.all()[0].format(), HasSubstr("cores"));
  EXPECT_THAT(diagnostics.all()[1].format(),
              HasSubstr("'hosts.robot' must be a group of keys, not '4'"));
}

TEST(NamedGroups, MustBeGroups) {
  Diagnostics diagnostics;
  read("hosts: 4", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_THAT(diagnostics.all()[0].format(), HasSubstr("must be a group of names"));
}

TEST(NamedGroups, MayBeAListOfNames) {
  Diagnostics diagnostics;
  read("hosts: [a, b]", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  read("hosts: [a, b, a]", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_THAT(diagnostics.all()[0].format(), HasSubstr("'a' appears twice in 'hosts'"));
}

}  // namespace
}  // namespace longarm::config
