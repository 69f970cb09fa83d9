// SPDX-License-Identifier: Apache-2.0
// Lets the executor's arms work with robots that only take their time.
#include "labs/kitting/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "labs/kitting/problem.h"
#include "longarm/core/check.h"
#include "longarm/protocols/crcl/codec.h"
#include "longarm/protocols/crcl/framing.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
namespace crcl = protocols::crcl;

// What a robot needs beside the way itself: the ends of its speed profile are smoothed, and it
// rests within its tolerance before it says that it is there.
constexpr double kArrival_s = 0.06;
// fingers or a cup, until they rest
constexpr double kGrip_s = 0.15;
// cameras look so often
constexpr double kFrame_s = 0.1;
// from opened fingers to the end of a place
constexpr double kGoingUp_s = 0.6;
// the belt's controller, its ramps, and the frames that see the trays stand
constexpr double kBelt_s = 0.75;

Duration seconds(double value) {
  return Duration(std::llround(value * 1e9));
}

/// From rest to rest.
double way_s(double way, double speed, double acceleration) {
  return way < speed * speed / acceleration ? 2.0 * std::sqrt(way / acceleration)
                                            : way / speed + speed / acceleration;
}

Vector3 to_vector(const crcl::Vector& v) {
  return {v.i, v.j, v.k};
}

double angle_between(const crcl::Vector& a, const crcl::Vector& b) {
  return std::atan2(to_vector(a).cross(to_vector(b)).norm(), to_vector(a).dot(to_vector(b)));
}

/// Does everything it is told, in the time that it takes, and remembers it.
class ObligingRobot final : public protocols::ClientLink {
 public:
  ObligingRobot(sim::Kernel& kernel, const crcl::Pose& start)
      : kernel_(kernel), source_(kernel.add_source("rehearsed robot")), pose_(start) {}

  std::vector<crcl::CommandBody> heard;
  bool has_cup = false;
  double changed_m = 0.0;  ///< how far the tool reaches that is taken or hung next

 private:
  void do_send(std::string_view bytes) override {
    kernel_.deliver(kernel_.now(), source_,
                    [this, text = std::string(bytes)](Time now) { receive(text, now); });
  }
  bool do_is_up() const override { return true; }

  void receive(const std::string& text, Time now) {
    framing_.feed(text);
    while (true) {
      const Result<std::optional<std::string>> document = framing_.next();
      if (!document || !*document) {
        return;
      }
      const Result<crcl::CommandInstance> instance = crcl::decode_command(**document);
      if (!instance) {
        continue;
      }
      if (std::holds_alternative<crcl::GetStatus>(instance->command.body)) {
        answer(now);
      } else if (instance->command.id != current_) {
        current_ = instance->command.id;
        heard.push_back(instance->command.body);
        over_ = now + seconds(begin(instance->command.body));
      }
    }
  }

  /// How long it takes.
  double begin(const crcl::CommandBody& body) {
    if (const auto* move = std::get_if<crcl::MoveTo>(&body)) {
      const crcl::Pose from = std::exchange(pose_, move->end.pose);
      const crcl::SegmentSettings& rates = *move->end.settings;
      const double way_m = (point_of(pose_) - point_of(from)).norm();
      const double turn_rad = std::max(angle_between(from.x_axis, pose_.x_axis),
                                       angle_between(from.z_axis, pose_.z_axis));
      return kArrival_s + std::max(way_s(way_m, rates.translation_speed->value,
                                         rates.translation_acceleration->value),
                                   way_s(turn_rad, rates.rotation_speed->value,
                                         rates.rotation_acceleration->value));
    }
    if (const auto* set = std::get_if<crcl::SetEndEffector>(&body)) {
      is_holding_ = has_cup == (set->setting > 0.0);
      return kGrip_s;
    }
    // the controlled point is the end of the tool, or the flange where there is none
    if (std::holds_alternative<crcl::CloseToolChanger>(body)) {
      move_along_tool(changed_m);
    } else if (std::holds_alternative<crcl::OpenToolChanger>(body)) {
      move_along_tool(-changed_m);
    }
    const auto* dwell = std::get_if<crcl::Dwell>(&body);
    return dwell == nullptr ? 0.0 : dwell->time_s;
  }

