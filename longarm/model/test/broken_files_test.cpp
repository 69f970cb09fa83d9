// SPDX-License-Identifier: Apache-2.0
// What users are told about meshes and includes that are missing, damaged or not understood.
#include <gtest/gtest.h>

#include "longarm/model/model_file.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"
#include "longarm/model/world.h"

namespace longarm::model {
namespace {

class BrokenFiles : public testing::Test {
 protected:
  /// What is reported about a URDF whose one link has `mesh` as a collision, in line 2. F stands
  /// for the scratch folder.
  std::string about_mesh(const std::string& attributes, const std::string& tag = "collision") {
    return about("a.urdf", "<robot name='r'><link name='arm'>\n<" + tag + "><geometry><mesh " +
                               attributes + "/></geometry></" + tag + ">\n</link></robot>");
  }

  /// What is reported about a world with `content` from line 2 on.
  std::string about_world(const std::string& content) {
    return about("a.world", "<sdf version='1.9'><world name='w'>\n" + content + "</world></sdf>");
  }

  std::string about(const std::string& name, const std::string& text) {
    const std::string path = folder.write(name, text);
    Diagnostics diagnostics;
    InputFiles files;
    if (name.ends_with(".world")) {
      EXPECT_TRUE(read_world_file(path, {}, files, diagnostics).models.empty());
    } else {
      read_model_file(path, {}, files, diagnostics);
    }
    std::string all = all_text(diagnostics);
    const std::string f = folder.path().string();
    for (std::size_t at = all.find(f); at != std::string::npos; at = all.find(f)) {
      all.replace(at, f.size(), "F");
    }
    return all;
  }

