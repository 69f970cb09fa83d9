// SPDX-License-Identifier: Apache-2.0
// Reads the world, tries every part of it once, and says which key is to blame.
#include "longarm/workcell/load_work_cell.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/world.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"
#include "longarm/workcell/cell_network.h"
#include "longarm/workcell/upstream.h"

namespace longarm::workcell {
namespace {

using network::KeyRemark;
using Remarks = std::vector<KeyRemark>;

void attempt(const std::string& key, Remarks& remarks, const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    blame(key, error.diagnostics(), remarks);
  } catch (const std::invalid_argument& error) {
    remarks.push_back({key, error.what(), ""});
  }
}

/// Everything of the world is judged, what the engine does not use is not.
void lint_world(const model::Cell& cell, bool has_dynamics, Remarks& remarks) {
  for (const model::Placement& placement : cell.placements) {
    if (placement.tree.is_static) {
      continue;
    }
    for (const model::LintFinding& finding : model::lint(placement.tree, placement.is_fixed)) {
      const bool is_about_mass = finding.name == "mass" || finding.name.starts_with("inertia");
      if (has_dynamics || !is_about_mass) {
        blame("world", {finding.diagnostic}, remarks);
      }
    }
  }
}

void read_world(WorkCellConfig& config, model::Cell& cell, InputFiles& files, Remarks& remarks) {
  const Result<std::string> beside = files.find(config.world);
  const std::string path = beside ? *beside : scenario::find_model_file(config.world, config.world);
  if (config.world.empty() || path.empty()) {
    remarks.push_back({"world", "there is no world '" + config.world + "'",
                       "it is neither a file beside the scenario nor a ready world"});
    return;
  }
  Diagnostics diagnostics;
  const model::World world =
      model::read_world_file(path, scenario::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  cell.placements = model::make_placements(world, diagnostics);
  cell.gravity_m_s2 = world.gravity_m_s2;
  diagnostics.throw_if_errors();
  if (!diagnostics.all().empty()) {
    blame("world", diagnostics.all(), remarks);
  }
  config.joint_topics = joint_topics_of(world, cell, remarks);
  for (protocols::jointcmd::DoorConfig& topic : config.joint_topics) {
    topic.state_period = config.joint_states_period;
  }
}

void load_links(WorkCellConfig& config, InputFiles& files, Remarks& remarks) {
  const auto load_one = [&](const std::string& device, devices::DeviceLinkConfig& link) {
    for (KeyRemark remark : devices::load(link, files)) {
      remark.key = device + ".link." + remark.key;
      remarks.push_back(std::move(remark));
    }
    if (!config.network.is_empty() && link.model != "none") {
      remarks.push_back(
          {device + ".link", "its link means nothing where there is a network",
           fmt::format("remove it, or the network; hosts.{} says where it is", device)});
    }
  };
  load_one("curtain", config.curtain.link);
  load_one("camera_1", config.camera_1.link);
  load_one("camera_2", config.camera_2.link);
  load_one("touch", config.touch.link);
}

void warn_of_engine(const WorkCellConfig& config, const physics::Capabilities& can,
                    Remarks& remarks) {
  const auto warn = [&](const char* key, const char* message) {
    remarks.push_back({key, message, "use engine mujoco or ode", Severity::kWarning});
  };
  if (!can.has_contacts) {
    warn("engine", "this engine knows no contacts: parts stay where they are, belts carry nothing");
  }
  if (!can.has_contacts && config.simplify.mode != "none") {
    warn("simplify.mode", "without contacts there is nothing to simplify");
  }
  if (!can.has_rays && !config.curtain.curtain.poles.empty()) {
    warn("curtain.poles", "this engine has no rays: the light curtain is left out");
  }
}

FailureTargets targets_of(const WorkCellConfig& config, const model::Cell& cell) {
  FailureTargets targets;
  for (const RobotSection& robot : config.robots) {
    targets.robots.push_back(robot.name);
  }
  for (const model::Placement& placement : cell.placements) {
    if (!placement.is_fixed && !placement.tree.is_static) {
      targets.parts.push_back(placement.name);
    }
  }
  if (config.camera_1.is_on) {
    targets.cameras.emplace_back("camera_1");
  }
  if (config.camera_2.is_on) {
    targets.cameras.emplace_back("camera_2");
  }
  targets.cables = cable_names(config);
  targets.has_belt = !config.belt.joint.empty();
  targets.has_curtain = !config.curtain.curtain.poles.empty();
  return targets;
}

/// Visitors come from the other side of the curtain; without robots the origin is inside.
model::Vector3 middle_of_robots(const WorkCellConfig& config, const model::Cell& cell) {
  model::Vector3 sum = model::Vector3::Zero();
  double count = 0.0;
  for (const model::Placement& placement : cell.placements) {
    for (const RobotSection& robot : config.robots) {
      if (robot.robot.placement == placement.name) {
        sum += placement.X_WR.translation();
        count += 1.0;
      }
    }
  }
  return sum / std::max(count, 1.0);
}

/// Also puts the visitor into the cell.
void judge_failures(const WorkCellConfig& config, model::Cell& cell, Remarks& remarks) {
  const std::vector<Failure> failures = parse_failures(config.failures, remarks);
  Remarks wrong = judge(failures, targets_of(config, cell));
  remarks.insert(remarks.end(), wrong.begin(), wrong.end());
  bool has_visitor = false;
  for (const Failure& failure : failures) {
    if (failure.at >= Time(config.length)) {
      remarks.push_back({"failures",
                         fmt::format("\"{}\" will not happen: the run is over after {:g} s",
                                     failure.text, to_seconds(config.length)),
                         "let it fail earlier, or make length longer", Severity::kWarning});
    }
    if (failure.kind != FailureKind::kCurtainBroken || config.curtain.curtain.poles.empty()) {
      continue;
    }
    has_visitor = true;
    if (failure.at < Time(walk_up()) || failure.length < shortest_visit()) {
      remarks.push_back({"failures", fmt::format("\"{}\": nobody walks so fast", failure.text),
                         fmt::format("break it at {:g} s or later, for {:g} s or longer",
                                     to_seconds(walk_up()), to_seconds(shortest_visit()))});
    }
  }
  if (has_visitor) {
    cell.placements.push_back(make_visitor(config.curtain.curtain, middle_of_robots(config, cell)));
  }
}

void judge_robots(const WorkCellConfig& config, const model::Cell& cell, Remarks& remarks) {
  std::set<std::string> placements;
  std::set<std::int64_t> ports;
  for (const RobotSection& section : config.robots) {
    const std::string key = "robots." + section.name;
    Remarks wrong = robots::judge_robot(section.robot, cell, key + ".");
    remarks.insert(remarks.end(), wrong.begin(), wrong.end());
    if (!placements.insert(section.robot.placement).second) {
      remarks.push_back({key + ".model",
                         fmt::format("two robots are '{}'", section.robot.placement),
                         "give each a model of its own"});
    }
    if (section.crcl.port != 0 && !ports.insert(section.crcl.port).second) {
      remarks.push_back({key + ".crcl.port",
                         fmt::format("two servers have port {}", section.crcl.port),
                         "64444 and 64445 are usual"});
    }
  }
  if (config.plc.is_on && config.plc.plc.port != 0 && ports.contains(config.plc.plc.port)) {
    remarks.push_back({"plc.port", fmt::format("two servers have port {}", config.plc.plc.port),
                       "1502 is usual"});
  }
  if (config.plc.is_on && config.belt.joint.empty()) {
    remarks.push_back({"plc.is_on", "the PLC has no belt to drive", "name its joint under belt"});
  }
  if (config.safety.is_on && config.curtain.curtain.poles.empty()) {
    remarks.push_back({"safety.is_on", "the safety controller has no light curtain to hear",
                       "name its poles under curtain"});
  }
}

/// One by one, so that the key that is to blame is known.
void try_parts(const WorkCellConfig& config, const model::Cell& cell,
               const WorkCellContext& context, Remarks& remarks) {
  std::unique_ptr<physics::Engine> engine;
  attempt("world", remarks,
          [&] { engine = context.engines.make(context.engine, cell, context.options); });
  if (!engine) {
    return;
  }
  const physics::Capabilities& can = engine->capabilities();
  lint_world(cell, can.has_dynamics, remarks);
  warn_of_engine(config, can, remarks);
  if (can.has_contacts) {
    attempt("simplify", remarks, [&] {
      mechanisms::Simplifier(*engine, cell, config.simplify, context.options.period);
    });
  }
  if (!config.belt.joint.empty()) {
    attempt("belt.joint", remarks, [&] {
      mechanisms::Belt(*engine, cell, find_joint(cell, config.belt.joint), config.belt.belt,
                       context.options.period, nullptr);
    });
  }
  if (can.has_rays) {
    attempt("curtain.poles", remarks,
            [&] { devices::LightCurtain(*engine, cell, config.curtain.curtain); });
  }
  for (const auto& [key, camera] :
       {std::pair("camera_1", &config.camera_1), std::pair("camera_2", &config.camera_2)}) {
    if (camera->is_on) {
      attempt(fmt::format("{}.watch", key), remarks,
              [&] { devices::OverheadCamera(*engine, cell, key, camera->camera, 1); });
    }
  }
  attempt("touch.collisions", remarks,
          [&] { devices::ContactSensor(*engine, cell, config.touch.collisions); });
  for (const RobotSection& section : config.robots) {
    attempt("robots." + section.name, remarks,
            [&] { robots::Robot(*engine, cell, section.robot, context.options.period); });
  }
}

}  // namespace

Remarks load_work_cell(WorkCellConfig& config, model::Cell& cell, InputFiles& files,
                       const WorkCellContext& context) {
  Remarks remarks;
  attempt("world", remarks, [&] { read_world(config, cell, files, remarks); });
  load_links(config, files, remarks);
  for (KeyRemark& remark : load_cell_network(config, files)) {
    remarks.push_back(std::move(remark));
  }
  if (has_errors(remarks)) {
    return remarks;
  }
  judge_failures(config, cell, remarks);
  judge_robots(config, cell, remarks);
  if (!config.belt.joint.empty() && config.belt.upstream_m != 0.0) {
    attempt("belt.upstream_m", remarks, [&] {
      put_upstream(cell, static_cast<int>(find_joint(cell, config.belt.joint)),
                   config.belt.upstream_m);
    });
  }
  if (!has_errors(remarks)) {
    try_parts(config, cell, context, remarks);
  }
  return remarks;
}

}  // namespace longarm::workcell
