// SPDX-License-Identifier: Apache-2.0
// Puts numbers where their joints are.
#include "longarm/actors/joint_lists.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// A joint that only follows, or swings, is no reason to go slowly; its own velocity limit is.
constexpr double kAnyAcceleration = 1e9;

constexpr const char* kTrajectoryKey = "task.trajectory";

void check_limits(const char* key, const std::string& what, const std::vector<double>& positions,
                  const model::BodyTree& tree, std::vector<cell::KeyRemark>& remarks) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const model::TreeJoint& joint = tree.joints[i];
    if (positions[i] < joint.limits.lower || positions[i] > joint.limits.upper) {
      remarks.push_back(
          {key,
           fmt::format("{} puts joint '{}' at {} {}, beyond its limits", what, joint.name,
                       format_number(positions[i]),
                       joint.type == model::JointType::kPrismatic ? "m" : "rad"),
           fmt::format("stay between {:.6g} and {:.6g}", joint.limits.lower, joint.limits.upper)});
    }
  }
}

/// Where in the tree the joints of a trajectory are.
std::optional<std::vector<std::size_t>> columns_of(const tasks::TaskConfig& task,
                                                   const model::BodyTree& tree,
                                                   const std::vector<int>& driven,
                                                   std::vector<cell::KeyRemark>& remarks) {
  std::vector<std::string> names;
  for (const int joint : driven) {
    names.push_back(tree.joints[static_cast<std::size_t>(joint)].name);
  }
  std::vector<std::size_t> columns;
  for (const std::string& joint : task.timed.joints) {
    const auto found = std::find(names.begin(), names.end(), joint);
    if (found == names.end()) {
      remarks.push_back({kTrajectoryKey,
                         fmt::format("{}: the robot drives no joint '{}'", task.trajectory, joint),
                         suggest(joint, names)});
      return std::nullopt;
    }
    columns.push_back(
        static_cast<std::size_t>(driven[static_cast<std::size_t>(found - names.begin())]));
  }
  return columns;
}

/// No arm jumps.
void check_start(const tasks::TaskConfig& task, const std::vector<double>& start,
                 const model::BodyTree& tree, const std::vector<double>& home,
                 std::vector<cell::KeyRemark>& remarks) {
  constexpr double kNear = 1e-6;
  for (std::size_t i = 0; i < home.size(); ++i) {
    if (std::abs(start[i] - home[i]) > kNear) {
      std::vector<std::string> words;
      for (std::size_t joint = 0; joint < task.timed.joints.size(); ++joint) {
        words.push_back(task.timed.joints[joint] + ": " +
                        format_number(task.timed.points.front().positions[joint]));
      }
      remarks.push_back(
          {kTrajectoryKey,
           fmt::format("the trajectory starts with joint '{}' at {}, the robot at {}",
                       tree.joints[i].name, format_number(start[i]), format_number(home[i])),
           fmt::format("remove home_rad, or set it to {{{}}}", join(words))});
      return;
    }
  }
}

}  // namespace

std::vector<JointPositions> whole_waypoints(const tasks::TaskConfig& task,
                                            const model::BodyTree& tree,
                                            const std::vector<int>& driven,
                                            const std::vector<double>& home,
                                            std::vector<cell::KeyRemark>& remarks) {
  std::vector<JointPositions> whole;
  std::vector<double> before = home;
  for (std::size_t i = 0; i < task.joints_rad.size(); ++i) {
    const JointPositions& waypoint = task.joints_rad[i];
    const std::string what = fmt::format("waypoint {}", i + 1);
    const std::size_t found = waypoint.values.size();
    if (waypoint.names.empty() && found != driven.size()) {
      remarks.push_back(
          {"task.joints_rad",
           fmt::format("{} has {} number{}, but the robot has {} joint{}", what, found,
                       found == 1 ? "" : "s", driven.size(), driven.size() == 1 ? "" : "s"),
           "give one number per joint"});
      continue;
    }
    std::vector<model::JointFlaw> flaws;
    before = model::put_positions(waypoint, tree, driven, std::move(before), flaws);
    for (const model::JointFlaw& flaw : flaws) {
      remarks.push_back({"task.joints_rad", what + ": " + flaw.message, flaw.hint});
    }
    if (flaws.empty()) {
      check_limits("task.joints_rad", what, before, tree, remarks);
    }
    whole.push_back({before});
  }
  return whole;
}

