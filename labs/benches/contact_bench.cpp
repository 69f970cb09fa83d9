// SPDX-License-Identifier: Apache-2.0
// Trays of gears ride on a belt: how much the gears move in their trays, and what the contacts
// cost, plain and simplified (Piliptchak et al. 2019, Table 1).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "labs/benches/bench.h"
#include "labs/benches/contact_scene.h"
#include "longarm/cell/cell_config.h"
#include "longarm/mechanisms/belt.h"

namespace longarm::benches {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

// gears have come to rest in their trays by then
constexpr Time kSettled{200ms};

struct ContactBenchConfig {
  ContactScene scene;
  double speed_m_s = 0.1;
  double ramp_m_s2 = 0.5;
  Duration turn_every{0};  ///< 0: the belt just runs
};

/// How far gears are from where they were.
struct Displacement {
  double sum_m = 0.0;
  double max_m = 0.0;
  double sum_rad = 0.0;
  double max_rad = 0.0;
};

class ContactBench final : public cell::Actor {
 public:
  ContactBench(const ContactBenchConfig& config, cell::World& world)
      : config_(config),
        world_(world),
        engine_(world.engine()),
        belt_(world.engine(), world.model(), physics::JointId{0},
              {.acceleration_m_s2 = config.ramp_m_s2,
               .max_speed_m_s = std::max(std::abs(config.speed_m_s), 1e-3)},
              world.period(), &world.simplifier()),
        start_(gear_poses()),
        settled_(start_) {
    world.on(cell::Stage::kCarry, [this](Time now) {
      belt_.command(wanted_speed(now.time_since_epoch()));
      belt_.before_step();
    });
    world.on(cell::Stage::kCarried, [this](Time) { belt_.after_step(); });
    world.on(cell::Stage::kMeasure, [this](Time now) {
      ++steps_;
      contacts_ += engine_.contacts().size();
      pairs_ += count_pairs();
      if (now >= kSettled && now - world_.period() < kSettled) {
        settled_ = gear_poses();
      }
    });
  }

  void sample(std::span<double> out) const override {
    // how gears fall into their seats would hide the rest
    out[0] = world_.now() < kSettled ? 0.0 : compare(settled_, gear_poses()).sum_m;
    out[1] = static_cast<double>(engine_.contacts().size());
    out[2] = static_cast<double>(world_.simplifier().counts().joined);
    out[3] = belt_.velocity_m_s();
  }

  Json results() const override {
    const std::vector<model::Pose> now = gear_poses();
    const Displacement since_start = compare(start_, now);
    const Displacement since_settled = compare(settled_, now);
    const mechanisms::SimplifierCounts& counts = world_.simplifier().counts();
    int lost = 0;
    for (std::int64_t gear = 0; gear < config_.scene.gears(); ++gear) {
      const bool has_left =
          has_left_slots(config_.scene, now[static_cast<std::size_t>(gear)].translation()) ||
          has_left_belt(engine_.pose(config_.scene.tray_of(gear)));
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
            {"collisions_mean", static_cast<double>(pairs_) / std::max(1.0, double(steps_))},
            {"contacts_per_collision",
             pairs_ == 0 ? Json() : Json(static_cast<double>(contacts_) / double(pairs_))},
            {"joints_made", counts.made},
            {"joints_removed", counts.removed},
            {"joints", counts.joined},
            {"welded_instead", counts.welded_instead},
            {"lost_gears", lost},
            {"belt_travel_m", belt_.encoder_m()}};
  }

 private:
  /// Forwards, a stop, backwards, a stop, and so on.
  double wanted_speed(Duration now) const {
    if (config_.turn_every <= Duration::zero()) {
      return config_.speed_m_s;
    }
    constexpr double kSigns[] = {1.0, 0.0, -1.0, 0.0};
    return config_.speed_m_s * kSigns[(now / config_.turn_every) % 4];
  }

  /// Pairs of bodies that touch.
  std::size_t count_pairs() {
    touching_.clear();
    for (const physics::Contact& contact : engine_.contacts()) {
      touching_.push_back(std::minmax(contact.a, contact.b));
    }
    std::sort(touching_.begin(), touching_.end());
    return static_cast<std::size_t>(std::unique(touching_.begin(), touching_.end()) -
                                    touching_.begin());
  }

