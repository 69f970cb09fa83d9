// SPDX-License-Identifier: Apache-2.0
// Pairs that never collide, from an SRDF.
#include "longarm/model/srdf.h"

#include <gtest/gtest.h>

#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

Model three_links() {
  Model model;
  for (const char* name : {"base", "upper", "lower"}) {
    Link link;
    link.name = name;
    model.links.push_back(link);
  }
  return model;
}

TEST(Srdf, HasPairsThatNeverCollide) {
  Diagnostics diagnostics;
  const std::vector<IgnoredContact> pairs = read_srdf(
      "<robot name='r'><group name='arm'/>\n"
      "<disable_collisions link1='base' link2='lower' reason='Never'/>\n"
      "<disable_collisions link1='base' link2='camera' reason='Never'/></robot>",
      "r.srdf", three_links(), diagnostics);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].a + " " + pairs[0].b, "base lower");
  EXPECT_EQ(all_text(diagnostics),
            "r.srdf:3:1: warning: 1 of 2 pairs of <disable_collisions> name links that the robot "
            "does not have\n"
            "  hint: check that this SRDF belongs to this robot\n");
}

TEST(Srdf, IsRefusedIfItIsNone) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read_srdf("<sdf/>", "r.srdf", three_links(), diagnostics).empty());
  EXPECT_EQ(all_text(diagnostics),
            "r.srdf:1:1: error: <sdf> is not an SRDF\n"
            "  hint: an SRDF starts with <robot>\n");
}

TEST(Srdf, StandsBesideItsModel) {
  ScratchFolder folder;
  folder.write("arm.srdf", "<robot name='arm'/>");
  EXPECT_EQ(srdf_beside((folder.path() / "arm.urdf").string()),
            (folder.path() / "arm.srdf").string());
  EXPECT_EQ(srdf_beside((folder.path() / "leg.urdf").string()), "");
}

}  // namespace
}  // namespace longarm::model