  void move_along_tool(double way_m) {
    const Vector3 way = way_m * to_vector(pose_.z_axis).normalized();
    pose_.point.x += way.x();
    pose_.point.y += way.y();
    pose_.point.z += way.z();
  }

  void answer(Time now) {
    crcl::Status status;
    status.command.command_id = current_;
    status.command.status_id = ++statuses_;
    status.command.state = now < over_ ? crcl::CommandState::kWorking : crcl::CommandState::kDone;
    status.pose = crcl::PoseStatus{.pose = pose_, .twist = {}, .wrench = {}, .configuration = {}};
    status.gripper = crcl::GripperStatus{"hand", {}, is_holding_, {}};
    kernel_.deliver(now, source_,
                    [this, bytes = crcl::encode(status).value()](Time when) { hear(bytes, when); });
  }

  sim::Kernel& kernel_;
  sim::SourceId source_;
  crcl::Framing framing_;
  crcl::Pose pose_;
  std::int64_t current_ = 0;
  std::int64_t statuses_ = 0;
  Time over_{};
  bool is_holding_ = false;
};

/// One arm of the executor with such a robot, on a kernel of its own.
class RehearsedArm {
 public:
  RehearsedArm(const RobotAbility& ability, const ExecutorConfig& config,
               const std::string& its_tool)
      : tool(its_tool) {
    ArmConfig own;
    own.name = ability.name;
    for (const ArmConfig& each : config.arms) {
      own = each.name == ability.name ? each : own;
    }
    const Vector3 base(ability.base_m[0], ability.base_m[1], ability.base_m[2]);
    const Vector3 start =
        own.clear_m.empty()
            ? Vector3(base + Vector3(ability.reach_m / 2.0, 0.0, ability.shoulder_up_m))
            : Vector3(own.clear_m[0], own.clear_m[1], own.clear_m[2]);
    const crcl::Pose X =
        move_to(tool_pose(ability, start, own.yaw_deg), true, 1.0, 1.0, {}).end.pose;
    robot_ = std::make_unique<ObligingRobot>(kernel_, X);
    tasks_ = std::make_unique<sim::Tasks>(kernel_);
    const sim::TaskContext context = tasks_->context(ability.name);
    arm_ = std::make_unique<Arm>(
        context, ability, own, config.handling,
        [this](protocols::ClientLink*) -> protocols::ClientLink& { return *robot_; }, config.talk);
    context_ = std::make_unique<sim::TaskContext>(context);
  }

  Arm& arm() { return *arm_; }
  void set_cup(bool has_cup) { robot_->has_cup = has_cup; }
  void set_changed(double length_m) { robot_->changed_m = length_m; }

  /// How long it takes; what it was told is in `told` behind the step's name.
  Duration run(sim::Task<Deed> deed, const std::string& name) {
    const Time begin = kernel_.now();
    const sim::TaskId task = tasks_->spawn(*context_, finish(std::move(deed)));
    constexpr Duration kLongest = 600s;
    while (!tasks_->is_over(task) && kernel_.now() - begin < kLongest) {
      const Result<Time> reached = kernel_.run_until(kernel_.now() + 100ms);
      check(reached.has_value(), "a rehearsal's clock stands still");
    }
    told.emplace_back(crcl::Message{name});
    told.insert(told.end(), robot_->heard.begin(), robot_->heard.end());
    robot_->heard.clear();
    return ended_ - begin;
  }

  std::string tool;
  std::vector<crcl::CommandBody> told;

