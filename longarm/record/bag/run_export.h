// SPDX-License-Identifier: Apache-2.0
// The trace of a run as files that `rosbag` and `ros2 bag` read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/bag/bag_writer.h"

namespace longarm::record {

struct ExportedTopic {
  std::string topic;
  std::string type;  ///< as it is in the new file
  std::uint64_t count = 0;
  std::string quality_of_service;  ///< for ROS 2
  bool is_latched = false;
};

struct RunExport {
  std::vector<ExportedTopic> topics;  ///< that have messages
  std::uint64_t message_count = 0;
  std::optional<Time> first, last;
  std::string problem;  ///< why the trace goes no further; empty: it is whole
};

/// diagnostic_msgs/DiagnosticStatus: what became of an arm.
struct RunStatus {
  enum class Level : std::uint8_t { kOk = 0, kWarning = 1, kError = 2 };
  Level level = Level::kOk;
  std::string name;
  std::string message;
  std::vector<std::pair<std::string, std::string>> values;
};
/// The topic on which they are, at the time of the last message.
inline constexpr const char* kStatusTopic = "/diagnostics";

/// What is written of a run.
struct ExportInput {
  std::string trace;
  std::vector<std::string> topics{};  ///< empty: all
  std::vector<RunStatus> statuses{};  ///< may be empty
};

/// Topics of a trace that has any; the error is that of opening it.
Result<std::vector<std::string>> trace_topics(const std::string& trace);

/// A bag of format 2.0. Messages that ROS 1 knows keep their type and numbers; everything else is
/// JSON in a std_msgs/String. Messages are received at their log time, but not before 1 ns:
/// programs of rosbag leave out those at zero.
Result<RunExport> export_rosbag(const ExportInput& input, const std::string& out,
                                BagOptions options);

/// A folder for `ros2 bag`: an MCAP file in which every message is one of ROS 2, JSON in a
/// std_msgs/msg/String, and metadata.yaml. `folder` exists.
Result<RunExport> export_ros2_bag(const ExportInput& input, const std::string& folder);

}  // namespace longarm::record
