// SPDX-License-Identifier: Apache-2.0
// What may be changed of an arm at work, and how it says that it is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "longarm/actors/arm.h"
#include "longarm/cell/live_link.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::Health;
using control::GainsConfig;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Of driven joints, out of a list that per_joint() understands.
std::vector<double> of_driven(const std::vector<double>& list, const std::vector<int>& driven,
                              std::size_t joints) {
  const std::vector<double> all = control::per_joint(list, static_cast<int>(joints));
  std::vector<double> out;
  for (const int joint : driven) {
    out.push_back(all[static_cast<std::size_t>(joint)]);
  }
  return out;
}

/// The other way round; joints without a drive keep what they have.
std::vector<double> merged(const std::vector<double>& list, const std::vector<int>& driven,
                           std::size_t joints, const std::vector<double>& values) {
  std::vector<double> all = control::per_joint(list, static_cast<int>(joints));
  for (std::size_t i = 0; i < driven.size(); ++i) {
    all[static_cast<std::size_t>(driven[i])] = values[i];
  }
  return all;
}

}  // namespace

/// One list of gains, a number for each driven joint.
void ArmActor::offer_gain(const char* key, std::vector<double> GainsConfig::*list,
                          const char* unit) {
  const std::size_t joints = model_.tree().joints.size();
  world_.offer_live_key(cell::live_numbers(
      {name_ + "/gains/" + key, unit, "gain of the position loop, for each driven joint", 0.0,
       kNoLimit},
      [this, list, joints] { return of_driven(gains_.*list, model_.driven(), joints); },
      [this, list, joints](const std::vector<double>& values) -> Result<bool> {
        gains_.*list = merged(gains_.*list, model_.driven(), joints, values);
        return loop_->set_gains(gains_, feed_forward_);
      }));
}

void ArmActor::offer_live_keys() {
  const control::LoopConfig config =
      loop_config(model_.whole_config(), model_.driven(), model_.tree().joints.size(),
                  world_.period(), world_.seed());
  gains_ = config.gains;
  feed_forward_ = config.feed_forward;
  tolerances_ = config.tolerances;
  if (world_.recording_of(name_)) {
    return;  // a replay does what was done
  }
  if (loop_->set_gains(gains_, feed_forward_)) {
    offer_gain("p", &GainsConfig::p, "1/s");
    if (config_.cut != "position") {
      offer_gain("i", &GainsConfig::i, "1/s^2");
      offer_gain("d", &GainsConfig::d, "");
      offer_gain("i_clamp", &GainsConfig::i_clamp, "rad/s");
    }
    world_.offer_live_key(cell::live_number(
        {name_ + "/feed_forward", "", "share of the planned velocity that is commanded", 0.0,
         kNoLimit},
        [this] { return feed_forward_; },
        [this](double value) -> Result<bool> {
          feed_forward_ = value;
          return loop_->set_gains(gains_, feed_forward_);
        }));
  }
  if (!own_links_.empty() && config_.cut != "none") {
    const auto& states = *config_.link.states.plugin;
    if (states.as_netem() == config_.link.commands.plugin->as_netem()) {
      cell::offer_link_keys(world_, name_ + "/link", *states.as_netem(),
                            [this](const std::shared_ptr<const network::LinkModel>& model) {
                              for (network::ChangeableLink* link : own_links_) {
                                link->change(*model);
                              }
                            });
    }
  }
  if (!model_.why_no_goals().empty()) {
    return;
  }
  const std::size_t joints = model_.tree().joints.size();
  for (const auto& [key, list, doc] :
       {std::tuple{
            "path", &control::ToleranceConfig::path_rad,
            "how far joints may leave the path of a goal that does not say; 0: as they like"},
        std::tuple{"goal", &control::ToleranceConfig::goal_rad,
                   "how near joints must come to such a goal; 0: as they like"}}) {
    world_.offer_live_key(cell::live_numbers(
        {name_ + "/tolerances/" + key, "rad", doc, 0.0, kNoLimit},
        [this, list = list, joints] {
          return of_driven(tolerances_.*list, model_.driven(), joints);
        },
        [this, list = list, joints](const std::vector<double>& values) -> Result<bool> {
          tolerances_.*list = merged(tolerances_.*list, model_.driven(), joints, values);
          return true;
        }));
  }
  world_.offer_live_key(cell::live_number(
      {name_ + "/tolerances/goal_time", "s", "how late a goal may be reached", 0.0, 1e6},
      [this] { return to_seconds(tolerances_.goal_time); },
      [this](double value) -> Result<bool> {
        tolerances_.goal_time = to_duration(value);
        return true;
      }));
}

void ArmActor::diagnose(Time now, std::vector<cell::Diagnosis>& out) const {
  const control::JointTrajectoryController& controller = loop_->controller();
  const network::LinkReport states = loop_->states_report(now);
  const network::LinkReport commands = loop_->commands_report(now);
  const control::CommandWatchdog& watchdog = loop_->actuators().watchdog();
  double error = 0.0;
  for (const double each : controller.position_errors()) {
    error = std::max(error, std::abs(each));
  }
  cell::Diagnosis diagnosis;
  diagnosis.name = name_;
  diagnosis.values = {{"tracking_error_rad", error},
                      {"states_age_s", to_seconds(now - loop_->seen().stamp)},
                      {"states_lost", states.dropped()},
                      {"states_delay_mean_s", states.delay_mean_s},
                      {"commands_lost", commands.dropped()},
                      {"commands_delay_mean_s", commands.delay_mean_s},
                      {"missed_cycles", watchdog.missed_cycles()},
                      {"contact_steps", contacts_.steps}};
  diagnosis.troubles = states.dropped() + commands.dropped() + watchdog.missed_cycles();
  diagnosis.trouble = "states or commands were lost or late";
  if (watchdog.has_tripped()) {
    diagnosis.health = Health::kError;
    diagnosis.message = "the robot stopped because commands stopped arriving";
  } else if (controller.status() == control::TrajectoryStatus::kAborted) {
    diagnosis.health = Health::kWarning;
    diagnosis.message = "the last trajectory was aborted: " + controller.abort_reason();
  }
  out.push_back(std::move(diagnosis));
}

}  // namespace longarm::actors