 private:
  sim::Task<void> finish(sim::Task<Deed> deed) {
    co_await std::move(deed);
    ended_ = kernel_.now();
  }

  sim::Kernel kernel_;
  std::unique_ptr<ObligingRobot> robot_;
  std::unique_ptr<Arm> arm_;
  std::unique_ptr<sim::TaskContext> context_;
  Time ended_{};
  std::unique_ptr<sim::Tasks> tasks_;  ///< last: destroyed before what its tasks use
};

/// Where everything is at each step, if all goes well.
class ForeseenPlaces {
 public:
  ForeseenPlaces(const Ontology& ontology, const WorldModel& world, bool is_brought)
      : ontology_(ontology), world_(world) {
    if (is_brought) {
      brought_m_ = world.distance_to_station_m().value_or(0.0) * ontology.belt.direction;
    }
    for (const PartView& part : world.parts()) {
      if (!part.object.is_missing && part.state != PartState::kInAir) {
        parts_[part.object.name] = brought(part.object.X_WO.translation());
      }
    }
  }

  double brought_m() const { return std::abs(brought_m_); }
  std::optional<Vector3> part(const std::string& name) const {
    const auto found = parts_.find(name);
    return found == parts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<Vector3> slot(const std::string& name) const {
    const std::optional<SlotView> view = world_.slot(name);
    return view ? std::optional(brought(view->X_WS.translation())) : std::nullopt;
  }
  void pick(const std::string& part) { parts_.erase(part); }
  void place(const std::string& part, const Vector3& p_W) { parts_[part] = p_W; }

  std::vector<Vector3> others_near(const Vector3& p_W, const std::string& part) const {
    std::vector<Vector3> others;
    for (const auto& [name, p] : parts_) {
      if (name != part && is_near(p, p_W)) {
        others.push_back(p);
      }
    }
    return others;
  }

 private:
  Vector3 brought(const Vector3& p_W) const {
    const Zone* zone = ontology_.zone_at(p_W);
    return zone != nullptr && zone->is_belt ? Vector3(p_W + brought_m_ * Vector3::UnitX()) : p_W;
  }

  const Ontology& ontology_;
  const WorldModel& world_;
  double brought_m_ = 0.0;
  std::map<std::string, Vector3> parts_;
};

class Stage {
 public:
  Stage(const Schedule& schedule, const Ontology& ontology, const WorldModel& world,
        const ExecutorConfig& config, const std::map<std::string, std::string>& tools)
      : schedule_(schedule),
        ontology_(ontology),
        world_(world),
        config_(config),
        places_(ontology, world, has_bring(schedule)) {
    for (const RobotAbility& ability : ontology.robots) {
      const auto tool = tools.find(ability.name);
      arms_[ability.name] =
          std::make_unique<RehearsedArm>(ability, config, tool == tools.end() ? "" : tool->second);
    }
  }

  Rehearsal run() {
    Rehearsal out{schedule_, {}};
    for (std::size_t i = 0; i < out.schedule.steps.size(); ++i) {
      TimedStep& step = out.schedule.steps[i];
      step.start = start_of(out.schedule.steps, i);
      step.end = step.start + play(step);
      free_[step.robot] = step.end;
      leave(out.schedule.steps, i);
    }
    for (const auto& [robot, zones] : inside_) {
      if (!zones.empty() && arms_.contains(robot)) {
        withdraw(robot);
      }
    }
    out.schedule.makespan = {};
    for (const TimedStep& step : out.schedule.steps) {
      out.schedule.makespan = std::max(out.schedule.makespan, step.end);
    }
    out.schedule.overlap = overlap_of(out.schedule.steps);
    out.programs = programs();
    return out;
  }

 private:
  static bool has_bring(const Schedule& schedule) {
    return std::ranges::any_of(schedule.steps, [](const TimedStep& step) {
      const std::optional<KittingAction> action = read_action(step.step);
      return action && action->kind == KittingAction::Kind::kBring;
    });
  }

