// SPDX-License-Identifier: Apache-2.0
// From an arm's keys to a robot and a plan.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/arm.h"
#include "longarm/actors/arm_judge.h"
#include "longarm/actors/joint_lists.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/lint.h"
#include "longarm/config/config_writer.h"
#include "longarm/core/check.h"
#include "longarm/core/hash.h"
#include "longarm/model/model_file.h"
#include "longarm/model/transmissions.h"

namespace longarm::actors {
namespace {

/// Reads the files of both directions; what stands for both is one file.
std::vector<cell::KeyRemark> load_links(config::LinkConfig& link, InputFiles& files,
                                        cell::KeptFiles& kept) {
  std::vector<cell::KeyRemark> remarks;
  for (const auto& [direction, config] :
       {std::pair{"states", &link.states}, std::pair{"commands", &link.commands}}) {
    for (cell::KeyRemark& remark : config->plugin->load(files)) {
      remark.key = fmt::format("link.{}.{}", direction, remark.key);
      remarks.push_back(std::move(remark));
    }
  }
  for (const InputFile& file : files.all()) {
    if (!cell::KeptFiles::can_keep(file.name) && !file.name.starts_with('/')) {
      remarks.push_back({"link", "'" + file.name + "' is outside the scenario's folder",
                         "runs copy it: put it beside the scenario, or give an absolute path"});
    }
    kept.keep(file);
  }
  return remarks;
}

void set_rotor_inertias(const ArmConfig& config, model::BodyTree& tree) {
  if (config.servo.rotor_inertia_kg_m2.empty()) {
    return;
  }
  const std::vector<double> rotors =
      control::per_joint(config.servo.rotor_inertia_kg_m2, static_cast<int>(tree.joints.size()));
  for (std::size_t i = 0; i < rotors.size(); ++i) {
    tree.joints[i].dynamics.rotor_inertia_kg_m2 = rotors[i];
  }
}

/// Fixes what is neither driven nor free.
void hold_joints(const ArmConfig& config, model::Model& model,
                 std::vector<cell::KeyRemark>& remarks) {
  const JointPositions named = config.home_rad.names.empty() ? JointPositions{} : config.home_rad;
  for (const model::JointFlaw& flaw : model::hold_other_joints(config.joints, named, model)) {
    using In = model::JointFlaw::In;
    const char* key = flaw.in == In::kDriven ? "joints"
                      : flaw.in == In::kFree ? "free_joints"
                                             : "home_rad";
    remarks.push_back({key, flaw.message, flaw.hint});
  }
}

/// Where nobody says where the arm stands, it stands where its trajectory starts.
void start_at_trajectory(ArmConfig& config, const model::BodyTree& tree,
                         const std::vector<int>& driven) {
  const motion::NamedTrajectory& timed = config.task.timed;
  if (!config.home_rad.values.empty() || timed.points.empty() ||
      timed.points.front().time > Duration(0)) {
    return;
  }
  for (const int joint : driven) {
    const std::string& name = tree.joints[static_cast<std::size_t>(joint)].name;
    for (std::size_t i = 0; i < timed.joints.size(); ++i) {
      if (timed.joints[i] == name) {
        config.home_rad.names.push_back(name);
        config.home_rad.values.push_back(timed.points.front().positions[i]);
      }
    }
  }
}

/// The cell in which an arm's task is planned: joints without a drive stay where they start.
model::Cell planning_cell(model::Cell cell, int placement, const std::vector<int>& driven,
                          const std::vector<double>& home) {
  std::vector<model::TreeJoint>& joints =
      cell.placements[static_cast<std::size_t>(placement)].tree.joints;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool is_driven =
        std::find(driven.begin(), driven.end(), static_cast<int>(i)) != driven.end();
    if (!is_driven && !joints[i].mimic) {
      joints[i].limits.lower = home[i];
      joints[i].limits.upper = home[i];
    }
  }
  return cell;
}

/// "delay 20ms": what the user chose for one direction, without what the model has by default.
std::string direction_text(const config::LinkDirectionConfig& direction,
                           const network::LinkModelRegistry& links) {
  config::ConfigWriter chosen;
  config::ConfigWriter by_default;
  direction.plugin->list_fields(chosen);
  links.make(direction.model)->list_fields(by_default);
  std::string text;
  for (std::size_t i = 0; i < chosen.lines().size(); ++i) {
    const config::ConfigWriter::Line& line = chosen.lines()[i];
    const bool is_default =
        i < by_default.lines().size() && by_default.lines()[i].value == line.value;
    if (!is_default) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", line.key, line.value);
    }
  }
  return text.empty() ? direction.model : text;
}

}  // namespace

