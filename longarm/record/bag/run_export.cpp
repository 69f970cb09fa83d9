// SPDX-License-Identifier: Apache-2.0
// Goes through a trace once and writes each message in the other format.
#include "longarm/record/bag/run_export.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/record/bag/ros1_transcoder.h"
#include "longarm/record/mcap_file.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/mcap_writer.h"
#include "longarm/record/ros_messages.h"
#include "longarm/record/ros_schemas.h"

namespace longarm::record {
namespace {

constexpr std::string_view kString = "std_msgs/String";
constexpr std::string_view kMiddle = "/msg/";

/// "sensor_msgs/msg/JointState" as ROS 1 writes it; empty if it is no ROS type.
std::string ros1_name(std::string_view type) {
  const std::size_t middle = type.find(kMiddle);
  return middle == std::string_view::npos ? ""
                                          : std::string(type.substr(0, middle)) + "/" +
                                                std::string(type.substr(middle + kMiddle.size()));
}

nlohmann::ordered_json time_json(Time time) {
  const RosTime ros = to_ros_time(time);
  return {{"sec", ros.seconds}, {"nanosec", ros.nanoseconds}};
}

/// What ROS has no message for, as text.
Result<std::string> json_text(const McapMessage& message) {
  if (message.channel.message_encoding == "json") {
    return std::string(reinterpret_cast<const char*>(message.data.data()), message.data.size());
  }
  const Result<LinkEventMessage> event = decode_link_event(message.data);
  if (!event) {
    return event.error();
  }
  const nlohmann::ordered_json json{{"stamp", time_json(event->stamp)},
                                    {"direction", event->direction},
                                    {"event", event->event},
                                    {"index", event->index},
                                    {"size_bytes", event->size_bytes},
                                    {"sent_at", time_json(event->sent_at)},
                                    {"delay_s", event->delay_s}};
  return json.dump();
}

bool is_standard(const McapChannel& channel, const McapSchema& schema) {
  return channel.message_encoding == "cdr" && has_ros1_type(ros1_name(schema.name));
}

/// Whether subscribers that come later get the last message, too: by the quality of service.
bool is_latched(const McapChannel& channel) {
  for (const auto& [key, value] : channel.metadata) {
    if (key == "offered_qos_profiles") {
      return value.find("durability: 1") != std::string::npos;
    }
  }
  return false;
}

/// diagnostic_msgs/msg/DiagnosticArray
void put_statuses(ByteBuffer& out, Time stamp, const std::vector<RunStatus>& statuses) {
  CdrWriter cdr(out);
  cdr.put(stamp);
  cdr.put(std::string_view());
  cdr.put_length(statuses.size());
  for (const RunStatus& status : statuses) {
    cdr.put(static_cast<std::uint8_t>(status.level));
    cdr.put(std::string_view(status.name));
    cdr.put(std::string_view(status.message));
    cdr.put(std::string_view("longarm"));
    cdr.put_length(status.values.size());
    for (const auto& [key, value] : status.values) {
      cdr.put(std::string_view(key));
      cdr.put(std::string_view(value));
    }
  }
}

/// Goes through the messages of a trace that are wanted.
class Exporter {
 public:
  explicit Exporter(const ExportInput& input) : input_(input) {}
  virtual ~Exporter() = default;

  Result<RunExport> run() {
    const Result<McapContents> contents =
        read_mcap(input_.trace, [this](const McapMessage& message) { take(message); });
    if (!contents) {
      return contents.error();
    }
    take_statuses();
    if (!problem_.empty()) {
      return Error{problem_};
    }
    result_.problem = contents->problem;
    return std::move(result_);
  }

 protected:
  /// A topic's first message.
  virtual void add(const McapMessage& message, std::size_t index, ExportedTopic& topic) = 0;
  /// False: the message is not of its type.
  virtual bool put(const McapMessage& message, std::size_t index) = 0;

