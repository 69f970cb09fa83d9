// SPDX-License-Identifier: Apache-2.0
// Builds arms, network and driver, and steps them.
#include "longarm/experiments/ur_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/network/flow_link.h"

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;

// clients from outside count from 1
constexpr std::uint32_t kFirstInside = 1'000'000;
constexpr Duration kUsualLength = 10min;

/// The same plan, so much later: before its first point a trajectory holds it.
motion::Trajectory later(const motion::Trajectory& plan, Duration by) {
  std::vector<motion::TrajectoryPoint> points = plan.points();
  for (motion::TrajectoryPoint& point : points) {
    point.time += by;
  }
  Result<motion::Trajectory> made = motion::Trajectory::make(std::move(points));
  check(made.has_value(), "a plan that was good is good later");
  return std::move(made).value();
}

control::LoopConfig loop_config(const UrRunConfig& config, Duration period, std::uint64_t seed) {
  control::LoopConfig loop;
  loop.cut = control::Cut::kVelocity;
  loop.physics_period = period;
  loop.control_period = robots::kUrCycle;
  loop.states_period = robots::kUrCycle;
  loop.control_phase = config.driver.phase;
  loop.gains = config.driver.gains;
  if (config.driver.gain) {
    loop.gains.p = {*config.driver.gain};
  }
  loop.feed_forward = config.driver.feed_forward;
  loop.silence_after = robots::kUrCycle;
  loop.seed = seed;
  return loop;
}

}  // namespace

Duration length_of(const UrRunConfig& config, const UrScene& scene) {
  if (config.length) {
    return *config.length;
  }
  return config.driver.is_on() ? config.driver.start + scene.plan.end : kUsualLength;
}

UrRun::UrRun(const UrRunConfig& config, const UrScene& scene, const ExperimentContext& context)
    : config_(config),
      scene_(scene),
      length_(length_of(config, scene)),
      period_(context.options.period),
      seed_(static_cast<std::uint64_t>(context.seed)),
      engine_(context.engines.make(context.engine, scene_.cell, context.options)),
      world_(kernel_.add_source("world")) {
  make_robots();
  if (config_.driver.is_on()) {
    make_network(context);
    path_ =
        std::make_unique<UrPath>(*engine_, scene_.cell.placements[config_.driven()].tree,
                                 scene_.cell.first_joint(static_cast<int>(config_.driven())),
                                 scene_.end_effector, scene_.plan, config_.driver.start, period_);
    config_.driver.speaks_ur() ? make_driver() : make_loop();
  }
  schedule();
}

UrRun::~UrRun() = default;

void UrRun::make_robots() {
  for (std::size_t i = 0; i < config_.robots.size(); ++i) {
    const bool is_without = config_.driver.kind == "ros_control" && i == config_.driven();
    robots_.push_back(is_without
                          ? nullptr
                          : std::make_unique<robots::UrRobot>(
                                *engine_, scene_.cell, config_.robots[i].controller, period_));
  }
}

