// SPDX-License-Identifier: Apache-2.0
// Puts numbers where their joints are.
#include "longarm/actors/joint_lists.h"

#include <limits>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// A joint that only follows, or swings, is no reason to go slowly; its own velocity limit is.
constexpr double kAnyAcceleration = 1e9;

void check_limits(const std::string& what, const std::vector<double>& positions,
                  const model::BodyTree& tree, std::vector<cell::KeyRemark>& remarks) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const model::TreeJoint& joint = tree.joints[i];
    if (positions[i] < joint.limits.lower || positions[i] > joint.limits.upper) {
      remarks.push_back(
          {"task.joints_rad",
           fmt::format("{} puts joint '{}' at {} {}, beyond its limits", what, joint.name,
                       format_number(positions[i]),
                       joint.type == model::JointType::kPrismatic ? "m" : "rad"),
           fmt::format("stay between {:.6g} and {:.6g}", joint.limits.lower, joint.limits.upper)});
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
      check_limits(what, before, tree, remarks);
    }
    whole.push_back({before});
  }
  return whole;
}

ArmConfig whole_lists(const ArmConfig& config, const model::BodyTree& tree,
                      const std::vector<int>& driven, const std::vector<double>& home,
                      std::vector<cell::KeyRemark>& remarks) {
  const std::size_t count = tree.joints.size();
  ArmConfig whole = config;
  whole.home_rad = {home};
  whole.task.joints_rad = whole_waypoints(config.task, tree, driven, home, remarks);
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
