// SPDX-License-Identifier: Apache-2.0
// Which warnings become one, and which do not.
#include "longarm/core/alike.h"

#include <gtest/gtest.h>

namespace longarm {
namespace {

Diagnostic warning(int line, std::string message) {
  return {{"arm.urdf", line, 1}, std::move(message), "", Severity::kWarning};
}

std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += diagnostic.format() + "\n";
  }
  return text;
}

TEST(Alike, CountsWhatIsSaidOfSeveralJointsAtTheFirstPlace) {
  EXPECT_EQ(
      text_of(group_alike({warning(3, "joint 'a': unknown attribute 'k' of <limit> is ignored"),
                           warning(4, "link 'b' has no <inertial>"),
                           warning(5, "joint 'c': unknown attribute 'k' of <limit> is ignored"),
                           warning(7, "joint 'd': unknown attribute 'k' of <limit> is ignored")})),
      "arm.urdf:3:1: warning: joint 'a': unknown attribute 'k' of <limit> is ignored (and 2 "
      "more like it)\n"
      "arm.urdf:4:1: warning: link 'b' has no <inertial>\n");
}

TEST(Alike, KeepsDifferentAttributesAndKindsApart) {
  const std::vector<Diagnostic> all{warning(3, "joint 'a': unknown attribute 'k' of <limit>"),
                                    warning(3, "joint 'a': unknown attribute 'm' of <limit>"),
                                    warning(4, "link 'a': unknown attribute 'm' of <limit>")};
  EXPECT_EQ(group_alike(all).size(), 3u);
}

TEST(Alike, KeepsFilesApart) {
  Diagnostic other = warning(3, "joint 'b' has no effort limit");
  other.where.path = "hand.urdf";
  EXPECT_EQ(group_alike({warning(3, "joint 'a' has no effort limit"), other}).size(), 2u);
}

TEST(Alike, KeepsEveryError) {
  Diagnostic error = warning(3, "joint 'a' needs a <limit>");
  error.severity = Severity::kError;
  EXPECT_EQ(text_of(group_alike({error, error})),
            "arm.urdf:3:1: error: joint 'a' needs a <limit>\n"
            "arm.urdf:3:1: error: joint 'a' needs a <limit>\n");
}

}  // namespace
}  // namespace longarm
