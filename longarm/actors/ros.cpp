// SPDX-License-Identifier: Apache-2.0
// The kind `ros`: the port that longarm-ros joins, with all that a ROS program hears of a cell and
// may ask of it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/device_messages.h"
#include "longarm/actors/door_interface.h"
#include "longarm/actors/goal_input.h"
#include "longarm/actors/gripper_input.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/ros_crcl.h"
#include "longarm/actors/ros_grippers.h"
#include "longarm/actors/ros_hello.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/protocols/ros/ros_door.h"

namespace longarm::actors {
namespace {

using cell::World;
using control::TrajectoryStatus;
using devices::CameraFrame;
using devices::CurtainReport;
using protocols::ros::Request;
using Json = nlohmann::ordered_json;

/// FollowJointTrajectoryResult's error codes.
enum class GoalCode {
  kSuccessful = 0,
  kInvalidGoal = -1,
  kInvalidJoints = -2,
  kOldHeaderTimestamp = -3,
  kPathTolerance = -4,
  kGoalTolerance = -5,
};

// programs in simulated time take the start of a run for this instant: 2000-01-01 00:00:00
constexpr std::int64_t kEpoch_ns = 946'684'800'000'000'000;

struct RosKeys {
  std::int64_t port = 11511;
  std::vector<cell::Wish> arms;
  std::vector<cell::Wish> cameras;
  std::vector<cell::Wish> curtains;
  std::vector<cell::Wish> grippers;
  std::vector<cell::Wish> crcl;
  bool takes_all = true;
  Duration states_period{8'000'000};
  Duration frames_period{20'000'000};
  Duration progress_period{20'000'000};
  Duration diagnostics_period{1'000'000'000};
  Duration crcl_period{100'000'000};
};

/// Known before the run.
struct RosPlan {
  std::vector<RosRobot> robots;
};

void put_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";  // of a world that has blown up
    return;
  }
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

void put(std::string& out, std::span<const double> numbers) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) {
      out += ',';
    }
    put_number(out, numbers[i]);
  }
  out += ']';
}

/// Those of goal joints alone.
void put_chosen(std::string& out, std::span<const double> all, const std::vector<int>& joints) {
  out += '[';
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (i > 0) {
      out += ',';
    }
    put_number(out, all[static_cast<std::size_t>(joints[i])]);
  }
  out += ']';
}

class RosActor final : public cell::Actor {
 public:
  RosActor(const RosKeys& keys, const RosPlan& plan, World& world, const std::string& name)
      : keys_(keys),
        plan_(plan),
        world_(world),
        name_(name),
        frames_(ros_frames(world.model(), plan.robots)),
        states_ticker_(keys.states_period),
        frames_ticker_(keys.frames_period),
        progress_ticker_(keys.progress_period),
        diagnostics_ticker_(keys.diagnostics_period),
        source_(world.kernel().add_source("goals of " + name)),
        door_(
            name, static_cast<std::uint16_t>(keys.port), [this](Time now) { return hello(now); },
            [this](const Request& request, Time now) { return handle(request, now); }),
        grippers_(world, keys.grippers, [this](const Json& line) { say(line); }),
        crcl_(world, name, keys.crcl, keys.crcl_period,
              [this](const std::string& robot, const std::string& status, Time now) {
                say({{"t_ns", ns(now)}, {"crcl", robot}, {"status", status}});
              }) {
    for (const cell::Wish& wish : keys_.arms) {
      arms_.push_back({&world.ask<GoalInput>(wish), {}, {}});
    }
    for (const cell::Wish& wish : keys_.cameras) {
      world.ask<Source<CameraFrame>>(wish).listen(
          name, wish, [this, &wish](const CameraFrame& frame, Time now) {
            say({{"t_ns", ns(now)},
                 {"camera", wish.name},
                 {"frame", TraceOf<CameraFrame>::to_json(frame, {})}});
          });
    }
    for (const cell::Wish& wish : keys_.curtains) {
      world.ask<Source<CurtainReport>>(wish).listen(
          name, wish, [this, &wish](const CurtainReport& report, Time now) {
            say({{"t_ns", ns(now)},
                 {"curtain", wish.name},
                 {"report", TraceOf<CurtainReport>::to_json(report, {})}});
          });
    }
    world.on_note(
        [this](Time now, const std::string& who, const std::string& kind, const std::string& text) {
          say({{"t_ns", ns(now)}, {"event", {{"who", who}, {"kind", kind}, {"text", text}}}});
        });
    world.on(cell::Stage::kMeasure, [this](Time stamp) { look(stamp); });
    world.offer_door(name, door_);
  }

