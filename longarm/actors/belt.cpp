// SPDX-License-Identifier: Apache-2.0
// The kind `belt`: a conveyor with its drive, and the commands that its scenario has for it.
#include "longarm/actors/belt.h"

#include <cmath>

#include <fmt/format.h>

#include "longarm/actors/kinds.h"
#include "longarm/actors/stop_input.h"
#include "longarm/actors/upstream.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::FailureVerb;
using cell::Stage;
using cell::World;
using Json = nlohmann::ordered_json;

struct BeltKeys {
  std::string joint;
  std::vector<std::vector<double>> commands;
  double upstream_m = 0.0;  ///< what stands on it starts so far back, against its axis
  mechanisms::BeltConfig belt;
};

/// Of the first command that is wrong, the one thing that is.
void judge_commands(Fields& fields, const BeltKeys& keys) {
  const std::string example = "for example: [[0.5, 0.1], [3, 0]]";
  double last_s = 0.0;
  // written so that a NaN is wrong, too
  for (const std::vector<double>& row : keys.commands) {
    if (row.size() != 2) {
      fields.reject("commands", "a belt command is a pair: time in s and velocity in m/s", example);
      return;
    }
    if (!(row[0] >= 0.0) || !std::isfinite(row[0])) {
      fields.reject("commands", fmt::format("a belt cannot be commanded at {:g} s", row[0]),
                    example);
      return;
    }
    if (row[0] < last_s) {
      fields.reject(
          "commands",
          fmt::format("the command at {:g} s comes after the one at {:g} s", row[0], last_s),
          "sort belt commands by time");
      return;
    }
    if (!(std::abs(row[1]) <= keys.belt.max_speed_m_s)) {
      fields.reject("commands",
                    fmt::format("a command of {:g} m/s exceeds the belt's max_speed_m_s of {:g}",
                                row[1], keys.belt.max_speed_m_s),
                    "reduce the command, or increase max_speed_m_s");
      return;
    }
    last_s = row[0];
  }
}

class BeltActor final : public cell::Actor, public BeltBody, public StopInput {
 public:
  BeltActor(const BeltKeys& keys, World& world, const std::string& name)
      : max_force_N_(keys.belt.max_force_N), belt_(cell::about_key("joint", [&] {
          return mechanisms::Belt(world.engine(), world.model(),
                                  cell::find_joint(world.model(), keys.joint), keys.belt,
                                  world.period(), &world.simplifier());
        })) {
    const sim::SourceId source = world.kernel().add_source(name);
    for (const std::vector<double>& row : keys.commands) {
      world.kernel().at(Time(to_duration(row[0])), sim::Phase::kApply, source,
                        [this, velocity = row[1]](Time) { belt_.command(velocity); });
    }
    world.on(Stage::kCarry, [this](Time) { belt_.before_step(); });
    world.on(Stage::kCarried, [this](Time now) {
      belt_.after_step();
      if (belt_.is_jammed() && !jammed_at_) {
        jammed_at_ = now;
      }
    });
    world.offer<BeltBody>(name, *this);
    world.offer<StopInput>(name, *this);
    world.offer_live_key(cell::live_number(
        {name + "/speed", "m/s", "commanded speed of its surface", -keys.belt.max_speed_m_s,
         keys.belt.max_speed_m_s},
        [this] { return belt_.commanded_m_s(); },
        [this](double speed_m_s) -> Result<bool> {
          belt_.command(speed_m_s);
          return true;
        }));
    world.offer_diagnosis([this, name](Time, std::vector<cell::Diagnosis>& out) {
      cell::Diagnosis diagnosis;
      diagnosis.name = name;
      diagnosis.values = {{"speed_m_s", belt_.velocity_m_s()},
                          {"commanded_m_s", belt_.commanded_m_s()},
                          {"encoder_m", belt_.encoder_m()}};
      if (belt_.is_jammed() || is_dead_) {
        diagnosis.health = cell::Health::kError;
        diagnosis.message = belt_.is_jammed() ? "it is jammed" : "its drive is off";
      } else if (is_safety_stopped_) {
        diagnosis.health = cell::Health::kWarning;
        diagnosis.message = "stopped by the safety system";
      }
      out.push_back(std::move(diagnosis));
    });
  }

  mechanisms::Belt& belt() override { return belt_; }
  bool is_safety_stopped() const override { return is_safety_stopped_; }
  void safety_stop() override {
    is_safety_stopped_ = true;
    brake();
  }
  void safety_resume() override {
    is_safety_stopped_ = false;
    brake();
  }

  void fail(const cell::Failure&) override {
    is_dead_ = true;
    brake();
  }
  void recover(const cell::Failure&) override {
    is_dead_ = false;
    brake();
  }

