// SPDX-License-Identifier: Apache-2.0
// Field lists of ROS 1 (Noetic). An MD5 sum covers names, types and constants, so these must be
// all of them, in the order of the originals.
#include "longarm/record/bag/ros1_types.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/record/bag/md5.h"

namespace longarm::record {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kTypes{{
    {"std_msgs/Header", "uint32 seq\ntime stamp\nstring frame_id\n"},
    {"std_msgs/String", "string data\n"},
    {"std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"},
    {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"},
    {"geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    {"geometry_msgs/PoseStamped", "std_msgs/Header header\ngeometry_msgs/Pose pose\n"},
    {"geometry_msgs/Transform",
     "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"},
    {"geometry_msgs/TransformStamped",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"},
    {"nav_msgs/Path", "std_msgs/Header header\ngeometry_msgs/PoseStamped[] poses\n"},
    {"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"},
    {"rosgraph_msgs/Clock", "time clock\n"},
    {"sensor_msgs/JointState",
     "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
     "float64[] effort\n"},
    {"trajectory_msgs/JointTrajectoryPoint",
     "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
     "duration time_from_start\n"},
    {"trajectory_msgs/JointTrajectory",
     "std_msgs/Header header\nstring[] joint_names\n"
     "trajectory_msgs/JointTrajectoryPoint[] points\n"},
    {"diagnostic_msgs/KeyValue", "string key\nstring value\n"},
    {"diagnostic_msgs/DiagnosticStatus",
     "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\n"
     "string message\nstring hardware_id\ndiagnostic_msgs/KeyValue[] values\n"},
    {"diagnostic_msgs/DiagnosticArray",
     "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status\n"},
    {"visualization_msgs/Marker",
     "uint8 ARROW=0\nuint8 CUBE=1\nuint8 SPHERE=2\nuint8 CYLINDER=3\nuint8 LINE_STRIP=4\n"
     "uint8 LINE_LIST=5\nuint8 CUBE_LIST=6\nuint8 SPHERE_LIST=7\nuint8 POINTS=8\n"
     "uint8 TEXT_VIEW_FACING=9\nuint8 MESH_RESOURCE=10\nuint8 TRIANGLE_LIST=11\n"
     "uint8 ADD=0\nuint8 MODIFY=0\nuint8 DELETE=2\nuint8 DELETEALL=3\n"
     "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\n"
     "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\n"
     "duration lifetime\nbool frame_locked\ngeometry_msgs/Point[] points\n"
     "std_msgs/ColorRGBA[] colors\nstring text\nstring mesh_resource\n"
     "bool mesh_use_embedded_materials\n"},
    {"visualization_msgs/MarkerArray", "visualization_msgs/Marker[] markers\n"},
}};

std::string_view lines_of(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& one) { return one.first == name; });
  check(found != kTypes.end(), "no such ROS 1 message is written");
  return found->second;
}

bool is_message(const MessageField& field) {
  return field.type.find('/') != std::string::npos;
}

/// Constants first, and the sum of a message in place of its type.
std::string md5_of(std::string_view name) {
  std::string constants;
  std::string fields;
  for (const MessageField& field : parse_fields(lines_of(name))) {
    if (!field.value.empty()) {
      constants += field.type + " " + field.name + "=" + field.value + "\n";
    } else if (is_message(field)) {
      fields += md5_of(field.type) + " " + field.name + "\n";
    } else {
      fields += field.type + (field.is_array ? "[] " : " ") + field.name + "\n";
    }
  }
  std::string text = constants + fields;
  text.pop_back();  // the last line has no end
  return md5_hex(text);
}

/// The types in a message, each once, in the order in which they are met.
void gather(std::string_view name, std::vector<std::string>& out) {
  for (const MessageField& field : parse_fields(lines_of(name))) {
    if (is_message(field) && std::find(out.begin(), out.end(), field.type) == out.end()) {
      out.push_back(field.type);
      gather(field.type, out);
    }
  }
}

Ros1Type make_type(std::string_view name) {
  Ros1Type type{std::string(name), parse_fields(lines_of(name)), std::string(lines_of(name)),
                md5_of(name)};
  std::vector<std::string> used;
  gather(name, used);
  for (const std::string& one : used) {
    type.definition += std::string(80, '=') + "\nMSG: " + one + "\n";
    type.definition += lines_of(one);
  }
  return type;
}

std::map<std::string, Ros1Type, std::less<>> make_types() {
  std::map<std::string, Ros1Type, std::less<>> types;
  for (const auto& [name, lines] : kTypes) {
    types.emplace(name, make_type(name));
  }
  return types;
}

}  // namespace

MessageFields parse_fields(std::string_view lines) {
  MessageFields fields;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) {
      continue;
    }
    MessageField field;
    field.type = line.substr(0, space);
    field.is_array = field.type.ends_with("[]");
    if (field.is_array) {
      field.type.resize(field.type.size() - 2);
    }
    const std::string_view rest = line.substr(space + 1);
    const std::size_t equals = rest.find('=');
    field.name = rest.substr(0, equals);
    if (equals != std::string_view::npos) {
      field.value = rest.substr(equals + 1);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

bool has_ros1_type(std::string_view name) {
  return std::any_of(kTypes.begin(), kTypes.end(),
                     [&](const auto& one) { return one.first == name; });
}

const Ros1Type& ros1_type(std::string_view name) {
  static const std::map<std::string, Ros1Type, std::less<>> all = make_types();
  const auto found = all.find(name);
  check(found != all.end(), "no such ROS 1 message is written");
  return found->second;
}

}  // namespace longarm::record