std::vector<cell::KeyRemark> load_trajectory(tasks::TaskConfig& task,
                                             const cell::LoadContext& context) {
  if (task.path != tasks::kTrajectory || task.trajectory.empty()) {
    return {};
  }
  const Result<std::string> content = context.link_files.read(task.trajectory);
  if (!content) {
    return {{kTrajectoryKey, content.error().message, ""}};
  }
  if (!cell::KeptFiles::can_keep(task.trajectory) && !task.trajectory.starts_with('/')) {
    return {{kTrajectoryKey, "'" + task.trajectory + "' is outside the scenario's folder",
             "runs copy it: put it beside the scenario, or give an absolute path"}};
  }
  context.kept.keep(context.link_files.all().back());
  Result<motion::NamedTrajectory> read = motion::read_trajectory_csv(*content);
  if (!read) {
    return {{kTrajectoryKey, task.trajectory + ": " + read.error().message,
             "docs/how-to/bags.md describes the file"}};
  }
  task.timed = std::move(read).value();
  return {};
}

std::vector<motion::TrajectoryPoint> whole_points(const tasks::TaskConfig& task,
                                                  const model::BodyTree& tree,
                                                  const std::vector<int>& driven,
                                                  const std::vector<double>& home,
                                                  std::vector<cell::KeyRemark>& remarks) {
  if (task.path != tasks::kTrajectory || task.timed.points.empty()) {
    return {};
  }
  const std::optional<std::vector<std::size_t>> joints = columns_of(task, tree, driven, remarks);
  if (!joints) {
    return {};
  }
  const auto spread_out = [&](const std::vector<double>& numbers, std::vector<double> all) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      all[(*joints)[i]] = numbers[i];
    }
    return numbers.empty() ? std::vector<double>{} : all;
  };
  const std::vector<double> zeros(tree.joints.size(), 0.0);
  std::vector<motion::TrajectoryPoint> points;
  const motion::TrajectoryPoint& first = task.timed.points.front();
  if (first.time > Duration(0)) {
    points.push_back({Duration(0), home, first.velocities.empty() ? first.velocities : zeros,
                      first.accelerations.empty() ? first.accelerations : zeros});
  }
  for (const motion::TrajectoryPoint& point : task.timed.points) {
    points.push_back({point.time, spread_out(point.positions, home),
                      spread_out(point.velocities, zeros), spread_out(point.accelerations, zeros)});
    const std::size_t before = remarks.size();
    check_limits(kTrajectoryKey, fmt::format("the point at {} s", to_seconds(point.time)),
                 points.back().positions, tree, remarks);
    if (remarks.size() > before) {
      return {};
    }
  }
  check_start(task, points.front().positions, tree, home, remarks);
  return points;
}

ArmConfig whole_lists(const ArmConfig& config, const model::BodyTree& tree,
                      const std::vector<int>& driven, const std::vector<double>& home,
                      std::vector<cell::KeyRemark>& remarks) {
  const std::size_t count = tree.joints.size();
  ArmConfig whole = config;
  whole.home_rad = {home};
  whole.task.joints_rad = whole_waypoints(config.task, tree, driven, home, remarks);
  whole.task.points = whole_points(config.task, tree, driven, home, remarks);
  if (driven.size() == count) {
    return whole;
  }
  if (whole.gain) {
    whole.gains.p = {*whole.gain};
    whole.gain.reset();
  }
  for (control::GainsConfig* gains : {&whole.gains, &whole.servo.gains}) {
    for (std::vector<double>* list : {&gains->p, &gains->i, &gains->d, &gains->i_clamp}) {
      *list = spread(*list, driven, count, 0.0);
    }
  }
  for (std::vector<double>* list : {&whole.tolerances.path_rad, &whole.tolerances.goal_rad}) {
    *list = spread(*list, driven, count, 0.0);
  }
  if (!whole.command.empty()) {
    whole.command = spread(whole.command, driven, count, whole.command.front());
  }
  std::vector<double>& rotors = whole.servo.rotor_inertia_kg_m2;
  if (!rotors.empty()) {
    rotors = spread(rotors, driven, count, -1.0);
    for (std::size_t i = 0; i < count; ++i) {
      rotors[i] = rotors[i] < 0.0 ? tree.joints[i].dynamics.rotor_inertia_kg_m2 : rotors[i];
    }
  }
  whole.task.velocity_limit_rad_s =
      spread(whole.task.velocity_limit_rad_s, driven, count, kUnlimited);
  whole.task.acceleration_limit_rad_s2 =
      spread(whole.task.acceleration_limit_rad_s2, driven, count, kAnyAcceleration);
  return whole;
}

}  // namespace longarm::actors
