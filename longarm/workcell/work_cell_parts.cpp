// SPDX-License-Identifier: Apache-2.0
// Makes the parts of a cell and connects them, through the network where there is one.
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/flow_link.h"
#include "longarm/workcell/cell_network.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::workcell {
namespace {

Time time_of(double seconds_since_start) {
  return Time(std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::round(seconds_since_start * 1e9) * 1e-9)));
}

}  // namespace

void WorkCell::make_network(const WorkCellContext& context) {
  if (config_.network.is_empty()) {
    return;
  }
  topology_ = network::make_topology(config_.network, config_.length);
  fail_cables(topology_, failures_);
  network::BackendOptions options;
  options.seed = seed_;
  if (config_.network.capture && !context.folder.empty()) {
    const std::filesystem::path folder = std::filesystem::path(context.folder) / "capture";
    std::filesystem::create_directories(folder);  // not every backend does
    options.capture_folder = folder;
  }
  network_ = std::make_unique<network::Network>(
      kernel_, network::make_backend(config_.network, topology_, options),
      network::make_hosts(config_.network), seed_);
}

network::NodeId WorkCell::node_of(const std::string& role) const {
  const std::optional<network::NodeId> node = topology_.find(config_.host_of(role));
  check(node.has_value(), "a host that load_work_cell() refused");
  return *node;
}

/// Every joint that neither the belt nor another joint moves stays where it starts.
void WorkCell::hold_arms() {
  const double effort = config_.hold_effort.value_or(std::numeric_limits<double>::infinity());
  std::optional<physics::JointId> drive;
  if (belt_) {
    drive = find_joint(cell_, config_.belt.joint);
  }
  int joint = 0;
  for (const model::Placement& placement : cell_.placements) {
    for (const model::TreeJoint& each : placement.tree.joints) {
      const auto id = static_cast<physics::JointId>(joint);
      if (drive != id && !each.mimic) {
        engine_->set_position(id, engine_->positions()[static_cast<std::size_t>(joint)], effort);
      }
      ++joint;
    }
  }
}

void WorkCell::make_belt() {
  if (config_.belt.joint.empty()) {
    return;
  }
  belt_ = std::make_unique<mechanisms::Belt>(*engine_, cell_, find_joint(cell_, config_.belt.joint),
                                             config_.belt.belt, period_, simplifier_.get());
  for (const std::vector<double>& row : config_.belt.commands) {
    kernel_.at(time_of(row[0]), sim::Phase::kApply, world_,
               [this, velocity = row[1]](Time) { belt_->command(velocity); });
  }
}

void WorkCell::make_plc() {
  if (!config_.plc.is_on || !belt_) {
    return;
  }
  protocols::modbus::BeltPort port;
  port.command = [this](double velocity) { belt_->command(velocity); };
  port.velocity_m_s = [this] { return belt_->velocity_m_s(); };
  port.encoder_m = [this] { return belt_->encoder_m(); };
  port.is_jammed = [this] { return belt_->is_jammed(); };
  port.is_stopped = [this] { return belt_->is_stopped(); };
  port.is_safety_stopped = [this] { return safety_ && safety_->is_stopped(); };
  plc_ = std::make_unique<protocols::modbus::PlcDoor>("plc", config_.plc.plc, std::move(port));
}

/// The truth, for clients that ask for it, as a simulator's own plug-in would tell it.
std::vector<robots::CrclModelReport> WorkCell::loose_models() const {
  std::vector<robots::CrclModelReport> models;
  for (std::size_t p = 0; p < cell_.placements.size(); ++p) {
    const model::Placement& placement = cell_.placements[p];
    if (!placement.is_fixed && !placement.tree.is_static) {
      const auto root = static_cast<physics::BodyId>(cell_.first_body(static_cast<int>(p)));
      models.push_back({placement.name, engine_->pose(root), {}});
    }
  }
  return models;
}

void WorkCell::make_robots() {
  std::vector<RobotBodies> bodies;
  for (const RobotSection& section : config_.robots) {
    RobotStation station;
    station.name = section.name;
    station.robot = std::make_unique<robots::Robot>(*engine_, cell_, section.robot, period_);
    station.crcl = std::make_unique<robots::CrclDoor>(section.name + ".crcl", *station.robot,
                                                      station.robot->X_WB(), section.crcl);
    station.crcl->set_models([this] { return loose_models(); });
    bodies.push_back({section.name, station.robot->bodies()});
    robots_.push_back(std::move(station));
  }
  contact_watch_ = std::make_unique<ContactWatch>(cell_, bodies);
}