  ScratchFolder folder;
};

TEST_F(BrokenFiles, AMissingMesh) {
  EXPECT_EQ(about_mesh("filename='meshes/arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': there is no mesh 'meshes/arm.stl'; looked for "
            "F/meshes/arm.stl\n"
            "  hint: a plain path is relative to the model file\n");
}

TEST_F(BrokenFiles, AMissingMeshOfAVisualIsAWarning) {
  EXPECT_EQ(about_mesh("filename='meshes/arm.stl'", "visual"),
            "F/a.urdf:2:19: warning: link 'arm': there is no mesh 'meshes/arm.stl'; looked for "
            "F/meshes/arm.stl\n"
            "  hint: it is a visual and affects drawings only; a plain path is relative to the "
            "model file\n");
}

TEST_F(BrokenFiles, AMeshOnTheNet) {
  EXPECT_EQ(about_mesh("filename='http://example.org/arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'http://example.org/arm.stl' cannot be found: "
            "http:// is not supported\n"
            "  hint: use package://, model://, file:// or a plain path to a copy of it\n");
}

TEST_F(BrokenFiles, AMeshInAnotherFormat) {
  EXPECT_EQ(about_mesh("filename='arm.step'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.step' has an unsupported format\n"
            "  hint: supported are .stl, .dae, .obj, .ply, .glb and .gltf\n");
}

TEST_F(BrokenFiles, ACollisionMeshWithoutTriangles) {
  const std::string words =
      "F/a.urdf:2:22: warning: link 'arm': mesh 'arm.stl' has NO TRIANGLES: this collision shape "
      "is ignored\n"
      "  hint: export it again, or remove the <collision>; the file is F/arm.stl\n";
  for (const std::size_t size : {80, 84}) {
    folder.write("arm.stl", "solid" + std::string(size - 5, '\0'));
    EXPECT_EQ(about_mesh("filename='arm.stl'"), words);
  }
  folder.write("arm.stl", "solid part\nendsolid part\n");
  EXPECT_EQ(about_mesh("filename='arm.stl'"), words);
  // half a head is a broken file
  folder.write("arm.stl", std::string(60, '\0'));
  EXPECT_TRUE(about_mesh("filename='arm.stl'").starts_with("F/a.urdf:2:22: error: "));
}

TEST_F(BrokenFiles, AScaleWithTooManyNumbers) {
  folder.write("arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  EXPECT_EQ(about_mesh("filename='arm.stl' scale='1 1 1 2'", "visual"),
            "F/a.urdf:2:19: warning: link 'arm': <mesh> attribute 'scale' needs 3 numbers but has "
            "4: '1 1 1 2'; the first three are used\n"
            "  hint: for example <mesh scale=\"1 1 1\"/>\n");
  // of what collides, only if it does not matter which of them count
  EXPECT_EQ(about_mesh("filename='arm.stl' scale='1 1 1 1'"),
            "F/a.urdf:2:22: warning: link 'arm': <mesh> attribute 'scale' needs 3 numbers but has "
            "4: '1 1 1 1'; the first three are used\n"
            "  hint: for example <mesh scale=\"1 1 1\"/>\n");
  EXPECT_EQ(about_mesh("filename='arm.stl' scale='1 1 1 2'"),
            "F/a.urdf:2:22: error: link 'arm': <mesh> attribute 'scale' needs 3 numbers but has 4: "
            "'1 1 1 2'\n"
            "  hint: for example <mesh scale=\"1 1 1\"/>\n");
}

TEST_F(BrokenFiles, AMeshWithoutItsPackageIsTakenByTheEndOfItsPathIfThatIsUnique) {
  folder.write("meshes/mh5/collision/arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  folder.write("meshes/mh5/visual/arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  EXPECT_EQ(about_mesh("filename='package://collision/arm.stl'"),
            "F/a.urdf:2:22: warning: link 'arm': mesh 'package://collision/arm.stl' not found; "
            "using F/meshes/mh5/collision/arm.stl instead\n"
            "  hint: only the end of its path matches: check that it is the right file\n");
  folder.write("meshes/mh6/collision/arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  const std::string two = about_mesh("filename='package://collision/arm.stl'");
  EXPECT_NE(two.find(": error: "), std::string::npos) << two;
  EXPECT_NE(two.find("; several files match the end of its path: F/meshes/mh5/collision/arm.stl, "
                     "F/meshes/mh6/collision/arm.stl\n"),
            std::string::npos)
      << two;
}

TEST_F(BrokenFiles, AGltfWithoutItsBuffer) {
  folder.write("arm.gltf", gltf(box_mesh({0, 0, 0}, {1, 1, 1}), "arm.bin"));
  EXPECT_EQ(about_mesh("filename='arm.gltf'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.gltf' cannot be used: it names the file "
            "'arm.bin', which is not beside it\n"
            "  hint: the file is F/arm.gltf\n");
}

TEST_F(BrokenFiles, AnEmptyMesh) {
  folder.write("arm.stl", "");
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.stl' cannot be used: the file is empty\n"
            "  hint: the file is F/arm.stl\n");
}

TEST_F(BrokenFiles, AMeshThatIsAFolder) {
  folder.write("arm.stl/readme", "");
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.stl' cannot be used: cannot read the "
            "file 'F/arm.stl'\n"
            "  hint: the file is F/arm.stl\n");
}

TEST_F(BrokenFiles, AFlatMesh) {
  folder.write("arm.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(about_mesh("filename='arm.obj'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.obj' cannot be used: it is flat: all its "
            "points are in one plane\n"
            "  hint: the file is F/arm.obj\n");
}

TEST_F(BrokenFiles, AMeshWithoutTriangles) {
  folder.write("arm.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
  EXPECT_EQ(about_mesh("filename='arm.obj'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.obj' cannot be used: it has no "
            "triangles\n"
            "  hint: the file is F/arm.obj\n");
}

TEST_F(BrokenFiles, AMeshThatGitLfsHasNotFetched) {
  folder.write("arm.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.stl' cannot be used: it is a Git LFS "
            "pointer, not the mesh; run git lfs pull\n"
            "  hint: the file is F/arm.stl\n");
}

// the reader of meshes takes memory without end on this one
TEST_F(BrokenFiles, AMeshWithALetterAmongItsIndices) {
  std::string text = collada(box_mesh({0, 0, 0}, {1, 1, 1}), {{0, 0, 0}});
  text.insert(text.find("</p>"), "x");
  folder.write("arm.dae", text);
  EXPECT_EQ(about_mesh("filename='arm.dae'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.dae' cannot be used: <p> contains a value "
            "that is not a number\n"
            "  hint: the file is F/arm.dae\n");
}

// A box has twelve triangles: 84 + 12 · 50 = 684 bytes.
TEST_F(BrokenFiles, ABinaryMeshThatIsCutShort) {
  const std::string whole = binary_stl(box_mesh({0, 0, 0}, {1, 1, 1}));
  folder.write("arm.stl", whole.substr(0, 200));
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.stl' cannot be used: the file is "
            "truncated: 12 triangles take 684 bytes, but it has 200\n"
            "  hint: the file is F/arm.stl\n");
  folder.write("arm.stl", whole.substr(0, 80) + std::string(2, '\0'));
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: error: link 'arm': mesh 'arm.stl' cannot be used: the file ends after "
            "82 bytes, within the header of a binary STL\n"
            "  hint: the file is F/arm.stl\n");
}

TEST_F(BrokenFiles, NamesThatOnlyTheReaderOfMeshesKnowsAreNotShown) {
  for (const char* file : {"arm.stl", "arm.dae", "arm.obj"}) {
    for (const char* content : {"this is no mesh at all", "solid", "<COLLADA>", "v 1\nf 1 2 3\n"}) {
      folder.write(file, content);
      const std::string said = about_mesh("filename='" + std::string(file) + "'");
      EXPECT_NE(said.find("error: link 'arm': mesh"), std::string::npos) << said;
      EXPECT_EQ(said.find("magic"), std::string::npos) << said;
    }
  }
}

TEST_F(BrokenFiles, AMeshWhoseNameXacroHasYetToReplace) {
  for (const std::string name : {"$(find ur_description)/arm.stl", "${meshes}/arm.stl"}) {
    EXPECT_EQ(about_mesh("filename='" + name + "'"),
              "F/a.urdf:2:22: error: link 'arm': the file name of mesh '" + name +
                  "' contains an unexpanded xacro expression\n"
                  "  hint: expand it first: xacro robot.urdf.xacro -o robot.urdf\n");
    EXPECT_EQ(about_mesh("filename='" + name + "'", "visual"),
              "F/a.urdf:2:19: warning: link 'arm': the file name of mesh '" + name +
                  "' contains an unexpanded xacro expression\n"
                  "  hint: it is a visual and affects drawings only; expand it first: xacro "
                  "robot.urdf.xacro -o robot.urdf\n");
  }
}

TEST_F(BrokenFiles, AScaleOfZero) {
  folder.write("arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  EXPECT_EQ(about_mesh("filename='arm.stl' scale='1 0 1'"),
            "F/a.urdf:2:22: error: link 'arm': the scale of mesh 'arm.stl' has a 0\n"
            "  hint: for example 1 1 1\n");
}

TEST_F(BrokenFiles, MillimetresTakenForMetres) {
  folder.write("arm.stl", ascii_stl(box_mesh({0, 0, 0}, {300, 50, 50})));
  EXPECT_EQ(about_mesh("filename='arm.stl'"),
            "F/a.urdf:2:22: warning: link 'arm': mesh 'arm.stl' is 300 m long\n"
            "  hint: lengths are in metres; a drawing in millimetres needs a scale of 0.001 0.001 "
            "0.001\n");
}

TEST_F(BrokenFiles, PartOfAMeshInSdf) {
  folder.write("arm.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1})));
  EXPECT_EQ(about("a.sdf",
                  "<sdf version='1.9'><model name='m'><static>true</static><link name='arm'>\n"
                  "<collision name='c'><geometry><mesh><uri>arm.stl</uri>\n"
                  "<submesh><name>left</name></submesh></mesh></geometry></collision>\n"
                  "</link></model></sdf>"),
            "F/a.sdf:3:1: error: link 'arm': <submesh> is not supported in a <collision>\n"
            "  hint: write that part of the mesh into a file of its own\n");
}

TEST_F(BrokenFiles, AMissingInclude) {
  EXPECT_EQ(about("a/b/c/d/a.world",
                  "<sdf version='1.9'><world name='w'>\n"
                  "<include><uri>model://table</uri></include></world></sdf>"),
            "F/a/b/c/d/a.world:2:10: error: there is no model 'model://table'; looked for "
            "F/a/b/c/d/table, F/a/b/c/table, F/a/b/table, F/a/table\n"
            "  hint: put the folder that holds 'table' into robot.search_path or "
            "LONGARM_MODEL_PATH\n");
}

TEST_F(BrokenFiles, AnIncludeOfNothing) {
  EXPECT_EQ(about_world("<include><name>table</name></include>\n"),
            "F/a.world:2:1: error: <include> needs a <uri>\n"
            "  hint: for example <uri>model://table</uri>\n");
}

TEST_F(BrokenFiles, AnIncludeThatMerges) {
  EXPECT_EQ(about("a.sdf",
                  "<sdf version='1.9'><model name='m'>\n"
                  "<include merge='true'><uri>model://table</uri></include></model></sdf>"),
            "F/a.sdf:2:1: error: <include merge=\"true\"> of 'model://table'\n"
            "  hint: merging is not supported; without it the parts are named model::part\n");
}

TEST_F(BrokenFiles, AnIncludedXacroWithoutItsMacro) {
  folder.write("arm/model.sdf",
               "<sdf version='1.9' xmlns:xacro='http://ros.org/wiki/xacro'><xacro:arm/></sdf>");
  EXPECT_EQ(about_world("<include><uri>model://arm</uri></include>\n"),
            "F/arm/model.sdf:1:60: error: there is no macro 'arm'\n"
            "  hint: include the file that defines it before it is used\n");
  folder.write("bot.urdf.xacro",
               "<robot name='b' xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:arm/></robot>");
  EXPECT_EQ(about_world("<include><uri>bot.urdf.xacro</uri></include>\n"),
            "F/bot.urdf.xacro:2:1: error: there is no macro 'arm'\n"
            "  hint: include the file that defines it before it is used\n");
}

TEST_F(BrokenFiles, ModelsThatIncludeEachOther) {
  folder.write("egg/model.sdf",
               "<sdf version='1.9'><model name='egg'><include><uri>model://hen</uri></include>"
               "</model></sdf>");
  folder.write("hen/model.sdf",
               "<sdf version='1.9'><model name='hen'><include><uri>model://egg</uri></include>"
               "</model></sdf>");
  EXPECT_EQ(about_world("<include><uri>model://hen</uri></include>\n"),
            "F/egg/model.sdf:1:47: error: models include each other: F/hen/model.sdf -> "
            "F/egg/model.sdf -> F/hen/model.sdf\n"
            "  hint: remove one of the includes\n");
}

TEST_F(BrokenFiles, AModelThatIsIncludedTwiceUnderOneName) {
  folder.write(
      "box/model.sdf",
      "<sdf version='1.9'><model name='box'><static>1</static><link name='l'/></model></sdf>");
  EXPECT_EQ(about_world("<include><uri>model://box</uri></include>\n"
                        "<include><uri>model://box</uri></include>\n"),
            "F/a.world:3:1: error: the name 'box' is used twice\n"
            "  hint: give the included model a <name> of its own\n");
}

TEST_F(BrokenFiles, AFolderWithoutAModel) {
  folder.write("box/readme", "");
  EXPECT_EQ(about_world("<include><uri>model://box</uri></include>\n"),
            "F/box/model.sdf: error: cannot read the file\n"
            "  hint: check that the path is right and that it is a file\n");
}

TEST_F(BrokenFiles, AnIncludeInAPlaceThatIsNone) {
  folder.write(
      "box/model.sdf",
      "<sdf version='1.9'><model name='box'><static>1</static><link name='l'/></model></sdf>");
  EXPECT_EQ(about_world("<include><uri>model://box</uri><pose>1 2 x 0 0 0</pose></include>\n"),
            "F/a.world:2:32: error: <pose> is not a number: 'x'\n");
}

TEST_F(BrokenFiles, AMistakeInAnIncludedFileIsToldWithItsPlaceThere) {
  folder.write("box/model.sdf",
               "<sdf version='1.9'><model name='box'>\n<link name='l'><inertial><mass>-1</mass>"
               "</inertial></link></model></sdf>");
  EXPECT_EQ(about_world("<include><uri>model://box</uri></include>\n"),
            "F/box/model.sdf:2:26: error: link 'l': <mass> must be greater than 0, is -1\n"
            "  hint: make it a <frame> if it has no mass\n");
}

TEST_F(BrokenFiles, AWorldThatIsARobot) {
  EXPECT_EQ(about("a.world", "<robot name='r'><link name='l'/></robot>"),
            "F/a.world: error: this is a robot, not a world\n"
            "  hint: a world is an SDF file with a <world>\n");
}

TEST_F(BrokenFiles, AWorldThatIsNot) {
  EXPECT_EQ(about("a.world", "<sdf version='1.9'/>"),
            "F/a.world:1:1: error: the file has no world\n  hint: add a <world>\n");
}

}  // namespace
}  // namespace longarm::model
