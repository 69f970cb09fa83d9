// SPDX-License-Identifier: Apache-2.0
// The kind `ur`: a UR arm behind the ports of its controller.
#include "longarm/actors/ur.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "longarm/actors/gripper_input.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/robot_file.h"
#include "longarm/actors/robot_trace.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"
#include "longarm/robots/arm/robot_gripper.h"

namespace longarm::actors {
namespace {

namespace fs = std::filesystem;
using cell::Stage;
using cell::World;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

constexpr std::size_t kUrJoints = 6;
// arms whose bases are nearer than this stand in each other
constexpr double kNearest_m = 0.1;

struct UrKeys {
  RobotFileKeys file;
  std::string controller = "ur";
  robots::UrConfig ur;
};

Json stops_json(const std::vector<robots::UrStop>& stops) {
  Json out = Json::array();
  for (const robots::UrStop& stop : stops) {
    out.push_back({{"at_s", to_seconds(stop.time)}, {"reason", stop.reason}});
  }
  return out;
}

class UrActor final : public cell::Actor {
 public:
  UrActor(const UrKeys& keys, World& world, const std::string& name)
      : world_(world),
        name_(name),
        first_joint_(static_cast<std::size_t>(
            world.model().first_joint(*cell::find_placement(world.model(), name)))) {
    server_.config = keys.ur;
    world.offer<UrServer>(name, server_);
    hand_.report = [] { return robots::GripperReport{}; };
    world.offer<GripperInput>(name, hand_);
    if (keys.controller == "none") {
      trace_.emplace(world, name, name, robots::kUrCycle, "", record::JsonProperties{}, nullptr);
      return;
    }
    robots::UrConfig config = keys.ur;
    config.seed = world.seed();
    robot_ =
        std::make_unique<robots::UrRobot>(world.engine(), world.model(), config, world.period());
    server_.robot = robot_.get();
    world.on(Stage::kDrive, [this](Time now) { robot_->before_step(now); });
    world.on(Stage::kDriven, [this](Time now) { robot_->after_step(now); });
    for (protocols::Door* door : robot_->doors()) {
      world.offer_door(name, *door);
    }
    offer_live_keys();
    world.offer_diagnosis([this](Time, std::vector<cell::Diagnosis>& out) { diagnose(out); });
    join_gripper(robot_->controller().hand());
    trace_.emplace(world, name, name, robots::kUrCycle, "longarm/UrStatus",
                   record::JsonProperties{{"robot_mode", "integer"},
                                          {"safety_mode", "integer"},
                                          {"runtime_state", "integer"},
                                          {"scripts", "integer"},
                                          {"timeouts", "integer"},
                                          {"protective_stop", "string"}},
                   [this] { return status(); });
  }

  void sample(std::span<double> out) const override {
    const std::span<const double> q = world_.engine().positions();
    for (std::size_t i = 0; i < kUrJoints; ++i) {
      out[i] = q[first_joint_ + i];
    }
  }

  Json results() const override {
    if (!robot_) {
      return nullptr;
    }
    const robots::UrFigures& figures = robot_->figures();
    Json out;
    out["cycles"] = figures.cycles;
    out["scripts"] = figures.scripts;
    out["refused_scripts"] = figures.refused_scripts;
    out["motion_commands"] = figures.motion_commands;
    out["speed_timeouts"] = figures.speed_timeouts.count;
    out["socket_timeouts"] = figures.socket_timeouts.count;
    out["watchdog_trips"] = figures.watchdog_trips.count;
    out["runtime_exceptions"] = figures.runtime_exceptions.count;
    out["first_timeout_s"] =
        figures.first_timeout() ? Json(to_seconds(*figures.first_timeout())) : Json();
    out["protective_stops"] = stops_json(figures.protective_stops);
    out["emergency_stops"] = stops_json(figures.emergency_stops);
    return out;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    const auto tell_first = [&](const char* what, const std::vector<robots::UrStop>& stops) {
      if (!stops.empty()) {
        warnings.push_back(fmt::format("robot '{}' made {} stop at {:.3f} s: {}", name_, what,
                                       to_seconds(stops.front().time), stops.front().reason));
      }
    };
    if (robot_) {
      tell_first("a protective", robot_->figures().protective_stops);
      tell_first("an emergency", robot_->figures().emergency_stops);
    }
    return warnings;
  }

 private:
  void join_gripper(robots::RobotGripper& hand) {
    hand_.set = [&hand](double opening) { hand.set(opening); };
    hand_.move_fingers = [&hand](double position_m, double max_force_N) {
      hand.move_fingers(position_m, max_force_N);
    };
    hand_.stop = [&hand] { hand.stop(); };
    hand_.report = [&hand] { return hand.report(); };
  }

  void offer_live_keys() {
    world_.offer_live_key(cell::live_number(
        {name_ + "/speed_slider", "", "share of the programmed speed", 0.0, 1.0},
        [this] { return robot_->controller().state().speed_slider; },
        [this](double share) -> Result<bool> {
          protocols::ur::RtdeInputs inputs;
          inputs.speed_slider = share;
          robot_->controller().write_inputs(inputs);
          return true;
        }));
  }