void ArmModel::list_fields(Fields& fields) {
  actors::list_fields(fields, config_, *parts_);
}

void ArmModel::list_short_fields(Fields& fields, bool with_network) {
  is_short_ = true;
  actors::list_short_fields(fields, config_, *parts_, short_host_, with_network);
}

void ArmModel::normalise(config::ConfigNode& node, Diagnostics& diagnostics) const {
  config::normalise_link(node, parts_->links, diagnostics);
}

void ArmModel::make_way(config::ConfigNode& node, const config::Override& change) const {
  config::make_way_for(node, change, parts_->links);
}

void ArmModel::complete(std::string& host, bool has_network) {
  if (!is_short_) {
    return;
  }
  if (has_network) {
    config_.control.host = config_.control.host.empty() ? "edge" : config_.control.host;
    short_host_ = short_host_.empty() ? "robot" : short_host_;
  }
  host = short_host_;
}

std::vector<std::pair<std::string, std::string>> ArmModel::more_hosts() const {
  return {{"control.host", config_.control.host}};
}

std::vector<cell::KeyRemark> ArmModel::load(InputFiles& files, const cell::LoadContext& context) {
  physics_period_ = context.options.period;
  resolve(config_, physics_period_);
  std::vector<cell::KeyRemark> remarks = judge_arm_values(config_, context);
  for (cell::KeyRemark& remark : load_links(config_.link, context.link_files, context.kept)) {
    remarks.push_back(std::move(remark));
  }
  for (cell::KeyRemark& remark : load_trajectory(config_.task, context)) {
    remarks.push_back(std::move(remark));
  }
  if (!network::has_errors(remarks)) {
    const std::size_t own_file = files.all().size();
    placement_ = read_robot(config_.robot, context.name, files, context, remarks,
                            [&](model::Model& model) { hold_joints(config_, model, remarks); });
    if (own_file < files.all().size()) {
      transmissions_ = model::read_transmissions(model::expanded_model_text(
          files.all()[own_file].path, robot_search(config_.robot, context)));
    }
  }
  return remarks;
}

std::vector<cell::KeyRemark> ArmModel::place(model::Cell& cell, const cell::LoadContext& context) {
  // lint was first: it knows better why a model's numbers make no sense
  driven_ = model::driven_joints(placement_.tree, config_.joints);
  start_at_trajectory(config_, placement_.tree, driven_);
  ArmStart start = judge_arm_model(config_, placement_.tree, driven_, ArmKeys(is_short_));
  if (network::has_errors(start.remarks)) {
    return start.remarks;
  }
  std::vector<cell::KeyRemark> remarks =
      settle_commands(config_, placement_.tree, driven_, context.engine, transmissions_);
  if (network::has_errors(remarks)) {
    return remarks;
  }
  if (config_.home_rad.names.empty()) {
    config_.home_rad.values.clear();
    for (const int joint : driven_) {
      config_.home_rad.values.push_back(start.home[static_cast<std::size_t>(joint)]);
    }
  }
  whole_ = whole_lists(config_, placement_.tree, driven_, start.home, remarks);
  set_rotor_inertias(whole_, placement_.tree);
  placement_.initial_positions = start.home;
  if (config_.ignore_start_overlaps) {
    ignore_start_overlaps(placement_, context, remarks);
  }
  end_effector_frame_ = *placement_.tree.find_frame(config_.end_effector);
  cell.placements[static_cast<std::size_t>(*cell::find_placement(cell, context.name))] = placement_;
  return remarks;
}

std::vector<cell::KeyRemark> ArmModel::plan(const model::Cell& cell,
                                            const cell::LoadContext& context) {
  run_hash_ = context.run_hash;
  gravity_R_m_s2_ = placement_.X_WR.linear().transpose() * cell.gravity_m_s2;
  const int number = *cell::find_placement(cell, context.name);
  const std::vector<double>& home = whole_.home_rad.values;
  const model::Cell pinned = planning_cell(cell, number, driven_, home);
  const tasks::PlanningContext planning{pinned, number,          end_effector_frame_,
                                        home,   context.engines, run_hash_};
  Result<tasks::Plan> plan = tasks::plan_task(whole_.task, planning);
  std::vector<cell::KeyRemark> remarks;
  if (!plan) {
    remarks.push_back({"task", "the task cannot be planned: " + plan.error().message,
                       config_.task.path == "rrt-connect"
                           ? "move the waypoints, or change task.planner.clearance_m or "
                             "max_iterations"
                           : "move the waypoints, or change task.path"});
    return remarks;
  }
  plan_ = std::move(plan).value();
  curve_ = std::make_shared<const motion::PlannedCurve>(motion::planned_curve(
      plan_.trajectory, motion::Kinematics(placement_.tree), end_effector_frame_));
  cell::judge_findings(lint_servo_of(whole_, physics_period_, placement_.tree, plan_),
                       context.engine, context.allow, remarks);
  return remarks;
}

