// SPDX-License-Identifier: Apache-2.0
// What a ROS program asks of a cell: one JSON object per line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::protocols::ros {

/// Velocities and accelerations may be empty.
struct GoalPoint {
  Duration time{};  ///< from the start
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> accelerations;
};

/// A trajectory for an arm; replaces the one that it follows.
struct Follow {
  std::string robot;
  std::string goal;  ///< its name, in answers
  std::vector<std::string> joints;
  std::vector<GoalPoint> points;
  std::map<std::string, double> path_tolerance_rad;  ///< by joint; none or 0: unchecked
  std::map<std::string, double> goal_tolerance_rad;
  double stopped_velocity_rad_s = 0.0;  ///< 0: the arm's own
  Duration goal_time{};
  std::optional<Time> start;  ///< no value: when it arrives
};
struct Cancel {
  std::string robot;
  std::string goal;  ///< empty: whatever it does
};
/// Until the next one.
struct Drive {
  std::string robot;
  std::vector<double> velocities;
};
struct Place {
  std::string robot;
  std::vector<double> positions;
};
/// A gripper's fingers, to a gap between them.
struct Grip {
  std::string gripper;
  std::string goal;  ///< its name, in answers
  double position = 0.0;
  double max_effort_N = 0.0;  ///< of each finger; 0: the gripper's own
};
struct CancelGrip {
  std::string gripper;
  std::string goal;  ///< empty: whatever it does
};
/// For the CRCL server of a robot.
struct CrclText {
  std::string robot;
  std::string document;
};
struct SetParameter {
  std::string parameter;
  nlohmann::ordered_json value;
};
/// What goes on beside simulated time.
struct Pause {};
struct Resume {};
struct Step {
  std::uint64_t steps = 1;
};
struct Reset {};

struct Request {
  std::optional<std::int64_t> id;  ///< to be answered
  std::variant<Follow, Cancel, Drive, Place, Grip, CancelGrip, CrclText, SetParameter, Pause,
               Resume, Step, Reset>
      what;
};

/// Lines may come from anywhere: the error is for the one who wrote it.
Result<Request> parse_request(std::string_view line);

/// Of a line that parse_request() refuses, if it has one.
std::optional<std::int64_t> id_of(std::string_view line);

}  // namespace longarm::protocols::ros