  void diagnose(std::vector<cell::Diagnosis>& out) const {
    using protocols::ur::SafetyMode;
    const protocols::ur::ControllerState& state = robot_->controller().state();
    const robots::UrFigures& figures = robot_->figures();
    cell::Diagnosis diagnosis;
    diagnosis.name = name_;
    diagnosis.values = status();
    diagnosis.values["speed_scaling"] = state.speed_scaling;
    if (state.safety_mode != SafetyMode::kNormal) {
      diagnosis.health = cell::Health::kError;
      diagnosis.message = figures.protective_stops.empty()
                              ? fmt::format("safety mode {}", static_cast<int>(state.safety_mode))
                              : figures.protective_stops.back().reason;
    }
    diagnosis.troubles = figures.speed_timeouts.count + figures.socket_timeouts.count +
                         figures.watchdog_trips.count + figures.runtime_exceptions.count;
    diagnosis.trouble = "commands came too late, or a script failed";
    out.push_back(std::move(diagnosis));
  }

  /// Modes have the numbers of the real-time interface.
  Json status() const {
    const protocols::ur::ControllerState& state = robot_->controller().state();
    const robots::UrFigures& figures = robot_->figures();
    return {{"robot_mode", static_cast<int>(state.robot_mode)},
            {"safety_mode", static_cast<int>(state.safety_mode)},
            {"runtime_state", static_cast<int>(state.runtime_state)},
            {"scripts", figures.scripts},
            {"timeouts", figures.speed_timeouts.count + figures.socket_timeouts.count +
                             figures.watchdog_trips.count},
            {"protective_stop",
             figures.protective_stops.empty() ? "" : figures.protective_stops.back().reason}};
  }

  World& world_;
  std::string name_;
  std::size_t first_joint_;
  std::unique_ptr<robots::UrRobot> robot_;
  UrServer server_;
  GripperInput hand_;
  std::optional<RobotTrace> trace_;
};

class UrModel final : public cell::ActorModel, public ArmDescription {
 public:
  void list_fields(Fields& fields) override {
    actors::list_fields(fields, keys_.file);
    fields.choice("controller", keys_.controller, {"ur", "none"},
                  "none: no UR controller; a driver with method ros_control drives the joints");
    robots::list_fields(fields, keys_.ur);
  }
  std::vector<cell::Interface> offers() const override {
    return {UrServer::kInterface, GripperInput::kInterface};
  }
  std::vector<std::string> drives() const override { return {keys_.ur.placement}; }

  Remarks load(InputFiles& files, const cell::LoadContext& context) override {
    keys_.ur.name = context.name;
    keys_.ur.placement = context.name;
    Remarks remarks;
    cell::about_key("model", [&] {
      placement_ = read_robot(keys_.file, context.name, files, context, remarks);
    });
    if (keys_.ur.home_rad.size() <= placement_.tree.joints.size()) {
      // the arm's joints come first, those of a gripper on it behind them
      placement_.initial_positions = keys_.ur.home_rad;
      placement_.initial_positions.resize(placement_.tree.joints.size(), 0.0);
    }
    find_programs(files, context);
    return remarks;
  }
  std::vector<model::Placement> brings() const override { return {placement_}; }
  /// Robots that others brought come first, in the order of the file.
  Remarks place(model::Cell& cell, const cell::LoadContext& context) override {
    Remarks remarks;
    for (const model::Placement& other : cell.placements) {
      if (other.name == context.name) {
        break;
      }
      if ((other.X_WR.translation() - placement_.X_WR.translation()).norm() < kNearest_m) {
        remarks.push_back({"pose_m_deg", fmt::format("it is at the same place as '{}'", other.name),
                           "for example: [0, 1, 0, 0, 0, 0]"});
      }
    }
    return remarks;
  }
  Remarks plan(const model::Cell& cell, const cell::LoadContext& context) override {
    return robots::judge_ur(keys_.ur, cell, context.options.period, "");
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<UrActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    cell::Figures figures;
    for (std::size_t i = 1; i <= kUrJoints; ++i) {
      figures.curves.push_back({fmt::format("q{}", i), fmt::format("joint {}", i), "rad"});
    }
    return figures;
  }

  std::string placement() const override { return keys_.ur.placement; }
  std::string flange() const override { return keys_.ur.flange; }
  std::string base() const override { return keys_.ur.base_frame; }
  std::vector<double> home_rad() const override { return keys_.ur.home_rad; }

 private:
  /// The programs of a controller are files that results depend on.
  void find_programs(InputFiles& files, const cell::LoadContext& context) {
    robots::UrConfig& config = keys_.ur;
    if (config.programs.empty()) {
      return;
    }
    std::error_code error;
    for (const std::string& folder : context.search) {
      if (fs::is_directory(fs::path(folder) / config.programs, error)) {
        config.programs_at = fs::path(folder) / config.programs;
        break;
      }
    }
    std::vector<fs::path> scripts;
    for (const auto& entry : fs::directory_iterator(robots::programs_folder(config), error)) {
      if (entry.path().extension() == ".script") {
        scripts.push_back(entry.path());
      }
    }
    std::sort(scripts.begin(), scripts.end());
    const bool is_kept = cell::KeptFiles::can_keep(config.programs) && !scripts.empty();
    for (const fs::path& script : scripts) {
      const Result<std::string> text = read_file(script);
      if (!text) {
        continue;  // told when the controller is made
      }
      const InputFile file{fs::path(config.programs) / script.filename(), script};
      files.remember(file.name, file.path, *text);
      if (is_kept) {
        context.kept.keep(file);
      }
    }
    if (!is_kept && !config.programs_at.empty()) {
      config.programs = fs::absolute(config.programs_at).lexically_normal();
    }
  }

  UrKeys keys_;
  model::Placement placement_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_ur() {
  return std::make_unique<UrModel>();
}

}  // namespace longarm::actors
