// SPDX-License-Identifier: Apache-2.0
// Frames in, knowledge out: seats, stumbles, noise, and what is not there any more.
#include "labs/kitting/world_model.h"

#include <gmock/gmock.h>

#include "labs/kitting/test/aprs_fixture.h"
#include "longarm/core/random.h"
#include "longarm/record/sqlite.h"

namespace longarm::kitting {
namespace {

class WorldModelTest : public testing::Test {
 protected:
  void show(const devices::CameraFrame& frame, const std::string& camera = "camera_1") {
    world_.update(camera, frame, frame.stamp);
  }
  PartState state_of(const std::string& part) const { return world_.part(part)->state; }

  Ontology ontology_ = load_ontology("aprs");
  WorldModel world_{ontology_, WorldModelConfig{}};
};

TEST_F(WorldModelTest, SeesEveryGearInItsVessel) {
  show(aprs_frame(ontology_, at_ms(0)));
  const std::vector<PartView> parts = world_.parts();
  ASSERT_EQ(parts.size(), 14U);  // 6 large, 4 medium, 4 small
  for (const PartView& part : parts) {
    EXPECT_EQ(part.state, PartState::kSeated) << part.object.name;
  }
  EXPECT_EQ(world_.part("medium_gear_3")->slot, "medium_vessel_1_slot_3");
  EXPECT_EQ(world_.part("medium_gear_3")->zone, "table");
  EXPECT_EQ(world_.part("large_gear_1")->zone, "belt");
  int filled = 0;
  int free = 0;
  for (const SlotView& slot : world_.slots()) {
    filled += slot.is_filled ? 1 : 0;
    free += slot.part.empty() ? 1 : 0;
    EXPECT_EQ(slot.is_kit, slot.part.empty());
  }
  EXPECT_EQ(filled, 14);
  EXPECT_EQ(free, 2 * 3 + 2 * 4);  // of the kits
}

TEST_F(WorldModelTest, TellsSeatedFromCrookedLooseFallenAndHeld) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  find_detection(frame, "medium_gear_1")->X_WP.translation().x() += 0.006;  // jammed beside it
  Pose& tilted = find_detection(frame, "medium_gear_2")->X_WP;
  tilted.linear() = Eigen::AngleAxisd(0.6, Vector3::UnitX()) * tilted.linear();  // 34 degrees
  find_detection(frame, "medium_gear_3")->X_WP.translation() = Vector3(0.3, -1.5, 0.916);
  find_detection(frame, "medium_gear_4")->X_WP.translation().z() += 0.2;
  find_detection(frame, "large_gear_1")->X_WP.translation().z() += 0.002;  // not all the way in
  show(frame);
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kCrooked);
  EXPECT_EQ(state_of("medium_gear_2"), PartState::kFallen);
  EXPECT_EQ(state_of("medium_gear_3"), PartState::kLoose);
  EXPECT_EQ(state_of("medium_gear_4"), PartState::kInAir);
  EXPECT_EQ(state_of("large_gear_1"), PartState::kCrooked);
  EXPECT_EQ(world_.slot("medium_vessel_1_slot_1")->part, "medium_gear_1");
  EXPECT_FALSE(world_.slot("medium_vessel_1_slot_1")->is_filled);
  EXPECT_EQ(world_.slot("medium_vessel_1_slot_3")->part, "");
}

TEST_F(WorldModelTest, AGearOfAnotherKindIsNotSeated) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  const Pose X_WS = find_detection(frame, "medium_gear_1")->X_WP;
  find_detection(frame, "medium_gear_1")->X_WP.translation() = Vector3(0.3, -1.5, 0.916);
  find_detection(frame, "small_gear_1")->X_WP = X_WS;
  show(frame);
  EXPECT_EQ(state_of("small_gear_1"), PartState::kCrooked);
  EXPECT_EQ(world_.part("small_gear_1")->slot, "medium_vessel_1_slot_1");
}

TEST_F(WorldModelTest, AveragesTheCamerasNoise) {
  // the mean of 20 draws is at most the worst draw off, and on average 1/√20 of one
  const devices::CameraConfig camera;
  const RandomStream stream(7, "noise");
  const devices::CameraFrame clean = aprs_frame(ontology_, at_ms(0));
  for (std::uint64_t i = 0; i < 20; ++i) {
    devices::CameraFrame frame = clean;
    frame.stamp = at_ms(static_cast<std::int64_t>(100 * i));
    for (std::size_t d = 0; d < frame.detections.size(); ++d) {
      frame.detections[d].X_WP.translation() += devices::camera_noise(camera, stream, 1000 * d + i);
    }
    show(frame);
  }
  double squares = 0.0;
  for (const PartView& part : world_.parts()) {
    EXPECT_EQ(part.object.frames, 20);
    EXPECT_EQ(part.state, PartState::kSeated) << part.object.name;
    devices::CameraFrame copy = clean;
    const Vector3 error =
        part.object.X_WO.translation() - find_detection(copy, part.object.name)->X_WP.translation();
    squares += error.squaredNorm() / 14.0;
  }
  // one draw of the lab's noise has 0.236 mm along x and 0.388 mm along y (the modes' spread and
  // their own), together 0.454 mm: the mean of 20 has 0.10 mm; twice that leaves room for chance
  EXPECT_LT(std::sqrt(squares), 2.0e-4);
  EXPECT_GT(std::sqrt(squares), 2.0e-5);
}