 private:
  /// As if they had been in the trace.
  void take_statuses() {
    if (input_.statuses.empty() || !result_.last) {
      return;
    }
    constexpr const char* kType = "diagnostic_msgs/msg/DiagnosticArray";
    constexpr std::uint16_t kNoOther = std::numeric_limits<std::uint16_t>::max();
    const McapSchema schema{kNoOther, kType, "ros2msg", ros_schema(kType)};
    const McapChannel channel{kNoOther, kNoOther, kStatusTopic, "cdr", {}};
    ByteBuffer bytes;
    put_statuses(bytes, *result_.last, input_.statuses);
    take({channel, schema, *result_.last, 0, bytes.bytes()});
  }

  void take(const McapMessage& message) {
    const std::string& name = message.channel.topic;
    const bool is_wanted =
        input_.topics.empty() ||
        std::find(input_.topics.begin(), input_.topics.end(), name) != input_.topics.end();
    if (!is_wanted || !problem_.empty()) {
      return;
    }
    auto [place, is_new] = indexes_.try_emplace(message.channel.id, result_.topics.size());
    if (is_new) {
      result_.topics.push_back(
          {name, "", 0, quality_of_service(false), is_latched(message.channel)});
      add(message, place->second, result_.topics.back());
    }
    if (!put(message, place->second)) {
      problem_ =
          fmt::format("{}: a message of {} is not a {}", input_.trace, name, message.schema.name);
      return;
    }
    ++result_.topics[place->second].count;
    ++result_.message_count;
    result_.first = std::min(result_.first.value_or(message.log_time), message.log_time);
    result_.last = std::max(result_.last.value_or(message.log_time), message.log_time);
  }

  const ExportInput& input_;
  std::map<std::uint16_t, std::size_t> indexes_;  // by channel
  std::string problem_;
  RunExport result_;
};

class RosbagExporter final : public Exporter {
 public:
  RosbagExporter(const ExportInput& input, BagWriter& out) : Exporter(input), out_(out) {}

 private:
  struct Output {
    std::uint32_t connection = 0;
    std::shared_ptr<const Ros1Transcoder> transcoder;  // null: a text. Shared by topics of a type
  };

  void add(const McapMessage& message, std::size_t, ExportedTopic& topic) override {
    Output output;
    if (is_standard(message.channel, message.schema)) {
      std::shared_ptr<const Ros1Transcoder>& known = transcoders_[message.schema.name];
      if (!known) {
        known = std::make_shared<const Ros1Transcoder>(ros1_name(message.schema.name));
      }
      output.transcoder = known;
    }
    const Ros1Type& type = output.transcoder ? output.transcoder->type() : ros1_type(kString);
    topic.type = type.name;
    output.connection = out_.add_connection(
        {0, topic.topic, type.name, type.md5, type.definition, "/longarm", topic.is_latched});
    outputs_.push_back(std::move(output));
  }

  bool put(const McapMessage& message, std::size_t index) override {
    const Output& output = outputs_[index];
    if (output.transcoder) {
      if (!output.transcoder->transcode(message.data, bytes_)) {
        return false;
      }
    } else {
      const Result<std::string> text = json_text(message);
      if (!text) {
        return false;
      }
      bytes_.clear();
      bytes_.put_string(*text);
    }
    out_.write(output.connection, std::max(message.log_time, Time(Duration(1))), bytes_.bytes());
    return true;
  }

  BagWriter& out_;
  std::vector<Output> outputs_;
  std::map<std::string, std::shared_ptr<const Ros1Transcoder>> transcoders_;
  ByteBuffer bytes_;
};

class Ros2Exporter final : public Exporter {
 public:
  Ros2Exporter(const ExportInput& input, McapWriter& out) : Exporter(input), out_(out) {}

 private:
  struct Output {
    McapChannelId channel{};
    bool is_standard = false;
  };

  void add(const McapMessage& message, std::size_t, ExportedTopic& topic) override {
    constexpr const char* kText = "std_msgs/msg/String";
    const bool stays = is_standard(message.channel, message.schema);
    topic.type = stays ? message.schema.name : kText;
    topic.quality_of_service = quality_of_service(topic.is_latched);
    outputs_.push_back({out_.add_channel({topic.topic,
                                          topic.type,
                                          stays ? message.schema.text : ros_schema(kText),
                                          {{"offered_qos_profiles", topic.quality_of_service}}}),
                        stays});
  }

