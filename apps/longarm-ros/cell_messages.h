// SPDX-License-Identifier: Apache-2.0
// What a cell tells those who join its port for ROS programs. Knows nothing of ROS, and is C++17.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace longarm::ros_port {

using Json = nlohmann::ordered_json;

struct Robot {
  std::string name;
  std::vector<std::string> joints;
  std::vector<std::string> driven;  ///< those of them that goals are about; empty: takes none
  std::string prefix;               ///< of its frames
  std::string description;          ///< URDF
};

/// Position and quaternion: x, y, z, and x, y, z, w.
using Place = std::array<double, 7>;

struct Frame {
  std::string parent;
  std::string child;
  Place place{};  ///< of those that stay where they are
};

struct Gripper {
  std::string name;     ///< of the robot that carries it
  double closed = 0.0;  ///< ends of its stroke: gaps between fingers in m
  double open = 0.0;
  double max_effort_N = 0.0;
};

/// A value that may be changed while the cell runs.
struct Parameter {
  std::string name;
  Json value;
  std::string unit;
  std::string doc;
};

/// The first line.
struct Welcome {
  std::int64_t t_ns = 0;
  std::int64_t epoch_ns = 0;  ///< what ROS calls the start of the run
  bool is_served = false;     ///< goes by the wall clock; can be paused
  bool is_paused = false;
  std::vector<Robot> robots;
  std::vector<Frame> moving;
  std::vector<Frame> fixed;
  std::vector<Gripper> grippers;
  std::vector<std::string> crcl;  ///< robots that execute CRCL commands
  std::vector<std::string> cameras;
  std::vector<std::string> curtains;
  std::vector<Parameter> parameters;
};

/// Throws std::exception with words if it is not what it should be.
Welcome parse_welcome(const std::string& line);

struct JointValues {
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> efforts;
};

/// Of a robot, from a line with "joints".
JointValues joint_values(const Json& of_robot);
/// From a line with "frames".
Place place_of(const Json& seven);

}  // namespace longarm::ros_port