void UrRun::make_network(const ExperimentContext& context) {
  topology_ = network::make_topology(config_.network, length_);
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

network::NodeId UrRun::node(const std::string& host) const {
  const std::optional<network::NodeId> found = topology_.find(host);
  check(found.has_value(), "a host that load() refused");
  return *found;
}

protocols::Door& UrRun::door(const std::string& name) const {
  for (protocols::Door* each : driven()->doors()) {
    if (each->name() == config_.driven_arm().name + "." + name) {
      return *each;
    }
  }
  throw InputError(Diagnostic{
      {},
      fmt::format("the driver finds no {} port at robot '{}'", name, config_.driven_arm().name),
      "its ports must have one"});
}

workcell::NetworkClientLink& UrRun::connect(protocols::Door& door, bool is_call_out) {
  workcell::ClientRequest request;
  request.client = node(config_.driver.host);
  request.server = node(config_.driven_arm().host);
  request.options = config_.network.flows;
  request.connection =
      protocols::ConnectionId(kFirstInside + static_cast<std::uint32_t>(links_.size()));
  request.is_call_out = is_call_out;
  links_.push_back(
      std::make_unique<workcell::NetworkClientLink>(kernel_, *network_, door, request));
  return *links_.back();
}

void UrRun::make_driver() {
  const UrDriverContext context{kernel_, config_.driver,
                                scene_.cell.placements[config_.driven()].tree,
                                scene_.plan.trajectory, connect(door("realtime"), false)};
  if (config_.driver.kind == "speedj") {
    driver_ = make_speedj_driver(context);
    return;
  }
  sockets_ = &door("sockets");
  driver_ = make_servoj_driver(context);
}

void UrRun::make_loop() {
  Result<network::FlowLinks> flow = network::open_flow_links(
      *network_, kernel_,
      {node(config_.driver.host), node(config_.driven_arm().host), config_.network.flows});
  if (!flow) {
    throw InputError(Diagnostic{{}, flow.error().message, ""});
  }
  network::FlowLinks both = std::move(flow).value();
  loop_ = std::make_unique<control::ArmLoop>(
      kernel_, *engine_, scene_.cell, static_cast<int>(config_.driven()),
      loop_config(config_, period_, seed_),
      control::LoopLinks{std::move(both.from_peer), std::move(both.from_opener)},
      later(scene_.plan.trajectory, config_.driver.start), log_);
}

void UrRun::schedule() {
  kernel_.every(period_, Time{}, sim::Phase::kSample, world_, [this](Time now) { sample(now); });
  kernel_.every(period_, Time{}, sim::Phase::kApply, world_, [this](Time now) {
    for (const std::unique_ptr<robots::UrRobot>& robot : robots_) {
      if (robot) {
        robot->before_step(now);
      }
    }
  });
  kernel_.every(period_, Time{}, sim::Phase::kStep, world_, [this](Time) { engine_->step(); });
  kernel_.every(period_, Time{}, sim::Phase::kRecord, world_,
                [this](Time now) { record(now + period_); });
}

/// What the ports have to say since the last step leaves now, at the end of that step.
void UrRun::sample(Time now) {
  for (const std::unique_ptr<workcell::NetworkClientLink>& link : links_) {
    link->flush(now);
  }
  take_call(now);
}

void UrRun::take_call(Time now) {
  if (sockets_ == nullptr) {
    return;
  }
  if (called_ != nullptr && called_->is_established()) {
    driver_->answer(*called_);
    called_ = nullptr;
  }
  const std::optional<protocols::Call> call = sockets_->take_call();
  if (!call) {
    return;
  }
  // hosts of the network go by their names; only the driver listens, and to one robot
  const bool is_for_driver =
      call->host == config_.driver.host && call->port == config_.driver.servoj.reverse_port;
  if (!is_for_driver || called_ != nullptr) {
    sockets_->call_failed(now);
    return;
  }
  called_ = &connect(*sockets_, true);
}

void UrRun::record(Time end) {
  for (const std::unique_ptr<robots::UrRobot>& robot : robots_) {
    if (robot) {
      robot->after_step(end);
    }
  }
  if (path_) {
    path_->record(end, plan_begun(), is_ramping());
  }
}

/// Whether speedj changes velocities as fast as it may; all joints with one factor.
bool UrRun::is_ramping() const {
  if (config_.driver.kind != "speedj") {
    return false;
  }
  const double most =
      kAtLimit * std::min(config_.driver.speedj.acceleration_rad_s2,
                          config_.driven_arm().controller.joint_acceleration_rad_s2);
  const protocols::ur::Joints& qdd = driven()->controller().state().qdd_target;
  return std::any_of(qdd.begin(), qdd.end(), [&](double a) { return std::abs(a) >= most; });
}

std::optional<Time> UrRun::plan_begun() const {
  return loop_ ? Time(config_.driver.start) : driver_->figures().begun;
}

const robots::UrRobot* UrRun::driven() const {
  return robots_[config_.driven()].get();
}

const workcell::NetworkClientLink* UrRun::status_link() const {
  return driver_ ? links_.front().get() : nullptr;
}

void UrRun::do_step() {
  if (failure_) {
    return;
  }
  const Result<Time> until = kernel_.run_until(kernel_.now() + period_);
  if (!until) {
    failure_ = fmt::format("at {:.9f} s: {}", to_seconds(kernel_.now().time_since_epoch()),
                           until.error().message);
  }
}

std::vector<protocols::Door*> UrRun::do_doors() {
  std::vector<protocols::Door*> doors;
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    if (!robots_[i]) {
      continue;
    }
    for (protocols::Door* each : robots_[i]->doors()) {
      // whom the driven arm calls is on the simulated network
      const bool is_inside = driver_ && i == config_.driven() && !each->port();
      if (!is_inside) {
        doors.push_back(each);
      }
    }
  }
  return doors;
}

}  // namespace longarm::experiments
