// SPDX-License-Identifier: Apache-2.0
// Puts the cell together and steps it on one clock.
#include "longarm/workcell/work_cell.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::workcell {
namespace {

// real clients count from 1, those inside the simulation from here
constexpr std::uint32_t kFirstInside = 1u << 30;

}  // namespace

physics::JointId find_joint(const model::Cell& cell, const std::string& name) {
  std::vector<std::string> known;
  std::vector<int> found;
  int number = 0;
  for (const model::Placement& placement : cell.placements) {
    for (const model::TreeJoint& joint : placement.tree.joints) {
      known.push_back(placement.name + "::" + joint.name);
      if (name == joint.name || name == known.back()) {
        found.push_back(number);
      }
      ++number;
    }
  }
  if (found.size() == 1) {
    return static_cast<physics::JointId>(found.front());
  }
  throw InputError(Diagnostic{
      {},
      fmt::format("there {} '{}'", found.empty() ? "is no joint" : "are several joints", name),
      found.empty() ? suggest(name, known) : "say which: model::joint"});
}

WorkCell::WorkCell(const WorkCellConfig& config, model::Cell cell, const WorkCellContext& context)
    : config_(config),
      cell_(std::move(cell)),
      period_(context.options.period),
      seed_(static_cast<std::uint64_t>(context.seed)),
      engine_(context.engines.make(context.engine, cell_, context.options)),
      world_(kernel_.add_source("world")) {
  // without contacts there is nothing to simplify
  if (!engine_->capabilities().has_contacts) {
    config_.simplify.mode = "none";
  }
  std::vector<network::KeyRemark> remarks;  // load_work_cell() has said them
  failures_ = parse_failures(config_.failures, remarks);
  make_network(context);
  simplifier_ =
      std::make_unique<mechanisms::Simplifier>(*engine_, cell_, config_.simplify, period_);
  make_belt();
  hold_arms();
  make_plc();
  make_robots();
  make_curtain();
  make_camera(0, config_.camera_1);
  make_camera(1, config_.camera_2);
  make_touch();
  make_joint_topics();
  make_safety();
  schedule_failures();
  kernel_.every(period_, Time{}, sim::Phase::kSample, world_, [this](Time now) { sample(now); });
  kernel_.every(period_, Time{}, sim::Phase::kControl, world_, [this](Time now) { control(now); });
  kernel_.every(period_, Time{}, sim::Phase::kStep, world_, [this](Time now) { step_world(now); });
}

WorkCell::~WorkCell() = default;

void WorkCell::step() {
  if (failure_) {
    return;
  }
  const Result<Time> until = kernel_.run_until(kernel_.now() + period_);
  if (!until) {
    failure_ = fmt::format("at {:.9f} s: {}", to_seconds(kernel_.now().time_since_epoch()),
                           until.error().message);
  }
}

std::vector<protocols::Door*> WorkCell::doors() {
  std::vector<protocols::Door*> doors;
  for (const RobotStation& station : robots_) {
    doors.push_back(station.crcl.get());
  }
  if (plc_) {
    doors.push_back(plc_.get());
  }
  for (const JointTopic& topic : joint_topics_) {
    doors.push_back(topic.door.get());
  }
  return doors;
}

protocols::ClientLink& WorkCell::connect(const std::string& name) {
  check(network_ != nullptr, "clients inside of the simulation need a network");
  for (protocols::Door* door : doors()) {
    if (door->name() != name) {
      continue;
    }
    const std::string role = name.substr(0, name.find('.'));
    ClientRequest request;
    request.client = node_of("executor");
    request.server = node_of(role);
    request.options = config_.network.flows;
    request.connection =
        protocols::ConnectionId(kFirstInside + static_cast<std::uint32_t>(clients_.size()));
    clients_.push_back(std::make_unique<NetworkClientLink>(kernel_, *network_, *door, request));
    return *clients_.back();
  }
  check(false, "nobody is behind that door");
  return *clients_.back();
}

void WorkCell::disconnect(protocols::ClientLink& link) {
  for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
    if (client.get() == &link) {
      client->close();
    }
  }
}

void WorkCell::listen_to_camera(std::size_t number,
                                std::function<void(const devices::CameraFrame&, Time now)> heard) {
  if (cameras_[number].port) {
    cameras_[number].port->listen(std::move(heard));
  }
}

RobotStation& WorkCell::robot(const std::string& name) {
  const auto found = std::find_if(robots_.begin(), robots_.end(),
                                  [&](const RobotStation& each) { return each.name == name; });
  check(found != robots_.end(), "there is no such robot");
  return *found;
}

void WorkCell::sample(Time now) {
  for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
    client->flush(now);
  }
}

void WorkCell::control(Time now) {
  if (curtain_.device && curtain_.device->interruptions() != interruptions_seen_) {
    interruptions_seen_ = curtain_.device->interruptions();
    if (safety_) {
      stop_figures_.begin(now, controlled_points());
    }
  }
  if (safety_) {
    safety_->update(now);
  }
  for (const RobotStation& station : robots_) {
    station.crcl->update(now);
  }
  if (plc_) {
    plc_->before_step(now);
  }
  drop_parts(now);
}

void WorkCell::step_world(Time now) {
  for (const RobotStation& station : robots_) {
    station.robot->before_step();
  }
  // behind the robots: who speaks to a joint has it
  for (const JointTopic& topic : joint_topics_) {
    topic.door->step(now);
  }
  for (const auto& [part, X_WP] : taken_) {
    engine_->reset_body(part, X_WP, physics::Twist{});
  }
  if (visitor_) {
    visitor_->before_step(now + period_);
  }
  if (belt_) {
    belt_->before_step();
  }
  simplifier_->before_step();
  engine_->step();
  simplifier_->after_step();
  const std::uint64_t contacts = engine_->contacts().size();
  ++steps_;
  contact_sum_ += contacts;
  contact_max_ = std::max(contact_max_, contacts);
  // the sensor looked right before this step
  touch_steps_ += touch_.device && !touch_.device->touches().empty() ? 1 : 0;
  if (!robots_.empty()) {
    contact_watch_->update(engine_->contacts());
  }
  if (belt_) {
    belt_->after_step();
    if (belt_->is_jammed() && !jammed_at_) {
      jammed_at_ = now + period_;
    }
  }
  for (const RobotStation& station : robots_) {
    station.robot->after_step();
  }
  if (stop_figures_.is_under_way()) {
    stop_figures_.update(now + period_, period_, controlled_points());
  }
}

std::vector<model::Vector3> WorkCell::controlled_points() const {
  std::vector<model::Vector3> points;
  for (const RobotStation& station : robots_) {
    points.push_back(station.robot->state().X_BT.translation());
  }
  return points;
}

void WorkCell::brake_belt() {
  if (!belt_) {
    return;
  }
  if (is_belt_dead_ || (safety_ && safety_->is_stopped())) {
    belt_->stop();
  } else {
    belt_->resume();
  }
}

void WorkCell::stop_all(Time now) {
  stop_figures_.order(now, controlled_points());
  for (const RobotStation& station : robots_) {
    station.robot->safety_stop();
  }
  brake_belt();
}

void WorkCell::resume_all(Time) {
  stop_figures_.end();
  for (const RobotStation& station : robots_) {
    station.robot->safety_resume();
  }
  brake_belt();
}

}  // namespace longarm::workcell