  void sample(std::span<double> out) const override { out[0] = belt_.velocity_m_s(); }
  Json results() const override {
    return {{"encoder_m", belt_.encoder_m()}, {"jammed", jammed_at_.has_value()}};
  }
  std::vector<std::string> warnings() const override {
    if (!jammed_at_) {
      return {};
    }
    return {
        fmt::format("the belt jammed at {:.3f} s: its drive reached its limit of {:g} N without "
                    "reaching the commanded speed",
                    to_seconds(*jammed_at_), max_force_N_)};
  }

 private:
  void brake() {
    if (is_dead_ || is_safety_stopped_) {
      belt_.stop();
    } else {
      belt_.resume();
    }
  }

  double max_force_N_;
  mechanisms::Belt belt_;
  bool is_dead_ = false;
  bool is_safety_stopped_ = false;
  std::optional<Time> jammed_at_;
};

class BeltModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("joint", keys_.joint, "the prismatic joint that drives it, as model::joint");
    fields.field("commands", keys_.commands, "pairs of time in s and velocity in m/s");
    fields.field("upstream_m", keys_.upstream_m,
                 "objects on the belt start this far upstream, so that the belt has to bring them");
    mechanisms::list_fields(fields, keys_.belt);
    judge_commands(fields, keys_);
    if (!std::isfinite(keys_.upstream_m)) {
      fields.reject("upstream_m", "a distance must be a number", "0.5 for half a metre");
    }
  }
  std::vector<cell::Interface> offers() const override {
    return {BeltBody::kInterface, StopInput::kInterface};
  }
  std::vector<FailureVerb> failures() const override {
    return {{"stops", "its drive is off, whatever is commanded", FailureVerb::End::kMaybe}};
  }
  std::string usual_solver(const std::string& engine) const override {
    // the direct solver takes the time of all contacts of the belt to the third power
    return engine == "ode" ? "quick" : "";
  }
  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext&) override {
    if (keys_.joint.empty()) {
      return {{"joint", "a belt needs the joint that drives it", "joint: \"conveyor::drive\""}};
    }
    if (keys_.upstream_m != 0.0) {
      cell::about_key("upstream_m", [&] {
        put_upstream(cell, static_cast<int>(cell::find_joint(cell, keys_.joint)), keys_.upstream_m);
      });
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<BeltActor>(keys_, world, name);
  }
  std::vector<Json> shows(const cell::ShowContext& context) const override {
    const int joint = static_cast<int>(cell::find_joint(context.cell, keys_.joint));
    int first = 0;
    for (const model::Placement& placement : context.cell.placements) {
      const auto count = static_cast<int>(placement.tree.joints.size());
      if (joint < first + count) {
        const model::Body& surface =
            placement.tree.bodies[static_cast<std::size_t>(joint - first) + 1];
        const model::Vector3& axis =
            placement.tree.joints[static_cast<std::size_t>(joint - first)].axis;
        const auto shape = std::find_if(
            surface.collisions.begin(), surface.collisions.end(),
            [](const auto& each) { return std::holds_alternative<model::Box>(each.shape); });
        if (shape == surface.collisions.end()) {
          return {};
        }
        // its upper side, with x along the way that it moves
        const model::Vector3 size_m = std::get<model::Box>(shape->shape).size_m;
        const model::Vector3 p = shape->X_LG * model::Vector3(0.0, 0.0, size_m.z() / 2.0);
        const bool is_along_x = std::abs((shape->X_LG.linear().transpose() * axis).x()) > 0.5;
        const Eigen::Quaterniond q(
            shape->X_LG.linear() *
            Eigen::AngleAxisd(is_along_x ? 0.0 : std::acos(0.0), model::Vector3::UnitZ())
                .toRotationMatrix());
        return {
            {{"kind", "belt"},
             {"frame", placement.name + "/" + surface.name},
             {"p", {p.x(), p.y(), p.z()}},
             {"q", {q.x(), q.y(), q.z(), q.w()}},
             {"size", {is_along_x ? size_m.x() : size_m.y(), is_along_x ? size_m.y() : size_m.x()}},
             {"topic", "/" + context.name + "/curves"},
             {"column", "velocity"}}};
      }
      first += count;
    }
    return {};
  }
  cell::Figures figures() const override {
    return {{{"velocity", "velocity of the belt", "m/s"}},
            {{"encoder_m", "distance travelled by the belt", "m", 1.0, 3},
             {"jammed", "the belt jammed", "", 1.0, 0}},
            ""};
  }

 private:
  BeltKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_belt() {
  return std::make_unique<BeltModel>();
}

}  // namespace longarm::actors
