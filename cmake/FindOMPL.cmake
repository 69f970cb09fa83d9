# SPDX-License-Identifier: Apache-2.0
# Finds the Open Motion Planning Library, whose own CMake package defines no target: target OMPL::OMPL.
find_path(OMPL_INCLUDE_DIR ompl/config.h PATH_SUFFIXES ompl-1.7 ompl-1.6 ompl-1.5)
find_library(OMPL_LIBRARY ompl)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OMPL REQUIRED_VARS OMPL_LIBRARY OMPL_INCLUDE_DIR)
if(OMPL_FOUND AND NOT TARGET OMPL::OMPL)
  add_library(OMPL::OMPL UNKNOWN IMPORTED)
  set_target_properties(OMPL::OMPL PROPERTIES IMPORTED_LOCATION ${OMPL_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${OMPL_INCLUDE_DIR})
endif()
