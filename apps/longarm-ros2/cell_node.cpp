// SPDX-License-Identifier: Apache-2.0
// Topics are called what ros2_control and robot_state_publisher call them.
#include "apps/longarm-ros2/cell_node.h"

#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace longarm::ros2 {
namespace {

using Json = CellNode::Json;

constexpr std::int64_t kSecond_ns = 1'000'000'000;
/// A trajectory that starts later than this is meant for another clock.
constexpr std::int64_t kLatestStart_ns = 3600 * kSecond_ns;

constexpr Depth kUsual{10, false};
constexpr Depth kTransforms{100, false};
constexpr Depth kLatched{1, true};

/// ROS takes letters, digits and _ in names, and no digit in front.
std::string ros_name(std::string name) {
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
      letter = '_';
    }
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    name.insert(0, "_");
  }
  return name;
}

/// DDS only reads what it publishes.
char* pointer(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

template <typename Sequence, typename Element>
void lend(Sequence& out, std::vector<Element>& from) {
  out._maximum = out._length = static_cast<std::uint32_t>(from.size());
  out._buffer = from.data();
  out._release = false;
}

template <typename Sequence>
std::vector<double> numbers(const Sequence& from) {
  return {from._buffer, from._buffer + from._length};
}

std::int64_t nanoseconds(std::int32_t sec, std::uint32_t nanosec) {
  return sec * kSecond_ns + nanosec;
}

std::string text_of(const Json& request) {
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

geometry_msgs_msg_dds__TransformStamped_ transform(builtin_interfaces_msg_dds__Time_ stamp,
                                                   const std::string& parent,
                                                   const std::string& child,
                                                   const std::vector<double>& pose) {
  if (pose.size() != 7) {
    throw std::runtime_error("a pose has seven numbers");
  }
  return {{stamp, pointer(parent)},
          pointer(child),
          {{pose[0], pose[1], pose[2]}, {pose[3], pose[4], pose[5], pose[6]}}};
}

}  // namespace

CellNode::CellNode(const DdsSettings& settings, const Json& hello, Ask ask)
    : ask_(std::move(ask)), node_(settings) {
  try {
    if (hello.at("longarm") != 1) {
      throw std::runtime_error("an unknown version");
    }
    epoch_ns_ = hello.at("epoch_ns");
    now_ns_ = hello.at("t_ns").get<std::int64_t>();
    clock_ = publish("/clock", kClock, kUsual);
    tf_ = publish("/tf", kTfMessage, kTransforms);
    tf_static_ = publish("/tf_static", kTfMessage, kLatched);
    const Json& robots = hello.at("robots");
    for (const Json& robot : robots) {
      add_robot(robot, robots.size() == 1 ? "" : "/" + ros_name(robot.at("name")));
    }
    for (const Json& frame : hello.at("frames")) {
      frames_.push_back({frame.at(0), frame.at(1)});
    }
    publish_fixed_frames(hello.at("fixed_frames"));
  } catch (const Json::exception& error) {
    throw std::runtime_error(
        fmt::format("the port's first line is not as expected: {}; is it the "
                    "port of an actor of kind ros?",
                    error.what()));
  }
  node_.begin();
}

Writer CellNode::publish(const std::string& topic, const RosType& type, Depth depth) {
  published_.push_back(topic);
  return node_.write_to(topic, type, depth);
}

void CellNode::add_robot(const Json& from, const std::string& space) {
  Robot& robot = robots_.emplace_back();
  robot.name = from.at("name");
  robot.joints = from.at("joints").get<Strings>();
  for (const std::string& joint : robot.joints) {
    robot.joint_pointers.push_back(pointer(joint));
  }
  robot.states = publish(space + "/joint_states", kJointState, kUsual);
  const std::string description = from.at("description");
  const std_msgs_msg_dds__String_ message{pointer(description)};
  publish(space + "/robot_description", kString, kLatched).write(&message);
  if (!from.at("accepts").empty()) {
    add_inputs(robot.name, space);
  }
}

void CellNode::add_inputs(const std::string& robot, const std::string& space) {
  subscribed_.push_back(space + "/joint_trajectory_controller/joint_trajectory");
  node_.read_from<trajectory_msgs_msg_dds__JointTrajectory_>(
      subscribed_.back(), kJointTrajectory,
      [this, robot](const auto& message) { follow(robot, message); });
  for (const char* const what : {"velocity", "position"}) {
    subscribed_.push_back(fmt::format("{}/forward_{}_controller/commands", space, what));
    node_.read_from<std_msgs_msg_dds__Float64MultiArray_>(
        subscribed_.back(), kFloat64MultiArray,
        [this, what, robot](const auto& message) { command(what, robot, message); });
  }
}

void CellNode::publish_fixed_frames(const Json& rows) {
  std::vector<Frame> names;
  std::vector<std::vector<double>> poses;
  for (const Json& row : rows) {
    names.push_back({row.at(0), row.at(1)});
    poses.emplace_back();
    for (std::size_t i = 2; i < row.size(); ++i) {
      poses.back().push_back(row.at(i));
    }
  }
  std::vector<geometry_msgs_msg_dds__TransformStamped_> transforms;
  for (std::size_t i = 0; i < names.size(); ++i) {
    transforms.push_back(transform(stamp_of(now_ns_), names[i].parent, names[i].child, poses[i]));
  }
  tf2_msgs_msg_dds__TFMessage_ message{};
  lend(message.transforms, transforms);
  tf_static_.write(&message);
}

// --- from the cell

void CellNode::hear(const Json& line) {
  try {
    if (line.contains("joints") || line.contains("frames")) {
      const std::int64_t t_ns = line.at("t_ns");
      now_ns_ = t_ns;
      put_clock(t_ns);  // first, so that what follows is not from the future
      if (line.contains("joints")) {
        put_states(line["joints"], t_ns);
      }
      if (line.contains("frames")) {
        put_frames(line["frames"], t_ns);
      }
    } else {
      tell(line);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("the cell sent a line that is not as expected: {}", error.what()));
  }
}

builtin_interfaces_msg_dds__Time_ CellNode::stamp_of(std::int64_t t_ns) const {
  const std::int64_t all = epoch_ns_ + t_ns;
  return {static_cast<std::int32_t>(all / kSecond_ns),
          static_cast<std::uint32_t>(all % kSecond_ns)};
}

void CellNode::put_clock(std::int64_t t_ns) {
  const rosgraph_msgs_msg_dds__Clock_ message{stamp_of(t_ns)};
  clock_.write(&message);
}

void CellNode::put_states(const Json& joints, std::int64_t t_ns) {
  for (Robot& robot : robots_) {
    const Json& three = joints.at(robot.name);
    auto positions = three.at(0).get<std::vector<double>>();
    auto velocities = three.at(1).get<std::vector<double>>();
    auto efforts = three.at(2).get<std::vector<double>>();
    sensor_msgs_msg_dds__JointState_ message{};
    message.header = {stamp_of(t_ns), const_cast<char*>("")};
    lend(message.name, robot.joint_pointers);
    lend(message.position, positions);
    lend(message.velocity, velocities);
    lend(message.effort, efforts);
    robot.states.write(&message);
  }
}

void CellNode::put_frames(const Json& poses, std::int64_t t_ns) {
  std::vector<geometry_msgs_msg_dds__TransformStamped_> transforms;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    transforms.push_back(transform(stamp_of(t_ns), frames_[i].parent, frames_[i].child,
                                   poses.at(i).get<std::vector<double>>()));
  }
  tf2_msgs_msg_dds__TFMessage_ message{};
  lend(message.transforms, transforms);
  tf_.write(&message);
}

