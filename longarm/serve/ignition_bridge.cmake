# SPDX-License-Identifier: Apache-2.0
# The bridge to ignition-transport, driven by another process: a test of its own, and that process.
if(LONGARM_TESTS)
  find_package(ignition-msgs8 REQUIRED)
  find_package(ignition-transport11 REQUIRED)
  add_executable(longarm_joint_publisher ${CMAKE_CURRENT_LIST_DIR}/test/joint_publisher.cpp)
  target_link_libraries(longarm_joint_publisher PRIVATE longarm_flags ignition-msgs8::ignition-msgs8
                                                        ignition-transport11::ignition-transport11)

  longarm_test(longarm_ignition_bridge_test serve ${CMAKE_CURRENT_LIST_DIR}/test/ignition_bridge_test.cpp)
  target_link_libraries(longarm_ignition_bridge_test PRIVATE longarm::serve)
  target_compile_definitions(longarm_ignition_bridge_test PRIVATE
                             LONGARM_JOINT_PUBLISHER="$<TARGET_FILE:longarm_joint_publisher>")
  add_dependencies(longarm_ignition_bridge_test longarm_joint_publisher)
endif()
