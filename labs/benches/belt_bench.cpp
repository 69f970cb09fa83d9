// SPDX-License-Identifier: Apache-2.0
// A part lies on a belt that starts at once: it slips until it is as fast. Coulomb: for v/(μg),
// over v²/(2μg).
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "labs/benches/bench.h"
#include "labs/benches/scene.h"
#include "labs/benches/slip_fit.h"
#include "longarm/mechanisms/belt.h"

namespace longarm::benches {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr double kGravity_m_s2 = 9.81;
constexpr double kBeltFriction = 2.0;     // the part's is the smaller one
constexpr double kFastestBelt_m_s = 5.0;  // faster, and the part leaves the belt
constexpr double kDriveForce_N = 1e7;     // the belt does not notice its load, nor its own start
constexpr double kBeltLength_m = 20.0;
constexpr Duration kLongest = 60s;

struct BeltBenchConfig {
  double speed_m_s = 0.2;
  double friction = 0.3;
  Duration settle = 200ms;
  Duration length = 1s;

  double slip_time_s() const { return std::abs(speed_m_s) / (friction * kGravity_m_s2); }
};

class BeltBench final : public cell::Actor {
 public:
  BeltBench(const BeltBenchConfig& config, cell::World& world)
      : config_(config),
        period_(world.period()),
        engine_(world.engine()),
        belt_(world.engine(), world.model(), physics::JointId{0},
              {.acceleration_m_s2 = 0.0,
               .max_speed_m_s = std::abs(config.speed_m_s),
               .max_force_N = kDriveForce_N},
              period_, &world.simplifier()) {
    require_contacts(world, "the belt carries nothing");
    slip_m_s_.reserve(static_cast<std::size_t>(config.length / period_) + 1);
    world.on(cell::Stage::kCarry, [this](Time now) {
      if (!is_running_ && now >= Time(config_.settle)) {
        start_belt();
      }
      belt_.before_step();
    });
    world.on(cell::Stage::kCarried, [this](Time) {
      belt_.after_step();
      if (is_running_) {
        slip_m_s_.push_back(relative_velocity());
      }
    });
  }

  void sample(std::span<double> out) const override {
    out[0] = part_velocity();
    out[1] = belt_.velocity_m_s();
  }

  Json results() const override {
    Json out;
    const double expected_s = config_.slip_time_s();
    if (slip_m_s_.size() > 1) {
      const SlipFit fit = fit_slip(slip_m_s_, to_seconds(period_));
      out["slip_time_s"] = fit.time_s;
      out["slip_distance_m"] = fit.distance_m();
      out["slip_time_error"] = fit.time_s / expected_s - 1.0;
      out["fit_rms_m_s"] = fit.rms_m_s;
      out["creep_m_s"] = relative_velocity();
      out["slip_measured_m"] = std::abs(belt_.encoder_m()) - std::abs(part_position() - start_m_);
    }
    out["slip_time_expected_s"] = expected_s;
    out["slip_distance_expected_m"] = std::abs(config_.speed_m_s) * expected_s / 2.0;
    return out;
  }

 private:
  static constexpr physics::BodyId kPart{2};

  /// At once: a ramp would carry the part along without a slip.
  void start_belt() {
    is_running_ = true;
    belt_.command(config_.speed_m_s);
    start_m_ = part_position();
    slip_m_s_.push_back(std::abs(config_.speed_m_s));
  }

  double part_position() const { return engine_.pose(kPart).translation().x(); }
  double part_velocity() const { return engine_.twist(kPart).linear_W.x(); }
  /// How much faster the belt is, in the direction of the belt.
  double relative_velocity() const {
    return std::copysign(1.0, config_.speed_m_s) * (belt_.velocity_m_s() - part_velocity());
  }

  BeltBenchConfig config_;
  Duration period_;
  const physics::Engine& engine_;
  mechanisms::Belt belt_;
  bool is_running_ = false;
  double start_m_ = 0.0;
  std::vector<double> slip_m_s_;  ///< relative velocity since the belt runs
};

class BeltBenchModel final : public BenchModel<BeltBench, BeltBenchConfig> {
 public:
  void list_fields(Fields& fields) override {
    fields.field("speed_m_s", config_.speed_m_s, "speed of the belt; its sign is the direction");
    fields.field("friction", config_.friction, "friction between part and belt");
    fields.field("settle", config_.settle, "time before the belt starts");
    fields.field("length", config_.length, "how long the belt runs");
  }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    const double speed = std::abs(config_.speed_m_s);
    const auto is_short = [](Duration time) { return time >= 0s && time <= kLongest; };
    Judge judge;
    judge.require(
        speed > 0.0 && speed <= kFastestBelt_m_s, "speed_m_s",
        fmt::format("the belt's speed must be within {:g} m/s, and not zero", kFastestBelt_m_s),
        "0.1, 0.2 and 0.5 are usual");
    judge.require(
        config_.friction > 0.0 && config_.friction <= kBeltFriction, "friction",
        fmt::format("the friction must be above 0 and at most {:g}, the belt's", kBeltFriction),
        "0.3 and 1 are usual");
    judge.require(is_short(config_.settle) && is_short(config_.length) && config_.length > 0s,
                  "length", "settle and length must be positive and at most a minute",
                  "200ms and 1s are usual");
    if (judge.remarks.empty()) {
      judge.require(
          to_seconds(config_.length) >= 1.5 * config_.slip_time_s(), "length",
          fmt::format("the part slips for {:.3g} s, longer than the run", config_.slip_time_s()),
          "set length to at least twice that");
    }
    return judge.remarks;
  }

  std::optional<Duration> usual_length() const override { return config_.settle + config_.length; }

  cell::Figures figures() const override {
    return {{{"part_velocity", "velocity of the part", "m/s"},
             {"belt_velocity", "velocity of the belt", "m/s"}},
            {{"slip_time_s", "slip time", "ms", 1e3, 2, "slip_time_expected_s"},
             {"slip_distance_m", "slip distance", "mm", 1e3, 3, "slip_distance_expected_m"},
             {"slip_time_error", "slip time relative to v/(μg)", "%", 1e2, 2},
             {"creep_m_s", "slip velocity at the end", "mm/s", 1e3, 4}},
            ""};
  }

 private:
  model::Cell scene(const cell::LoadContext&) const override {
    // flat, so that friction below it does not tip it
    const model::Vector3 size(0.08, 0.08, 0.02);
    model::Body part;
    part.inertial = solid_box(0.1, size);
    part.collisions.push_back(
        shape_at(model::Box{size}, model::Pose::Identity(), config_.friction));
    model::Cell cell;
    cell.gravity_m_s2 = {0.0, 0.0, -kGravity_m_s2};
    cell.placements.push_back(
        belt_model("belt", {kBeltLength_m, 0.6, 0.02}, {0, 0, 0.9}, kBeltFriction));
    cell.placements.push_back(single_body("part", part, at(0.0, 0.0, 0.91), false));
    return cell;
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_belt_bench() {
  return std::make_unique<BeltBenchModel>();
}

}  // namespace longarm::benches
