// SPDX-License-Identifier: Apache-2.0
// A plate hangs on a suction cup and is pulled off: straight at Δp·A, eccentrically at Δp·A·R/(R +
// e).
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "labs/benches/bench.h"
#include "labs/benches/scene.h"
#include "longarm/control/gripper/vacuum.h"

namespace longarm::benches {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using control::VacuumState;

constexpr double kPlate_m = 0.2;  // its edge
constexpr double kPlateHeight_m = 0.01;
constexpr double kPress_N = 1.0;  // with which the plate is offered to the cup
constexpr Time kPressUntil{100ms};
constexpr double kOverpull = 1.5;  // the ramp ends at so much of what should do

struct VacuumBenchConfig {
  control::VacuumConfig vacuum;
  double eccentricity_m = 0.0;
  Duration ramp = 1s;

  /// Half the edge of the square cup that has the area.
  double half_m() const { return std::sqrt(vacuum.force_N() / vacuum.pressure_Pa) / 2.0; }
  double expected_N() const {
    return vacuum.force_N() * half_m() / (half_m() + std::abs(eccentricity_m));
  }
};

class VacuumBench final : public cell::Actor {
 public:
  VacuumBench(const VacuumBenchConfig& config, cell::World& world)
      : config_(config),
        engine_(world.engine()),
        cup_(world.engine(), world.model(),
             {kCup, model::Vector3::Zero(), -model::Vector3::UnitZ()}, config.vacuum,
             world.period()) {
    require_contacts(world, "the cup seals nothing");
    cup_.turn_on();  // the world holds its slider
    world.on(cell::Stage::kDrive, [this](Time now) { drive(now); });
  }

  void sample(std::span<double> out) const override {
    out[0] = pull_N_;
    out[1] = cup_.suction_N();
    out[2] = engine_.pose(kPlate).translation().z() + kPlateHeight_m / 2;
  }

  Json results() const override {
    Json out;
    out["has_sealed"] = has_sealed_;
    out["state"] = std::string(to_string(cup_.state()));
    if (pull_off_N_) {
      out["pull_off_N"] = *pull_off_N_;
      out["pull_off_error"] = *pull_off_N_ / config_.expected_N() - 1.0;
    }
    out["pull_off_expected_N"] = config_.expected_N();
    return out;
  }

 private:
  static constexpr physics::BodyId kCup{1};
  static constexpr physics::BodyId kPlate{2};

  void drive(Time now) {
    cup_.before_step();
    if (now < kPressUntil) {
      engine_.apply_wrench(kPlate, {{0, 0, kPress_N}, model::Vector3::Zero()});
    } else if (cup_.state() == VacuumState::kSealed) {
      pull(now);
    }
    has_sealed_ = has_sealed_ || cup_.state() == VacuumState::kSealed;
    if (cup_.state() == VacuumState::kLost && !pull_off_N_) {
      pull_off_N_ = pull_N_;
    }
  }

  void pull(Time now) {
    const double share = to_seconds(now - kPressUntil) / to_seconds(config_.ramp);
    pull_N_ = kOverpull * config_.expected_N() * share;
    const model::Vector3 force(0, 0, -pull_N_);
    const model::Vector3 arm(config_.eccentricity_m, 0, 0);
    engine_.apply_wrench(kPlate, {force, arm.cross(force)});
  }

  VacuumBenchConfig config_;
  physics::Engine& engine_;
  control::VacuumCup cup_;
  double pull_N_ = 0.0;
  bool has_sealed_ = false;
  std::optional<double> pull_off_N_;
};

class VacuumBenchModel final : public BenchModel<VacuumBench, VacuumBenchConfig> {
 public:
  void list_fields(Fields& fields) override {
    fields.section("vacuum", "the suction cup",
                   [&](Fields& f) { control::list_fields(f, config_.vacuum); });
    fields.field("eccentricity_m", config_.eccentricity_m,
                 "distance of the pull from the cup's axis");
    fields.field("ramp", config_.ramp,
                 "duration of the pull ramp, up to 1.5 times the pull-off force");
  }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    Judge judge;
    judge.require(std::abs(config_.eccentricity_m) <= kPlate_m / 2, "eccentricity_m",
                  fmt::format("the plate ends {:g} m from the cup's axis", kPlate_m / 2),
                  "0 is a straight pull");
    judge.require(!(config_.half_m() > kPlate_m / 2), "vacuum",
                  "the cup is larger than the plate it should hold",
                  fmt::format("make its area less than {:g} m²", kPlate_m * kPlate_m));
    judge.require(config_.ramp >= 100ms && config_.ramp <= 60s, "ramp",
                  "the ramp must take from 100ms to 60s", "1s is usual");
    return judge.remarks;
  }

  std::optional<Duration> usual_length() const override {
    return kPressUntil.time_since_epoch() + config_.ramp;
  }

  cell::Figures figures() const override {
    return {{{"pull", "pull", "N"},
             {"suction", "suction", "N"},
             {"gap", "height of the plate at the cup", "mm", 1e3}},
            {{"pull_off_N", "pull-off force", "N", 1.0, 2, "pull_off_expected_N"},
             {"pull_off_error", "pull-off relative to the closed form", "%", 1e2, 2},
             {"has_sealed", "the cup sealed", "", 1.0, 0},
             {"state", "the cup at the end", "", 1.0, 0}},
            ""};
  }

 private:
  /// Without gravity, so that the pull is all there is. The cup's lip is at z = 0.
  model::Cell scene(const cell::LoadContext&) const override {
    const model::Vector3 cup_size(2 * config_.half_m(), 2 * config_.half_m(), 0.02);
    model::Placement holder = single_body("holder", {}, model::Pose::Identity(), true);
    model::Body cup;
    cup.name = "cup";
    cup.inertial = solid_box(0.2, cup_size);
    cup.collisions.push_back(shape_at(model::Box{cup_size}, at(0, 0, cup_size.z() / 2), 1.0));
    model::TreeJoint slider;
    slider.name = "slider";
    slider.type = model::JointType::kPrismatic;
    holder.tree.bodies.push_back(std::move(cup));
    holder.tree.joints.push_back(slider);
    const model::Vector3 plate_size(kPlate_m, kPlate_m, kPlateHeight_m);
    model::Body plate;
    plate.inertial = solid_box(0.5, plate_size);
    plate.collisions.push_back(shape_at(model::Box{plate_size}, model::Pose::Identity(), 1.0));
    model::Cell cell;
    cell.gravity_m_s2.setZero();
    cell.placements.push_back(std::move(holder));
    cell.placements.push_back(single_body("plate", plate, at(0, 0, -kPlateHeight_m / 2), false));
    return cell;
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_vacuum_bench() {
  return std::make_unique<VacuumBenchModel>();
}

}  // namespace longarm::benches
