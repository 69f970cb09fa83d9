# SPDX-License-Identifier: Apache-2.0
# Source this in bash: ROS finds control_msgs, longarm_msgs and longarm_ros, and your shell longarm-ros.
_longarm_ros="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export ROS_PACKAGE_PATH="$_longarm_ros/share:${ROS_PACKAGE_PATH:-/usr/share}"
export PYTHONPATH="$_longarm_ros/python${PYTHONPATH:+:$PYTHONPATH}"
export CMAKE_PREFIX_PATH="$_longarm_ros${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export PATH="$_longarm_ros/share/longarm_ros:$PATH"
unset _longarm_ros
