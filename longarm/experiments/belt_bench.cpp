// SPDX-License-Identifier: Apache-2.0
// A part lies on a belt that starts at once: it slips until it is as fast. Coulomb: for v/(μg),
// over v²/(2μg).
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "longarm/experiments/kinds.h"
#include "longarm/experiments/scene.h"
#include "longarm/experiments/slip_fit.h"
#include "longarm/mechanisms/belt.h"

namespace longarm::experiments {
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

class BeltBench final : public Experiment {
 public:
  BeltBench(const BeltBenchConfig& config, const ExperimentContext& context)
      : config_(config),
        period_(context.options.period),
        cell_(make_cell(config)),
        engine_(context.engines.make(context.engine, cell_, context.options)),
        belt_(*engine_, cell_, physics::JointId{0},
              {.acceleration_m_s2 = 0.0,
               .max_speed_m_s = std::abs(config.speed_m_s),
               .max_force_N = kDriveForce_N},
              period_, nullptr) {
    if (!engine_->capabilities().has_contacts) {
      throw InputError(
          Diagnostic{{},
                     fmt::format("on engine '{}' a belt carries nothing: it knows no contacts",
                                 context.engine),
                     "use engine mujoco or ode"});
    }
    slip_m_s_.reserve(static_cast<std::size_t>(config.length / period_) + 1);
  }

 private:
  static constexpr physics::BodyId kPart{2};

  static model::Cell make_cell(const BeltBenchConfig& config) {
    // flat, so that friction below it does not tip it
    const model::Vector3 size(0.08, 0.08, 0.02);
    model::Body part;
    part.inertial = solid_box(0.1, size);
    part.collisions.push_back(shape_at(model::Box{size}, model::Pose::Identity(), config.friction));
    model::Cell cell;
    cell.gravity_m_s2 = {0.0, 0.0, -kGravity_m_s2};
    cell.placements.push_back(
        belt_model("belt", {kBeltLength_m, 0.6, 0.02}, {0, 0, 0.9}, kBeltFriction));
    cell.placements.push_back(single_body("part", part, at(0.0, 0.0, 0.91), false));
    return cell;
  }

  Duration do_length() const override { return config_.settle + config_.length; }

  void do_step() override {
    if (!is_running_ && now_ >= config_.settle) {
      start_belt();
    }
    belt_.before_step();
    engine_->step();
    belt_.after_step();
    now_ += period_;
    if (is_running_) {
      slip_m_s_.push_back(relative_velocity());
    }
  }

  /// At once: a ramp would carry the part along without a slip.
  void start_belt() {
    is_running_ = true;
    belt_.command(config_.speed_m_s);
    start_m_ = part_position();
    slip_m_s_.push_back(std::abs(config_.speed_m_s));
  }

  double part_position() const { return engine_->pose(kPart).translation().x(); }
  double part_velocity() const { return engine_->twist(kPart).linear_W.x(); }
  /// How much faster the belt is, in the direction of the belt.
  double relative_velocity() const {
    return std::copysign(1.0, config_.speed_m_s) * (belt_.velocity_m_s() - part_velocity());
  }

  void do_sample(std::span<double> out) const override {
    out[0] = part_velocity();
    out[1] = belt_.velocity_m_s();
  }

  Json do_results() const override {
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
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return cell_; }

  BeltBenchConfig config_;
  Duration period_;
  model::Cell cell_;
  std::unique_ptr<physics::Engine> engine_;
  mechanisms::Belt belt_;
  Duration now_{0};
  bool is_running_ = false;
  double start_m_ = 0.0;
  std::vector<double> slip_m_s_;  ///< relative velocity since the belt runs
};

class BeltBenchModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("speed_m_s", config_.speed_m_s, "of the belt; its sign is the direction");
    fields.field("friction", config_.friction, "between part and belt");
    fields.field("settle", config_.settle, "how long the part lies before the belt starts");
    fields.field("length", config_.length, "of the run, from the belt's start");
  }

  std::vector<KeyRemark> load(InputFiles&, const ExperimentContext&) override {
    std::vector<KeyRemark> remarks;
    const double speed = std::abs(config_.speed_m_s);
    if (!(speed > 0.0 && speed <= kFastestBelt_m_s)) {
      remarks.push_back({"speed_m_s",
                         fmt::format("the belt's speed must be within {:g} m/s, and "
                                     "not zero",
                                     kFastestBelt_m_s),
                         "0.1, 0.2 and 0.5 are usual"});
    }
    if (!(config_.friction > 0.0 && config_.friction <= kBeltFriction)) {
      remarks.push_back(
          {"friction",
           fmt::format("the friction must be above 0 and at most {:g}, the belt's", kBeltFriction),
           "0.3 and 1 are usual"});
    }
    if (config_.settle < 0s || config_.settle > kLongest || config_.length <= 0s ||
        config_.length > kLongest) {
      remarks.push_back({"length", "settle and length must be positive and at most a minute",
                         "200ms and 1s are usual"});
    }
    if (remarks.empty() && to_seconds(config_.length) < 1.5 * config_.slip_time_s()) {
      remarks.push_back({"length",
                         fmt::format("the part slips for {:.3g} s: longer than can be seen",
                                     config_.slip_time_s()),
                         "make length at least twice that"});
    }
    return remarks;
  }

  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<BeltBench>(config_, context);
  }

  ExperimentFigures figures() const override {
    return {{{"part_velocity", "velocity of the part", "m/s"},
             {"belt_velocity", "velocity of the belt", "m/s"}},
            {{"slip_time_s", "slip time", "ms", 1e3, 2, "slip_time_expected_s"},
             {"slip_distance_m", "slip distance", "mm", 1e3, 3, "slip_distance_expected_m"},
             {"slip_time_error", "slip time beside v/(μg)", "%", 1e2, 2},
             {"creep_m_s", "slip velocity at the end", "mm/s", 1e3, 4}},
            ""};
  }

 private:
  BeltBenchConfig config_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_belt_bench() {
  return std::make_unique<BeltBenchModel>();
}

}  // namespace longarm::experiments