template <typename Message>
std::unique_ptr<devices::DevicePort<Message>> WorkCell::open_port(
    const std::string& role, const std::string& listener, const devices::DeviceLinkConfig& link,
    Duration period) {
  const std::string name = role + ".link";
  std::unique_ptr<network::Link> wire;
  if (network_) {
    network::FlowOptions options = config_.network.flows;
    options.transport = network::Transport::kUdp;
    Result<network::FlowLinks> flow =
        network::open_flow_links(*network_, kernel_, {node_of(role), node_of(listener), options});
    if (!flow) {
      throw InputError(Diagnostic{{}, flow.error().message, ""});
    }
    wire = std::move(std::move(flow).value().from_opener);
  } else {
    wire = devices::make_link(link, {seed_, name});
  }
  return std::make_unique<devices::DevicePort<Message>>(kernel_, name, std::move(wire), period,
                                                        link.requirements);
}

void WorkCell::make_curtain() {
  const devices::CurtainConfig& config = config_.curtain.curtain;
  if (config.poles.empty() || !engine_->capabilities().has_rays) {
    return;
  }
  curtain_.device = std::make_unique<devices::LightCurtain>(*engine_, cell_, config);
  curtain_.port = open_port<devices::CurtainReport>("curtain", "plc", config_.curtain.link,
                                                    config.report_every);
  curtain_.port->listen([this](const devices::CurtainReport& report, Time now) {
    if (report.is_latched && !intrusion_heard_) {
      intrusion_heard_ = now;
    }
    if (safety_) {
      safety_->hear(report, now);
    }
  });
  curtain_.device->connect(kernel_, period_, *curtain_.port);
  for (const double at_s : config_.curtain.reset_at_s) {
    kernel_.at(time_of(at_s), sim::Phase::kApply, world_,
               [this](Time) { curtain_.device->reset(); });
  }
}

void WorkCell::make_camera(std::size_t number, const CameraSection& config) {
  if (!config.is_on) {
    return;
  }
  const std::string name = fmt::format("camera_{}", number + 1);
  auto& station = cameras_[number];
  station.device =
      std::make_unique<devices::OverheadCamera>(*engine_, cell_, name, config.camera, seed_);
  station.port =
      open_port<devices::CameraFrame>(name, "executor", config.link, config.camera.period);
  station.device->connect(kernel_, *station.port);
}

void WorkCell::make_touch() {
  if (config_.touch.collisions.empty()) {
    return;
  }
  touch_.device =
      std::make_unique<devices::ContactSensor>(*engine_, cell_, config_.touch.collisions);
  touch_.port =
      open_port<devices::TouchReport>("touch", "executor", config_.touch.link, Duration(0));
  touch_.device->connect(kernel_, period_, *touch_.port);
}

void WorkCell::make_joint_topics() {
  for (const protocols::jointcmd::DoorConfig& config : config_.joint_topics) {
    JointTopic topic;
    const auto fault = [this, model = config.model] {
      if (safety_ && safety_->is_stopped()) {
        return std::string("stopped by the safety system");
      }
      for (std::size_t i = 0; i < robots_.size(); ++i) {
        if (config_.robots[i].robot.placement == model) {
          return robots_[i].robot->fault();
        }
      }
      return std::string();
    };
    topic.joints = std::make_unique<EngineJoints>(*engine_, cell_, config.model, fault);
    topic.door = std::make_unique<protocols::jointcmd::JointCommandDoor>(config, *topic.joints);
    joint_topics_.push_back(std::move(topic));
  }
}

void WorkCell::make_safety() {
  if (!config_.safety.is_on || !curtain_.device) {
    return;
  }
  SafetyOutputs outputs;
  outputs.stop = [this](Time now) { stop_all(now); };
  outputs.resume = [this](Time now) { resume_all(now); };
  outputs.reset_latch = [this] { curtain_.device->reset(); };
  safety_ = std::make_unique<SafetyController>(config_.safety, std::move(outputs));
}

}  // namespace longarm::workcell
