// SPDX-License-Identifier: Apache-2.0
// A gear is lowered into a conical slot beside its middle. Kinematics lets it pass through the wall
// and says nothing; physics stops it there, and let go it slides to the middle or stays outside.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "labs/benches/bench.h"
#include "labs/benches/gear_in_slot_overlap.h"
#include "labs/benches/scene.h"

namespace longarm::benches {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using model::Pose;
using model::Vector3;

constexpr double kTrayHeight_m = 0.9;  // of its underside, above nothing
constexpr double kHandMass_kg = 0.05;  // light: what presses is the motor
constexpr double kFastestHand_m_s = 1.0;
constexpr double kMostLift_m = 0.06;      // a gear is 35 mm high
constexpr double kSeatedWithin_m = 1e-3;  // sideways and in height
constexpr double kPause_s = 0.1;          // after the hand should have arrived, before it lets go
constexpr int kStepsPerLook = 10;         // the geometry is costly
constexpr double kPi = 3.14159265358979323846;

/// What the ready models say about a gear and its slot.
struct GearAndTray {
  model::BodyTree gear;
  model::BodyTree tray;
  Pose X_TS = Pose::Identity();  ///< a seated gear in the tray
};

struct GearInSlotConfig {
  std::string gear = "medium";
  std::string start = "above";
  double offset_m = 0.005;
  double direction_deg = 0.0;
  double approach_m = 0.03;
  double speed_m_s = 0.1;
  double press_N = 2.0;
  std::optional<double> friction;
  GearAndTray models;  ///< read when it is loaded
};

class GearInSlot final : public cell::Actor {
 public:
  GearInSlot(const GearInSlotConfig& config, cell::World& world)
      : config_(config),
        engine_(world.engine()),
        overlap_(world.model().placements[kTrayNumber].tree.bodies[0],
                 world.model().placements[kGearNumber].tree.bodies[0]),
        X_WS_(at(0.0, 0.0, kTrayHeight_m) * config.models.X_TS),
        period_s_(to_seconds(world.period())),
        has_physics_(engine_.capabilities().has_contacts) {
    world.on(cell::Stage::kDriven, [this](Time) {
      ++steps_;
      if (is_held_ && !has_physics_) {  // no joint holds it there: it goes where the hand goes
        engine_.reset_body(kGear, engine_.pose(kHand), {});
      }
      if (is_held_ && has_arrived()) {
        let_go();
      }
    });
    world.on(cell::Stage::kMeasure, [this](Time) { watch(); });
    if (config_.start == "inside") {
      let_go();
      return;
    }
    if (has_physics_) {
      hold_ = engine_.attach(kHand, kGear);
    }
    engine_.set_velocity(kLift, -config_.speed_m_s, config_.press_N);
  }

  void sample(std::span<double> out) const override {
    out[0] = height_m();
    out[1] = offset_m();
    out[2] = overlap_now_m_;
  }

  Json results() const override {
    const bool is_seated = offset_m() < kSeatedWithin_m && std::abs(height_m()) < kSeatedWithin_m &&
                           overlap_now_m_ < kSeatedWithin_m;
    return {{"seated", is_seated},
            {"overlap_max_m", overlap_max_m_},
            {"overlap_final_m", overlap_now_m_},
            {"penetration_max_m", contact_depth_m_},
            {"release_height_m", height_at_release_m_},
            {"final_height_m", height_m()},
            {"final_offset_m", offset_m()},
            {"centred_m", config_.offset_m - offset_m()},
            {"final_tilt_rad", tilt_rad()},
            {"rebound_m_s", rebound_m_s_}};
  }

 private:
  static constexpr std::size_t kTrayNumber = 0;
  static constexpr std::size_t kGearNumber = 2;
  static constexpr physics::BodyId kHand{2};  // after the tray and the hand's base
  static constexpr physics::BodyId kGear{3};
  static constexpr physics::BodyId kTray{0};
  static constexpr physics::JointId kLift{0};