  bool put(const McapMessage& message, std::size_t index) override {
    const Output& output = outputs_[index];
    if (output.is_standard) {
      out_.write(output.channel, message.log_time, message.data);
      return true;
    }
    const Result<std::string> text = json_text(message);
    if (!text) {
      return false;
    }
    CdrWriter cdr(bytes_);
    cdr.put(std::string_view(*text));
    out_.write(output.channel, message.log_time, bytes_.bytes());
    return true;
  }

  McapWriter& out_;
  std::vector<Output> outputs_;
  ByteBuffer bytes_;
};

/// A text within quotation marks; nothing of ours has others in it.
std::string quoted_yaml(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    text.replace(at, 1, "\\n");
  }
  return '"' + text + '"';
}

/// As of version 5, which every ROS 2 since Humble reads.
std::string ros2_metadata(const RunExport& run, const std::string& file) {
  const std::int64_t first = run.first.value_or(Time{}).time_since_epoch().count();
  const std::int64_t span = run.last.value_or(Time{}).time_since_epoch().count() - first;
  std::string text = fmt::format(
      "rosbag2_bagfile_information:\n"
      "  version: 5\n"
      "  storage_identifier: mcap\n"
      "  duration:\n    nanoseconds: {1}\n"
      "  starting_time:\n    nanoseconds_since_epoch: {0}\n"
      "  message_count: {2}\n"
      "  topics_with_message_count:{3}\n",
      first, span, run.message_count, run.topics.empty() ? " []" : "");
  for (const ExportedTopic& topic : run.topics) {
    text += fmt::format(
        "    - topic_metadata:\n"
        "        name: {}\n"
        "        type: {}\n"
        "        serialization_format: cdr\n"
        "        offered_qos_profiles: {}\n"
        "      message_count: {}\n",
        topic.topic, topic.type, quoted_yaml(topic.quality_of_service), topic.count);
  }
  return text + fmt::format(
                    "  compression_format: \"\"\n"
                    "  compression_mode: \"\"\n"
                    "  relative_file_paths:\n    - {0}\n"
                    "  files:\n"
                    "    - path: {0}\n"
                    "      starting_time:\n        nanoseconds_since_epoch: {1}\n"
                    "      duration:\n        nanoseconds: {2}\n"
                    "      message_count: {3}\n",
                    quoted_yaml(file), first, span, run.message_count);
}

}  // namespace

Result<std::vector<std::string>> trace_topics(const std::string& trace) {
  const Result<std::unique_ptr<McapFile>> file = McapFile::open(trace);
  if (!file) {
    return file.error();
  }
  std::vector<std::string> topics;
  for (const McapChannel& channel : (*file)->channels()) {
    if ((*file)->rows(channel.id) > 0) {
      topics.push_back(channel.topic);
    }
  }
  return topics;
}

Result<RunExport> export_rosbag(const ExportInput& input, const std::string& out,
                                BagOptions options) {
  const Result<std::unique_ptr<BagWriter>> writer = BagWriter::open(out, options);
  if (!writer) {
    return writer.error();
  }
  Result<RunExport> result = RosbagExporter(input, **writer).run();
  if (Result<bool> closed = (*writer)->close(); result && !closed) {
    return closed.error();
  }
  return result;
}

Result<RunExport> export_ros2_bag(const ExportInput& input, const std::string& folder) {
  const std::string name = folder.substr(folder.find_last_of('/') + 1) + "_0.mcap";
  const Result<std::unique_ptr<McapWriter>> writer = McapWriter::open(folder + "/" + name, {});
  if (!writer) {
    return writer.error();
  }
  Result<RunExport> result = Ros2Exporter(input, **writer).run();
  if (Result<bool> closed = (*writer)->close(); result && !closed) {
    return closed.error();
  }
  if (result) {
    const std::string metadata = folder + "/metadata.yaml";
    std::ofstream file(metadata);
    file << ros2_metadata(*result, name);
    if (!file.flush()) {
      return Error{"cannot write " + metadata};
    }
  }
  return result;
}

}  // namespace longarm::record
