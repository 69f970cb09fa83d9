// SPDX-License-Identifier: Apache-2.0
// A part is put on a belt that runs: it slips until it is as fast. Coulomb: after v/(μg), having
// slipped v²/(2μg).
#include <cmath>

#include "longarm/experiments/kinds.h"
#include "longarm/experiments/scene.h"
#include "longarm/mechanisms/belt.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

struct BeltBenchConfig {
  double speed_m_s = 0.2;
  double friction = 0.3;
  Duration length{1'000'000'000};
};

class BeltBench final : public Experiment {
 public:
  BeltBench(const BeltBenchConfig& config, const ExperimentContext& context)
      : config_(config),
        cell_(make_cell(config)),
        engine_(context.engines.make(context.engine, cell_, context.options)),
        belt_(*engine_, cell_, physics::JointId{0},
              {.acceleration_m_s2 = 0.0, .max_speed_m_s = std::abs(config.speed_m_s)},
              context.options.period, nullptr) {
    belt_.command(config.speed_m_s);
  }

 private:
  static constexpr physics::BodyId kPart{2};

  static model::Cell make_cell(const BeltBenchConfig& config) {
    const model::Vector3 size(0.08, 0.08, 0.04);
    model::Body part;
    part.inertial = solid_box(0.1, size);
    part.collisions.push_back(shape_at(model::Box{size}, model::Pose::Identity(), config.friction));
    model::Cell cell;
    cell.placements.push_back(belt_model("belt", {3.0, 0.6, 0.02}, {0, 0, 0.9}, 2.0));
    cell.placements.push_back(single_body("part", part, at(0.0, 0.0, 0.92), false));
    return cell;
  }

  Duration do_length() const override { return config_.length; }
  void do_step() override {
    belt_.before_step();
    engine_->step();
    belt_.after_step();
  }
  void do_sample(std::span<double> out) const override {
    out[0] = engine_->twist(kPart).linear_W.x();
    out[1] = belt_.velocity_m_s();
  }
  Json do_results() const override { return Json::object(); }
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return cell_; }

  BeltBenchConfig config_;
  model::Cell cell_;
  std::unique_ptr<physics::Engine> engine_;
  mechanisms::Belt belt_;
};

class BeltBenchModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("speed_m_s", config_.speed_m_s, "of the belt");
    fields.field("friction", config_.friction, "between part and belt");
    fields.field("length", config_.length, "of the run");
  }
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<BeltBench>(config_, context);
  }
  ExperimentFigures figures() const override {
    return {{{"part_velocity", "velocity of the part", "m/s"},
             {"belt_velocity", "velocity of the belt", "m/s"}},
            {},
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