std::string ArmModel::why_no_goals() const {
  if (config_.task.path != tasks::kGoals) {
    return "it follows a plan of its own; set its task.path to goals";
  }
  return config_.cut == "trajectory" ? "its controller is beyond the link; change its cut" : "";
}

std::string ArmModel::host_of(const cell::Interface& interface, const std::string& own) const {
  const bool is_remote = interface == GoalInput::kInterface && !config_.control.host.empty();
  return is_remote && config_.cut != "none" ? config_.control.host : own;
}

std::shared_ptr<cell::ActorModel> ArmModel::without_link() const {
  auto copy = std::make_shared<ArmModel>(*this);
  for (config::LinkDirectionConfig* direction :
       {&copy->config_.link.states, &copy->config_.link.commands}) {
    direction->model = "none";
    direction->plugin = parts_->links.make("none");
  }
  return copy;
}

std::string ArmModel::plan_hash() const {
  // every run has a plan of its own
  return config_.task.replan == "per-run" ? std::to_string(run_hash_) : "";
}

void ArmModel::name_streams(network::Topology& topology, const std::string& host) const {
  const std::optional<network::NodeId> control = topology.find(config_.control.host);
  const std::optional<network::NodeId> robot = topology.find(host);
  if (!is_short_ || !control || !robot) {
    return;
  }
  // one cable between the two draws as a link does
  for (network::Cable& cable : topology.cables) {
    if (cable.ends[0] == *control && cable.ends[1] == *robot) {
      cable.stream[0] = "link.commands";
      cable.stream[1] = "link.states";
    } else if (cable.ends[0] == *robot && cable.ends[1] == *control) {
      cable.stream[0] = "link.states";
      cable.stream[1] = "link.commands";
    } else {
      continue;
    }
    return;  // a second cable beside it has its own
  }
}

std::unique_ptr<cell::Actor> ArmModel::make(cell::World& world, const std::string& name) const {
  return std::make_unique<ArmActor>(*this, world, name);
}

cell::Figures ArmModel::figures() const {
  cell::Figures figures;
  figures.curves = {{"path_deviation", "distance to the planned path", "mm", 1e3}};
  figures.metrics = {
      {"path_deviation_max_m", "path deviation, largest", "mm", 1e3, 3},
      {"path_deviation_rms_m", "path deviation, rms", "mm", 1e3, 3},
      {"reference_path_deviation_max_m", "from the reference, largest", "mm", 1e3, 3},
      {"overshoot_rad", "overshoot", "rad", 1.0, 6},
      {"settling_time_s", "settling time", "s", 1.0, 3},
      {"contact_steps", "steps with contact", "", 1.0, 0},
  };
  figures.outcome = "stable";
  return figures;
}

std::string ArmModel::link_text() const {
  if (!config_.control.host.empty()) {
    return fmt::format("network from {} to {}", config_.control.host,
                       is_short_ ? short_host_ : placement_.name);
  }
  const std::string states = direction_text(config_.link.states, parts_->links);
  const std::string commands = direction_text(config_.link.commands, parts_->links);
  return "link " + (states == commands
                        ? states + (states == "none" ? "" : " each way")
                        : fmt::format("{} for states, {} for commands", states, commands));
}

bool ArmModel::has_stopped(const nlohmann::ordered_json& results) const {
  return results.at("trajectory") == "aborted" ||
         results.at("trajectory") == "stopped by the watchdog";
}

std::unique_ptr<cell::ActorModel> make_arm(const ArmParts& parts) {
  return std::make_unique<ArmModel>(parts);
}

const ArmModel& arm_of(const cell::PreparedScenario& prepared, const std::string& name) {
  const cell::ActorEntry* entry = prepared.cell().find(name);
  const auto* arm = entry == nullptr ? nullptr : dynamic_cast<const ArmModel*>(entry->model.get());
  if (arm == nullptr) {
    refuse(fmt::format("'{}' has no arm called '{}'", prepared.name, name),
           "only actors of kind arm have a control loop of their own");
  }
  return *arm;
}

}  // namespace longarm::actors
