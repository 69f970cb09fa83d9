// SPDX-License-Identifier: Apache-2.0
// A report has what moves its robot; studies of earlier versions have none and are still reported.
#include "longarm/study/report/report_motion.h"

#include <cmath>
#include <numbers>

#include "longarm/cell/run_folder.h"
#include "longarm/config/text_file.h"
#include "longarm/record/sqlite.h"
#include "longarm/study/report/report.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPageThatDraws =
    "<html><script id=\"packed-motion\">DRAWS</script>"
    "<script type=\"application/json\" id=\"report-data\">{}</script></html>";

class ReportMotionTest : public ReportTest {
 protected:
  std::vector<std::string> identities() const {
    std::vector<std::string> all;
    const Store store(study_file(), Store::Mode::kRead);
    store.for_each_result([&](const ResultRow& row) { all.push_back(row.identity); });
    return all;
  }
  Curves curves_of(const std::string& identity) const {
    return unpack(Store(study_file(), Store::Mode::kRead).curves(identity)).value();
  }
  /// As runs of earlier versions are.
  void forget_positions(const std::string& identity) const {
    Curves curves = curves_of(identity);
    for (std::size_t i = curves.names.size(); i-- > 0;) {
      if (curves.names[i].starts_with("position.")) {
        curves.names.erase(curves.names.begin() + static_cast<std::ptrdiff_t>(i));
        curves.columns.erase(curves.columns.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    record::SqliteConnection connection(study_file(), SQLITE_OPEN_READWRITE);
    connection.prepare("UPDATE curves SET data = ? WHERE identity = ?")
        .bind_blob(1, pack(curves))
        .bind(2, identity)
        .run();
  }
};

TEST_F(ReportMotionTest, CurvesOfARunHaveThePositionsOfItsJoints) {
  sweep_one_joint({"link.delay=5ms"});
  const Curves curves = curves_of(identities().at(0));
  const std::vector<float>* positions = curves.find("position.joint");
  ASSERT_NE(positions, nullptr);
  ASSERT_EQ(positions->size(), curves.samples());
  EXPECT_GT(std::abs(positions->back() - positions->front()), 0.01F);
  // the tip is 0.5 m from the axis
  for (std::size_t i = 0; i < curves.samples(); ++i) {
    const double angle = static_cast<double>((*positions)[i]);
    EXPECT_NEAR((*curves.find("end_effector.x"))[i], 0.5 * std::cos(angle), 1e-6);
    EXPECT_NEAR((*curves.find("end_effector.y"))[i], 0.5 * std::sin(angle), 1e-6);
  }
}

TEST_F(ReportMotionTest, TheReportHasBodiesJointsAndPositions) {
  sweep_one_joint({"link.delay=0ms,5ms"});
  const Json data = to_json(make_report(folder));
  const Json& scene = data["motion"]["scene"];
  ASSERT_EQ(data["motion"]["joints"].size(), 1U);
  const Json& joint = data["motion"]["joints"][0];
  EXPECT_EQ(scene["frames"][joint["frame"].get<std::size_t>()]["name"], "drum");
  EXPECT_EQ(joint["turns"], true);
  EXPECT_EQ(joint["axis"], Json({0.0, 0.0, 1.0}));
  EXPECT_EQ(joint["joint"], "joint");
  EXPECT_EQ(joint["multiplier"], 1.0);
  EXPECT_EQ(joint["offset"], 0.0);
  ASSERT_EQ(scene["shapes"].size(), 1U);
  EXPECT_EQ(scene["shapes"][0]["kind"], "cylinder");
  EXPECT_EQ(scene["frames"][scene["tools"][0]["frame"].get<std::size_t>()]["name"], "tip");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(data["series"][i]["positions"],
              packed_positions(curves_of(identities().at(i)), {"joint"}));
  }
  EXPECT_NE(data["series"][0]["positions"], data["series"][1]["positions"]);
  EXPECT_THAT(report_html(make_report(folder), kPageThatDraws), HasSubstr("DRAWS"));
}

TEST_F(ReportMotionTest, RunsOfEarlierVersionsAreReportedWithoutARobot) {
  sweep_one_joint({"link.delay=0ms,5ms"});
  forget_positions(identities().at(0));
  Json data = to_json(make_report(folder));
  EXPECT_TRUE(data["motion"].is_object());
  EXPECT_EQ(data["series"][0]["positions"], nullptr);
  EXPECT_TRUE(data["series"][1]["positions"].is_string());

  forget_positions(identities().at(1));
  const Report report = make_report(folder);
  data = to_json(report);
  EXPECT_EQ(report.about.warnings, std::vector<std::string>{});
  EXPECT_EQ(data["motion"], nullptr);
  EXPECT_EQ(data["series"][1]["positions"], nullptr);
  EXPECT_GT(data["series"][1]["curves"]["end_effector.x"].get<std::string>().size(), 1000U);
  EXPECT_THAT(report_html(report, kPageThatDraws), Not(HasSubstr("DRAWS")));
}

TEST_F(ReportMotionTest, ADamagedDocumentMovesNothing) {
  sweep_one_joint({"link.delay=5ms"});
  const std::vector<std::string> joints{"joint"};
  const Json whole =
      Store(study_file(), Store::Mode::kRead).document(kMotionDocument).value_or(Json());
  EXPECT_TRUE(usable_motion(whole, joints).is_object());
  EXPECT_TRUE(usable_motion(Json::object(), joints).is_null());
  EXPECT_TRUE(usable_motion({{"joints", 5}, {"scene", "a"}}, joints).is_null());
  // nobody knows where a joint is that nothing drives
  EXPECT_TRUE(usable_motion(whole, {"another"}).is_null());
}

TEST_F(ReportMotionTest, OfARunMovesItsRobotUnlessThatHasChanged) {
  const cell::PreparedScenario prepared = cell::load_scenario(
      "one-joint", {{"task.hold=300ms", "link.delay=3ms"}, {}}, labs::built_in_plugins());
  cell::RunOptions options;
  options.out = folder / "run";
  Json metrics = cell::run_scenario(prepared, options).metrics;
  Json data = to_json(make_report(folder / "run"));
  EXPECT_EQ(data["motion"], motion_document(prepared));
  EXPECT_TRUE(data["series"][0]["positions"].is_string());

  metrics["model_hash"] = "another";
  config::write_text_file(folder / "run/metrics.json", metrics.dump());
  const Report changed = make_report(folder / "run");
  data = to_json(changed);
  EXPECT_EQ(data["motion"], nullptr);
  EXPECT_EQ(data["series"][0]["positions"], nullptr);
  EXPECT_THAT(changed.about.warnings, testing::Contains(HasSubstr("its files have changed")));
}

/// A ball of radius 1 m.
view::SceneMesh ball(std::uint32_t rings) {
  view::SceneMesh mesh;
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t k = 0; k < rings; ++k) {
      const double down = std::numbers::pi * i / rings;
      const double around = 2.0 * std::numbers::pi * k / rings;
      for (const double value :
           {std::sin(down) * std::cos(around), std::sin(down) * std::sin(around), std::cos(down)}) {
        mesh.vertices_m.push_back(static_cast<float>(value));
      }
    }
  }
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t k = 0; k < rings; ++k) {
      const std::uint32_t next = (k + 1) % rings;
      const std::uint32_t row = i * rings;
      mesh.triangles.insert(mesh.triangles.end(), {row + k, row + rings + k, row + next});
      mesh.triangles.insert(mesh.triangles.end(),
                            {row + next, row + rings + k, row + rings + next});
    }
  }
  return mesh;
}

TEST(ThinnedMesh, HasFewTrianglesOfTheSameShape) {
  const view::SceneMesh fine = ball(200);  // 80 000
  const view::SceneMesh few = thinned(fine, 3000);
  EXPECT_LE(few.triangles.size() / 3, 3000U);
  EXPECT_GE(few.triangles.size() / 3, 1000U);
  for (std::size_t v = 0; v < few.vertices_m.size(); v += 3) {
    EXPECT_NEAR(std::hypot(few.vertices_m[v], few.vertices_m[v + 1], few.vertices_m[v + 2]), 1.0F,
                0.05F);
  }
  for (const std::uint32_t corner : few.triangles) {
    EXPECT_LT(corner, few.vertices_m.size() / 3);
  }
  const view::SceneMesh small = ball(10);
  EXPECT_EQ(thinned(small, 3000).bytes(), small.bytes());
}

}  // namespace
}  // namespace longarm::study
