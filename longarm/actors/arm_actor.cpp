// SPDX-License-Identifier: Apache-2.0
// An arm's loop in its world: links, probes, metrics, traces.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/actors/arm.h"
#include "longarm/actors/link_json.h"
#include "longarm/cell/world.h"
#include "longarm/core/check.h"
#include "longarm/core/hash.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;

// beyond these an arm has run away and engines are about to lose their numbers
constexpr double kRunaway_rad = 1e3;
constexpr double kRunaway_rad_s = 1e7;

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

std::string_view event_name(network::LinkEventKind kind) {
  switch (kind) {
    case network::LinkEventKind::kSent:
      return "sent";
    case network::LinkEventKind::kArrived:
      return "arrived";
    case network::LinkEventKind::kQueueFull:
      return "queue_full";
    case network::LinkEventKind::kCorrupt:
      return "corrupt";
    case network::LinkEventKind::kLost:
      break;
  }
  return "lost";
}

/// Of an arm among others: its draws have nothing in common with theirs.
std::uint64_t seed_of(const cell::World& world, const std::string& name) {
  if (world.is_short()) {
    return world.seed();
  }
  Hash seed;
  seed.add(world.seed());
  seed.add(std::string_view(name));
  return seed.value();
}

std::vector<double> driven_goal(const ArmModel& model) {
  std::vector<double> goal;
  for (const int joint : model.driven()) {
    goal.push_back(model.plan().goal[static_cast<std::size_t>(joint)]);
  }
  return goal;
}

}  // namespace

/// Writes every message at both ends of the link to the run's trace.
class ArmActor::Recorder final : public control::LoopObserver {
 public:
  Recorder(record::RosTrace& trace, const std::string& prefix, const model::BodyTree& tree) {
    record::ArmTraceConfig config;
    for (const model::TreeJoint& joint : tree.joints) {
      config.joint_names.push_back(joint.name);
    }
    config.base_frame = tree.bodies.front().name;
    trace_ = trace.add_arm(prefix, std::move(config));
  }

  void states_sent(const control::JointStates& states, Time now) override {
    write(record::JointTopic::kStates, states, now);
  }
  void states_received(const control::JointStates& states, Time now) override {
    write(record::JointTopic::kControllerStates, states, now);
  }
  void command_sent(const control::JointCommand& command, Time now) override {
    write(record::JointTopic::kControllerCommands, command, now);
  }
  void command_received(const control::JointCommand& command, Time now) override {
    write(record::JointTopic::kCommands, command, now);
  }
  void link_event(std::string_view direction, const network::LinkEvent& event) override {
    const bool is_states = direction == "states";
    trace_->link_event(is_states ? record::LinkTopic::kStates : record::LinkTopic::kCommands,
                       event.at, event_name(event.kind), event.index,
                       static_cast<std::uint32_t>(event.size_bytes), event.sent_at);
  }
  void end_effector(Time stamp, const model::Pose& pose) {
    trace_->end_effector(stamp, record::FramePose(pose));
  }

 private:
  void write(record::JointTopic topic, const control::JointStates& states, Time now) {
    trace_->joint_states(topic, now, states.stamp, states.positions, states.velocities,
                         states.efforts);
  }
  void write(record::JointTopic topic, const control::JointCommand& command, Time now) {
    switch (command.kind) {
      case control::CommandKind::kPosition:
        trace_->joint_states(topic, now, command.stamp, command.values, command.velocities, {});
        return;
      case control::CommandKind::kVelocity:
        trace_->joint_states(topic, now, command.stamp, {}, command.values, {});
        return;
      case control::CommandKind::kEffort:
        trace_->joint_states(topic, now, command.stamp, {}, {}, command.values);
        return;
    }
  }

  std::unique_ptr<record::ArmTrace> trace_;
};

