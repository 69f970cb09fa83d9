// SPDX-License-Identifier: Apache-2.0
// A whole cell at work: world, belt and PLC, robots, devices, their network, safety and failures on
// one clock.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/devices/contact_sensor.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"
#include "longarm/mechanisms/belt.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/model/cell.h"
#include "longarm/network/network.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/client_link.h"
#include "longarm/protocols/door.h"
#include "longarm/robots/crcl_door.h"
#include "longarm/robots/robot.h"
#include "longarm/sim/kernel.h"
#include "longarm/workcell/contact_watch.h"
#include "longarm/workcell/failures.h"
#include "longarm/workcell/joint_topic.h"
#include "longarm/workcell/network_client_link.h"
#include "longarm/workcell/stop_figures.h"
#include "longarm/workcell/visitor.h"
#include "longarm/workcell/work_cell_config.h"

namespace longarm::workcell {

/// What a cell is made with.
struct WorkCellContext {
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  std::string folder{};  ///< for captures of the network; empty: none
};

/// An arm with its controller.
struct RobotStation {
  std::string name;
  std::unique_ptr<robots::Robot> robot;
  std::unique_ptr<robots::CrclDoor> crcl;  ///< "NAME.crcl"
};

/// The number of the joint that a key names, as `joint` or `model::joint`; throws InputError.
physics::JointId find_joint(const model::Cell& cell, const std::string& name);

/// Owns everything; one thread. What runs on the kernel besides (an executor) is the caller's and
/// is made after the cell and destroyed before it.
///
/// At each step t: what doors said is sent and devices look (sample), doors and safety work
/// (control), commands and failures of that instant act (apply), the world moves to t + h (step).
class WorkCell {
 public:
  /// `cell` as load_work_cell() made it. Throws InputError for what only shows now.
  WorkCell(const WorkCellConfig& config, model::Cell cell, const WorkCellContext& context);
  ~WorkCell();
  WorkCell(const WorkCell&) = delete;
  WorkCell& operator=(const WorkCell&) = delete;

  /// One period of the engine. After a failure() it does nothing.
  void step();
  const std::optional<std::string>& failure() const { return failure_; }

  sim::Kernel& kernel() { return kernel_; }
  const WorkCellConfig& config() const { return config_; }
  const model::Cell& cell() const { return cell_; }
  const physics::Engine& engine() const { return *engine_; }
  const mechanisms::Simplifier& simplifier() const { return *simplifier_; }
  const mechanisms::Belt* belt() const { return belt_.get(); }
  const devices::LightCurtain* curtain() const { return curtain_.device.get(); }
  const std::vector<RobotStation>& robots() const { return robots_; }
  const ContactWatch& contacts() const { return *contact_watch_; }
  const StopFigures& stops() const { return stop_figures_; }

  /// "fanuc.crcl", "motoman.crcl", "plc", "jointcmd.TOPIC"; they live as long as the cell.
  std::vector<protocols::Door*> doors();
  /// From the executor's host to a door, by its name, across the network, which there must be. The
  /// cell owns it. After a reset connect again.
  protocols::ClientLink& connect(const std::string& door);
  void disconnect(protocols::ClientLink& link);
  /// At the executor's end of camera 0 or 1; one listener each.
  void listen_to_camera(std::size_t number,
                        std::function<void(const devices::CameraFrame&, Time now)> heard);

  nlohmann::ordered_json results() const;
  std::vector<std::string> warnings() const;

 private:
  template <typename Device, typename Message>
  struct Station {
    std::unique_ptr<Device> device;
    std::unique_ptr<devices::DevicePort<Message>> port;
  };

  /// A robot whose next hold is lost.
  struct Drop {
    std::string robot;
    std::optional<Time> holding_since;
  };

  void make_network(const WorkCellContext& context);
  void hold_arms();
  void make_belt();
  void make_plc();
  void make_curtain();
  void make_camera(std::size_t number, const CameraSection& config);
  void make_touch();
  void make_robots();
  void make_joint_topics();
  void make_safety();
  template <typename Message>
  std::unique_ptr<devices::DevicePort<Message>> open_port(const std::string& role,
                                                          const std::string& listener,
                                                          const devices::DeviceLinkConfig& link,
                                                          Duration period);
  network::NodeId node_of(const std::string& role) const;

  void sample(Time now);
  void control(Time now);
  void step_world(Time now);
  std::vector<model::Vector3> controlled_points() const;
  std::vector<robots::CrclModelReport> loose_models() const;
  void brake_belt();
  void stop_all(Time now);
  void resume_all(Time now);

  void schedule_failures();
  void begin(const Failure& failure, Time now);
  void end(const Failure& failure, Time now);
  void misplace(const Failure& failure);
  void take_away(const Failure& failure);
  void drop_parts(Time now);
  RobotStation& robot(const std::string& name);

  void add_robot_results(nlohmann::ordered_json& out) const;
  void add_safety_results(nlohmann::ordered_json& out) const;
  void add_device_results(nlohmann::ordered_json& out) const;
  void add_network_results(nlohmann::ordered_json& out) const;

  WorkCellConfig config_;
  model::Cell cell_;
  Duration period_;
  std::uint64_t seed_;
  std::unique_ptr<physics::Engine> engine_;
  sim::Kernel kernel_;
  sim::SourceId world_;
  std::optional<std::string> failure_;
  network::Topology topology_;
  std::unique_ptr<network::Network> network_;  ///< null: none
  std::unique_ptr<mechanisms::Simplifier> simplifier_;
  std::unique_ptr<mechanisms::Belt> belt_;
  std::unique_ptr<protocols::modbus::PlcDoor> plc_;
  Station<devices::LightCurtain, devices::CurtainReport> curtain_;
  std::optional<Time> intrusion_heard_;
  std::array<Station<devices::OverheadCamera, devices::CameraFrame>, 2> cameras_;
  Station<devices::ContactSensor, devices::TouchReport> touch_;
  std::vector<RobotStation> robots_;
  std::vector<JointTopic> joint_topics_;
  std::unique_ptr<SafetyController> safety_;
  std::unique_ptr<ContactWatch> contact_watch_;
  StopFigures stop_figures_;
  std::uint64_t interruptions_seen_ = 0;
  std::deque<std::unique_ptr<NetworkClientLink>> clients_;

  std::vector<Failure> failures_;
  std::vector<std::string> happened_;  ///< failures, as they were written, with their instants
  std::vector<Drop> dropping_;
  std::vector<std::pair<physics::BodyId, model::Pose>> taken_;  ///< parts, and where they are now
  std::unique_ptr<VisitorWalk> visitor_;
  bool is_belt_dead_ = false;

  std::uint64_t steps_ = 0;
  std::uint64_t contact_sum_ = 0;
  std::uint64_t contact_max_ = 0;
  std::uint64_t touch_steps_ = 0;
  std::optional<Time> jammed_at_;
};

}  // namespace longarm::workcell
