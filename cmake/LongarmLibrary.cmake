# SPDX-License-Identifier: Apache-2.0
# One folder of longarm/ = one library target = one namespace.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(GoogleTest)

# What every target of ours is compiled with. -ffp-contract=off keeps results independent of whether the
# compiler finds a multiply-add to fuse.
add_library(longarm_flags INTERFACE)
target_compile_features(longarm_flags INTERFACE cxx_std_20)
target_compile_options(longarm_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                               -ffp-contract=off)
# g++ 12 sees uninitialised members and overlapping copies in std::string temporaries where there are none.
target_compile_options(longarm_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>)
if(LONGARM_WERROR)
  target_compile_options(longarm_flags INTERFACE -Werror)
endif()
if(LONGARM_SANITIZE)
  target_compile_options(longarm_flags INTERFACE -fsanitize=${LONGARM_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(longarm_flags INTERFACE -fsanitize=${LONGARM_SANITIZE})
endif()

# longarm_library(<folder>
#   HEADERS ...            public headers, installed
#   [SOURCES ...]
#   [TESTS ...]            GoogleTest sources; each TEST becomes one ctest test
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
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(longarm::${name} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                                     FILES ${ARG_HEADERS})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  install(TARGETS ${target} EXPORT longarmTargets FILE_SET HEADERS)
  set_property(GLOBAL APPEND PROPERTY LONGARM_PACKAGES ${ARG_PACKAGES})

  if(LONGARM_TESTS AND ARG_TESTS)
    add_executable(${target}_test ${ARG_TESTS})
    target_link_libraries(${target}_test PRIVATE longarm::${name} longarm_flags GTest::gmock
                                                 GTest::gtest_main)
    target_compile_definitions(${target}_test PRIVATE
                               LONGARM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(${target}_test TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 600)
  endif()
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
                ${PROJECT_SOURCE_DIR}/cmake/FindMuJoCo.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindODE.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindZstd.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindOMPL.cmake
          DESTINATION ${dir})
endfunction()
