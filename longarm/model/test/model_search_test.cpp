// SPDX-License-Identifier: Apache-2.0
// Where files are looked for, and in which order.
#include "longarm/model/model_search.h"

#include <map>

#include <gtest/gtest.h>

#include "longarm/model/test/mesh_robot.h"

namespace longarm::model {
namespace {

TEST(ModelSearch, TakesTheCallersFoldersFirstAndThenTheEnvironment) {
  const std::map<std::string, std::string> variables{{"SDF_PATH", "/s"},
                                                     {"LONGARM_MODEL_PATH", "/l1:/l2"},
                                                     {"ROS_PACKAGE_PATH", "/r"},
                                                     {"AMENT_PREFIX_PATH", "/a1::/a2"},
                                                     {"GAZEBO_MODEL_PATH", "/g"},
                                                     {"GZ_SIM_RESOURCE_PATH", "/z"},
                                                     {"IGN_GAZEBO_RESOURCE_PATH", "/i:"}};
  const ModelSearch search = search_from_environment({"/own"}, [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
  EXPECT_EQ(search.folders, (std::vector<std::string>{"/own", "/l1", "/l2", "/r", "/a1/share",
                                                      "/a2/share", "/g", "/z", "/i", "/s"}));
}

class Search : public testing::Test {
 protected:
  /// Relative to the scratch folder; the error's text if there is none.
  std::string find(const std::string& uri, std::vector<std::string> folders = {}) const {
    for (std::string& name : folders) {
      name = (folder.path() / name).string();
    }
    const Result<std::string> found = find_resource(
        "mesh", uri, (folder.path() / "ws/src/arm/arm_description/urdf/a.urdf").string(),
        {folders});
    const std::string text = found ? *found : found.error().message;
    return text.starts_with(folder.path().string()) ? text.substr(folder.path().string().size() + 1)
                                                    : text;
  }

  ScratchFolder folder;
};

TEST_F(Search, PlainPathsAreRelativeToTheModelAndThenToTheSearchFolders) {
  folder.write("ws/src/arm/arm_description/meshes/a.stl", "");
  folder.write("more/meshes/b.stl", "");
  EXPECT_EQ(find("../meshes/a.stl"), "ws/src/arm/arm_description/meshes/a.stl");
  EXPECT_EQ(find("file://../meshes/a.stl"), "ws/src/arm/arm_description/meshes/a.stl");
  EXPECT_EQ(find("meshes/b.stl", {"more"}), "more/meshes/b.stl");
  const std::string absolute = (folder.path() / "more/meshes/b.stl").string();
  EXPECT_EQ(find(absolute), "more/meshes/b.stl");
  EXPECT_EQ(find("file://" + absolute), "more/meshes/b.stl");
}

TEST_F(Search, MeshesOfARobotWithoutItsPackageAreAroundItsFile) {
  folder.write("ws/src/arm/arm_description/meshes/link.stl", "");
  EXPECT_EQ(find("package://other/meshes/link.stl"), "ws/src/arm/arm_description/meshes/link.stl");
  EXPECT_EQ(find("package://other/robots/arm/meshes/link.stl"),
            "ws/src/arm/arm_description/meshes/link.stl");
  EXPECT_EQ(find("meshes/link.stl"), "ws/src/arm/arm_description/meshes/link.stl");
  // a name alone is too little to go by
  folder.write("ws/src/arm/arm_description/lone.stl", "");
  EXPECT_NE(find("package://other/lone.stl"), "ws/src/arm/arm_description/lone.stl");
}

TEST_F(Search, APackageIsTheFolderOfItsNameAroundTheModel) {
  folder.write("ws/src/arm/arm_description/meshes/a.stl", "");
  EXPECT_EQ(find("package://arm_description/meshes/a.stl"),
            "ws/src/arm/arm_description/meshes/a.stl");
}

TEST_F(Search, APackageHasTheNameInItsManifestWhateverItsFolderIs) {
  folder.write("ws/src/arm/arm_description/package.xml",
               "<?xml version='1.0'?><package format='2'><name>ur_description</name></package>");
  folder.write("ws/src/arm/arm_description/meshes/a.stl", "");
  EXPECT_EQ(find("package://ur_description/meshes/a.stl"),
            "ws/src/arm/arm_description/meshes/a.stl");
}

TEST_F(Search, NeighboursOfTheModelsFoldersAreFound) {
  folder.write("ws/src/gripper/meshes/g.stl", "");
  EXPECT_EQ(find("package://gripper/meshes/g.stl"), "ws/src/gripper/meshes/g.stl");
  EXPECT_EQ(find("model://gripper/meshes/g.stl"), "ws/src/gripper/meshes/g.stl");
}

TEST_F(Search, FoldersAreTriedInOrder) {
  folder.write("one/gripper/g.stl", "");
  folder.write("two/gripper/g.stl", "");
  EXPECT_EQ(find("model://gripper/g.stl", {"one", "two"}), "one/gripper/g.stl");
  EXPECT_EQ(find("model://gripper/g.stl", {"two", "one"}), "two/gripper/g.stl");
  EXPECT_EQ(find("package://gripper/g.stl", {"none", "two/gripper"}), "two/gripper/g.stl");
}

TEST_F(Search, PackagesBelowASearchFolderAreFoundAsRosFindsThem) {
  folder.write("other/src/robots/ur/package.xml", "<package><name>ur_description</name></package>");
  folder.write("other/src/robots/ur/meshes/a.stl", "");
  EXPECT_EQ(find("package://ur_description/meshes/a.stl", {"other/src"}),
            "other/src/robots/ur/meshes/a.stl");
}

TEST_F(Search, SaysEveryPlaceItLookedAt) {
  const std::string f = folder.path().string();
  EXPECT_EQ(find("package://hand/h.stl", {"more"}),
            "there is no mesh 'package://hand/h.stl'; looked for " + f +
                "/ws/src/arm/arm_description/urdf/hand/h.stl, " + f +
                "/ws/src/arm/arm_description/hand/h.stl, " + f + "/ws/src/arm/hand/h.stl, " + f +
                "/ws/src/hand/h.stl, " + f + "/more/hand/h.stl");
  EXPECT_EQ(find("h.stl", {"more"}), "there is no mesh 'h.stl'; looked for " + f +
                                         "/ws/src/arm/arm_description/urdf/h.stl, " + f +
                                         "/more/h.stl");
  EXPECT_EQ(find("https://example.org/h.stl"),
            "mesh 'https://example.org/h.stl' cannot be found: https:// is not supported");
}

}  // namespace
}  // namespace longarm::model