  /// Of all gears in their trays.
  std::vector<model::Pose> gear_poses() const {
    std::vector<model::Pose> X_TG;
    for (std::int64_t gear = 0; gear < config_.scene.gears(); ++gear) {
      const model::Pose X_WT = engine_.pose(config_.scene.tray_of(gear));
      X_TG.push_back(X_WT.inverse() * engine_.pose(config_.scene.gear_body(gear)));
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

  ContactBenchConfig config_;
  const cell::World& world_;
  const physics::Engine& engine_;
  mechanisms::Belt belt_;
  std::vector<model::Pose> start_;
  std::vector<model::Pose> settled_;
  std::uint64_t steps_ = 0;
  std::uint64_t contacts_ = 0;
  std::uint64_t pairs_ = 0;
  std::vector<std::pair<physics::BodyId, physics::BodyId>> touching_;  ///< during count_pairs()
};

class ContactBenchModel final : public BenchModel<ContactBench, ContactBenchConfig> {
 public:
  void list_fields(Fields& fields) override {
    fields.field("trays", config_.scene.trays, "number of trays on the belt, 1 to 100");
    fields.field("gears_per_tray", config_.scene.gears_per_tray, "0 to 4");
    fields.choice("shape", config_.scene.shape, {"primitives", "meshes", "cones", "lab"},
                  "pockets and gears of primitives, the same of triangles, conical slots, or the "
                  "laboratory's vessels and medium gears");
    fields.choice("start", config_.scene.start, {"above", "seated"},
                  "above: gears drop into their seats first; seated: they start there");
    fields.section("belt", "belt that carries the trays", [&](Fields& f) {
      f.field("speed_m_s", config_.speed_m_s, "speed after the ramp; negative: backwards");
      f.field("ramp_m_s2", config_.ramp_m_s2, "acceleration of its ramps; 0: instant");
      f.field("turn_every", config_.turn_every,
              "duration of each phase: run, stop, run back, stop; 0s: it runs continuously");
    });
  }

  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    ContactScene& scene = config_.scene;
    if (scene.shape == "lab") {
      scene.lab = read_lab_tray(files);
    }
    Judge judge;
    judge.require(scene.trays >= 1 && scene.trays <= 100, "trays",
                  fmt::format("there can be 1 to 100 trays, not {}", scene.trays), "10 is usual");
    judge.require(scene.gears_per_tray >= 0 && scene.gears_per_tray <= kSlotsPerTray,
                  "gears_per_tray",
                  fmt::format("a tray has {} slots, not {}", kSlotsPerTray, scene.gears_per_tray),
                  "give 0 to 4");
    judge.require(std::abs(config_.speed_m_s) <= 2.0, "belt.speed_m_s",
                  "the belt speed must be at most 2 m/s", "0.1 is usual");
    judge.require(config_.ramp_m_s2 >= 0.0, "belt.ramp_m_s2",
                  "an acceleration must not be negative",
                  "the sign of belt.speed_m_s is the direction; 0 means instant");
    judge.require(config_.turn_every >= 0s, "belt.turn_every", "a time must not be negative",
                  "0s: it runs continuously");
    if (context.cell.simplify.mode == "kludge") {
      judge.remarks.push_back(
          {"simplify.mode",
           "kludge joins parts to fingers, but this bench has none: it has no effect",
           "use weld or merge", Severity::kWarning});
    }
    return judge.remarks;
  }

  std::optional<Duration> usual_length() const override { return 4s; }
  std::string usual_solver(const std::string& engine) const override {
    // the direct solver takes the time of all contacts of the belt to the third power
    return engine == "ode" ? "quick" : "";
  }

  cell::Figures figures() const override {
    return {{{"displacement_sum", "Σδ of gears in their trays, counted from 0.2 s", "µm", 1e6},
             {"contacts", "contact points", ""},
             {"joints", "virtual joints", ""},
             {"belt_velocity", "velocity of the belt", "m/s"}},
            {{"displacement_sum_m", "Σδ of gears in their trays, from the start", "mm", 1e3, 3},
             {"displacement_sum_settled_m", "the same from 0.2 s", "µm", 1e6, 3},
             {"joints_made", "virtual joints made", "", 1.0, 0},
             {"joints_removed", "virtual joints removed", "", 1.0, 0},
             {"lost_gears", "gears that left their slots", "", 1.0, 0},
             {"contacts_mean", "contact points, mean", "", 1.0, 1},
             {"contacts_per_collision", "contact points per touching pair of bodies", "", 1.0, 1},
             {"displacement_max_settled_m", "the worst gear, from 0.2 s", "µm", 1e6, 3},
             {"angle_sum_settled_rad", "Σθ of gears in their trays, from 0.2 s", "mrad", 1e3, 3},
             {"joints", "virtual joints at the end", "", 1.0, 0}},
            ""};
  }

 private:
  model::Cell scene(const cell::LoadContext& context) const override {
    return make_contact_scene(config_.scene, context.seed);
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_contact_bench() {
  return std::make_unique<ContactBenchModel>();
}

}  // namespace longarm::benches
