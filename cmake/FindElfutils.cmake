# SPDX-License-Identifier: Apache-2.0
# Finds the library of elfutils that unwinds stacks, which comes without a CMake package: target Elfutils::Dw.
find_path(ELFUTILS_INCLUDE_DIR elfutils/libdwfl.h)
find_library(ELFUTILS_DW_LIBRARY dw)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Elfutils REQUIRED_VARS ELFUTILS_DW_LIBRARY ELFUTILS_INCLUDE_DIR)
if(Elfutils_FOUND AND NOT TARGET Elfutils::Dw)
  add_library(Elfutils::Dw UNKNOWN IMPORTED)
  set_target_properties(Elfutils::Dw PROPERTIES IMPORTED_LOCATION ${ELFUTILS_DW_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${ELFUTILS_INCLUDE_DIR})
endif()
