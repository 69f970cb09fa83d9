// SPDX-License-Identifier: Apache-2.0
// Names nest and remap; binary parameters are base64.
#include "longarm/components/names.h"

#include <gtest/gtest.h>

#include "longarm/components/message.h"

namespace longarm::components {
namespace {

TEST(Names, Nest) {
  EXPECT_EQ(resolve_name("/x/y", "/a/b", {}), "/x/y");
  EXPECT_EQ(resolve_name("c", "/a/b", {}), "/a/c");
  EXPECT_EQ(resolve_name("c/d", "/a/b", {}), "/a/c/d");
  EXPECT_EQ(resolve_name("~c", "/a/b", {}), "/a/b/c");
  EXPECT_EQ(resolve_name("~/c", "/a/b", {}), "/a/b/c");
  EXPECT_EQ(resolve_name("c", "/b", {}), "/c");
  EXPECT_EQ(resolve_name("c", "b", {}), "/c");
}

TEST(Names, AreRemappedAsWrittenAndAsResolved) {
  EXPECT_EQ(resolve_name("c", "/a/b", {{"c", "d"}}), "/a/d");
  EXPECT_EQ(resolve_name("c", "/a/b", {{"c", "/d"}}), "/d");
  EXPECT_EQ(resolve_name("/a/c", "/a/b", {{"c", "d"}}), "/a/d");  // the same name in full
  EXPECT_EQ(resolve_name("c", "/a/b", {{"/a/c", "~e"}}), "/a/b/e");
  EXPECT_EQ(resolve_name("c", "/a/b", {{"c", "d"}, {"d", "e"}}), "/a/d");  // once, not in chains
}

// the table of http://wiki.ros.org/Names, "Resolving": node, relative, global, private
TEST(Names, ResolveAsInTheDocumentationOfRos1) {
  struct Row {
    const char* node;
    const char* relative[2];
    const char* global[2];
    const char* own[2];
  };
  const Row rows[] = {
      {"/node1", {"bar", "/bar"}, {"/bar", "/bar"}, {"~bar", "/node1/bar"}},
      {"/wg/node2", {"bar", "/wg/bar"}, {"/bar", "/bar"}, {"~bar", "/wg/node2/bar"}},
      {"/wg/node3",
       {"foo/bar", "/wg/foo/bar"},
       {"/foo/bar", "/foo/bar"},
       {"~foo/bar", "/wg/node3/foo/bar"}}};
  for (const Row& row : rows) {
    for (const auto& pair : {row.relative, row.global, row.own}) {
      EXPECT_EQ(resolve_name(pair[0], row.node, {}), pair[1]) << row.node << " " << pair[0];
    }
  }
}

// the examples of "Remapping Names" (design.ros2.org/articles/static_remapping.html)
TEST(Names, AreRemappedAsInTheDesignOfRos2) {
  // "Exact relative name replacement": the two rules of each pair are the same in namespace /ns
  const std::pair<std::string, std::string> pairs[][2] = {
      {{"foo", "/foo/bar"}, {"/ns/foo", "/foo/bar"}},
      {{"foo", "bar"}, {"/ns/foo", "/ns/bar"}},
      {{"/foo/bar", "foo"}, {"/foo/bar", "/ns/foo"}}};
  for (const auto& pair : pairs) {
    for (const char* name : {"foo", "/ns/foo", "/foo/bar", "other", "~foo"}) {
      EXPECT_EQ(resolve_name(name, "/ns/node", {pair[0]}),
                resolve_name(name, "/ns/node", {pair[1]}))
          << name;
    }
  }
  EXPECT_EQ(resolve_name("bar", "/ns/node", {{"bar", "foo"}}), "/ns/foo");
  // "Exact FQN replacement": of a whole name, not of its beginning
  EXPECT_EQ(resolve_name("/ns/barista", "/n", {{"/ns/bar", "/ns/foo"}}), "/ns/barista");
  // private names on the left (nodename:~/foo:=foo)
  EXPECT_EQ(resolve_name("~/foo", "/ns/node", {{"~/foo", "foo"}}), "/ns/foo");
  // "Change the default namespace" and "Change the node name"
  EXPECT_EQ(resolve_name("bar", node_name("/foo", "node"), {}), "/foo/bar");
  EXPECT_EQ(resolve_name("~camera_info", node_name("/ns", "left_camera_driver"), {}),
            "/ns/left_camera_driver/camera_info");
}

TEST(Names, OfNodesAreInNamespaces) {
  EXPECT_EQ(node_name("", "camera"), "/camera");
  EXPECT_EQ(node_name("/", "camera"), "/camera");
  EXPECT_EQ(node_name("left", "camera"), "/left/camera");
  EXPECT_EQ(node_name("/left/arm/", "camera"), "/left/arm/camera");
}

TEST(Names, OfServicesAreRemappedWithTheirNode) {
  using Service = std::pair<std::string, std::string>;
  const auto resolve = [](const std::map<std::string, std::string>& remap) {
    return resolve_service("server", "state/ask", "/left/client", remap);
  };
  EXPECT_EQ(resolve({}), (Service{"/left/server", "state/ask"}));
  EXPECT_EQ(resolve({{"server", "/backup"}}), (Service{"/backup", "state/ask"}));
  EXPECT_EQ(resolve({{"server/state/ask", "backup/state/ask"}}),
            (Service{"/left/backup", "state/ask"}));
  EXPECT_EQ(resolve({{"/left/server/state/ask", "/backup/question"}}),
            (Service{"/backup", "question"}));
  EXPECT_EQ(resolve({{"server/other", "/backup/other"}}), (Service{"/left/server", "state/ask"}));
}

TEST(Names, AreJudged) {
  for (const char* good : {"a", "/a", "~a", "~/a", "/a/b_2", "arm-1.left"}) {
    EXPECT_EQ(complaint_about_name(good), "") << good;
  }
  EXPECT_EQ(complaint_about_name(""), "a name is empty");
  EXPECT_EQ(complaint_about_name("a//b"), "the name 'a//b' has an empty part");
  EXPECT_EQ(complaint_about_name("/"), "the name '/' has an empty part");
  EXPECT_EQ(complaint_about_name("a/"), "the name 'a/' has an empty part");
  EXPECT_EQ(complaint_about_name("a b"),
            "the name 'a b' contains ' '; use letters, digits, '_', '-', '.' and '/'");
  EXPECT_NE(complaint_about_name("a~b"), "");
}

TEST(Names, BinaryParametersAreBase64) {
  // the vectors of RFC 4648, section 10
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    const auto bytes = std::as_bytes(std::span(plain));
    EXPECT_EQ(binary_parameter(bytes).get<std::string>(), coded);
    const Result<Bytes> back = binary_value(Parameter(std::string(coded)));
    ASSERT_TRUE(back) << coded;
    EXPECT_EQ(*back, Bytes(bytes.begin(), bytes.end()));
  }
  EXPECT_FALSE(binary_value(Parameter("abc")));
  EXPECT_FALSE(binary_value(Parameter("ab!=")));
  EXPECT_FALSE(binary_value(Parameter("a===")));
  EXPECT_FALSE(binary_value(Parameter(7)));
}

}  // namespace
}  // namespace longarm::components