  bool has_arrived() const {
    const double now_s = static_cast<double>(steps_) * period_s_;
    // half a step early is nearer than half a step late
    return engine_.positions()[0] - config_.speed_m_s * period_s_ / 2.0 <= -config_.approach_m ||
           now_s >= config_.approach_m / config_.speed_m_s + kPause_s;
  }

  void let_go() {
    height_at_release_m_ = height_m();
    if (hold_) {
      engine_.detach(*hold_);
      hold_.reset();
    }
    engine_.set_velocity(kLift, 0.0, config_.press_N);
    is_held_ = false;
  }

  void watch() {
    for (const physics::Contact& contact : engine_.contacts()) {
      contact_depth_m_ = std::max(contact_depth_m_, contact.depth_m);
    }
    if (!is_held_) {
      rebound_m_s_ = std::max(rebound_m_s_, engine_.twist(kGear).linear_W.z());
    }
    if (steps_ % kStepsPerLook == 0) {
      overlap_now_m_ = overlap_.lift_m(engine_.pose(kTray), engine_.pose(kGear), kMostLift_m);
      overlap_max_m_ = std::max(overlap_max_m_, overlap_now_m_);
    }
  }

  Vector3 from_seat() const { return engine_.pose(kGear).translation() - X_WS_.translation(); }
  double height_m() const { return from_seat().z(); }
  double offset_m() const { return from_seat().head<2>().norm(); }
  double tilt_rad() const {
    return std::acos(std::clamp(engine_.pose(kGear).linear()(2, 2), -1.0, 1.0));
  }

  GearInSlotConfig config_;
  physics::Engine& engine_;
  BodyOverlap overlap_;
  Pose X_WS_;  ///< a seated gear
  double period_s_;
  bool has_physics_;
  bool is_held_ = true;
  std::optional<physics::AttachmentId> hold_;
  std::int64_t steps_ = 0;
  double height_at_release_m_ = 0.0;
  double contact_depth_m_ = 0.0;
  double overlap_now_m_ = 0.0;
  double overlap_max_m_ = 0.0;
  double rebound_m_s_ = 0.0;
};

class GearInSlotModel final : public BenchModel<GearInSlot, GearInSlotConfig> {
 public:
  void list_fields(Fields& fields) override {
    fields.choice("gear", config_.gear, {"small", "medium", "large"}, "which gear, and its slot");
    fields.choice(
        "start", config_.start, {"above", "inside"},
        "above: lowered by a hand that releases it; inside: released at the slot's height");
    fields.field("offset_m", config_.offset_m, "offset from the centre of the slot");
    fields.field("direction_deg", config_.direction_deg, "direction of the offset; 0 is along x");
    fields.field("approach_m", config_.approach_m, "height from which it is lowered");
    fields.field("speed_m_s", config_.speed_m_s, "speed of the hand");
    fields.field("press_N", config_.press_N,
                 "force of the hand, in addition to the weight it carries");
    fields.field("friction", config_.friction,
                 "friction of all bodies, instead of the models' values");
  }

  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext&) override {
    std::vector<cell::KeyRemark> remarks = judge();
    if (remarks.empty()) {
      GearAndTray& models = config_.models;
      models.gear = read_ready_model("sku_part_" + config_.gear + "_gear", files);
      models.tray = read_ready_model("sku_" + config_.gear + "_gear_vessel", files);
      const std::optional<int> slot = models.tray.find_frame("slot_1_" + config_.gear);
      models.X_TS = models.tray.frames.at(static_cast<std::size_t>(slot.value())).X_BF;
    }
    return remarks;
  }

  std::optional<Duration> usual_length() const override { return 1500ms; }

