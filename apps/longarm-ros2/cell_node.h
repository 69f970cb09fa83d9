// SPDX-License-Identifier: Apache-2.0
// The topics that a cell has as a ROS 2 node.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/longarm-ros2/dds_node.h"
#include "messages.h"

namespace longarm::ros2 {

/// Publishes what the cell's port says, and turns what ROS 2 publishes into requests to it.
class CellNode {
 public:
  using Json = nlohmann::ordered_json;
  /// Takes a line of JSON for the cell; any thread may call it.
  using Ask = std::function<void(const std::string& line)>;

  /// `hello` is the port's first line; throws std::runtime_error if it is not, or if DDS fails.
  CellNode(const DdsSettings& settings, const Json& hello, Ask ask);

  /// One of the lines that follow.
  void hear(const Json& line);
  /// As ROS names them, for those who read what is on offer.
  const std::vector<std::string>& published() const { return published_; }
  const std::vector<std::string>& subscribed() const { return subscribed_; }

 private:
  using Strings = std::vector<std::string>;
  struct Robot {
    std::string name;
    Strings joints;
    std::vector<char*> joint_pointers;
    Writer states;
  };
  struct Frame {
    std::string parent;
    std::string child;
  };

  Writer publish(const std::string& topic, const RosType& type, Depth depth);
  void add_robot(const Json& from, const std::string& space);
  void add_inputs(const std::string& robot, const std::string& space);
  void publish_fixed_frames(const Json& rows);

  void put_clock(std::int64_t t_ns);
  void put_states(const Json& joints, std::int64_t t_ns);
  void put_frames(const Json& poses, std::int64_t t_ns);
  void tell(const Json& line);

  void follow(const std::string& robot, const trajectory_msgs_msg_dds__JointTrajectory_& message);
  void command(const char* what, const std::string& robot,
               const std_msgs_msg_dds__Float64MultiArray_& message);
  builtin_interfaces_msg_dds__Time_ stamp_of(std::int64_t t_ns) const;

  Ask ask_;
  std::int64_t epoch_ns_ = 0;
  std::atomic<std::int64_t> now_ns_{0};
  std::list<Robot> robots_;
  std::vector<Frame> frames_;
  Strings published_, subscribed_;
  Writer clock_, tf_, tf_static_;
  std::uint64_t goals_ = 0;
  DdsNode node_;  ///< last: its thread ends before what it uses
};

}  // namespace longarm::ros2
