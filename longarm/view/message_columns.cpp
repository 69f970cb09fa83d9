// SPDX-License-Identifier: Apache-2.0
// One reader for each type of message that is worth a curve.
#include "longarm/view/message_columns.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/record/cdr.h"
#include "longarm/record/ros_messages.h"

namespace longarm::view {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<const char*, 7> kPoseParts{"x", "y", "z", "qx", "qy", "qz", "qw"};

std::vector<Column> pose_columns(const std::string& prefix) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < kPoseParts.size(); ++i) {
    columns.push_back({prefix + kPoseParts[i], i < 3 ? "m" : ""});
  }
  return columns;
}

void put_pose(const record::FramePose& pose, std::span<double> out) {
  std::copy_n(pose.translation_m.data(), 3, out.begin());
  std::copy_n(pose.rotation.coeffs().data(), 4, out.begin() + 3);
}

std::vector<Column> with_time(std::vector<Column> columns) {
  columns.insert(columns.begin(), {"time", "s"});
  return columns;
}

class JointStates final : public MessageColumns {
 public:
  explicit JointStates(const record::JointStateMessage& sample)
      : MessageColumns(with_time(columns_for(sample))), joints_(sample.names.size()) {}

 private:
  static std::vector<Column> columns_for(const record::JointStateMessage& sample) {
    std::vector<Column> columns;
    // units of prismatic joints are metres and newtons; the message does not tell
    for (const auto& [what, unit] :
         {std::pair{"position.", "rad"}, {"velocity.", "rad/s"}, {"effort.", "N·m"}}) {
      for (const std::string& name : sample.names) {
        columns.push_back({what + name, unit});
      }
    }
    return columns;
  }

  void decode_values(std::span<const std::byte> data, std::span<double> values) const override {
    record::CdrReader cdr(data);
    cdr.get_time();
    cdr.get_string();
    cdr.skip_strings();
    for (std::size_t part = 0; part < 3; ++part) {
      cdr.get_numbers(values.subspan(part * joints_, joints_));
    }
  }

  std::size_t joints_;
};

class Pose final : public MessageColumns {
 public:
  Pose() : MessageColumns(with_time(pose_columns(""))) {}

 private:
  void decode_values(std::span<const std::byte> data, std::span<double> values) const override {
    if (const auto message = record::decode_pose(data)) {
      put_pose(message->pose, values);
    }
  }
};

class Frames final : public MessageColumns {
 public:
  explicit Frames(const std::vector<record::TransformMessage>& sample)
      : MessageColumns(with_time(columns_for(sample))) {}

 private:
  static std::vector<Column> columns_for(const std::vector<record::TransformMessage>& sample) {
    std::vector<Column> columns;
    for (const record::TransformMessage& each : sample) {
      const std::vector<Column> own = pose_columns(each.place.child + ".");
      columns.insert(columns.end(), own.begin(), own.end());
    }
    return columns;
  }

  void decode_values(std::span<const std::byte> data, std::span<double> values) const override {
    const auto transforms = record::decode_transforms(data);
    if (!transforms) {
      return;
    }
    const std::size_t count = std::min(transforms->size(), values.size() / kPoseParts.size());
    for (std::size_t i = 0; i < count; ++i) {
      put_pose((*transforms)[i].place.X_PC,
               values.subspan(i * kPoseParts.size(), kPoseParts.size()));
    }
  }
};

class LinkEvents final : public MessageColumns {
 public:
  LinkEvents()
      : MessageColumns(
            {{"time", "s"}, {"index"}, {"size_bytes"}, {"sent_at", "s"}, {"delay", "s"}}) {}

  bool has_texts() const override { return true; }
  std::string text(std::span<const std::byte> data) const override {
    const auto message = record::decode_link_event(data);
    return message ? Json{{"event", message->event}, {"direction", message->direction}}.dump()
                   : std::string();
  }

 private:
  void decode_values(std::span<const std::byte> data, std::span<double> values) const override {
    if (const auto message = record::decode_link_event(data)) {
      values[0] = static_cast<double>(message->index);
      values[1] = message->size_bytes;
      values[2] = to_seconds(message->sent_at);
      values[3] = message->delay_s;
    }
  }
};

/// Its schema says which properties are numbers.
class JsonObjects final : public MessageColumns {
 public:
  explicit JsonObjects(const std::string& schema) : MessageColumns(columns_for(schema)) {
    const Json parsed = Json::parse(schema, nullptr, false);
    has_texts_ = parsed.is_object() && parsed.contains("properties") &&
                 parsed["properties"].size() + 1 > columns().size();
  }

  bool has_texts() const override { return has_texts_; }
  std::string text(std::span<const std::byte> data) const override {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }

 private:
  static std::vector<Column> columns_for(const std::string& schema) {
    std::vector<Column> columns{{"time", "s"}};
    const Json parsed = Json::parse(schema, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("properties") ||
        !parsed["properties"].is_object()) {
      return columns;
    }
    for (const auto& [name, property] : parsed["properties"].items()) {
      const Json type = property.is_object() ? property.value("type", Json()) : Json();
      if (type == "number" || type == "integer" || type == "boolean") {
        columns.push_back({name, unit_in(name)});
      }
    }
    return columns;
  }

  /// Names carry their unit: "speed_m_s".
  static std::string unit_in(const std::string& name) {
    for (const auto& [ending, unit] : {std::pair{"_m_s", "m/s"},
                                       {"_rad_s", "rad/s"},
                                       {"_rad", "rad"},
                                       {"_m", "m"},
                                       {"_N", "N"},
                                       {"_s", "s"},
                                       {"_bytes", "B"}}) {
      if (name.ends_with(ending)) {
        return unit;
      }
    }
    return "";
  }

  void decode_values(std::span<const std::byte> data, std::span<double> values) const override {
    const Json message = Json::parse(text(data), nullptr, false);
    if (!message.is_object()) {
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto found = message.find(columns()[i + 1].name);
      if (found != message.end() && (found->is_number() || found->is_boolean())) {
        values[i] = found->is_boolean() ? (found->get<bool>() ? 1.0 : 0.0) : found->get<double>();
      }
    }
  }

  bool has_texts_ = false;
};

}  // namespace

void MessageColumns::decode(Time log_time, std::span<const std::byte> data,
                            std::span<double> row) const {
  row[0] = to_seconds(log_time);
  std::fill(row.begin() + 1, row.end(), kNothing);
  decode_values(data, row.subspan(1));
}

std::unique_ptr<MessageColumns> columns_of(const record::McapChannel& channel,
                                           const record::McapSchema& schema,
                                           std::span<const std::byte> sample) {
  if (channel.message_encoding == "json") {
    return std::make_unique<JsonObjects>(schema.text);
  }
  if (schema.name == "sensor_msgs/msg/JointState") {
    const auto message = record::decode_joint_state(sample);
    return message ? std::make_unique<JointStates>(*message) : nullptr;
  }
  if (channel.topic == "/tf") {
    const auto message = record::decode_transforms(sample);
    return message ? std::make_unique<Frames>(*message) : nullptr;
  }
  if (schema.name == "geometry_msgs/msg/PoseStamped") {
    return std::make_unique<Pose>();
  }
  if (schema.name == "longarm_msgs/msg/LinkEvent") {
    return std::make_unique<LinkEvents>();
  }
  return nullptr;
}

}  // namespace longarm::view
