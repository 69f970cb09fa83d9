// SPDX-License-Identifier: Apache-2.0
// The overhead camera: what is in view, the shape of its noise, its mistakes, and its frames'
// journey.
#include "longarm/devices/overhead_camera.h"

#include <chrono>

#include "longarm/core/diagnostic.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::devices {
namespace {

using namespace physics;
using namespace std::chrono_literals;
using model::Vector3;

constexpr int kFrames = 60'000;

model::Placement part(const std::string& name, const Vector3& at) {
  model::Placement placement = free_body(make_box(0.1, {0.05, 0.05, 0.02}), at);
  placement.name = name;
  return placement;
}

class Cameras : public testing::Test {
 protected:
  OverheadCamera camera(const CameraConfig& config, std::uint64_t seed = 7) const {
    return {*engine_, cell_, "camera", config, seed};
  }
  model::Cell cell_ =
      cell_of({part("gear", {0.1, 0.2, 0}), part("tray", {-0.3, 0, 0}), part("far", {5, 0, 0})});
  std::unique_ptr<Engine> engine_ = built_in_engines().make("kinematic", cell_, {});
};

TEST_F(Cameras, SeeWhatIsBelowThemAndInView) {
  // from 2 m high ±30° reach 1.15 m
  const CameraFrame frame = camera({.noise = "none"}).frame(Time(5ms), 3);
  ASSERT_EQ(frame.detections.size(), 2u);
  EXPECT_EQ(frame.stamp, Time(5ms));
  EXPECT_EQ(frame.detections[0].name, "gear");
  EXPECT_EQ(frame.detections[0].X_WP.translation(), Vector3(0.1, 0.2, 0));
  EXPECT_EQ(frame.detections[0].confidence, 0.95);
  EXPECT_EQ(frame.detections[1].name, "tray");
  // nothing above the camera, nothing beside a narrow view: 2 m · tan(5°) = 0.175 m
  EXPECT_TRUE(camera({.position_m = {0, 0, -1}}).frame({}, 0).detections.empty());
  const CameraFrame narrow = camera({.view_deg = {10.0, 60.0}}).frame({}, 0);
  ASSERT_EQ(narrow.detections.size(), 1u);
  EXPECT_EQ(narrow.detections[0].name, "gear");
}

TEST_F(Cameras, AreOffAsTheLabsAreButNotOnAverage) {
  // Modes (mm) x: 0.15 ± 0.1, -0.2 ± 0.05, -0.4 ± 0.05; y: 0.225 ± 0.1, -0.125 ± 0.05, -0.775 ±
  // 0.2; weights 4/6, 1/6, 1/6. Means 0; variances Σ w (c² + σ²):
  // x 4/6·(0.0225 + 0.01) + 1/6·(0.04 + 0.0025) + 1/6·(0.16 + 0.0025) = 0.055833
  // y 4/6·(0.050625 + 0.01) + 1/6·(0.015625 + 0.0025) + 1/6·(0.600625 + 0.04) = 0.150208
  const RandomStream stream(1, "camera.gear");
  Vector3 sum = Vector3::Zero();
  Vector3 squares = Vector3::Zero();
  int between = 0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Vector3 off = camera_noise({}, stream, i) * 1e3;
    sum += off;
    squares += off.cwiseProduct(off);
    between += off.y() > -0.45 && off.y() < -0.3 ? 1 : 0;
  }
  const Vector3 mean = sum / kFrames;
  const Vector3 variance = squares / kFrames;
  // four standard errors: 4·√(0.15/60000) = 0.0063
  EXPECT_NEAR(mean.x(), 0.0, 0.004);
  EXPECT_NEAR(mean.y(), 0.0, 0.0065);
  EXPECT_NEAR(variance.x(), 0.055833, 0.001);
  EXPECT_NEAR(variance.y(), 0.150208, 0.004);
  EXPECT_EQ(mean.z(), 0.0);
  // between the modes of y there is next to nothing: from -0.775, 1.6 to 2.4 σ of 0.2, 1/6·0.046;
  // a normal of the same variance had 9.6 %
  EXPECT_LT(static_cast<double>(between) / kFrames, 0.012);
}

TEST_F(Cameras, AreOffGaussianIfToldSo) {
  const RandomStream stream(1, "camera.gear");
  double squares = 0.0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    squares += camera_noise({.noise = "gaussian", .noise_m = 0.003}, stream, i).squaredNorm();
  }
  // two axes of σ² = 9 mm²
  EXPECT_NEAR(squares / kFrames, 2 * 9e-6, 0.3e-6);
}