  cell::Figures figures() const override {
    return {{{"height", "height above the seat", "mm", 1e3},
             {"offset", "offset from the centre", "mm", 1e3},
             {"overlap", "lift needed to free it", "mm", 1e3}},
            {{"overlap_max_m", "deepest overlap", "mm", 1e3, 3},
             {"penetration_max_m", "deepest contact", "mm", 1e3, 3},
             {"release_height_m", "height at release", "mm", 1e3, 2},
             {"final_height_m", "height at the end", "mm", 1e3, 2},
             {"final_offset_m", "offset from the centre at the end", "mm", 1e3, 2},
             {"final_tilt_rad", "tilt at the end", "deg", 180.0 / kPi, 1},
             {"rebound_m_s", "largest upward speed after release", "m/s", 1.0, 3}},
            "seated"};
  }

 private:
  std::vector<cell::KeyRemark> judge() const {
    Judge judge;
    const auto check_range = [&](const char* key, double value, double most, const char* hint) {
      judge.require(value > 0.0 && value <= most, key,
                    fmt::format("{} must be above 0 and at most {:g}, not {:g}", key, most, value),
                    hint);
    };
    judge.require(std::abs(config_.offset_m) <= 0.1, "offset_m",
                  "an offset of more than 0.1 m is beside the tray",
                  "0.005 is inside the slot's edge");
    judge.require(std::isfinite(config_.direction_deg), "direction_deg",
                  "direction_deg must be a number", "0 is along x");
    check_range("approach_m", config_.approach_m, 0.5, "0.03 clears the tray");
    check_range("speed_m_s", config_.speed_m_s, kFastestHand_m_s, "0.1 is usual");
    judge.require(config_.press_N >= 2.0 && config_.press_N <= 1000.0, "press_N",
                  "press_N must be from 2, which the hand needs for itself and the gear, to 1000",
                  "2 is a weak hold");
    const double friction = config_.friction.value_or(0.0);
    judge.require(friction >= 0.0 && std::isfinite(friction), "friction",
                  "friction must not be negative", "0.3 is printed plastic on itself");
    return judge.remarks;
  }

  model::Cell scene(const cell::LoadContext&) const override {
    const double angle = config_.direction_deg * kPi / 180.0;
    const double above_m = config_.start == "inside" ? 0.0 : config_.approach_m;
    model::Placement tray;
    tray.name = "tray";
    tray.tree = config_.models.tray;
    tray.X_WR = at(0.0, 0.0, kTrayHeight_m);
    model::Placement gear;
    gear.name = "gear";
    gear.tree = config_.models.gear;
    gear.X_WR =
        at(config_.offset_m * std::cos(angle), config_.offset_m * std::sin(angle), above_m) *
        (tray.X_WR * config_.models.X_TS);
    gear.is_fixed = false;
    if (config_.friction) {
      for (model::Placement* part : {&tray, &gear}) {
        for (model::Geometry& geometry : part->tree.bodies[0].collisions) {
          geometry.surface.friction = *config_.friction;
        }
      }
    }
    model::Cell cell;
    const model::Placement hand = make_hand(gear.X_WR, config_.press_N);
    cell.placements = {std::move(tray), hand, std::move(gear)};
    return cell;
  }

  /// Without a shape: it holds the gear and touches nothing.
  static model::Placement make_hand(const Pose& X_WG, double press_N) {
    model::Placement hand = single_body("hand", model::Body{}, X_WG, true);
    model::Body grip;
    grip.name = "grip";
    grip.inertial = solid_box(kHandMass_kg, Vector3::Constant(0.05));
    model::TreeJoint lift;
    lift.name = "lift";
    lift.type = model::JointType::kPrismatic;
    lift.limits.effort = press_N;
    lift.limits.velocity = kFastestHand_m_s;
    hand.tree.bodies.push_back(std::move(grip));
    hand.tree.joints.push_back(std::move(lift));
    return hand;
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_gear_in_slot() {
  return std::make_unique<GearInSlotModel>();
}

}  // namespace longarm::benches