  Json results() const override {
    return {{"requests", door_.requests()},
            {"refused", door_.refused()},
            {"last_refusal", door_.last_refusal()},
            {"goals", goals_},
            {"goals_succeeded", succeeded_},
            {"goals_aborted", aborted_},
            {"goals_cancelled", cancelled_},
            {"goals_rejected", rejected_},
            {"grips", grippers_.counts().goals},
            {"grips_succeeded", grippers_.counts().succeeded},
            {"grips_aborted", grippers_.counts().aborted},
            {"grips_cancelled", grippers_.counts().cancelled},
            {"crcl_documents", crcl_.documents()},
            {"crcl_statuses", crcl_.statuses()}};
  }

 private:
  struct Arm {
    GoalInput* input = nullptr;
    std::string goal;  ///< that it follows; empty: none
    std::string next;  ///< that begins later; empty: none
  };

  static std::int64_t ns(Time time) { return time.time_since_epoch().count(); }

  /// Before the next step, which may not come.
  void say_state(const char* state, Time now) {
    door_.say_at_once(Json{{"t_ns", ns(now)}, {"state", state}}.dump());
  }

  void say(const Json& line) {
    if (door_.has_listeners()) {
      // texts may come from anywhere
      door_.say(line.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }

  std::string hello(Time now) {
    Json out{{"longarm", 1},
             {"t_ns", ns(now)},
             {"step_ns", world_.period().count()},
             {"states_period_ns", keys_.states_period.count()},
             {"frames_period_ns", keys_.frames_period.count()},
             {"progress_period_ns", keys_.progress_period.count()},
             {"diagnostics_period_ns", keys_.diagnostics_period.count()},
             {"is_served", world_.pace().is_served},
             {"epoch_ns", world_.pace().is_served ? 0 : kEpoch_ns},
             {"state", world_.pace().is_paused ? "paused" : "running"},
             {"robots", robots_json(world_.model(), plan_.robots)},
             {"frames", frames_json(frames_.moving(), false)},
             {"fixed_frames", frames_json(frames_.fixed(), true)},
             {"grippers", grippers_.json()},
             {"crcl", names_of(keys_.crcl)},
             {"cameras", names_of(keys_.cameras)},
             {"curtains", names_of(keys_.curtains)},
             {"parameters", Json::array()}};
    for (const cell::LiveKey& key : world_.live_keys()) {
      Json parameter{
          {"name", key.name}, {"value", key.value()}, {"unit", key.unit}, {"doc", key.doc}};
      if (key.least) {
        parameter["least"] = *key.least;
      }
      if (key.most) {
        parameter["most"] = *key.most;
      }
      out["parameters"].push_back(std::move(parameter));
    }
    return out.dump();
  }

  // --- what goes out

  void look(Time now) {
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      look_at_goal(i, now);
    }
    grippers_.look(now);
    crcl_.look(now, door_.has_listeners());
    if (diagnostics_ticker_.tick(now) && door_.has_listeners()) {
      diagnose(now);
    }
    const bool has_states = states_ticker_.tick(now);
    const bool has_frames = frames_ticker_.tick(now);
    const bool has_progress = progress_ticker_.tick(now);
    if (!door_.has_listeners() || (!has_states && !has_frames && !has_progress)) {
      return;
    }
    std::string packet;
    packet.reserve(packet_bytes_);
    if (has_states || has_frames) {
      fmt::format_to(std::back_inserter(packet), "{{\"t_ns\":{}", ns(now));
      if (has_states) {
        put_joints(packet);
      }
      if (has_frames) {
        put_frames(packet);
      }
      packet += "}\n";
    }
    if (has_progress && !arms_.empty()) {
      put_progress(packet, now);
    }
    if (has_progress && !grippers_.is_empty()) {
      fmt::format_to(std::back_inserter(packet), "{{\"t_ns\":{},\"grippers\":", ns(now));
      grippers_.put(packet);
      packet += "}\n";
    }
    packet_bytes_ = std::max(packet_bytes_, packet.size());
    door_.stream(std::move(packet));
  }

  void diagnose(Time now) {
    Json list = Json::array();
    for (const cell::Diagnosis& each : world_.diagnose()) {
      const std::uint64_t before = std::exchange(troubles_[each.name], each.troubles);
      const bool has_more = each.troubles > before && each.health == cell::Health::kFine;
      list.push_back({{"name", each.name},
                      {"level", static_cast<int>(has_more ? cell::Health::kWarning : each.health)},
                      {"message", has_more ? each.trouble : each.message},
                      {"values", each.values}});
    }
    say({{"t_ns", ns(now)}, {"diagnostics", std::move(list)}});
  }

  void put_joints(std::string& out) {
    out += ",\"joints\":{";
    for (const RosRobot& robot : plan_.robots) {
      out += &robot == &plan_.robots.front() ? "" : ",";
      out += robot.quoted;
      out += ":[";
      if (robot.goal_arm >= 0) {
        // where the controller is, what it has received is all there is
        const control::JointStates& seen =
            arms_[static_cast<std::size_t>(robot.goal_arm)].input->seen();
        put_three(out, seen.positions, seen.velocities, seen.efforts);
      } else {
        const auto first = static_cast<std::size_t>(world_.model().first_joint(robot.placement));
        const std::size_t count =
            world_.model().placements[static_cast<std::size_t>(robot.placement)].tree.joints.size();
        const physics::Engine& engine = world_.engine();
        put_three(out, engine.positions().subspan(first, count),
                  engine.velocities().subspan(first, count),
                  engine.efforts().subspan(first, count));
      }
      out += ']';
    }
    out += '}';
  }

  static void put_three(std::string& out, std::span<const double> a, std::span<const double> b,
                        std::span<const double> c) {
    put(out, a);
    out += ',';
    put(out, b);
    out += ',';
    put(out, c);
  }

  void put_frames(std::string& out) {
    out += ",\"frames\":[";
    bool is_first = true;
    for (const record::FramePose& pose : frames_.poses(world_.engine())) {
      out += is_first ? "" : ",";
      put(out,
          std::array{pose.translation_m.x(), pose.translation_m.y(), pose.translation_m.z(),
                     pose.rotation.x(), pose.rotation.y(), pose.rotation.z(), pose.rotation.w()});
      is_first = false;
    }
    out += ']';
  }

  void put_progress(std::string& out, Time now) {
    fmt::format_to(std::back_inserter(out), "{{\"t_ns\":{},\"progress\":{{", ns(now));
    bool is_first = true;
    for (const RosRobot& robot : plan_.robots) {
      if (robot.goal_arm < 0) {
        continue;
      }
      const Arm& arm = arms_[static_cast<std::size_t>(robot.goal_arm)];
      const control::JointTrajectoryController& controller = arm.input->controller();
      const control::JointStates& seen = arm.input->seen();
      out += is_first ? "" : ",";
      out += robot.quoted;
      out += ":{\"goal\":";
      out += arm.goal.empty() ? "\"\"" : Json(arm.goal).dump();
      is_first = false;
      for (const auto& [key, all] : {std::pair<const char*, std::span<const double>>(
                                         ",\"desired\":", controller.desired_positions()),
                                     {",\"desired_velocities\":", controller.desired_velocities()},
                                     {",\"actual\":", seen.positions},
                                     {",\"actual_velocities\":", seen.velocities},
                                     {",\"error\":", controller.position_errors()}}) {
        out += key;
        put_chosen(out, all, robot.goal_joints);
      }
      out += '}';
    }
    out += "}}\n";
  }

  // --- goals

  void look_at_goal(std::size_t number, Time now) {
    Arm& arm = arms_[number];
    if (arm.goal.empty()) {
      return;
    }
    const control::JointTrajectoryController& controller = arm.input->controller();
    switch (controller.status()) {
      case TrajectoryStatus::kExecuting:
        return;
      case TrajectoryStatus::kSucceeded:
        ++succeeded_;
        end_goal(number, now, "succeeded", GoalCode::kSuccessful, "");
        return;
      case TrajectoryStatus::kAborted:
        ++aborted_;
        end_goal(number, now, "aborted",
                 controller.abort_cause() == control::AbortCause::kPath ? GoalCode::kPathTolerance
                                                                        : GoalCode::kGoalTolerance,
                 controller.abort_reason());
        return;
      case TrajectoryStatus::kHolding:  // an emergency stop made it give up
        ++aborted_;
        end_goal(number, now, "aborted", GoalCode::kInvalidGoal, "the controller gave it up");
        return;
    }
  }

  void tell(const std::string& robot, Time now, const std::string& goal, const char* state,
            GoalCode code, const std::string& text) {
    say({{"t_ns", ns(now)},
         {"robot", robot},
         {"goal", goal},
         {"state", state},
         {"code", static_cast<int>(code)},
         {"text", text}});
  }

  const std::string& robot_of(std::size_t arm) const { return keys_.arms[arm].name; }

  void end_goal(std::size_t arm, Time now, const char* state, GoalCode code,
                const std::string& text) {
    tell(robot_of(arm), now, std::exchange(arms_[arm].goal, {}), state, code, text);
  }

  /// Gives up what the arm follows, or is to follow later.
  void give_up(std::size_t arm, Time now, const std::string& why) {
    for (std::string* goal : {&arms_[arm].goal, &arms_[arm].next}) {
      if (!goal->empty()) {
        ++cancelled_;
        tell(robot_of(arm), now, std::exchange(*goal, {}), "cancelled", GoalCode::kSuccessful, why);
      }
    }
  }

  /// Of those that take goals.
  Result<std::size_t> arm_called(const std::string& robot) const {
    for (std::size_t i = 0; i < keys_.arms.size(); ++i) {
      if (robot_of(i) == robot) {
        return i;
      }
    }
    return Error{fmt::format("no arm called '{}' takes goals; those that do: {}", robot,
                             keys_.arms.empty() ? "none" : join(names_of(keys_.arms)))};
  }

  const RosRobot& shape_of(std::size_t arm) const {
    return *std::find_if(plan_.robots.begin(), plan_.robots.end(), [&](const RosRobot& robot) {
      return robot.goal_arm == static_cast<int>(arm);
    });
  }
  const std::vector<model::TreeJoint>& joints_of(const RosRobot& robot) const {
    return world_.model().placements[static_cast<std::size_t>(robot.placement)].tree.joints;
  }

  std::optional<Error> handle(const Request& request, Time now) {
    return std::visit([&](const auto& what) { return carry_out(what, now); }, request.what);
  }

  void reject(const protocols::ros::Follow& goal, Time now, GoalCode code,
              const std::string& text) {
    ++rejected_;
    tell(goal.robot, now, goal.goal, "rejected", code, text);
  }

  std::optional<Error> carry_out(const protocols::ros::Follow& goal, Time now) {
    const Result<std::size_t> arm = arm_called(goal.robot);
    if (!arm) {
      return arm.error();
    }
    if (goal.goal.empty()) {
      return Error{"a goal needs a name"};
    }
    ++goals_;
    const RosRobot& robot = shape_of(*arm);
    std::vector<std::size_t> places;  // of each goal joint in the goal's lists
    for (const int joint : robot.goal_joints) {
      const std::string& name = joints_of(robot)[static_cast<std::size_t>(joint)].name;
      const auto found = std::find(goal.joints.begin(), goal.joints.end(), name);
      if (found == goal.joints.end()) {
        reject(goal, now, GoalCode::kInvalidJoints, fmt::format("joint '{}' is missing", name));
        return std::nullopt;
      }
      places.push_back(static_cast<std::size_t>(found - goal.joints.begin()));
    }
    if (goal.joints.size() != places.size()) {
      reject(goal, now, GoalCode::kInvalidJoints,
             fmt::format("{} joints are given, but the arm has {}", goal.joints.size(),
                         places.size()));
      return std::nullopt;
    }
    for (const protocols::ros::GoalPoint& point : goal.points) {
      const auto is_wrong = [&](const std::vector<double>& list, bool may_be_empty) {
        return list.size() != places.size() && !(may_be_empty && list.empty());
      };
      if (is_wrong(point.positions, false) || is_wrong(point.velocities, true) ||
          is_wrong(point.accelerations, true)) {
        reject(goal, now, GoalCode::kInvalidGoal, "a point has not one number per joint");
        return std::nullopt;
      }
    }
    const Time start = goal.start.value_or(now);
    if (!goal.points.empty() && start + goal.points.back().time < now) {
      reject(goal, now, GoalCode::kOldHeaderTimestamp, "all of its points are in the past");
      return std::nullopt;
    }
    if (start <= now) {
      return begin(*arm, goal, places, start, now);
    }
    if (!arms_[*arm].next.empty()) {
      ++cancelled_;
      tell(goal.robot, now, arms_[*arm].next, "cancelled", GoalCode::kSuccessful,
           "another goal replaced it");
    }
    arms_[*arm].next = goal.goal;
    tell(goal.robot, now, goal.goal, "accepted", GoalCode::kSuccessful, "");
    world_.kernel().at(start, sim::Phase::kControl, source_,
                       [this, arm = *arm, goal, places](Time then) {
                         if (arms_[arm].next == goal.goal) {
                           arms_[arm].next.clear();
                           begin(arm, goal, places, then, then, false);
                         }
                       });
    return std::nullopt;
  }

  /// From where the joints are told to be now.
  std::optional<Error> begin(std::size_t number, const protocols::ros::Follow& goal,
                             const std::vector<std::size_t>& places, Time start, Time now,
                             bool is_new = true) {
    Arm& arm = arms_[number];
    const RosRobot& robot = shape_of(number);
    const control::JointTrajectoryController& controller = arm.input->controller();
    std::vector<motion::TrajectoryPoint> points;
    for (const protocols::ros::GoalPoint& from : goal.points) {
      if (start + from.time <= now) {
        continue;
      }
      motion::TrajectoryPoint point{from.time, controller.desired_positions(), {}, {}};
      const auto take = [&](const std::vector<double>& list, std::vector<double>& to) {
        if (list.empty()) {
          return;
        }
        to.resize(point.positions.size(), 0.0);
        for (std::size_t i = 0; i < places.size(); ++i) {
          to[static_cast<std::size_t>(robot.goal_joints[i])] = list[places[i]];
        }
      };
      take(from.positions, point.positions);
      take(from.velocities, point.velocities);
      take(from.accelerations, point.accelerations);
      points.push_back(std::move(point));
    }
    motion::TrajectoryPoint first{now - start, controller.desired_positions(), {}, {}};
    if (!points.empty() && !points.front().velocities.empty()) {
      first.velocities = controller.desired_velocities();
    }
    if (!points.empty() && !points.front().accelerations.empty()) {
      first.accelerations.assign(first.positions.size(), 0.0);
    }
    points.insert(points.begin(), std::move(first));
    Result<motion::Trajectory> trajectory = motion::Trajectory::make(std::move(points));
    if (!trajectory) {
      reject(goal, now, GoalCode::kInvalidGoal, trajectory.error().message);
      return std::nullopt;
    }
    if (is_new) {
      give_up(number, now, "another goal replaced it");
      tell(goal.robot, now, goal.goal, "accepted", GoalCode::kSuccessful, "");
    } else if (!arm.goal.empty()) {
      ++cancelled_;
      end_goal(number, now, "cancelled", GoalCode::kSuccessful, "another goal replaced it");
    }
    arm.goal = goal.goal;
    arm.input->follow(*trajectory, start, tolerances_of(number, goal));
    return std::nullopt;
  }

  control::ToleranceConfig tolerances_of(std::size_t arm,
                                         const protocols::ros::Follow& goal) const {
    const RosRobot& robot = shape_of(arm);
    const std::vector<model::TreeJoint>& joints = joints_of(robot);
    control::ToleranceConfig out = arms_[arm].input->tolerances();
    const auto change = [&](const std::map<std::string, double>& by_name,
                            std::vector<double>& list) {
      if (by_name.empty()) {
        return;
      }
      list = control::per_joint(list, static_cast<int>(joints.size()));
      for (std::size_t i = 0; i < joints.size(); ++i) {
        if (const auto found = by_name.find(joints[i].name); found != by_name.end()) {
          list[i] = std::max(found->second, 0.0);
        }
      }
    };
    change(goal.path_tolerance_rad, out.path_rad);
    change(goal.goal_tolerance_rad, out.goal_rad);
    if (goal.goal_time > Duration::zero()) {
      out.goal_time = goal.goal_time;
    }
    if (goal.stopped_velocity_rad_s > 0.0) {
      out.stopped_velocity_rad_s = goal.stopped_velocity_rad_s;
    }
    return out;
  }

  std::optional<Error> carry_out(const protocols::ros::Cancel& cancel, Time now) {
    const Result<std::size_t> arm = arm_called(cancel.robot);
    if (!arm) {
      return arm.error();
    }
    Arm& which = arms_[*arm];
    if (!cancel.goal.empty() && cancel.goal != which.goal && cancel.goal != which.next) {
      return std::nullopt;  // it was over already
    }
    const bool is_moving = cancel.goal.empty() || cancel.goal == which.goal;
    if (is_moving) {
      which.input->hold(std::vector<double>(which.input->controller().desired_positions()));
    }
    if (cancel.goal.empty()) {
      give_up(*arm, now, "on request");
      return std::nullopt;
    }
    ++cancelled_;
    std::string& goal = is_moving ? which.goal : which.next;
    tell(cancel.robot, now, std::exchange(goal, {}), "cancelled", GoalCode::kSuccessful,
         "on request");
    return std::nullopt;
  }

  /// One number per joint of the arm, of which goals are about some; others are `rest`.
  Result<std::vector<double>> whole(std::size_t arm, const std::vector<double>& values,
                                    std::vector<double> rest) const {
    const std::vector<int>& joints = shape_of(arm).goal_joints;
    if (values.size() != joints.size()) {
      return Error{fmt::format("'values' has {} numbers, but the arm has {} joints", values.size(),
                               joints.size())};
    }
    for (std::size_t i = 0; i < joints.size(); ++i) {
      rest[static_cast<std::size_t>(joints[i])] = values[i];
    }
    return rest;
  }

  std::optional<Error> carry_out(const protocols::ros::Drive& drive, Time now) {
    const Result<std::size_t> arm = arm_called(drive.robot);
    if (!arm) {
      return arm.error();
    }
    GoalInput& input = *arms_[*arm].input;
    const Result<std::vector<double>> all =
        whole(*arm, drive.velocities,
              std::vector<double>(input.controller().desired_positions().size(), 0.0));
    if (!all) {
      return all.error();
    }
    give_up(*arm, now, "a velocity command replaced it");
    input.drive(*all);
    return std::nullopt;
  }

  std::optional<Error> carry_out(const protocols::ros::Place& place, Time now) {
    const Result<std::size_t> arm = arm_called(place.robot);
    if (!arm) {
      return arm.error();
    }
    GoalInput& input = *arms_[*arm].input;
    const Result<std::vector<double>> all =
        whole(*arm, place.positions, input.controller().desired_positions());
    if (!all) {
      return all.error();
    }
    give_up(*arm, now, "a position command replaced it");
    input.hold(*all);
    return std::nullopt;
  }

  // --- beside the arms

  std::optional<Error> carry_out(const protocols::ros::Grip& grip, Time now) {
    return grippers_.carry_out(grip, now);
  }
  std::optional<Error> carry_out(const protocols::ros::CancelGrip& cancel, Time now) {
    return grippers_.carry_out(cancel, now);
  }
  std::optional<Error> carry_out(const protocols::ros::CrclText& text, Time now) {
    return crcl_.carry_out(text, now);
  }

  std::optional<Error> carry_out(const protocols::ros::SetParameter& set, Time now) {
    std::vector<std::string> names;
    for (const cell::LiveKey& key : world_.live_keys()) {
      if (key.name == set.parameter) {
        if (const Result<bool> done = key.set(set.value); !done) {
          return Error{
              fmt::format("{} = {}: {}", key.name, set.value.dump(), done.error().message)};
        }
        say({{"t_ns", ns(now)}, {"parameter", key.name}, {"value", key.value()}});
        return std::nullopt;
      }
      names.push_back(key.name);
    }
    return Error{fmt::format("no parameter is called '{}'; {}", set.parameter,
                             suggest(set.parameter, names))};
  }

  std::optional<Error> why_no_pause() const {
    if (world_.pace().is_served) {
      return std::nullopt;
    }
    return Error{
        "this cell does not go by the clock; only longarm serve can pause, step and reset"};
  }

  std::optional<Error> carry_out(const protocols::ros::Pause&, Time now) {
    if (const auto error = why_no_pause()) {
      return error;
    }
    world_.pace().is_paused = true;
    say_state("paused", now);
    return std::nullopt;
  }
  std::optional<Error> carry_out(const protocols::ros::Resume&, Time now) {
    if (const auto error = why_no_pause()) {
      return error;
    }
    world_.pace().is_paused = false;
    world_.pace().steps = 0;
    say_state("running", now);
    return std::nullopt;
  }
  std::optional<Error> carry_out(const protocols::ros::Step& step, Time) {
    if (const auto error = why_no_pause()) {
      return error;
    }
    if (!world_.pace().is_paused) {
      return Error{"the cell is running; pause it first"};
    }
    world_.pace().steps += step.steps;
    return std::nullopt;
  }
  std::optional<Error> carry_out(const protocols::ros::Reset&, Time now) {
    if (const auto error = why_no_pause()) {
      return error;
    }
    world_.pace().is_reset_asked = true;
    say_state("reset", now);
    return std::nullopt;
  }

  RosKeys keys_;
  RosPlan plan_;
  World& world_;
  std::string name_;
  cell::CellFrames frames_;
  record::Ticker states_ticker_, frames_ticker_, progress_ticker_, diagnostics_ticker_;
  sim::SourceId source_;
  std::vector<Arm> arms_;  ///< in the order of the keys
  protocols::ros::RosDoor door_;
  RosGrippers grippers_;
  RosCrcl crcl_;
  std::map<std::string, std::uint64_t> troubles_;  ///< by name, as told last
  std::size_t packet_bytes_ = 0;                   ///< of the longest one
  std::uint64_t goals_ = 0;
  std::uint64_t succeeded_ = 0;
  std::uint64_t aborted_ = 0;
  std::uint64_t cancelled_ = 0;
  std::uint64_t rejected_ = 0;
};

class RosModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("port", keys_.port, "TCP port that longarm-ros joins; 0: a free port");
    if (keys_.port < 0 || keys_.port > 65535) {
      fields.reject("port", "a port is a number from 0 to 65535", "11511 is usual");
    }
    cell::list_wishes(fields, "arms", keys_.arms,
                      "arms that take goals; each needs task.path: goals");
    cell::list_wishes(fields, "cameras", keys_.cameras, "cameras whose frames it passes on");
    cell::list_wishes(fields, "curtains", keys_.curtains,
                      "light curtains whose reports it passes on");
    cell::list_wishes(fields, "grippers", keys_.grippers, "robots whose grippers it commands");
    cell::list_wishes(fields, "crcl", keys_.crcl,
                      "robots whose CRCL servers it talks to on behalf of programs");
    fields.field("all", keys_.takes_all,
                 "true: a list that is empty stands for all actors in reach that offer it");
    fields.field("states_period", keys_.states_period, "how often joint states are published");
    fields.field("frames_period", keys_.frames_period,
                 "how often the poses of frames are published");
    fields.field("progress_period", keys_.progress_period,
                 "how often the progress of goals of arms and grippers is published");
    fields.field("diagnostics_period", keys_.diagnostics_period,
                 "how often diagnostics are published");
    fields.field("crcl_period", keys_.crcl_period,
                 "how often CRCL servers are asked for their status; 0: never");
    if (keys_.crcl_period < Duration::zero()) {
      fields.reject("crcl_period", "a period must not be negative", "100ms is usual");
    }
    for (const auto& [key, period] : {std::pair{"states_period", keys_.states_period},
                                      std::pair{"frames_period", keys_.frames_period},
                                      std::pair{"progress_period", keys_.progress_period},
                                      std::pair{"diagnostics_period", keys_.diagnostics_period}}) {
      if (period <= Duration::zero()) {
        fields.reject(key, "a period must be longer than zero", "8ms is usual");
      }
    }
  }
  std::vector<cell::WishInfo> wishes() const override {
    std::vector<cell::WishInfo> all;
    for (const auto& [key, what, list] : lists()) {
      for (const cell::Wish& wish : keys_.*list) {
        all.push_back({key, wish.name, what});
      }
      if (keys_.takes_all && (keys_.*list).empty()) {
        all.push_back({key, "", what, false, true});
      }
    }
    return all;
  }
  void take(const cell::WishInfo& wish, const std::string& actor) override {
    for (const auto& [key, what, list] : lists()) {
      if (wish.key == key) {
        (keys_.*list).push_back({actor, ""});
      }
    }
    has_taken_arms_ |= wish.key == "arms";
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell,
                                    const cell::LoadContext& context) override {
    std::vector<cell::KeyRemark> remarks;
    std::erase_if(keys_.arms, [&](const cell::Wish& wish) {
      const cell::ActorEntry* entry = context.cell.find(wish.name);
      const auto* arm =
          entry == nullptr ? nullptr : dynamic_cast<const GoalTaker*>(entry->model.get());
      const std::string why = arm == nullptr ? "it is no arm" : arm->why_no_goals();
      if (!why.empty() && !has_taken_arms_) {
        remarks.push_back({"arms", fmt::format("'{}' takes no goals: {}", wish.name, why),
                           fmt::format("set actors.{}.task.path to goals", wish.name)});
      }
      return !why.empty();
    });
    plan_.robots = ros_robots(cell, context.cell, names_of(keys_.arms));
    return remarks;
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<RosActor>(keys_, plan_, world, name);
  }

 private:
  struct List {
    const char* key;
    cell::Interface what;
    std::vector<cell::Wish> RosKeys::*list;
  };
  static std::vector<List> lists() {
    // where there is no network, documents arrive at once
    cell::Interface crcl = CrclServer::kInterface;
    crcl.needs_hosts = false;
    return {{"arms", GoalInput::kInterface, &RosKeys::arms},
            {"cameras", Source<CameraFrame>::kInterface, &RosKeys::cameras},
            {"curtains", Source<CurtainReport>::kInterface, &RosKeys::curtains},
            {"grippers", GripperInput::kInterface, &RosKeys::grippers},
            {"crcl", crcl, &RosKeys::crcl}};
  }

  RosKeys keys_;
  RosPlan plan_;
  bool has_taken_arms_ = false;  ///< nobody has named them
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_ros() {
  return std::make_unique<RosModel>();
}

}  // namespace longarm::actors