ArmActor::ArmActor(const ArmModel& model, cell::World& world, std::string name)
    : model_(model),
      config_(model.config()),
      world_(world),
      name_(std::move(name)),
      placement_(*cell::find_placement(world.model(), name_)),
      kinematics_(model.tree()) {
  const int first = world.model().first_body(placement_);
  for (std::size_t i = 0; i < model.tree().bodies.size(); ++i) {
    bodies_.push_back(static_cast<physics::BodyId>(first + static_cast<int>(i)));
  }
  world.watch_robot(name_, bodies_);
  if (world.trace() != nullptr) {
    recorder_ = std::make_unique<Recorder>(*world.trace(), world.is_short() ? "" : "/" + name_,
                                           model.tree());
  }
  make_loop();
  world.offer<GoalInput>(name_, *this);
  offer_live_keys();
  world.offer_diagnosis(
      [this](Time now, std::vector<cell::Diagnosis>& out) { diagnose(now, out); });
  loop_->offer_probes(probes_);
  offer_end_effector_probes();
  metrics_.emplace(
      probes_, record::MetricsConfig{world.period(), model.plan().hold_start, driven_goal(model)},
      world.take_reference(name_));
  if (world.run_setup().writes_csv) {
    auto opened =
        record::CsvTraceWriter::open(std::filesystem::path(world.folder()) / csv_name(), probes_);
    if (!opened) {
      refuse(opened.error().message, "");
    }
    trace_ = std::move(opened).value();
  }
  const std::vector<model::TreeJoint>& joints = model.tree().joints;
  const bool has_moving_rotors =
      std::any_of(joints.begin(), joints.end(), [](const model::TreeJoint& joint) {
        return joint.parent_body > 0 && joint.dynamics.rotor_inertia_kg_m2 > 0.0;
      });
  if (config_.servo.model == "pid" && has_moving_rotors &&
      !world.engine().capabilities().has_exact_rotor_inertia) {
    warnings_.emplace_back(
        "this engine adds rotor inertias to the links they drive, which is exact only for the "
        "first joint: stability margins of the velocity loop differ from those of mujoco, which is "
        "exact");
  }
  world.on(cell::Stage::kMeasure, [this](Time stamp) { record(stamp); });
  if (recorder_) {
    recorder_->end_effector(Time{},
                            kinematics_.pose_of(model.end_effector_frame(), loop_->positions()));
  }
}

ArmActor::~ArmActor() = default;

control::LoopLinks ArmActor::make_links() {
  if (!config_.control.host.empty() && !world_.recording_of(name_)) {
    network::FlowLinks both = world_.open_flow(name_ + ".control.host", name_,
                                               config_.control.manner.options(world_.usual_flow()));
    return {std::move(both.from_peer), std::move(both.from_opener)};
  }
  const std::string prefix = world_.prefix(name_);
  const auto make = [&](const network::LinkModel& model,
                        const std::string& link) -> std::unique_ptr<network::Link> {
    const network::LinkContext context{world_.seed(), prefix + link};
    if (!model.as_netem()) {
      return model.make(context);
    }
    auto changeable = std::make_unique<network::ChangeableLink>(model.make(context), context);
    own_links_.push_back(changeable.get());
    return changeable;
  };
  control::LoopLinks links;
  links.states = make(*config_.link.states.plugin, "link.states");
  links.commands = make(*config_.link.commands.plugin, "link.commands");
  return links;
}

void ArmActor::make_loop() {
  control::LoopOptions options(world_.run_setup().call_trace);
  options.observer = recorder_.get();
  options.controller = config_.controller.plugin;
  options.recording = world_.recording_of(name_);
  loop_ = std::make_unique<control::ArmLoop>(
      world_.kernel(), world_.engine(), world_.model(), placement_,
      loop_config(model_.whole_config(), model_.driven(), model_.tree().joints.size(),
                  world_.period(), seed_of(world_, name_)),
      make_links(), model_.plan().trajectory, world_.log(), std::move(options));
}

void ArmActor::offer_end_effector_probes() {
  const auto position = [this] {
    return kinematics_.position_of(model_.end_effector_frame(), loop_->positions());
  };
  probes_.add({"end_effector", {"x", "y", "z"}, [position](std::span<double> out) {
                 const model::Vector3 p = position();
                 std::copy(p.data(), p.data() + 3, out.begin());
               }});
  probes_.add({"path_deviation", {"m"}, [this](std::span<double> out) {
                 out[0] = path_deviation(curve_cursor_);
               }});
}

/// From the planned path; where there is no plan, from where the controller wants the tool to be.
double ArmActor::path_deviation(motion::PlannedCurve::Cursor& cursor) const {
  const model::Vector3 p = kinematics_.position_of(model_.end_effector_frame(), loop_->positions());
  if (config_.task.path != tasks::kGoals) {
    return model_.curve().distance(p, cursor);
  }
  return (p - kinematics_.position_of(model_.end_effector_frame(),
                                      loop_->controller().desired_positions()))
      .norm();
}

void ArmActor::record(Time stamp) {
  note_contacts(stamp);
  if (is_beyond_sense()) {
    has_run_away_ = true;
    metrics_->set_diverged(stamp);
    world_.log().warning(stamp, "world", "the arm diverged; the run ends here");
    return;
  }
  metrics_->record(stamp);
  if (trace_) {
    trace_->record(stamp);
  }
  if (recorder_) {
    recorder_->end_effector(stamp,
                            kinematics_.pose_of(model_.end_effector_frame(), loop_->positions()));
  }
}

