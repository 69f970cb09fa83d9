// SPDX-License-Identifier: Apache-2.0
// Puts the parts together and keeps them in step.
#include "longarm/scenario/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/network/network_json.h"
#include "longarm/scenario/arm_network.h"
#include "longarm/scenario/link_json.h"

namespace longarm::scenario {
namespace {

using Json = nlohmann::ordered_json;

// beyond these an arm has run away and engines are about to lose their numbers
constexpr double kRunaway_rad = 1e3;
constexpr double kRunaway_rad_s = 1e7;

control::LoopConfig loop_config(const Scenario& s) {
  control::LoopConfig config;
  config.cut = control::cut_of(s.cut);
  config.physics_period = s.physics_period;
  config.control_period = s.control.period;
  config.states_period = *s.states_period;
  config.gains = s.gains;
  if (s.gain) {
    config.gains.p = {*s.gain};
  }
  config.feed_forward = s.feed_forward;
  config.tolerances = s.tolerances;
  config.servo = s.servo;
  config.on_silence = control::silence_of(s.link.on_silence);
  config.silence_after = *s.link.silence_after;
  config.zero_fill = s.link.compat == "zero-fill";
  config.estop_at = s.estop_at;
  config.estop_release = s.estop_release;
  config.clock_offset = s.control.clock_offset;
  config.clock_drift_ppm = s.control.clock_drift_ppm;
  config.control_phase = s.control.phase;
  config.control_jitter = s.control.jitter;
  config.seed = static_cast<std::uint64_t>(s.seed);
  config.watchdog = control::watchdog_of(s.link.watchdog);
  config.states_requirements = s.link.states.requirements;
  config.commands_requirements = s.link.commands.requirements;
  return config;
}

/// What was opened, or the user's problem.
template <typename T>
std::unique_ptr<T> opened(Result<std::unique_ptr<T>> result) {
  if (!result) {
    throw InputError(Diagnostic{{}, result.error().message, ""});
  }
  return std::move(result).value();
}

const char* status_text(control::TrajectoryStatus status) {
  switch (status) {
    case control::TrajectoryStatus::kHolding:
      return "holding";
    case control::TrajectoryStatus::kExecuting:
      return "executing";
    case control::TrajectoryStatus::kSucceeded:
      return "succeeded";
    case control::TrajectoryStatus::kAborted:
      break;
  }
  return "aborted";
}

}  // namespace

Simulation::Simulation(const PreparedScenario& prepared, SimulationOptions options)
    : prepared_(prepared),
      log_(std::move(options.log)),
      engine_(prepared.plugins.engines.make(
          prepared.scenario.engine, prepared.cell,
          {prepared.scenario.physics_period, prepared.scenario.solver})),
      kinematics_(prepared.cell.placements.front().tree),
      curve_(motion::planned_curve(prepared.plan.trajectory, kinematics_,
                                   prepared.end_effector_frame)) {
  warn();
  open_traces(options);
  make_loop(options);
  loop_->offer_probes(probes_);
  offer_end_effector_probes();
  metrics_.emplace(probes_,
                   record::MetricsConfig{prepared_.scenario.physics_period,
                                         prepared_.plan.hold_start, prepared_.plan.goal},
                   std::move(options.reference));
  if (!options.trace_path.empty()) {
    trace_ = opened(record::CsvTraceWriter::open(options.trace_path, probes_));
  }
  schedule();
  if (messages_) {
    messages_->step(Time{});
  }
}

void Simulation::open_traces(const SimulationOptions& options) {
  if (!options.messages_path.empty()) {
    messages_ = opened(RunRecorder::open(options.messages_path, prepared_, *engine_));
  }
}

void Simulation::warn() {
  for (const Diagnostic& warning : prepared_.warnings) {
    warnings_.push_back(warning.format());
    log_.warning(Time{}, "model", warnings_.back());
  }
  const std::vector<model::TreeJoint>& joints = prepared_.cell.placements.front().tree.joints;
  const bool has_moving_rotors =
      std::any_of(joints.begin(), joints.end(), [](const model::TreeJoint& joint) {
        return joint.parent_body > 0 && joint.dynamics.rotor_inertia_kg_m2 > 0.0;
      });
  if (prepared_.scenario.servo.model == "pid" && has_moving_rotors &&
      !engine_->capabilities().has_exact_rotor_inertia) {
    warnings_.push_back("engine '" + prepared_.scenario.engine +
                        "' adds rotor inertias to the links they drive, which is exact only for "
                        "the first joint: margins of the velocity loop differ from mujoco's, which "
                        "has them exactly");
    log_.warning(Time{}, "world", warnings_.back());
  }
}

void Simulation::make_loop(const SimulationOptions& options) {
  const Scenario& s = prepared_.scenario;
  const auto seed = static_cast<std::uint64_t>(s.seed);
  const auto make_link = [&](const LinkDirectionConfig& direction, const char* name) {
    return direction.plugin ? direction.plugin->make({seed, name})
                            : prepared_.plugins.link_models.make("none")->make({seed, name});
  };
  control::LoopLinks links;
  if (s.network.is_empty() || options.recording) {
    links = {make_link(s.link.states, "link.states"), make_link(s.link.commands, "link.commands")};
  } else {
    ArmNetwork made = make_arm_network(s, kernel_, prepared_.plan.end, options.capture_folder);
    network_ = std::move(made.network);
    links = std::move(made.links);
  }
  call_trace_ = options.call_trace;
  control::LoopOptions loop(call_trace_);
  loop.observer = messages_.get();
  loop.controller = s.controller.plugin;
  loop.recording = options.recording;
  loop_ = std::make_unique<control::ArmLoop>(kernel_, *engine_, prepared_.cell, 0, loop_config(s),
                                             std::move(links), prepared_.plan.trajectory, log_,
                                             std::move(loop));
}

void Simulation::offer_end_effector_probes() {
  const auto position = [this] {
    return kinematics_.position_of(prepared_.end_effector_frame, loop_->positions());
  };
  probes_.add({"end_effector", {"x", "y", "z"}, [position](std::span<double> out) {
                 const model::Vector3 p = position();
                 std::copy(p.data(), p.data() + 3, out.begin());
               }});
  probes_.add({"path_deviation", {"m"}, [this, position](std::span<double> out) {
                 out[0] = curve_.distance(position(), curve_cursor_);
               }});
}

void Simulation::schedule() {
  const sim::SourceId world = kernel_.add_source("world");
  const Duration period = prepared_.scenario.physics_period;
  kernel_.every(period, Time{}, sim::Phase::kStep, world, [this](Time now) {
    if (call_trace_) {
      call_trace_(now, "engine steps");
    }
    engine_->step();
  });
  kernel_.every(period, Time{}, sim::Phase::kRecord, world, [this](Time now) { record(now); });
}

void Simulation::record(Time now) {
  // what a step led to is stamped with its end
  const Time stamp = now + prepared_.scenario.physics_period;
  loop_->add_to(state_hash_);
  loop_->add_world_to(world_hash_);
  note_contacts(stamp);
  if (has_run_away()) {
    is_diverged_ = true;
    metrics_->set_diverged(stamp);
    log_.warning(stamp, "world", "the arm ran away; the run ends here");
    kernel_.stop();
    return;
  }
  metrics_->record(stamp);
  if (trace_) {
    trace_->record(stamp);
  }
  if (messages_) {
    messages_->step(stamp);
  }
  if (observer_) {
    observer_(stamp);
  }
}

void Simulation::note_contacts(Time stamp) {
  const auto arm_bodies = static_cast<int>(prepared_.cell.placements.front().tree.bodies.size());
  for (const physics::Contact& contact : engine_->contacts()) {
    if (static_cast<int>(contact.a) >= arm_bodies && static_cast<int>(contact.b) >= arm_bodies) {
      continue;  // parts may rest on tables
    }
    ++contacts_.steps;
    if (!contacts_.first_at) {
      contacts_.first_at = stamp;
      const std::vector<std::string> names = prepared_.cell.body_names(0);
      contacts_.first_pair = names[static_cast<std::size_t>(std::min(contact.a, contact.b))] +
                             " and " +
                             names[static_cast<std::size_t>(std::max(contact.a, contact.b))];
      log_.warning(stamp, "world", "the arm touches something: " + contacts_.first_pair);
    }
    return;
  }
}

bool Simulation::has_run_away() const {
  // written so that a NaN counts
  const auto is_within = [](double limit) {
    return [limit](double x) { return std::abs(x) < limit; };
  };
  const std::span<const double> q = loop_->positions();
  const std::span<const double> v = loop_->velocities();
  const auto is_near_goal = [](double position, double goal) {
    return std::abs(position - goal) < kRunaway_rad;
  };
  return !std::equal(q.begin(), q.end(), prepared_.plan.goal.begin(), is_near_goal) ||
         !std::all_of(v.begin(), v.end(), is_within(kRunaway_rad_s));
}

/// What makes a verdict about the loop meaningless, if anything does.
std::string Simulation::why_inconclusive() const {
  if (failure_) {
    return "the run ended early: " + failure_->message;
  }
  if (!is_over()) {
    return "the run was interrupted";
  }
  if (prepared_.scenario.estop_at && *prepared_.scenario.estop_at < prepared_.plan.end) {
    return "there was an emergency stop";
  }
  if (loop_->actuators().is_stopped_by_silence()) {
    return "the robot stopped because commands fell silent";
  }
  if (loop_->controller().status() == control::TrajectoryStatus::kAborted) {
    return "the trajectory was aborted";
  }
  if (loop_->commands_report(kernel_.now()).delivered == 0) {
    return "no command reached the robot";
  }
  const bool has_hold = prepared_.plan.hold_start < prepared_.plan.end;
  const bool is_finished = is_diverged_ || !has_hold ||
                           loop_->controller().status() == control::TrajectoryStatus::kSucceeded;
  return is_finished ? "" : "the trajectory had not ended when the run did";
}

Result<Time> Simulation::run_until(Time until) {
  if (is_over()) {
    return kernel_.now();
  }
  Result<Time> reached = kernel_.run_until(std::min(until, end()));
  if (!reached) {
    failure_ = reached.error();
  }
  return reached;
}

Json Simulation::results() {
  const Scenario& s = prepared_.scenario;
  metrics_->set_inconclusive(why_inconclusive());
  Json out;
  out["format"] = kResultFormat;
  out["scenario"] = prepared_.name;
  out["identity"] = prepared_.identity;
  out["model_hash"] = prepared_.model_hash;
  out["engine"] = s.engine;
  out["seed"] = s.seed;
  out["cut"] = s.cut;
  out["servo"] = s.servo.model;
  out["simulated_s"] = to_seconds(kernel_.now().time_since_epoch());
  out["hold_start_s"] = to_seconds(prepared_.plan.hold_start);
  out["ended"] = is_diverged_ ? "diverged"
                 : failure_   ? "failed"
                 : is_over()  ? "completed"
                              : "interrupted";
  if (failure_) {
    out["failure"] = failure_->message;
  }
  const bool is_stopped = loop_->actuators().is_stopped_by_silence();
  out["trajectory"] = is_diverged_ || failure_ ? "not finished"
                      : is_stopped             ? "stopped by the watchdog"
                                               : status_text(loop_->controller().status());
  if (!loop_->controller().abort_reason().empty()) {
    out["abort_reason"] = loop_->controller().abort_reason();
  }
  out["warnings"] = warnings_;
  if (engine_->dropped_contacts() > 0) {
    out["warnings"].push_back(physics::dropped_contacts_warning(*engine_));
  }
  out.update(metrics_->result());
  out["link"]["states"] =
      link_json(loop_->states_report(kernel_.now()), s.link.states.requirements, *s.states_period);
  out["link"]["commands"] = link_json(loop_->commands_report(kernel_.now()),
                                      s.link.commands.requirements, s.control.period);
  if (network_) {
    out["network"] = network::network_json(*network_);
  }
  out["watchdog"] = watchdog_json(loop_->actuators().watchdog());
  out["contact_steps"] = contacts_.steps;
  if (contacts_.first_at) {
    out["first_contact_s"] = to_seconds(contacts_.first_at->time_since_epoch());
    out["first_contact"] = contacts_.first_pair;
  }
  out["world_hash"] = world_hash();
  out["state_hash"] = state_hash_.text();
  return out;
}

Result<bool> Simulation::close_trace() {
  const Result<bool> messages = messages_ ? messages_->close() : Result<bool>(true);
  const Result<bool> csv = trace_ ? trace_->close() : Result<bool>(true);
  return messages ? csv : messages;
}

}  // namespace longarm::scenario
