// SPDX-License-Identifier: Apache-2.0
// Puts the cell together, steps it on one clock with its devices, and says what happened.
#include "longarm/experiments/cell_run.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

double seconds(Time time) {
  return to_seconds(time.time_since_epoch());
}

Time time_of(double seconds_since_start) {
  return Time(std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::round(seconds_since_start * 1e9) * 1e-9)));
}

Json link_json(const network::LinkReport& report) {
  return {{"sent", report.sent},
          {"delivered", report.delivered},
          {"dropped", report.dropped()},
          {"delay_mean_s", report.delay_mean_s},
          {"delay_max_s", to_seconds(report.delay_max)},
          {"age_mean_s", report.age_mean_s},
          {"age_max_s", to_seconds(report.age_max)}};
}

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

CellRun::CellRun(const CellConfig& config, model::Cell cell, const ExperimentContext& context)
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
  simplifier_ =
      std::make_unique<mechanisms::Simplifier>(*engine_, cell_, config_.simplify, period_);
  make_belt();
  hold_arms();
  drift_ = std::make_unique<PartDrift>(*engine_, cell_, belt_.get());
  if (config_.settle == Duration::zero()) {
    drift_->start();
  }
  make_curtain();
  make_camera(0, config_.camera_1);
  make_camera(1, config_.camera_2);
  make_touch();
  kernel_.every(period_, Time{}, sim::Phase::kStep, world_, [this](Time now) { step_world(now); });
}

CellRun::~CellRun() = default;

/// Every joint that neither the belt nor another joint moves stays where it starts.
void CellRun::hold_arms() {
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

void CellRun::make_belt() {
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

template <typename Message>
std::unique_ptr<devices::DevicePort<Message>> CellRun::open_port(
    const std::string& name, const devices::DeviceLinkConfig& link, Duration period) {
  return std::make_unique<devices::DevicePort<Message>>(
      kernel_, name + ".link", devices::make_link(link, {seed_, name + ".link"}), period,
      link.requirements);
}

void CellRun::make_curtain() {
  const devices::CurtainConfig& config = config_.curtain.curtain;
  if (config.poles.empty() || !engine_->capabilities().has_rays) {
    return;
  }
  curtain_.device = std::make_unique<devices::LightCurtain>(*engine_, cell_, config);
  curtain_.port =
      open_port<devices::CurtainReport>("curtain", config_.curtain.link, config.report_every);
  curtain_.port->listen([this](const devices::CurtainReport& report, Time now) {
    if (report.is_latched && !intrusion_heard_) {
      intrusion_heard_ = now;
    }
  });
  curtain_.device->connect(kernel_, period_, *curtain_.port);
  for (const double at_s : config_.curtain.reset_at_s) {
    kernel_.at(time_of(at_s), sim::Phase::kApply, world_,
               [this](Time) { curtain_.device->reset(); });
  }
}

void CellRun::make_camera(std::size_t number, const CellCameraConfig& config) {
  if (!config.is_on) {
    return;
  }
  const std::string name = fmt::format("camera_{}", number + 1);
  auto& station = cameras_[number];
  station.device =
      std::make_unique<devices::OverheadCamera>(*engine_, cell_, name, config.camera, seed_);
  station.port = open_port<devices::CameraFrame>(name, config.link, config.camera.period);
  station.device->connect(kernel_, *station.port);
}

void CellRun::make_touch() {
  if (config_.touch.collisions.empty()) {
    return;
  }
  touch_.device =
      std::make_unique<devices::ContactSensor>(*engine_, cell_, config_.touch.collisions);
  touch_.port = open_port<devices::TouchReport>("touch", config_.touch.link, Duration(0));
  touch_.device->connect(kernel_, period_, *touch_.port);
}

void CellRun::step_world(Time now) {
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
  const Duration elapsed = now.time_since_epoch() + period_;
  if (elapsed <= config_.settle) {
    drift_->find_supports();
  }
  if (belt_) {
    belt_->after_step();
    watch_belt(now + period_);
  }
  if (elapsed - period_ < config_.settle && elapsed >= config_.settle) {
    drift_->start();
  }
}

void CellRun::watch_belt(Time now) {
  if (belt_->is_jammed() && !jammed_at_) {
    jammed_at_ = now;
  }
}

void CellRun::do_step() {
  check(kernel_.run_until(kernel_.now() + period_).has_value(), "devices never stop talking");
}

void CellRun::do_sample(std::span<double> out) const {
  out[0] = belt_ ? belt_->velocity_m_s() : 0.0;
  out[1] = static_cast<double>(engine_->contacts().size());
  out[2] = static_cast<double>(simplifier_->counts().joined);
  out[3] = curtain_.device ? curtain_.device->broken_beams() : 0.0;
}

Json CellRun::do_results() const {
  const Time now = kernel_.now();
  Json out;
  out["parts"] = drift_->parts().size();
  // of parts that still fall into place there is no displacement
  const bool counts_drift = drift_->has_started();
  out["displacement_sum_m"] = counts_drift ? Json(drift_->sum_m()) : Json();
  out["displacement_max_m"] = counts_drift ? Json(drift_->largest_m()) : Json();
  out["contacts_mean"] =
      steps_ == 0 ? 0.0 : static_cast<double>(contact_sum_) / static_cast<double>(steps_);
  out["contacts_max"] = contact_max_;
  const mechanisms::SimplifierCounts& counts = simplifier_->counts();
  out["joints_made"] = counts.made;
  out["joints_removed"] = counts.removed;
  out["joints_at_end"] = counts.joined;
  if (belt_) {
    out["belt_encoder_m"] = belt_->encoder_m();
    out["belt_jammed"] = jammed_at_.has_value();
  }
  if (curtain_.device) {
    const devices::LightCurtain& curtain = *curtain_.device;
    out["curtain_interruptions"] = curtain.interruptions();
    out["curtain_latched"] = curtain.is_latched();
    out["curtain_rays"] = curtain.rays_cast();
    if (curtain.first_broken()) {
      out["curtain_first_broken_s"] = seconds(*curtain.first_broken());
    }
    if (intrusion_heard_) {
      out["curtain_heard_s"] = seconds(*intrusion_heard_);
    }
    out["curtain"] = link_json(curtain_.port->report(now));
  }
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    if (cameras_[i].port) {
      Json camera = link_json(cameras_[i].port->report(now));
      const auto& latest = cameras_[i].port->latest();
      camera["detections_at_end"] = latest ? latest->detections.size() : 0;
      out[fmt::format("camera_{}", i + 1)] = std::move(camera);
    }
  }
  if (touch_.port) {
    out["touched_s"] = static_cast<double>(touch_steps_) * to_seconds(period_);
    out["touch"] = link_json(touch_.port->report(now));
  }
  Json each = Json::object();
  for (const DriftingPart& part : drift_->parts()) {
    each[part.name] = counts_drift ? Json(drift_->displacement_m(part)) : Json();
  }
  out["displacement_m"] = std::move(each);
  return out;
}

std::vector<std::string> CellRun::do_warnings() const {
  if (!jammed_at_) {
    return {};
  }
  return {
      fmt::format("the belt was jammed at {:.3f} s: its drive pressed with all of its {:g} N "
                  "and did not get there",
                  seconds(*jammed_at_), config_.belt.belt.max_force_N)};
}

}  // namespace longarm::experiments
