// SPDX-License-Identifier: Apache-2.0
// From recorded trajectories or joint states to points in time.
#include "longarm/record/bag/bag_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/bag/recorded_messages.h"

namespace longarm::record {
namespace {

/// Gathers the messages of a topic.
class PlanReader {
 public:
  explicit PlanReader(const PlanOptions& options) : options_(options), joints_(options.joints) {}

  void take(const RecordedMessage& message) {
    if (message.topic != options_.topic || error_) {
      return;
    }
    ++messages_;
    if (is_joint_trajectory(message)) {
      if (messages_ == options_.message) {
        take_trajectory(message);
      }
    } else if (is_joint_state(message)) {
      take_states(message);
    } else {
      error_ =
          Error{fmt::format("messages of {} are {}; a plan comes from "
                            "trajectory_msgs/JointTrajectory or sensor_msgs/JointState",
                            message.topic, message.type)};
    }
  }

  Result<BagPlan> finish(const Recording& recording) {
    if (error_) {
      return *error_;
    }
    if (messages_ == 0) {
      std::vector<std::string> names;
      for (const RecordedTopic& topic : recording.topics) {
        names.push_back(topic.topic);
      }
      return Error{fmt::format("no messages of topic {}: {}", options_.topic,
                               suggest(options_.topic, names))};
    }
    return has_states_ ? finish_states() : finish_trajectory();
  }

 private:
  void take_trajectory(const RecordedMessage& message) {
    const Result<JointTrajectoryMessage> read = joint_trajectory_of(message);
    if (!read) {
      error_ = read.error();
      return;
    }
    plan_.trajectory.joints = read->names;
    for (const JointTrajectoryPointMessage& point : read->points) {
      plan_.trajectory.points.push_back(
          {point.time_from_start, point.positions, point.velocities, point.accelerations});
    }
  }

  void take_states(const RecordedMessage& message) {
    has_states_ = true;
    const Result<JointStateMessage> read = joint_state_of(message);
    if (!read) {
      error_ = read.error();
      return;
    }
    if (joints_.empty() && !read->positions.empty()) {
      joints_ = read->names;
    }
    const std::optional<std::vector<std::size_t>> places = places_in(*read);
    if (!places) {
      ++others_;
      return;
    }
    has_stamps_ = has_stamps_ || read->stamp != Time{};  // a run starts at zero
    motion::TrajectoryPoint point;
    for (const std::size_t place : *places) {
      point.positions.push_back(read->positions[place]);
      if (read->velocities.size() == read->names.size()) {
        point.velocities.push_back(read->velocities[place]);
      }
    }
    has_velocities_ = has_velocities_ && !point.velocities.empty();
    states_.push_back({read->stamp, message.received, std::move(point)});
  }

  /// Where the joints are in a message; nothing if it has not all of them.
  std::optional<std::vector<std::size_t>> places_in(const JointStateMessage& message) const {
    if (joints_.empty() || message.positions.size() != message.names.size()) {
      return std::nullopt;
    }
    std::vector<std::size_t> places;
    for (const std::string& joint : joints_) {
      const auto found = std::find(message.names.begin(), message.names.end(), joint);
      if (found == message.names.end()) {
        return std::nullopt;
      }
      places.push_back(static_cast<std::size_t>(found - message.names.begin()));
    }
    return places;
  }

  Result<BagPlan> finish_trajectory() {
    if (options_.message < 1 || options_.message > messages_) {
      return Error{fmt::format("{} has {} message{}; --message {} is none of them", options_.topic,
                               messages_, messages_ == 1 ? "" : "s", options_.message)};
    }
    if (messages_ > 1) {
      plan_.remarks.push_back(fmt::format("this is message {} of {} (--message N for another)",
                                          options_.message, messages_));
    }
    return check_points();
  }

  Result<BagPlan> finish_states() {
    if (states_.empty()) {
      return Error{fmt::format("no message of {} has positions of joints {}", options_.topic,
                               joints_.empty() ? "at all" : join(joints_))};
    }
    if (others_ > 0) {
      plan_.remarks.push_back(
          fmt::format("{} messages that lack positions of these joints are left out", others_));
    }
    if (!has_stamps_) {
      plan_.remarks.push_back("messages have no stamps: the times are those of their reception");
    }
    const auto time_of = [&](const State& state) {
      return has_stamps_ ? state.stamp : state.received;
    };
    std::stable_sort(states_.begin(), states_.end(),
                     [&](const State& a, const State& b) { return time_of(a) < time_of(b); });
    plan_.trajectory.joints = joints_;
    const Time start = time_of(states_.front()) + options_.from;
    std::optional<Time> first;
    std::size_t doubles = 0;
    std::vector<motion::TrajectoryPoint>& points = plan_.trajectory.points;
    for (State& state : states_) {
      const Time time = time_of(state);
      if (time < start || (options_.to && time - time_of(states_.front()) > *options_.to)) {
        continue;
      }
      first = first.value_or(time);
      state.point.time = time - *first;
      if (!points.empty() && state.point.time == points.back().time) {
        ++doubles;
        continue;
      }
      if (!has_velocities_) {
        state.point.velocities.clear();
      }
      points.push_back(state.point);
    }
    if (doubles > 0) {
      plan_.remarks.push_back(
          fmt::format("{} messages have the time of another one and are left out", doubles));
    }
    return check_points();
  }

  /// Whether an arm can follow them.
  Result<BagPlan> check_points() {
    const std::vector<motion::TrajectoryPoint>& points = plan_.trajectory.points;
    if (points.empty()) {
      return Error{fmt::format("{}: there are no points in it", options_.topic)};
    }
    const bool is_late = points.front().time < Duration(0);
    if (is_late || points.front().positions.size() != plan_.trajectory.joints.size()) {
      return Error{fmt::format("{}: {}", options_.topic,
                               is_late ? "the first point is before the start"
                                       : "points have not one position per joint")};
    }
    const Result<motion::Trajectory> made = motion::Trajectory::make(points);
    if (!made) {
      return Error{fmt::format("{}: {}", options_.topic, made.error().message)};
    }
    return plan_;
  }

  struct State {
    Time stamp, received;
    motion::TrajectoryPoint point;
  };

  const PlanOptions& options_;
  std::vector<std::string> joints_;
  std::optional<Error> error_;
  std::uint64_t messages_ = 0;
  std::uint64_t others_ = 0;
  bool has_states_ = false;
  bool has_stamps_ = false;
  bool has_velocities_ = true;
  std::vector<State> states_;
  BagPlan plan_;
};

}  // namespace

Result<BagPlan> plan_of(const std::string& path, const PlanOptions& options) {
  PlanReader reader(options);
  const Result<Recording> recording =
      read_recording(path, [&](const RecordedMessage& message) { reader.take(message); });
  if (!recording) {
    return recording.error();
  }
  Result<BagPlan> made = reader.finish(*recording);
  if (!made) {
    return Error{path + ": " + made.error().message};
  }
  BagPlan plan = std::move(made).value();
  plan.remarks.insert(plan.remarks.begin(), recording->remarks.begin(), recording->remarks.end());
  return plan;
}

}  // namespace longarm::record
