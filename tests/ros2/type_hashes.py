# SPDX-License-Identifier: Apache-2.0
# The hash that ROS 2 knows a type of message by, RIHS01, made from its fields as REP 2011 says.
import hashlib
import json

FIELDS = {
    "builtin_interfaces/Time": "int32 sec, uint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec, uint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp, string frame_id",
    "std_msgs/String": "string data",
    "std_msgs/MultiArrayDimension": "string label, uint32 size, uint32 stride",
    "std_msgs/MultiArrayLayout": "std_msgs/MultiArrayDimension[] dim, uint32 data_offset",
    "std_msgs/Float64MultiArray": "std_msgs/MultiArrayLayout layout, float64[] data",
    "geometry_msgs/Vector3": "float64 x, float64 y, float64 z",
    "geometry_msgs/Quaternion": "float64 x, float64 y, float64 z, float64 w",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation, geometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped":
        "std_msgs/Header header, string child_frame_id, geometry_msgs/Transform transform",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/JointState":
        "std_msgs/Header header, string[] name, float64[] position, float64[] velocity, float64[] effort",
    "rosgraph_msgs/Clock": "builtin_interfaces/Time clock",
    "trajectory_msgs/JointTrajectoryPoint":
        "float64[] positions, float64[] velocities, float64[] accelerations, float64[] effort, "
        "builtin_interfaces/Duration time_from_start",
    "trajectory_msgs/JointTrajectory":
        "std_msgs/Header header, string[] joint_names, trajectory_msgs/JointTrajectoryPoint[] points",
}
NUMBERS = {"int32": 6, "uint32": 7, "float64": 11, "string": 17}
UNBOUNDED_SEQUENCE = 144  # added to the number of its element


def full(kind):
    return "/msg/".join(kind.split("/"))


def described(kind):
    """A type by itself, and the types of its fields that have fields."""
    fields, nested = [], []
    for field in FIELDS[kind].split(", "):
        element, name = field.split(" ")
        is_list = element.endswith("[]")
        element = element.removesuffix("[]")
        if element in FIELDS:
            nested.append(element)
        fields.append({"name": name, "type": {
            "type_id": NUMBERS.get(element, 1) + (UNBOUNDED_SEQUENCE if is_list else 0), "capacity": 0, "string_capacity": 0,
            "nested_type_name": full(element) if element in FIELDS else ""}})
    return {"type_name": full(kind), "fields": fields}, nested


def rihs01(kind):
    own, todo = described(kind)
    others = {}
    while todo:
        other = todo.pop()
        if other not in others:
            others[other], more = described(other)
            todo += more
    text = json.dumps({"type_description": own,
                       "referenced_type_descriptions": sorted(others.values(), key=lambda each: each["type_name"])})
    return "RIHS01_" + hashlib.sha256(text.encode()).hexdigest()
