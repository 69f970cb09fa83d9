// SPDX-License-Identifier: Apache-2.0
// A crate and three blocks: one lies in it, one falls into it, one beside it.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "longarm/actors/test/cell_fixture.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string wall(const char* name, const char* pose, const char* size) {
  return fmt::format(
      "<collision name='{}'><pose>{} 0 0 0</pose><geometry><box><size>{}</size></box></geometry>"
      "</collision>",
      name, pose, size);
}

std::string block(const char* name, const char* pose) {
  return fmt::format(
      "<model name='{}'><pose>{} 0 0 0</pose><link name='block'><inertial><mass>0.1</mass><inertia>"
      "<ixx>4e-5</ixx><iyy>4e-5</iyy><izz>4e-5</izz></inertia></inertial><collision name='block'>"
      "<geometry><box><size>0.05 0.05 0.05</size></box></geometry></collision></link></model>",
      name, pose);
}

class PartsInBox : public CellTest {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::path(testing::TempDir()) / "longarm_parts_in_box";
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "crate.sdf")
        << "<?xml version='1.0'?><sdf version='1.9'><world name='crate'><model "
           "name='floor'><static>"
           "true</static><link name='floor'>"
        << wall("floor", "0 0 -0.05", "4 4 0.1")
        << "</link></model><model name='crate'><static>true</static><link name='crate'>"
        << wall("bottom", "0 0 0.01", "0.4 0.4 0.02") << wall("left", "-0.19 0 0.1", "0.02 0.4 0.2")
        << wall("right", "0.19 0 0.1", "0.02 0.4 0.2")
        << wall("front", "0 -0.19 0.1", "0.4 0.02 0.2")
        << wall("back", "0 0.19 0.1", "0.4 0.02 0.2") << "</link></model>"
        << block("inside", "0.1 0 0.045") << block("falling", "-0.1 0 0.5")
        << block("outside", "1 0 0.025") << "</world></sdf>";
  }

  static constexpr const char* kText =
      "world: crate.sdf\nlength: 3s\nactors:\n  crate_count: {kind: parts-in-box, box: crate}\n";

  static Json counted(Duration until, const std::vector<std::string>& changes = {}) {
    const cell::PreparedScenario prepared = prepare(kText, changes, folder_ / "cell.yaml");
    const auto run = run_of(prepared);
    run->run_until(Time(until));
    return run->results()["crate_count"];
  }
  static std::string refusal(const std::string& change) {
    try {
      prepare(kText, {change}, folder_ / "cell.yaml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }

 private:
  static inline std::filesystem::path folder_;
};

// it falls from 0.5 to 0.045 m in √(2·0.455/9.81) = 0.305 s, and counts 0.5 s after it lies there
TEST_F(PartsInBox, CountsWhatHasComeToRest) {
  Json now = counted(100ms);
  EXPECT_EQ(now["count"], 1);
  EXPECT_EQ(now["at_start"], 1);
  EXPECT_EQ(counted(790ms)["count"], 1);
  now = counted(3s);
  EXPECT_EQ(now["count"], 2);
  EXPECT_EQ(now["parts"], (Json{"inside", "falling"}));
  EXPECT_GE(now["last_s"].get<double>(), 0.305);
  EXPECT_LT(now["last_s"].get<double>(), 0.6);
  EXPECT_NEAR(now["parts_per_minute"].get<double>(), 20.0, 1e-9);
}

TEST_F(PartsInBox, CountsTheNamedOnesOnly) {
  EXPECT_EQ(counted(3s, {"actors.crate_count.parts=[falling, outside]"})["parts"], Json{"falling"});
}

TEST_F(PartsInBox, LosesWhatIsTakenAway) {
  EXPECT_EQ(counted(3s, {"failures=1s part inside missing"})["parts"], Json{"falling"});
}

TEST_F(PartsInBox, SaysWhichModelIsNotThere) {
  EXPECT_THAT(refusal("actors.crate_count.box=grate"),
              HasSubstr("there is no 'grate' in this world\n  hint: did you mean 'crate'?"));
  EXPECT_THAT(refusal("actors.crate_count.parts=[insight]"),
              HasSubstr("there is no loose part 'insight'"));
}

}  // namespace
}  // namespace longarm::actors
