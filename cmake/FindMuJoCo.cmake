# SPDX-License-Identifier: Apache-2.0
# Finds MuJoCo: target MuJoCo::MuJoCo. Debian's own CMake package names an include folder that does not exist.
find_path(MuJoCo_INCLUDE_DIR mujoco/mujoco.h)
find_library(MuJoCo_LIBRARY mujoco)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR)
if(MuJoCo_FOUND AND NOT TARGET MuJoCo::MuJoCo)
  add_library(MuJoCo::MuJoCo UNKNOWN IMPORTED)
  set_target_properties(MuJoCo::MuJoCo PROPERTIES IMPORTED_LOCATION ${MuJoCo_LIBRARY}
                                                  INTERFACE_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR})
endif()
