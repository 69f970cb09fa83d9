# SPDX-License-Identifier: Apache-2.0
# One folder of longarm/ = one library target = one namespace.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(LongarmCompile)

# longarm_find_public_headers(): those of public_headers.txt and what they include, as a global property
function(longarm_find_public_headers)
  set(list ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} todo REGEX "^(longarm|labs)/")
  set(found "")
  while(todo)
    list(POP_FRONT todo header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"(longarm|labs)/")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND todo ${lines})
  endwhile()
  set_property(GLOBAL PROPERTY LONGARM_PUBLIC_HEADERS ${found})
endfunction()
longarm_find_public_headers()

# longarm_library(<folder>
#   HEADERS ...            those that plug-ins and other programs may use are installed: public_headers.txt
#   [SOURCES ...]
#   [TESTS ...]            GoogleTest sources; each suite becomes one ctest test
#   [DEPENDS ...]          public: longarm::<folder> or imported targets
#   [PRIVATE_DEPENDS ...]  imported targets no header mentions
#   [PACKAGES ...]         what a user of the installed package must find, e.g. "Eigen3" "mujoco 2.2")
function(longarm_library name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;TESTS;DEPENDS;PRIVATE_DEPENDS;PACKAGES" ${ARGN})
  set(target longarm_${name})
  if(ARG_SOURCES)
    set(scope PUBLIC)
    add_library(${target} ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:longarm_flags> ${ARG_PRIVATE_DEPENDS})
    longarm_compile_quickly(${target} longarm_precompiled)
    set_property(GLOBAL APPEND PROPERTY LONGARM_LIBRARIES ${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(longarm::${name} ALIAS ${target})
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  get_property(public GLOBAL PROPERTY LONGARM_PUBLIC_HEADERS)
  foreach(header IN LISTS ARG_HEADERS)
    cmake_path(ABSOLUTE_PATH header OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(path IN_LIST public)
      target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${header})
    elseif(ARG_SOURCES)
      target_sources(${target} PRIVATE ${header})
    endif()
  endforeach()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  install(TARGETS ${target} EXPORT longarmTargets FILE_SET HEADERS)
  set_property(GLOBAL APPEND PROPERTY LONGARM_PACKAGES ${ARG_PACKAGES})

  if(LONGARM_TESTS AND ARG_TESTS)
    longarm_test(${target}_test ${name} ${ARG_TESTS})
    target_link_libraries(${target}_test PRIVATE longarm::${name})
  endif()
endfunction()

# longarm_test(<target> <prefix> <source>...): a program of GoogleTest suites. Each suite is one ctest test, called
# <prefix>.<Suite>: most of the time of a small test is its process's start.
function(longarm_test target prefix)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE longarm_test_flags GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE LONGARM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  longarm_compile_quickly(${target} longarm_tests_precompiled)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DPREFIX=${prefix} -DLIST=${list}
                             -DFOLDER=${CMAKE_CURRENT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
                     BYPRODUCTS ${list} VERBATIM)
  # ctest also works where only some of the programs are built
  file(CONFIGURE OUTPUT ${target}_tests.cmake CONTENT "include(\"${list}\" OPTIONAL)\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
endfunction()

# Writes longarmConfig.cmake so that find_package(longarm) also finds what our folders link to.
function(longarm_install_package)
  get_property(packages GLOBAL PROPERTY LONGARM_PACKAGES)
  list(REMOVE_DUPLICATES packages)
  # before packages that bring a FindSQLite3 of their own: sdformat's, ignition-transport's
  list(REMOVE_ITEM packages SQLite3)
  list(PREPEND packages SQLite3)
  set(LONGARM_FIND_DEPENDENCIES "")
  foreach(package IN LISTS packages)
    string(APPEND LONGARM_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  set(dir ${CMAKE_INSTALL_LIBDIR}/cmake/longarm)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/longarmConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/longarmConfig.cmake INSTALL_DESTINATION ${dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/longarmConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(EXPORT longarmTargets NAMESPACE longarm:: DESTINATION ${dir})
  install(FILES ${PROJECT_BINARY_DIR}/longarmConfig.cmake
                ${PROJECT_BINARY_DIR}/longarmConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindElfutils.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindMuJoCo.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindODE.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindZstd.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindLZ4.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindOMPL.cmake
          DESTINATION ${dir})
endfunction()