  static bool uses(const TimedStep& step, const std::string& zone) {
    return std::ranges::find(step.zones, zone) != step.zones.end();
  }

  /// When the executor lets it begin: its robot is free, what it builds on is done, and in its
  /// zones those before it have done their work and left.
  Duration start_of(const std::vector<TimedStep>& steps, std::size_t index) const {
    const TimedStep& step = steps[index];
    Duration start{};
    if (const auto free = free_.find(step.robot); free != free_.end()) {
      start = free->second;
    }
    for (const std::size_t before : step.after) {
      start = std::max(start, steps[before].end);
    }
    for (const std::string& zone : step.zones) {
      if (const auto left = left_.find(zone);
          left != left_.end() && left->second.who != step.robot) {
        start = std::max(start, left->second.when);
      }
      for (std::size_t j = 0; j < index; ++j) {
        if (steps[j].robot != step.robot && uses(steps[j], zone)) {
          start = std::max(start, steps[j].end);
        }
      }
    }
    return start;
  }

  /// As the executor does it: out of all zones, unless it is the next in each of them.
  void leave(const std::vector<TimedStep>& steps, std::size_t index) {
    const std::string& robot = steps[index].robot;
    std::set<std::string>& zones = inside_[robot];
    zones.insert(steps[index].zones.begin(), steps[index].zones.end());
    const bool is_last =
        std::ranges::none_of(steps.begin() + static_cast<std::ptrdiff_t>(index) + 1, steps.end(),
                             [&](const TimedStep& step) { return step.robot == robot; });
    const bool leaves = std::ranges::any_of(zones, [&](const std::string& zone) {
      for (std::size_t j = index + 1; j < steps.size(); ++j) {
        if (uses(steps[j], zone)) {
          return steps[j].robot != robot;
        }
      }
      return !is_last;  // the way out at the very end is in nobody's time
    });
    if (!leaves) {
      return;
    }
    free_[robot] += arms_.contains(robot) ? withdraw(robot) : Duration{};
    for (const std::string& zone : zones) {
      left_[zone] = {robot, free_[robot]};
    }
    zones.clear();
  }

  Duration withdraw(const std::string& robot) {
    RehearsedArm& arm = *arms_.at(robot);
    return arm.run(arm.arm().withdraw(), "out of the way");
  }

  /// How long a step takes. One that cannot be told, e.g. of a domain of the user's own, takes what
  /// it takes in the schedule.
  Duration play(const TimedStep& step) {
    const std::optional<KittingAction> action = read_action(step.step);
    const Duration known = step.end - step.start;
    if (!action) {
      return known;
    }
    if (action->kind == KittingAction::Kind::kBring) {
      const BeltDriveConfig& belt = config_.belt;
      return seconds(places_.brought_m() / (belt.speed * belt.full_speed_m_s) + kBelt_s);
    }
    const auto found = arms_.find(action->robot);
    if (found == arms_.end()) {
      return known;
    }
    RehearsedArm& arm = *found->second;
    const std::string name = pddl::text_of(step.step);
    const Tool* carried = ontology_.find_tool(arm.tool);
    arm.set_cup(carried != nullptr && carried->is_cup());
    switch (action->kind) {
      case KittingAction::Kind::kTakeTool:
      case KittingAction::Kind::kHangTool:
        return change_tool(arm, *action, name).value_or(known);
      case KittingAction::Kind::kPlace:
        return place(arm, *action, name).value_or(known);
      default:
        return pick(arm, *action, name).value_or(known);
    }
  }

  std::optional<Duration> change_tool(RehearsedArm& arm, const KittingAction& action,
                                      const std::string& name) {
    const Tool* tool = ontology_.find_tool(action.tool);
    if (tool == nullptr) {
      return std::nullopt;
    }
    const bool takes = action.kind == KittingAction::Kind::kTakeTool;
    arm.tool = takes ? action.tool : "";
    arm.set_changed(tool->length_m);
    return arm.run(takes ? arm.arm().take_tool(tool->stand(), tool->length_m)
                         : arm.arm().hang_tool(tool->stand(), tool->length_m),
                   name);
  }

