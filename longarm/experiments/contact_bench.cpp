// SPDX-License-Identifier: Apache-2.0
// Trays of gears ride on a belt: how much the gears move in their trays, and what the contacts
// cost, plain and simplified (S004, Table 1).
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "longarm/experiments/contact_scene.h"
#include "longarm/experiments/kinds.h"
#include "longarm/mechanisms/belt.h"
#include "longarm/mechanisms/simplifier.h"

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

// gears have come to rest in their trays by then
constexpr Duration kSettled = 200ms;

struct ContactBenchConfig {
  ContactScene scene;
  Duration length = 4s;
  double speed_m_s = 0.1;
  double ramp_m_s2 = 0.5;
  Duration turn_every{0};  ///< 0: the belt just runs
  mechanisms::SimplifierConfig simplify;
};

/// How far gears are from where they were.
struct Displacement {
  double sum_m = 0.0;
  double max_m = 0.0;
  double sum_rad = 0.0;
  double max_rad = 0.0;
};

class ContactBench final : public Experiment {
 public:
  ContactBench(const ContactBenchConfig& config, const ExperimentContext& context)
      : config_(config),
        period_(context.options.period),
        cell_(make_contact_scene(config.scene, context.seed)),
        engine_(context.engines.make(context.engine, cell_, context.options)),
        simplifier_(*engine_, cell_, config.simplify, period_),
        belt_(*engine_, cell_, physics::JointId{0},
              {.acceleration_m_s2 = config.ramp_m_s2,
               .max_speed_m_s = std::max(std::abs(config.speed_m_s), 1e-3)},
              period_, &simplifier_),
        start_(gear_poses()),
        settled_(start_) {}

 private:
  Duration do_length() const override { return config_.length; }

  void do_step() override {
    belt_.command(wanted_speed());
    belt_.before_step();
    simplifier_.before_step();
    engine_->step();
    simplifier_.after_step();
    belt_.after_step();
    now_ += period_;
    ++steps_;
    contacts_ += engine_->contacts().size();
    if (now_ >= kSettled && now_ - period_ < kSettled) {
      settled_ = gear_poses();
    }
  }

  /// Forwards, a stop, backwards, a stop, and so on.
  double wanted_speed() const {
    if (config_.turn_every <= Duration::zero()) {
      return config_.speed_m_s;
    }
    constexpr double kSigns[] = {1.0, 0.0, -1.0, 0.0};
    return config_.speed_m_s * kSigns[(now_ / config_.turn_every) % 4];
  }

  /// Of all gears in their trays.
  std::vector<model::Pose> gear_poses() const {
    std::vector<model::Pose> X_TG;
    for (std::int64_t gear = 0; gear < config_.scene.gears(); ++gear) {
      const model::Pose X_WT = engine_->pose(config_.scene.tray_of(gear));
      X_TG.push_back(X_WT.inverse() * engine_->pose(config_.scene.gear_body(gear)));
    }
    return X_TG;
  }

  static Displacement compare(std::span<const model::Pose> before,
                              std::span<const model::Pose> now) {
    Displacement total;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double distance = (now[i].translation() - before[i].translation()).norm();
      // the angle of equation 7, written so that small ones survive
      const Eigen::Quaterniond turn(before[i].linear().transpose() * now[i].linear());
      const double angle = 2.0 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
      total.sum_m += distance;
      total.sum_rad += angle;
      total.max_m = std::max(total.max_m, distance);
      total.max_rad = std::max(total.max_rad, angle);
    }
    return total;
  }

  void do_sample(std::span<double> out) const override {
    // how gears fall into their seats would hide the rest
    out[0] = now_ < kSettled ? 0.0 : compare(settled_, gear_poses()).sum_m;
    out[1] = static_cast<double>(engine_->contacts().size());
    out[2] = static_cast<double>(simplifier_.counts().joined);
    out[3] = belt_.velocity_m_s();
  }

  Json do_results() const override {
    const std::vector<model::Pose> now = gear_poses();
    const Displacement since_start = compare(start_, now);
    const Displacement since_settled = compare(settled_, now);
    const mechanisms::SimplifierCounts& counts = simplifier_.counts();
    int lost = 0;
    for (std::int64_t gear = 0; gear < config_.scene.gears(); ++gear) {
      const bool has_left = has_left_slots(now[static_cast<std::size_t>(gear)].translation()) ||
                            has_left_belt(engine_->pose(config_.scene.tray_of(gear)));
      lost += has_left ? 1 : 0;
    }
    return {{"displacement_sum_settled_m", since_settled.sum_m},
            {"displacement_max_settled_m", since_settled.max_m},
            {"displacement_sum_m", since_start.sum_m},
            {"displacement_max_m", since_start.max_m},
            {"angle_sum_settled_rad", since_settled.sum_rad},
            {"angle_max_settled_rad", since_settled.max_rad},
            {"angle_sum_rad", since_start.sum_rad},
            {"contacts_mean", static_cast<double>(contacts_) / std::max(1.0, double(steps_))},
            {"joints_made", counts.made},
            {"joints_removed", counts.removed},
            {"joints", counts.joined},
            {"welded_instead", counts.welded_instead},
            {"lost_gears", lost},
            {"belt_travel_m", belt_.encoder_m()}};
  }

  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return cell_; }

  ContactBenchConfig config_;
  Duration period_;
  model::Cell cell_;
  std::unique_ptr<physics::Engine> engine_;
  mechanisms::Simplifier simplifier_;
  mechanisms::Belt belt_;
  std::vector<model::Pose> start_;
  std::vector<model::Pose> settled_;
  Duration now_{};
  std::uint64_t steps_ = 0;
  std::uint64_t contacts_ = 0;
};

class ContactBenchModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("trays", config_.scene.trays, "on the belt, 1 to 100");
    fields.field("gears_per_tray", config_.scene.gears_per_tray, "0 to 4");
    fields.choice("shape", config_.scene.shape, {"primitives", "meshes", "cones"},
                  "pockets and gears of primitives, the same of triangles, or conical slots");
    fields.section("belt", "what carries the trays", [&](Fields& f) {
      f.field("speed_m_s", config_.speed_m_s, "that it ramps to; negative: backwards");
      f.field("ramp_m_s2", config_.ramp_m_s2, "acceleration of its ramps; 0: at once");
      f.field("turn_every", config_.turn_every,
              "it runs, stops, runs back, stops, for so long each; 0s: it just runs");
    });
    fields.section("simplify", "contact simplification",
                   [&](Fields& f) { mechanisms::list_fields(f, config_.simplify); });
    fields.field("length", config_.length, "of the run");
  }

  std::vector<KeyRemark> load(InputFiles&, const ExperimentContext&) override {
    std::vector<KeyRemark> remarks;
    const ContactScene& scene = config_.scene;
    if (scene.trays < 1 || scene.trays > 100) {
      remarks.push_back({"trays", fmt::format("there can be 1 to 100 trays, not {}", scene.trays),
                         "10 is usual"});
    }
    if (scene.gears_per_tray < 0 || scene.gears_per_tray > kSlotsPerTray) {
      remarks.push_back(
          {"gears_per_tray",
           fmt::format("a tray has {} slots, not {}", kSlotsPerTray, scene.gears_per_tray),
           "give 0 to 4"});
    }
    if (config_.length <= 0s) {
      remarks.push_back({"length", "the run must be longer than nothing", "4s is usual"});
    }
    // written so that a NaN is wrong, too
    if (!(std::abs(config_.speed_m_s) <= 2.0)) {
      remarks.push_back({"belt.speed_m_s", "belts run at 2 m/s at most", "0.1 is usual"});
    }
    if (!(config_.ramp_m_s2 >= 0.0)) {
      remarks.push_back({"belt.ramp_m_s2", "an acceleration cannot be negative",
                         "the sign of belt.speed_m_s is the direction; 0 means at once"});
    }
    if (config_.turn_every < Duration::zero()) {
      remarks.push_back({"belt.turn_every", "a time cannot be negative", "0s: it just runs"});
    }
    if (config_.simplify.mode == "kludge") {
      remarks.push_back(
          {"simplify.mode",
           "kludge joins parts to fingers, and this bench has none: nothing is joined",
           "use weld or merge", Severity::kWarning});
    }
    return remarks;
  }

  std::string usual_solver(const std::string& engine) const override {
    // the direct solver takes the time of all contacts of the belt to the third power
    return engine == "ode" ? "quick" : "";
  }
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<ContactBench>(config_, context);
  }

  ExperimentFigures figures() const override {
    return {{{"displacement_sum", "Σδ of gears in their trays, counted from 0.2 s", "µm", 1e6},
             {"contacts", "contact points", ""},
             {"joints", "virtual joints", ""},
             {"belt_velocity", "velocity of the belt", "m/s"}},
            {{"displacement_sum_settled_m", "Σδ of gears in their trays, from 0.2 s", "µm", 1e6, 3},
             {"joints_made", "virtual joints made", "", 1.0, 0},
             {"joints_removed", "virtual joints removed", "", 1.0, 0},
             {"lost_gears", "gears that left their slots", "", 1.0, 0},
             {"contacts_mean", "contact points, mean", "", 1.0, 1},
             {"displacement_sum_m", "Σδ from the start", "mm", 1e3, 3},
             {"displacement_max_settled_m", "the worst gear, from 0.2 s", "µm", 1e6, 3},
             {"angle_sum_settled_rad", "Σθ of gears in their trays, from 0.2 s", "mrad", 1e3, 3},
             {"joints", "virtual joints at the end", "", 1.0, 0}},
            ""};
  }

 private:
  ContactBenchConfig config_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_contact_bench() {
  return std::make_unique<ContactBenchModel>();
}

}  // namespace longarm::experiments
