// SPDX-License-Identifier: Apache-2.0
// The safety controller by itself, given reports and time; ways after a stop; who walks in.
#include <gtest/gtest.h>

#include "longarm/actors/safety_controller.h"
#include "longarm/actors/stop_figures.h"
#include "longarm/actors/visitor.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using devices::CurtainReport;

class Safety : public ::testing::Test {
 protected:
  Safety()
      : controller_(SafetyConfig{200ms, 1s},
                    {[this](Time now) { stopped_.push_back(now); },
                     [this](Time now) { resumed_.push_back(now); }, [this] { ++resets_; }}) {}

  void hear(Duration now, bool is_broken, bool is_latched) {
    controller_.hear({Time(now), is_broken, is_latched, {}}, Time(now));
  }

  std::vector<Time> stopped_, resumed_;
  int resets_ = 0;
  SafetyController controller_;
};

TEST_F(Safety, StopsAtOnceAndRestartsASecondAfterItIsClear) {
  hear(0ms, false, false);
  hear(100ms, true, true);
  ASSERT_EQ(stopped_.size(), 1u);
  EXPECT_EQ(stopped_[0], Time(100ms));
  hear(200ms, true, true);
  hear(300ms, false, true);
  EXPECT_EQ(stopped_.size(), 1u) << "one stop";
  for (Duration now = 301ms; now < 1300ms; now += 1ms) {
    if (now % 33ms == 0ms) {
      hear(now, false, true);
    }
    controller_.update(Time(now));
  }
  EXPECT_EQ(resets_, 0);
  controller_.update(Time(1300ms));
  EXPECT_EQ(resets_, 1) << "clear since 300 ms";
  EXPECT_TRUE(resumed_.empty()) << "not before the curtain says so";
  hear(1301ms, false, false);
  controller_.update(Time(1302ms));
  ASSERT_EQ(resumed_.size(), 1u);
  EXPECT_EQ(resumed_[0], Time(1302ms));
  EXPECT_FALSE(controller_.is_stopped());
  EXPECT_EQ(controller_.stops(), 1u);
}

TEST_F(Safety, StartsToCountAnewWhenTheBeamBreaksAgain) {
  hear(100ms, true, true);
  hear(200ms, false, true);
  hear(900ms, true, true);
  hear(1000ms, false, true);
  hear(1250ms, false, true);
  controller_.update(Time(1300ms));
  EXPECT_EQ(resets_, 0) << "clear only since 1000 ms";
  EXPECT_EQ(controller_.stops(), 1u);
}

TEST_F(Safety, TakesSilenceForABrokenBeam) {
  hear(0ms, false, false);
  controller_.update(Time(200ms));
  EXPECT_FALSE(controller_.is_stopped());
  controller_.update(Time(201ms));
  EXPECT_TRUE(controller_.is_stopped());
  EXPECT_EQ(controller_.stops_by_silence(), 1u);
  // it speaks again, and everything is well for a second
  hear(500ms, false, false);
  for (Duration now = 501ms; now < 1500ms; now += 1ms) {
    if (now % 33ms == 0ms) {
      hear(now, false, false);
    }
    controller_.update(Time(now));
  }
  EXPECT_TRUE(resumed_.empty());
  controller_.update(Time(1500ms));
  EXPECT_EQ(resumed_.size(), 1u);
}

TEST_F(Safety, IgnoresWhatWasOvertaken) {
  hear(100ms, false, false);
  controller_.hear({Time(50ms), true, true, {}}, Time(110ms));
  EXPECT_FALSE(controller_.is_stopped());
}

TEST(StopFigures, AddUpFromTheBeamToStandstill) {
  // 0.5 m/s for 20 ms until the order, then 5 m/s² for 100 ms: 10 mm + 25 mm
  StopFigures figures;
  const auto position = [](double t_s) {
    const double u = std::max(0.0, std::min(t_s - 0.02, 0.1));
    return model::Vector3(0.5 * std::min(t_s, 0.02) + 0.5 * u - 2.5 * u * u, 0.0, 0.0);
  };
  std::vector<model::Vector3> points{position(0.0), model::Vector3::Zero()};
  figures.begin(Time(5s), points);
  for (int step = 1; step <= 200; ++step) {
    if (step == 20) {
      figures.order(Time(5s + 20ms), points);
    }
    points[0] = position(step * 1e-3);
    figures.update(Time(5s + step * 1ms), 1ms, points);
  }
  ASSERT_EQ(figures.all().size(), 1u);
  const SafetyStop& stop = figures.all()[0];
  EXPECT_NEAR(stop.distance_m[0], 0.035, 1e-5);
  EXPECT_EQ(stop.distance_m[1], 0.0);
  EXPECT_EQ(*stop.ordered - stop.begun, 20ms);
  ASSERT_TRUE(stop.still.has_value());
  // 1 mm/s is 0.2 ms before standstill
  EXPECT_NEAR(to_seconds(*stop.still - stop.begun), 0.12, 1.1e-3);
  EXPECT_FALSE(figures.is_under_way());
}

TEST(StopFigures, KnowWhetherABeamWasBroken) {
  const std::vector<model::Vector3> points(2, model::Vector3::Zero());
  StopFigures figures;
  const auto stand = [&](Time now) {
    figures.update(now, 1ms, points);
    EXPECT_FALSE(figures.is_under_way());
  };
  figures.order(Time(1s), points);  // the curtain was silent
  stand(Time(1s + 1ms));
  figures.begin(Time(2s), points);
  figures.order(Time(2s + 5ms), points);
  stand(Time(2s + 6ms));
  figures.order(Time(3s), points);  // heard at once, before the beam is looked at
  figures.begin(Time(3s), points);
  stand(Time(3s + 1ms));
  ASSERT_EQ(figures.all().size(), 3u);
  EXPECT_FALSE(figures.all()[0].has_broken_beam);
  EXPECT_TRUE(figures.all()[1].has_broken_beam);
  EXPECT_TRUE(figures.all()[2].has_broken_beam);
}

TEST(Visitor, IsInTheBeamsForAsLongAsAsked) {
  const auto engines = physics::built_in_engines();
  devices::CurtainConfig curtain;
  curtain.poles = {{2.0, -1.0, 0.2, 2.0, 1.0, 0.2}};
  model::Cell cell;
  cell.placements.push_back(make_visitor("gate-visitor", curtain, model::Vector3::Zero()));
  const auto engine = engines.make("mujoco", cell, {});
  VisitorWalk walk(*engine, physics::JointId{0}, {{Time(1s), 800ms}});
  devices::LightCurtain light(*engine, cell, curtain);
  std::vector<Duration> broken;
  for (Duration now = 0ms; now < 3s; now += 1ms) {
    light.update(Time(now));
    if (light.is_broken()) {
      broken.push_back(now);
    }
    walk.before_step(Time(now + 1ms));
    engine->step();
  }
  ASSERT_FALSE(broken.empty());
  EXPECT_NEAR(to_seconds(broken.front()), 1.0, 2e-3);
  EXPECT_NEAR(to_seconds(broken.back()), 1.8, 2e-3);
  EXPECT_EQ(light.interruptions(), 1u);
  // it stands on the far side of the beams, seen from the origin
  EXPECT_NEAR(engine->pose(physics::BodyId{1}).translation().x(), 2.7, 1e-6);
}

}  // namespace
}  // namespace longarm::actors