void ArmActor::note_contacts(Time stamp) {
  const physics::BodyId first = bodies_.front();
  const physics::BodyId last = bodies_.back();
  const auto is_own = [&](physics::BodyId body) { return body >= first && body <= last; };
  for (const physics::Contact& contact : world_.engine().contacts()) {
    if (!is_own(contact.a) && !is_own(contact.b)) {
      continue;  // parts may rest on tables
    }
    ++contacts_.steps;
    if (!contacts_.first_at) {
      contacts_.first_at = stamp;
      const std::vector<std::string> names = world_.body_names();
      contacts_.first_pair = names[static_cast<std::size_t>(std::min(contact.a, contact.b))] +
                             " and " +
                             names[static_cast<std::size_t>(std::max(contact.a, contact.b))];
      world_.log().warning(stamp, "world", "the arm touches something: " + contacts_.first_pair);
    }
    return;
  }
}

bool ArmActor::is_beyond_sense() const {
  // written so that a NaN counts
  const auto is_within = [](double limit) {
    return [limit](double x) { return std::abs(x) < limit; };
  };
  const std::span<const double> q = loop_->positions();
  const std::span<const double> v = loop_->velocities();
  const auto is_near_goal = [](double position, double goal) {
    return std::abs(position - goal) < kRunaway_rad;
  };
  return !std::equal(q.begin(), q.end(), model_.plan().goal.begin(), is_near_goal) ||
         !std::all_of(v.begin(), v.end(), is_within(kRunaway_rad_s));
}

/// What makes a verdict about the loop meaningless, if anything does.
std::string ArmActor::why_inconclusive() const {
  const cell::Outcome& outcome = world_.outcome();
  if (outcome.failure) {
    return "the run ended early: " + *outcome.failure;
  }
  if (!outcome.is_over) {
    return "the run was interrupted";
  }
  if (config_.task.path == tasks::kGoals) {
    return "the arm follows goals of clients";
  }
  if (config_.estop_at && *config_.estop_at < model_.plan().end) {
    return "emergency stop";
  }
  if (loop_->actuators().is_stopped_by_silence()) {
    return "the robot stopped because commands stopped arriving";
  }
  if (loop_->controller().status() == control::TrajectoryStatus::kAborted) {
    return "the trajectory was aborted";
  }
  if (loop_->commands_report(world_.now()).delivered == 0) {
    return "no command reached the robot";
  }
  const bool has_hold = model_.plan().hold_start < model_.plan().end;
  const bool is_finished = outcome.is_diverged || !has_hold ||
                           loop_->controller().status() == control::TrajectoryStatus::kSucceeded;
  return is_finished ? "" : "the trajectory had not ended when the run did";
}

void ArmActor::sample(std::span<double> out) const {
  motion::PlannedCurve::Cursor cursor = curve_cursor_;
  out[0] = path_deviation(cursor);
}

std::optional<model::Vector3> ArmActor::tracked_point() const {
  return kinematics_.position_of(model_.end_effector_frame(), loop_->positions());
}

Json ArmActor::results() const {
  const cell::Outcome& outcome = world_.outcome();
  metrics_->set_inconclusive(why_inconclusive());
  Json out;
  out["cut"] = config_.cut;
  out["servo"] = config_.servo.model;
  if (!config_.command.empty()) {
    out["command"] = config_.command;
  }
  out["hold_start_s"] = to_seconds(model_.plan().hold_start);
  const bool is_stopped = loop_->actuators().is_stopped_by_silence();
  out["trajectory"] = outcome.is_diverged || outcome.failure ? "not finished"
                      : is_stopped                           ? "stopped by the watchdog"
                                   : status_text(loop_->controller().status());
  if (!loop_->controller().abort_reason().empty()) {
    out["abort_reason"] = loop_->controller().abort_reason();
  }
  out.update(metrics_->result());
  out["link"]["states"] = link_json(loop_->states_report(world_.now()),
                                    config_.link.states.requirements, *config_.states_period);
  out["link"]["commands"] = link_json(loop_->commands_report(world_.now()),
                                      config_.link.commands.requirements, config_.control.period);
  out["watchdog"] = watchdog_json(loop_->actuators().watchdog());
  out["contact_steps"] = contacts_.steps;
  if (contacts_.first_at) {
    out["first_contact_s"] = to_seconds(contacts_.first_at->time_since_epoch());
    out["first_contact"] = contacts_.first_pair;
  }
  return out;
}

std::vector<cell::ResultFile> ArmActor::files() const {
  if (!trace_) {
    return {};
  }
  namespace fs = std::filesystem;
  const std::string& reference = world_.run_setup().reference_folder;
  return {{world_.prefix(name_) + "path.svg",
           draw_path(model_, world_.is_short() ? world_.run_setup().name : name_,
                     fs::path(world_.folder()) / csv_name(),
                     reference.empty() ? "" : (fs::path(reference) / csv_name()).string())}};
}

const ArmActor& arm_of(const cell::Run& run, const std::string& name) {
  const auto* arm = dynamic_cast<const ArmActor*>(run.find(name));
  check(arm != nullptr, "an arm that is none");
  return *arm;
}

}  // namespace longarm::actors