  std::optional<Duration> pick(RehearsedArm& arm, const KittingAction& action,
                               const std::string& name) {
    const std::optional<Vector3> p_W = places_.part(action.part);
    const PartKind* kind = ontology_.part_of(action.part);
    if (!p_W || kind == nullptr) {
      return std::nullopt;
    }
    std::vector<Vector3> others = places_.others_near(*p_W, action.part);
    places_.pick(action.part);
    return arm.run(arm.arm().pick(*p_W, grasp_of(ontology_, arm.tool, *kind), std::move(others)),
                   name);
  }

  std::optional<Duration> place(RehearsedArm& arm, const KittingAction& action,
                                const std::string& name) {
    const std::optional<Vector3> p_W = places_.slot(action.slot);
    const PartKind* kind = ontology_.part_of(action.part);
    if (!p_W || kind == nullptr) {
      return std::nullopt;
    }
    std::vector<Vector3> others = places_.others_near(*p_W, action.part);
    places_.place(action.part, *p_W);
    const Duration moving = arm.run(
        arm.arm().place(*p_W, grasp_of(ontology_, arm.tool, *kind), std::move(others)), name);
    // while the arm goes up the cameras see the part already
    const double looking_s = kFrame_s * static_cast<double>(world_.frames_to_trust());
    return moving + seconds(std::max(0.0, looking_s - kGoingUp_s));
  }

  std::vector<RobotProgram> programs() const {
    std::vector<RobotProgram> out;
    for (const auto& [robot, arm] : arms_) {
      if (arm->told.empty()) {
        continue;
      }
      crcl::Program program;
      const auto add = [&](crcl::CommandBody body) {
        crcl::Command command;
        command.id = static_cast<std::int64_t>(program.commands.size()) + 1;
        command.body = std::move(body);
        program.commands.push_back(std::move(command));
      };
      add(crcl::InitCanon{});
      for (const crcl::CommandBody& body : arm->told) {
        if (!std::holds_alternative<crcl::InitCanon>(body)) {
          add(body);
        }
      }
      add(crcl::EndCanon{});
      out.push_back({robot, std::move(program)});
    }
    return out;
  }

  struct Left {
    std::string who;
    Duration when{};
  };

  const Schedule& schedule_;
  const Ontology& ontology_;
  const WorldModel& world_;
  const ExecutorConfig& config_;
  ForeseenPlaces places_;
  std::map<std::string, std::unique_ptr<RehearsedArm>> arms_;
  std::map<std::string, Duration> free_;
  std::map<std::string, std::set<std::string>> inside_;  ///< zones, by robot
  std::map<std::string, Left> left_;                     ///< by zone: who was there last
};

}  // namespace

Rehearsal rehearse(const Schedule& schedule, const Ontology& ontology, const WorldModel& world,
                   const ExecutorConfig& config,
                   const std::map<std::string, std::string>& carried_tools) {
  return Stage(schedule, ontology, world, config, carried_tools).run();
}

std::map<std::string, std::string> first_tools(const Ontology& ontology) {
  std::map<std::string, std::string> tools;
  for (const RobotAbility& robot : ontology.robots) {
    tools[robot.name] = robot.tool;
  }
  return tools;
}

std::vector<PlanFile> program_files(const std::vector<RobotProgram>& programs,
                                    const std::string& name) {
  std::vector<PlanFile> files;
  for (const RobotProgram& each : programs) {
    if (const Result<std::string> text = crcl::encode(each.program)) {
      files.push_back({fmt::format("{}_{}.xml", name, each.robot), *text + "\n"});
    }
  }
  return files;
}

}  // namespace longarm::kitting
