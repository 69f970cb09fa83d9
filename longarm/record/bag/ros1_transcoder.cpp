// SPDX-License-Identifier: Apache-2.0
// Walks the fields of both definitions side by side.
#include "longarm/record/bag/ros1_transcoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/record/bag/bag_format.h"
#include "longarm/record/ros_schemas.h"

namespace longarm::record {
namespace {

constexpr std::string_view kRos2Time = "builtin_interfaces/Time";
constexpr std::string_view kRos2Duration = "builtin_interfaces/Duration";

/// Of a type that holds no others.
std::size_t number_size(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 12> kSizes{{{"bool", 1},
                                                                             {"byte", 1},
                                                                             {"int8", 1},
                                                                             {"uint8", 1},
                                                                             {"int16", 2},
                                                                             {"uint16", 2},
                                                                             {"int32", 4},
                                                                             {"uint32", 4},
                                                                             {"float32", 4},
                                                                             {"int64", 8},
                                                                             {"uint64", 8},
                                                                             {"float64", 8}}};
  for (const auto& [name, size] : kSizes) {
    if (name == type) {
      return size;
    }
  }
  return 0;
}

template <typename T>
void copy_number(CdrReader& in, ByteBuffer* out) {
  const T number = in.get<T>();
  if (out != nullptr) {
    out->put(number);
  }
}

/// "sensor_msgs/JointState" as ROS 2 writes it.
std::string ros2_name(std::string_view type) {
  const std::size_t slash = type.find('/');
  return std::string(type.substr(0, slash)) + "/msg" + std::string(type.substr(slash));
}

/// The lines of that type itself.
std::string ros2_lines(std::string_view type) {
  const std::string schema = ros_schema(ros2_name(type));
  return schema.substr(0, schema.find("===="));
}

bool is_ros2_message(std::string_view type) {
  return type.find('/') != std::string_view::npos && type != kRos2Time && type != kRos2Duration;
}

}  // namespace

Ros1Transcoder::Ros1Transcoder(std::string_view type) : type_(ros1_type(type)) {
  learn(type_.name);
}

void Ros1Transcoder::learn(const std::string& type) {
  if (types_.count(type) > 0) {
    return;
  }
  Pair pair;
  pair.from = parse_fields(ros2_lines(type));
  if (has_ros1_type(type)) {
    pair.to = ros1_type(type).fields;
    std::erase_if(pair.to, [](const MessageField& field) { return !field.value.empty(); });
  }
  const MessageFields from = pair.from;
  types_[type] = std::move(pair);
  for (const MessageField& field : from) {
    if (is_ros2_message(field.type)) {
      learn(field.type);
    }
  }
}

bool Ros1Transcoder::transcode(std::span<const std::byte> cdr, ByteBuffer& out) const {
  out.clear();
  CdrReader in(cdr);
  copy_message(type_.name, in, &out);
  return !in.has_failed();
}

/// Fields of the same name come in the same order; `out` null: only past them.
void Ros1Transcoder::copy_message(const std::string& type, CdrReader& in, ByteBuffer* out) const {
  const Pair& pair = types_.at(type);
  auto from = pair.from.begin();
  for (const MessageField& to : pair.to) {
    const auto same = std::find_if(from, pair.from.end(),
                                   [&](const MessageField& one) { return one.name == to.name; });
    if (same == pair.from.end()) {
      check(to.type == "uint32" && !to.is_array, "only header.seq is missing in ROS 2");
      if (out != nullptr) {
        out->put(std::uint32_t{0});
      }
      continue;
    }
    for (; from != same; ++from) {
      copy_field(*from, in, nullptr);
    }
    copy_field(*from++, in, out);
  }
  for (; from != pair.from.end(); ++from) {
    copy_field(*from, in, nullptr);
  }
}

void Ros1Transcoder::copy_field(const MessageField& field, CdrReader& in, ByteBuffer* out) const {
  if (!field.is_array) {
    copy_value(field.type, in, out);
    return;
  }
  const std::size_t count = in.get_length(1);
  if (out != nullptr) {
    out->put32(count);
  }
  for (std::size_t i = 0; i < count && !in.has_failed(); ++i) {
    copy_value(field.type, in, out);
  }
}

void Ros1Transcoder::copy_value(const std::string& type, CdrReader& in, ByteBuffer* out) const {
  switch (number_size(type)) {
    case 1:
      return copy_number<std::uint8_t>(in, out);
    case 2:
      return copy_number<std::uint16_t>(in, out);
    case 4:
      return copy_number<std::uint32_t>(in, out);
    case 8:
      return copy_number<std::uint64_t>(in, out);
    default:
      break;
  }
  if (type == "string") {
    const std::string text = in.get_string();
    if (out != nullptr) {
      out->put_string(text);
    }
  } else if (type == kRos2Time) {
    const Time time = in.get_time();
    if (out != nullptr) {
      put_bag_time(*out, time);
    }
  } else if (type == kRos2Duration) {  // two signed numbers in both
    copy_number<std::uint32_t>(in, out);
    copy_number<std::uint32_t>(in, out);
  } else {
    copy_message(type, in, out);
  }
}

}  // namespace longarm::record