TEST_F(Cameras, LeaveOutAndMistakeAsOftenAsTold) {
  const OverheadCamera sees = camera({.noise = "none", .dropout = 0.2, .mis_detection = 0.1});
  int gears = 0;
  int mistaken = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    for (const Detection& detection : sees.frame({}, i).detections) {
      if (detection.X_WP.translation().x() == 0.1) {
        ++gears;
        mistaken += detection.name != "gear" ? 1 : 0;
        EXPECT_EQ(detection.confidence < 0.95, detection.name != "gear");
      }
    }
  }
  // 0.8·20000 = 16000 ± 4·57; a tenth of those, 1600 ± 4·40
  EXPECT_NEAR(gears, 16'000, 230);
  EXPECT_NEAR(mistaken, 1600, 160);
}

TEST_F(Cameras, SayTheSameInWhateverOrderTheyAreAsked) {
  const CameraConfig config{.angle_noise_deg = 1.0, .dropout = 0.3, .mis_detection = 0.3};
  const OverheadCamera one = camera(config);
  const CameraFrame later = one.frame({}, 9);
  one.frame({}, 2);
  const CameraFrame again = one.frame({}, 9);
  ASSERT_EQ(later.detections.size(), again.detections.size());
  for (std::size_t i = 0; i < later.detections.size(); ++i) {
    EXPECT_EQ(later.detections[i].name, again.detections[i].name);
    EXPECT_EQ(later.detections[i].X_WP.matrix(), again.detections[i].X_WP.matrix());
  }
  // what one object draws does not depend on whether another is watched
  CameraConfig alone = config;
  alone.watch = {"tray"};
  alone.mis_detection = 0.0;
  CameraConfig both = alone;
  both.watch = {"gear", "tray"};
  both.dropout = alone.dropout = 0.0;
  EXPECT_EQ(camera(alone).frame({}, 4).detections[0].X_WP.matrix(),
            camera(both).frame({}, 4).detections[1].X_WP.matrix());
}

TEST_F(Cameras, SendFramesAtTheirRate) {
  sim::Kernel kernel;
  OverheadCamera source = camera({.period = 100ms});
  DevicePort<CameraFrame> port(kernel, "camera", make_link({}, {1, "camera"}), 100ms);
  source.connect(kernel, [&](const CameraFrame& frame, std::size_t size_bytes) {
    port.send(frame, size_bytes);
  });
  ASSERT_TRUE(kernel.run_until(Time(1s)).has_value());
  // at 0, 0.1 … 0.9 s
  EXPECT_EQ(port.report(Time(1s)).delivered, 10u);
  EXPECT_EQ(port.latest()->number, 9u);
  EXPECT_EQ(port.latest()->stamp, Time(900ms));
}

// a plate half a metre over the gear hides it; shifted by most of its width it does not, and what
// lies on a tray hides nothing of it
TEST(HidingCameras, DoNotSeeWhatIsBehindSomething) {
  const auto seen = [](double plate_x, bool occlusion) {
    model::Placement plate = free_body(make_box(0.1, {0.2, 0.2, 0.01}), {plate_x, 0, 0.5});
    plate.name = "plate";
    const model::Cell cell = cell_of({part("gear", {0, 0, 0}), part("tray", {-0.3, 0, 0}),
                                      part("on_tray", {-0.3, 0, 0.021}), plate});
    const auto engine = built_in_engines().make("mujoco", cell, {});
    const OverheadCamera camera(
        *engine, cell, "camera",
        {.watch = {"gear", "tray"}, .noise = "none", .occlusion = occlusion}, 7);
    std::vector<std::string> names;
    for (const Detection& each : camera.frame({}, 0).detections) {
      names.push_back(each.name);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(seen(0.0, false), (Names{"gear", "tray"}));
  EXPECT_EQ(seen(0.0, true), Names{"tray"});
  EXPECT_EQ(seen(0.18, true), (Names{"gear", "tray"}));
}

TEST_F(Cameras, SayWhatTheyCannotWatch) {
  try {
    camera({.watch = {"gaer"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().message,
              "camera cannot watch 'gaer': there is no such model");
    EXPECT_EQ(error.diagnostics().front().hint, "did you mean 'gear'?");
  }
}

}  // namespace
}  // namespace longarm::devices