/// What went wrong; topics have no answers.
void CellNode::tell(const Json& line) {
  const double t = static_cast<double>(line.at("t_ns").get<std::int64_t>()) / 1e9;
  if (line.contains("error")) {
    fmt::print(stderr, "{:.3f} s: refused: {}\n", t, line["error"].get<std::string>());
  } else if (line.contains("state") && line.contains("robot")) {
    const std::string state = line["state"];
    if (state == "rejected" || state == "aborted") {
      fmt::print(stderr, "{:.3f} s: {}: trajectory {}: {}\n", t, line["robot"].get<std::string>(),
                 state, line["text"].get<std::string>());
    }
  }
}

// --- from ROS 2

void CellNode::follow(const std::string& robot,
                      const trajectory_msgs_msg_dds__JointTrajectory_& message) {
  Json request{{"do", "follow"},
               {"robot", robot},
               {"goal", fmt::format("ros2-{}-{}", getpid(), ++goals_)},
               {"joints", Json::array()},
               {"points", Json::array()}};
  const builtin_interfaces_msg_dds__Time_& stamp = message.header.stamp;
  if (stamp.sec != 0 || stamp.nanosec != 0) {
    const std::int64_t start_ns = nanoseconds(stamp.sec, stamp.nanosec) - epoch_ns_;
    if (start_ns > now_ns_ + kLatestStart_ns) {
      fmt::print(stderr,
                 "{}: trajectory left out: its stamp is {} s ahead of /clock; use no stamp, or set "
                 "use_sim_time for the node that sends it\n",
                 robot, (start_ns - now_ns_) / kSecond_ns);
      return;
    }
    request["start_ns"] = start_ns;
  }
  for (std::uint32_t i = 0; i < message.joint_names._length; ++i) {
    request["joints"].push_back(message.joint_names._buffer[i]);
  }
  for (std::uint32_t i = 0; i < message.points._length; ++i) {
    const trajectory_msgs_msg_dds__JointTrajectoryPoint_& from = message.points._buffer[i];
    Json point{{"t_ns", nanoseconds(from.time_from_start.sec, from.time_from_start.nanosec)},
               {"q", numbers(from.positions)}};
    if (from.velocities._length > 0) {
      point["v"] = numbers(from.velocities);
    }
    if (from.accelerations._length > 0) {
      point["a"] = numbers(from.accelerations);
    }
    request["points"].push_back(std::move(point));
  }
  ask_(text_of(request));
}

void CellNode::command(const char* what, const std::string& robot,
                       const std_msgs_msg_dds__Float64MultiArray_& message) {
  ask_(text_of({{"do", what}, {"robot", robot}, {"values", numbers(message.data)}}));
}

}  // namespace longarm::ros2
