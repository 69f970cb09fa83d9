// SPDX-License-Identifier: Apache-2.0
// Goals of grippers, with the meaning that ROS's GripperCommand gives them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/actors/gripper_input.h"
#include "longarm/cell/world.h"
#include "longarm/protocols/ros/ros_requests.h"

namespace longarm::actors {

/// Counted over a run.
struct GripCounts {
  std::uint64_t goals = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t aborted = 0;
  std::uint64_t cancelled = 0;
};

/// Positions are the gap between fingers in m; of a vacuum 0 is on and 1 is off.
class RosGrippers {
 public:
  using Say = std::function<void(const nlohmann::ordered_json& line)>;

  /// Those of robots that have one.
  RosGrippers(cell::World& world, const std::vector<cell::Wish>& robots, Say say);

  /// Of the hello.
  nlohmann::ordered_json json() const;
  bool is_empty() const { return grippers_.empty(); }
  /// Once per step: what became of goals.
  void look(Time now);
  /// As the stream has them: an object.
  void put(std::string& out) const;

  std::optional<Error> carry_out(const protocols::ros::Grip& grip, Time now);
  std::optional<Error> carry_out(const protocols::ros::CancelGrip& cancel, Time now);

  const GripCounts& counts() const { return counts_; }

 private:
  struct Gripper {
    std::string name;
    GripperInput* input = nullptr;
    bool is_vacuum = false;
    std::string goal;  ///< that it follows; empty: none
    Time since{};
    double position = 0.0;   ///< of the last goal
    bool has_goal = false;   ///< there has been one
    bool has_moved = false;  ///< the goal has been told for a step at least
  };
  /// How it stands with the last goal.
  struct State {
    double position = 0.0;
    double effort_N = 0.0;
    bool is_busy = false;
    bool is_holding = false;
    bool is_stalled = false;
    bool is_there = false;
  };

  static State state_of(const Gripper& gripper);
  Result<Gripper*> find(const std::string& name);
  void tell(const Gripper& gripper, Time now, const std::string& goal, const char* state,
            const std::string& text) const;
  void end(Gripper& gripper, Time now, const char* state, const std::string& text);

  Say say_;
  std::vector<Gripper> grippers_;
  GripCounts counts_;
};

}  // namespace longarm::actors
