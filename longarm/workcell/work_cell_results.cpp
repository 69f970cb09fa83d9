// SPDX-License-Identifier: Apache-2.0
// What happened in a cell, for metrics.json.
#include <fmt/format.h>

#include "longarm/scenario/arm_network.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::workcell {
namespace {

using Json = nlohmann::ordered_json;

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

Json WorkCell::results() const {
  Json out;
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
  add_device_results(out);
  add_robot_results(out);
  if (plc_) {
    const protocols::modbus::PlcCounters& said = plc_->counters();
    out["plc"] = {{"requests", said.requests},
                  {"answers", said.answers},
                  {"exceptions", said.exceptions},
                  {"writes", said.writes},
                  {"commands", said.commands}};
  }
  for (const JointTopic& topic : joint_topics_) {
    out["joint_topics"][topic.door->config().topic] = {
        {"accepted", topic.door->accepted()},
        {"refused", topic.door->refused()},
        {"last_refusal", topic.door->last_refusal()}};
  }
  add_safety_results(out);
  add_network_results(out);
  if (!happened_.empty()) {
    out["failures"] = happened_;
  }
  return out;
}

void WorkCell::add_device_results(Json& out) const {
  const Time now = kernel_.now();
  if (curtain_.device) {
    const devices::LightCurtain& curtain = *curtain_.device;
    out["curtain_interruptions"] = curtain.interruptions();
    out["curtain_latched"] = curtain.is_latched();
    out["curtain_rays"] = curtain.rays_cast();
    if (curtain.first_broken()) {
      out["curtain_first_broken_s"] = to_seconds(*curtain.first_broken());
    }
    if (intrusion_heard_) {
      out["curtain_heard_s"] = to_seconds(*intrusion_heard_);
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
}

void WorkCell::add_robot_results(Json& out) const {
  if (robots_.empty()) {
    return;
  }
  const ContactCounts& touched = contact_watch_->counts();
  out["arm_contacts"] = touched.arm_contacts;
  out["arm_contact_s"] = static_cast<double>(touched.arm_contact_steps) * to_seconds(period_);
  out["environment_hits"] = touched.environment_hits;
  if (!touched.first_arm_contact.empty()) {
    out["first_arm_contact"] = touched.first_arm_contact;
  }
  if (!touched.first_environment_hit.empty()) {
    out["first_environment_hit"] = touched.first_environment_hit;
  }
  Json robots = Json::object();
  for (const RobotStation& station : robots_) {
    const robots::CrclCounts& said = station.crcl->counts();
    robots[station.name] = {{"commands", said.commands},
                            {"errors", said.errors},
                            {"statuses", said.statuses},
                            {"malformed", said.malformed},
                            {"fault", station.robot->fault()}};
  }
  out["robots"] = std::move(robots);
}

void WorkCell::add_safety_results(Json& out) const {
  if (!safety_) {
    return;
  }
  out["safety_stops"] = safety_->stops();
  out["safety_stops_by_silence"] = safety_->stops_by_silence();
  out["stop_distance_m"] = stop_figures_.largest_distance_m();
  Json stops = Json::array();
  for (const SafetyStop& stop : stop_figures_.all()) {
    Json each;
    each["broken_s"] = stop.has_broken_beam ? Json(to_seconds(stop.begun)) : Json();
    if (stop.ordered) {
      each["order_after_s"] = to_seconds(*stop.ordered - stop.begun);
    }
    if (stop.still) {
      each["still_after_s"] = to_seconds(*stop.still - stop.begun);
    }
    Json ways = Json::object();
    for (std::size_t i = 0; i < stop.distance_m.size(); ++i) {
      ways[robots_[i].name] = stop.distance_m[i];
    }
    each["distance_m"] = std::move(ways);
    stops.push_back(std::move(each));
  }
  out["stops"] = std::move(stops);
}

void WorkCell::add_network_results(Json& out) const {
  if (!network_) {
    return;
  }
  out["network"] = scenario::network_json(*network_);
  Hash traffic;
  for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
    traffic.add(client->traffic_hash().value());
  }
  out["traffic_hash"] = traffic.text();
}

std::vector<std::string> WorkCell::warnings() const {
  std::vector<std::string> warnings;
  if (jammed_at_) {
    warnings.push_back(
        fmt::format("the belt was jammed at {:.3f} s: its drive pressed with all of its {:g} N "
                    "and did not get there",
                    to_seconds(*jammed_at_), config_.belt.belt.max_force_N));
  }
  for (const Failure& failure : failures_) {
    // those behind the run's length were told of before it
    if (failure.at >= kernel_.now() && failure.at < Time(config_.length)) {
      warnings.push_back(fmt::format("\"{}\" did not happen: the run was over after {:.3f} s",
                                     failure.text, to_seconds(kernel_.now())));
    }
  }
  return warnings;
}

}  // namespace longarm::workcell