TEST_F(WorldModelTest, IsNotLedAstrayByMillimetresOfNoise) {
  devices::CameraConfig camera;
  camera.noise = "gaussian";  // of 3 mm
  const RandomStream stream(7, "noise");
  const auto show_noisy = [&](std::uint64_t i, double shift_m) {
    devices::CameraFrame frame = aprs_frame(ontology_, at_ms(static_cast<std::int64_t>(100 * i)));
    find_detection(frame, "medium_gear_1")->X_WP.translation().x() += shift_m;
    for (std::size_t d = 0; d < frame.detections.size(); ++d) {
      frame.detections[d].X_WP.translation() += devices::camera_noise(camera, stream, 1000 * d + i);
    }
    show(frame);
  };
  for (std::uint64_t i = 0; i < 60; ++i) {
    show_noisy(i, 0.0);
  }
  EXPECT_TRUE(world_.is_noisy());
  EXPECT_NEAR(world_.scatter_m(), 0.003, 0.001);
  // (3 mm / 1 mm)² is 9, with the scatter's own error between 5 and 16
  EXPECT_GE(world_.frames_to_trust(), 5);
  EXPECT_LE(world_.frames_to_trust(), 16);
  for (const PartView& part : world_.parts()) {
    EXPECT_EQ(part.state, PartState::kSeated) << part.object.name;
    EXPECT_GT(part.object.frames, 20) << part.object.name;
  }
  // 3 cm are more than noise; what was done to a part is seen in frames from then on alone
  show_noisy(60, 0.03);
  EXPECT_EQ(world_.part("medium_gear_1")->object.frames, 1);
  world_.look_afresh("medium_gear_2", at_ms(6200));
  show_noisy(61, 0.03);
  EXPECT_EQ(world_.part("medium_gear_2")->object.frames, 0);
  show_noisy(62, 0.03);
  EXPECT_EQ(world_.part("medium_gear_2")->object.frames, 1);
  EXPECT_EQ(world_.part("medium_gear_2")->object.moved, at_ms(6200));
}

TEST_F(WorldModelTest, TheLabsNoiseIsNone) {
  const devices::CameraConfig camera;
  const RandomStream stream(7, "noise");
  for (std::uint64_t i = 0; i < 20; ++i) {
    devices::CameraFrame frame = aprs_frame(ontology_, at_ms(static_cast<std::int64_t>(100 * i)));
    for (std::size_t d = 0; d < frame.detections.size(); ++d) {
      frame.detections[d].X_WP.translation() += devices::camera_noise(camera, stream, 1000 * d + i);
    }
    show(frame);
  }
  EXPECT_FALSE(world_.is_noisy());
  EXPECT_EQ(world_.frames_to_trust(), 4);
}

TEST_F(WorldModelTest, FramesThatComeLateAreNotStale) {
  world_.update("camera_1", aprs_frame(ontology_, at_ms(1000)), at_ms(6000));
  world_.age(at_ms(8000));
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kSeated);
  world_.age(at_ms(9001));
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kStale);
}

TEST_F(WorldModelTest, ForgetsTheAverageWhenSomethingMoves) {
  for (int i = 0; i < 5; ++i) {
    show(aprs_frame(ontology_, at_ms(100 * i)));
  }
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(500));
  find_detection(frame, "large_gear_5")->X_WP.translation().x() += 0.003;
  show(frame);
  const PartView moved = *world_.part("large_gear_5");
  EXPECT_EQ(moved.object.frames, 1);
  EXPECT_EQ(moved.object.moved, at_ms(500));
  EXPECT_EQ(world_.part("large_gear_6")->object.frames, 6);
  // a late frame from before it moved changes nothing
  show(aprs_frame(ontology_, at_ms(450)), "camera_2");
  EXPECT_EQ(world_.part("large_gear_5")->object.X_WO.translation(),
            moved.object.X_WO.translation());
}

