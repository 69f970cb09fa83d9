# SPDX-License-Identifier: Apache-2.0
# Programs that use Debian's ROS 1. Its headers need C++17, and its CMake files change how everything else is built, so we
# take its libraries and generators directly.
set(LONGARM_ROS_LIBRARIES "")
foreach(library roscpp actionlib rosconsole roscpp_serialization rostime xmlrpcpp boost_thread boost_system)
  find_library(LONGARM_ROS_${library} ${library})
  mark_as_advanced(LONGARM_ROS_${library})
  list(APPEND LONGARM_ROS_LIBRARIES ${LONGARM_ROS_${library}})
endforeach()
set(LONGARM_HAS_ROS ON)
if(LONGARM_ROS_LIBRARIES MATCHES NOTFOUND)
  set(LONGARM_HAS_ROS OFF)
endif()
foreach(path include/actionlib/server/action_server.h include/diagnostic_msgs/DiagnosticArray.h include/geometry_msgs/PoseArray.h
             include/rosgraph_msgs/Clock.h include/sensor_msgs/JointState.h include/std_srvs/Trigger.h include/tf2_msgs/TFMessage.h
             include/trajectory_msgs/JointTrajectory.h lib/gencpp/gen_cpp.py lib/genpy/genmsg_py.py
             lib/actionlib_msgs/genaction.py share/trajectory_msgs/msg/JointTrajectory.msg share/geometry_msgs/msg/Pose.msg)
  if(NOT EXISTS /usr/${path})
    set(LONGARM_HAS_ROS OFF)
  endif()
endforeach()

# What ROS programs need to find our packages: share/, include/ and python/ in it.
set(LONGARM_ROS_FOLDER ${PROJECT_BINARY_DIR}/ros)

# longarm_ros_messages(<package>): generates headers and Python modules; target <package>
function(longarm_ros_messages package)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/packages/${package})
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${package}.stamp)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/generate_messages.py)
  file(GLOB files CONFIGURE_DEPENDS ${source}/*/*)
  # Debian's own Python, which has Debian's generators
  add_custom_command(OUTPUT ${stamp}
    COMMAND /usr/bin/python3 -B ${script} ${source} ${LONGARM_ROS_FOLDER}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${script} ${source}/package.xml ${files}
    COMMENT "Generating ${package}" VERBATIM)
  add_custom_target(${package} DEPENDS ${stamp})
endfunction()
