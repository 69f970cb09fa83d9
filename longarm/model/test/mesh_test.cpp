// SPDX-License-Identifier: Apache-2.0
// The same box from every format; what scale, units and nodes do to it; and what is no mesh.
#include "longarm/model/mesh.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

// 0.25 · 0.5 · 1 = 0.125 m³, and all of it exact in the single precision of mesh files
const Vector3 kLow{-0.125, 0.0, 0.5};
const Vector3 kHigh{0.125, 0.5, 1.5};

MeshData read_clean(const std::string& file, const std::string& content,
                    const Vector3& scale = Vector3::Ones()) {
  Result<MeshData> mesh = read_mesh(file, content, scale);
  EXPECT_TRUE(mesh.has_value()) << mesh.error().message;
  return mesh ? *mesh : MeshData{};
}

void expect_box(const MeshData& mesh, const Vector3& low, const Vector3& high) {
  EXPECT_EQ(mesh.vertices_m.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_TRUE(bounds_of(mesh).min().isApprox(low, 1e-6)) << bounds_of(mesh).min().transpose();
  EXPECT_TRUE(bounds_of(mesh).max().isApprox(high, 1e-6)) << bounds_of(mesh).max().transpose();
  EXPECT_NEAR(enclosed_volume(mesh), (high - low).prod(), 1e-6 * (high - low).prod());
}

TEST(Mesh, IsTheSameInEveryFormat) {
  const MeshData box = box_mesh(kLow, kHigh);
  expect_box(read_clean("box.stl", ascii_stl(box)), kLow, kHigh);
  expect_box(read_clean("box.STL", binary_stl(box)), kLow, kHigh);
  expect_box(read_clean("box.obj", obj(box)), kLow, kHigh);
  expect_box(read_clean("box.dae", collada(box, {{0, 0, 0}})), kLow, kHigh);
}

TEST(Mesh, HasTheColoursOfItsFilesMaterials) {
  // one box in two colours: four of its twelve triangles are red, the others half clear and blue
  const std::string plain = obj(box_mesh(kLow, kHigh));
  std::size_t fifth = plain.find("\nf ");
  for (int i = 0; i < 4; ++i) {
    fifth = plain.find("\nf ", fifth + 1);
  }
  const std::size_t first = plain.find("\nf ");
  const std::string text = "mtllib box.mtl\n" + plain.substr(0, first) + "\nusemtl red" +
                           plain.substr(first, fifth - first) + "\nusemtl blue" +
                           plain.substr(fifth);
  const SideFiles beside = [](const std::string& path) -> Result<std::string> {
    if (!path.ends_with("box.mtl")) {
      return Error{"no such file"};
    }
    return std::string("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\nd 0.5\n");
  };
  const std::vector<TriangleColour> colours = colours_of("box.obj", text, beside);
  ASSERT_EQ(colours.size(), 2u);
  EXPECT_EQ(colours[0].triangles, 4u);
  EXPECT_EQ(colours[0].rgba, (Colour{1, 0, 0, 1}));
  EXPECT_EQ(colours[1].triangles, 8u);
  EXPECT_EQ(colours[1].rgba, (Colour{0, 0, 0.5, 0.5}));

  EXPECT_TRUE(colours_of("box.stl", ascii_stl(box_mesh(kLow, kHigh))).empty());
  EXPECT_TRUE(colours_of("box.obj", plain).empty()) << "it names no material";
  EXPECT_TRUE(colours_of("box.dae", "<not collada").empty());
}

TEST(Mesh, OfAGltfFileHasItsBufferBesideItAndIsTurnedUpright) {
  // y up in the file: x, z, -y of the box
  const MeshData lying = box_mesh({-0.125, 0.5, -0.5}, {0.125, 1.5, 0.0});
  const ScratchFolder folder;
  const std::string path = folder.write("meshes/box.gltf", gltf(lying, "box.bin"));
  folder.write("meshes/box.bin", gltf_buffer(lying));
  expect_box(read_clean(path, *read_file(path)), kLow, kHigh);
  expect_box(read_clean(path, *read_file(path), {1.0, 1.0, 2.0}), {-0.125, 0.0, 1.0},
             {0.125, 0.5, 3.0});
}

TEST(Mesh, RemembersWhatAGltfFileNames) {
  const MeshData box = box_mesh({0, 0, 0}, {1, 1, 1});
  const ScratchFolder folder;
  folder.write("box.gltf", gltf(box, "box.bin"));
  const std::string buffer = folder.write("box.bin", gltf_buffer(box));
  const std::string path = folder.write(
      "r.urdf",
      "<robot name='r'><link name='arm'><collision><geometry><mesh filename='box.gltf'/>"
      "</geometry></collision></link></robot>");
  InputFiles files;
  Diagnostics diagnostics;
  const Model model = read_model_file(path, {}, files, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(files.all().size(), 3u);
  EXPECT_EQ(files.all().back().path, buffer);
}

TEST(Mesh, MayBeASolidInABinaryFileThatBeginsLikeText) {
  std::string bytes = binary_stl(box_mesh(kLow, kHigh));
  bytes.replace(0, 5, "solid");
  expect_box(read_clean("box.stl", bytes), kLow, kHigh);
}

TEST(Mesh, OfQuadrilateralsIsTriangulated) {
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  expect_box(read_clean("cube.obj", text), {0, 0, 0}, {1, 1, 1});
}

TEST(Mesh, IsScaledPerAxisAndStillFacesOutwardsWhenMirrored) {
  const MeshData mesh =
      read_clean("box.stl", ascii_stl(box_mesh({0, 0, 0}, {1, 2, 3})), {0.5, -0.25, 2.0});
  expect_box(mesh, {0, -0.5, 0}, {0.5, 0, 6});
}

TEST(Mesh, ThatIsInsideOutIsTurnedOver) {
  MeshData box = box_mesh(kLow, kHigh);
  for (auto& triangle : box.triangles) {
    std::swap(triangle[0], triangle[1]);
  }
  expect_box(read_clean("box.stl", binary_stl(box)), kLow, kHigh);
}

TEST(Mesh, InColladaHasItsUnitAndItsNodes) {
  // two boxes of 10 cm, end to end
  const MeshData mesh = read_clean(
      "arm.dae", collada(box_mesh({-5, -2, -2}, {5, 2, 2}), {{5, 0, 0}, {15, 0, 0}}, 0.01));
  EXPECT_EQ(mesh.triangles.size(), 24u);
  EXPECT_EQ(mesh.vertices_m.size(), 12u) << "four corners are shared";
  EXPECT_TRUE(bounds_of(mesh).min().isApprox(Vector3(0, -0.02, -0.02), 1e-6));
  EXPECT_TRUE(bounds_of(mesh).max().isApprox(Vector3(0.2, 0.02, 0.02), 1e-6));
}

TEST(Mesh, InColladaIsNotTurnedByItsUpAxis) {
  // as in RViz, Gazebo and MoveIt, which robots in the world rely on
  for (const std::string up : {"X_UP", "Y_UP", "Z_UP"}) {
    expect_box(read_clean("box.dae", collada(box_mesh(kLow, kHigh), {{0, 0, 0}}, 1.0, up)), kLow,
               kHigh);
  }
}

std::string complaint(const std::string& file, const std::string& content) {
  const Result<MeshData> mesh = read_mesh(file, content);
  return mesh ? "none" : mesh.error().message;
}

TEST(Mesh, ThatIsNoneIsRefused) {
  EXPECT_EQ(complaint("a.stl", ""), "the file is empty");
  EXPECT_EQ(complaint("a.stl", "solid nothing\nendsolid nothing\n"), "it has no triangles");
  EXPECT_EQ(complaint("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
            "it is flat: all its points are in one plane");
  MeshData endless = box_mesh(kLow, kHigh);
  endless.vertices_m[3].y() = std::nan("");
  EXPECT_EQ(complaint("a.stl", binary_stl(endless)), "a vertex is not finite");
  for (const char* file : {"a.stl", "a.dae", "a.obj"}) {
    EXPECT_NE(complaint(file, "this is no mesh at all"), "none") << file;
  }
  const std::string bytes = binary_stl(box_mesh(kLow, kHigh));
  EXPECT_NE(complaint("a.stl", bytes.substr(0, 200)), "none");
  std::string counts = collada(box_mesh(kLow, kHigh), {{0, 0, 0}});
  counts.replace(counts.find(" count=\""), 7, " cuont=");
  EXPECT_EQ(complaint("a.dae", counts), "an <accessor> reads past the end of '#numbers'");
}

TEST(MeshRobot, IsReadWithEveryMeshInItsPlace) {
  const ScratchFolder folder;
  const MeshRobot robot = write_mesh_robot(folder);
  Diagnostics diagnostics;
  InputFiles files;
  const ModelSearch search{{robot.search_folder}};
  const BodyTree tree =
      make_body_tree(read_model_file(robot.urdf, search, files, diagnostics), diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  EXPECT_EQ(all_text(lint(tree)), "");
  ASSERT_EQ(tree.bodies.size(), 4u);
  const std::vector<std::pair<Vector3, Vector3>> boxes{{{-0.1, -0.1, 0}, {0.1, 0.1, 0.1}},
                                                       {{-0.05, -0.05, 0}, {0.05, 0.05, 0.2}},
                                                       {{0.02, -0.02, -0.02}, {0.22, 0.02, 0.02}},
                                                       {{0.02, -0.06, -0.02}, {0.12, 0, 0.02}}};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    ASSERT_EQ(tree.bodies[i].collisions.size(), 1u);
    const Mesh& mesh = std::get<Mesh>(tree.bodies[i].collisions[0].shape);
    EXPECT_TRUE(bounds_of(*mesh.data).min().isApprox(boxes[i].first, 1e-6)) << i;
    EXPECT_TRUE(bounds_of(*mesh.data).max().isApprox(boxes[i].second, 1e-6)) << i;
    EXPECT_GT(enclosed_volume(*mesh.data), 0.0) << i;
    // a visual keeps the file for those who draw
    const Mesh& drawn = std::get<Mesh>(tree.bodies[i].visuals[0].shape);
    EXPECT_EQ(drawn.file, mesh.file);
    EXPECT_EQ(drawn.data, nullptr);
  }
  // masses are the file's: a box of 0.2 × 0.2 × 0.1 m could weigh anything
  EXPECT_EQ(tree.bodies[0].inertial.mass_kg, 5.0);
  // the robot and its four meshes are part of what a run is
  EXPECT_EQ(files.all().size(), 5u);
}

TEST(MeshRobot, ChangesTheIdentityOfARunWithItsMeshes) {
  const ScratchFolder folder;
  const MeshRobot robot = write_mesh_robot(folder);
  const auto identity = [&] {
    Diagnostics diagnostics;
    InputFiles files;
    read_model_file(robot.urdf, {{robot.search_folder}}, files, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors());
    return files.hash().text();
  };
  const std::string before = identity();
  EXPECT_EQ(identity(), before);
  folder.write("gazebo/picker_turret/meshes/turret.STL",
               binary_stl(box_mesh({-50, -50, 0}, {50, 50, 201})));
  EXPECT_NE(identity(), before);
}

TEST(MeshRobot, SharesAMeshThatIsUsedTwice) {
  const ScratchFolder folder;
  folder.write("box.stl", ascii_stl(box_mesh(kLow, kHigh)));
  const std::string urdf = folder.write(
      "a.urdf",
      "<robot name='r'><link name='a'><collision><geometry><mesh filename='box.stl'/></geometry>"
      "</collision><collision><geometry><mesh filename='box.stl'/></geometry></collision>"
      "<collision><geometry><mesh filename='box.stl' scale='2 2 2'/></geometry></collision>"
      "</link></robot>");
  Diagnostics diagnostics;
  const Model model = read_model_file(urdf, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  const auto data = [&](std::size_t i) {
    return std::get<Mesh>(model.links[0].collisions[i].shape).data;
  };
  EXPECT_EQ(data(0), data(1));
  EXPECT_NE(data(0), data(2));
}

}  // namespace
}  // namespace longarm::model
