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
