// SPDX-License-Identifier: Apache-2.0
// Field lists of the standard messages, and of our own ones.
#include "longarm/record/ros_schemas.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/check.h"

namespace longarm::record {
namespace {

struct Definition {
  std::string_view type;  // without "msg/", as other messages name it
  std::string_view fields;
  std::vector<std::string_view> uses;
};

std::vector<Definition> definitions() {
  return {
      {"builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n", {}},
      {"std_msgs/Header",
       "builtin_interfaces/Time stamp\nstring frame_id\n",
       {"builtin_interfaces/Time"}},
      {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n", {}},
      {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n", {}},
      {"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n", {}},
      {"geometry_msgs/Pose",
       "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n",
       {"geometry_msgs/Point", "geometry_msgs/Quaternion"}},
      {"geometry_msgs/PoseStamped",
       "std_msgs/Header header\ngeometry_msgs/Pose pose\n",
       {"std_msgs/Header", "geometry_msgs/Pose"}},
      {"geometry_msgs/Transform",
       "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
       {"geometry_msgs/Vector3", "geometry_msgs/Quaternion"}},
      {"geometry_msgs/TransformStamped",
       "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
       {"std_msgs/Header", "geometry_msgs/Transform"}},
      {"nav_msgs/Path",
       "std_msgs/Header header\ngeometry_msgs/PoseStamped[] poses\n",
       {"std_msgs/Header", "geometry_msgs/PoseStamped"}},
      {"tf2_msgs/TFMessage",
       "geometry_msgs/TransformStamped[] transforms\n",
       {"geometry_msgs/TransformStamped"}},
      {"sensor_msgs/JointState",
       "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
       "float64[] effort\n",
       {"std_msgs/Header"}},
      {"builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n", {}},
      {"std_msgs/String", "string data\n", {}},
      {"std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n", {}},
      {"sensor_msgs/CompressedImage",
       "std_msgs/Header header\nstring format\nuint8[] data\n",
       {"std_msgs/Header"}},
      {"visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n", {}},
      {"visualization_msgs/MeshFile", "string filename\nuint8[] data\n", {}},
      {"visualization_msgs/Marker",
       "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\n"
       "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\n"
       "builtin_interfaces/Duration lifetime\nbool frame_locked\n"
       "geometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\nstring texture_resource\n"
       "sensor_msgs/CompressedImage texture\n"
       "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\n"
       "string mesh_resource\nvisualization_msgs/MeshFile mesh_file\n"
       "bool mesh_use_embedded_materials\n",
       {"std_msgs/Header", "geometry_msgs/Pose", "geometry_msgs/Vector3", "std_msgs/ColorRGBA",
        "builtin_interfaces/Duration", "geometry_msgs/Point", "sensor_msgs/CompressedImage",
        "visualization_msgs/UVCoordinate", "visualization_msgs/MeshFile"}},
      {"visualization_msgs/MarkerArray",
       "visualization_msgs/Marker[] markers\n",
       {"visualization_msgs/Marker"}},
      {"diagnostic_msgs/KeyValue", "string key\nstring value\n", {}},
      {"diagnostic_msgs/DiagnosticStatus",
       "byte level\nstring name\nstring message\nstring hardware_id\n"
       "diagnostic_msgs/KeyValue[] values\n",
       {"diagnostic_msgs/KeyValue"}},
      {"diagnostic_msgs/DiagnosticArray",
       "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status\n",
       {"std_msgs/Header", "diagnostic_msgs/DiagnosticStatus"}},
      {"rosgraph_msgs/Clock", "builtin_interfaces/Time clock\n", {"builtin_interfaces/Time"}},
      {"longarm_msgs/LinkEvent",
       "builtin_interfaces/Time stamp\nstring direction\nstring event\nuint64 index\n"
       "uint32 size_bytes\nbuiltin_interfaces/Time sent_at\nfloat64 delay_s\n",
       {"builtin_interfaces/Time"}},
  };
}

const Definition& find(const std::vector<Definition>& all, std::string_view type) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Definition& one) { return one.type == type; });
  check(found != all.end(), "no such ROS message is written");
  return *found;
}

/// Each type once, in the order in which they are met.
void gather(const std::vector<Definition>& all, const Definition& from,
            std::vector<const Definition*>& out) {
  for (const std::string_view type : from.uses) {
    const Definition* used = &find(all, type);
    if (std::find(out.begin(), out.end(), used) == out.end()) {
      out.push_back(used);
      gather(all, *used, out);
    }
  }
}

}  // namespace

std::string ros_schema(std::string_view type) {
  constexpr std::string_view kMiddle = "/msg/";
  const std::size_t middle = type.find(kMiddle);
  check(middle != std::string_view::npos, "a ROS type is spelled package/msg/Name");
  const std::string name =
      std::string(type.substr(0, middle)) + "/" + std::string(type.substr(middle + kMiddle.size()));

  const std::vector<Definition> all = definitions();
  const Definition& main = find(all, name);
  std::vector<const Definition*> used;
  gather(all, main, used);
  std::string text(main.fields);
  for (const Definition* one : used) {
    text += std::string(80, '=') + "\nMSG: " + std::string(one->type) + "\n";
    text += one->fields;
  }
  return text;
}

/// Numbers as in rmw.
std::string quality_of_service(bool is_kept) {
  constexpr std::string_view kForever = "sec: 9223372036\n    nsec: 854775807";
  return fmt::format(
      "- history: 1\n  depth: {}\n  reliability: 1\n  durability: {}\n"
      "  deadline:\n    {}\n  lifespan:\n    {}\n  liveliness: 1\n"
      "  liveliness_lease_duration:\n    {}\n  avoid_ros_namespace_conventions: false",
      is_kept ? 1 : 10, is_kept ? 1 : 2, kForever, kForever, kForever);
}

}  // namespace longarm::record