TEST_F(WorldModelTest, MissesWhatTheCameraShouldSeeAndDoesNot) {
  show(aprs_frame(ontology_, at_ms(0)));
  for (int i = 1; i <= 5; ++i) {
    devices::CameraFrame frame = aprs_frame(ontology_, at_ms(100 * i));
    std::erase_if(frame.detections, [](const auto& each) { return each.name == "medium_gear_1"; });
    // the camera looks along x from -0.60 to 0.66: beyond that it is no wonder
    EXPECT_EQ(state_of("medium_gear_1"), PartState::kSeated) << i;
    show(frame);
  }
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kMissing);
  EXPECT_EQ(world_.slot("medium_vessel_1_slot_1")->part, "");
  show(aprs_frame(ontology_, at_ms(600)));
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kSeated);
}

TEST_F(WorldModelTest, DoesNotMissWhatIsOutOfView) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0), 0.9);
  show(frame);  // large_vessel_2 at x = -1.245, which camera_1 does not see
  std::erase_if(frame.detections, [](const auto& each) { return each.name == "large_vessel_2"; });
  for (int i = 1; i <= 10; ++i) {
    frame.stamp = at_ms(100 * i);
    show(frame);
  }
  EXPECT_FALSE(world_.tray("large_vessel_2")->is_missing);
}

TEST_F(WorldModelTest, ABlindCameraTakesNothingAway) {
  show(aprs_frame(ontology_, at_ms(0)));
  for (int i = 1; i <= 10; ++i) {
    show({at_ms(100 * i), static_cast<std::uint64_t>(i), {}});
  }
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kSeated);
  EXPECT_EQ(world_.last_frame("camera_1"), at_ms(0));
  EXPECT_FALSE(world_.last_frame("camera_2").has_value());
  EXPECT_EQ(world_.camera("camera_1")->arrived, at_ms(1000));
  EXPECT_EQ(world_.camera("camera_1")->shown, at_ms(0));
  EXPECT_FALSE(world_.camera("camera_2").has_value());
  world_.age(at_ms(3001));
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kStale);
}

TEST_F(WorldModelTest, LeavesOutWhatTheCameraIsUnsureOf) {
  show(aprs_frame(ontology_, at_ms(0)));
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(100));
  // a large gear taken for a medium one, twice in the frame, the wrong one less sure
  frame.detections.push_back({"medium_gear_1", find_detection(frame, "large_gear_5")->X_WP, 0.93});
  frame.detections.push_back({"medium_gear_2", pose_of(0.3, -1.5, 0.916, 0.0), 0.7});
  std::erase_if(frame.detections, [](const auto& each) {
    return each.name == "medium_gear_2" && each.confidence > 0.9;
  });
  show(frame);
  EXPECT_EQ(state_of("medium_gear_1"), PartState::kSeated);
  EXPECT_EQ(world_.part("medium_gear_1")->slot, "medium_vessel_1_slot_1");
  EXPECT_EQ(world_.part("medium_gear_2")->slot, "medium_vessel_1_slot_2");
}

TEST_F(WorldModelTest, MeasuresHowFarTheBeltHasToGo) {
  EXPECT_FALSE(world_.distance_to_station_m().has_value());
  show(aprs_frame(ontology_, at_ms(0), 0.45));
  EXPECT_NEAR(*world_.distance_to_station_m(), 0.45, 1e-12);
  show(aprs_frame(ontology_, at_ms(100), -0.01));
  EXPECT_NEAR(*world_.distance_to_station_m(), -0.01, 1e-12);
}

TEST(WorldModelFile, IsAnSqliteFileThatAnybodyCanRead) {
  const std::string file = testing::TempDir() + "world.db";
  const Ontology ontology = load_ontology("aprs");
  {
    WorldModel world(ontology, WorldModelConfig{}, file);
    world.update("camera_1", aprs_frame(ontology, at_ms(0)), at_ms(5));
    world.set_robot({"fanuc", false, "large_gear_1", "broken"}, at_ms(7));
    world.note(at_ms(9), "fanuc", "broke down");
  }
  const record::SqliteConnection connection(file, SQLITE_OPEN_READONLY);
  const auto text = [&](const char* sql) {
    record::SqliteStatement get = connection.prepare(sql);
    return get.step() ? get.text(0) : std::string("nothing");
  };
  EXPECT_EQ(text("SELECT count(*) FROM objects"), "23");
  EXPECT_EQ(text("SELECT part FROM slots WHERE name = 'medium_vessel_1_slot_3'"), "medium_gear_3");
  EXPECT_EQ(text("SELECT holds FROM robots WHERE NOT works"), "large_gear_1");
  EXPECT_EQ(text("SELECT what FROM events WHERE time_ns = 9000000"), "broke down");
}

TEST(WorldModelFile, SaysWhereItCannotBeWritten) {
  const Ontology ontology = load_ontology("aprs");
  EXPECT_THROW(WorldModel(ontology, WorldModelConfig{}, "/no/such/folder/world.db"), InputError);
}

}  // namespace
}  // namespace longarm::kitting
