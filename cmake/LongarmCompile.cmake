# SPDX-License-Identifier: Apache-2.0
# How everything of ours is compiled, and how it is compiled in minutes: nearly all of a source's cost is the headers
# that it includes. So sources are compiled in batches (CMake's unity builds), and what most of them include, and nobody
# changes, is parsed once. `./dev includes` compiles each source by itself, which finds a missing #include.
option(LONGARM_BATCHES "Compile sources in batches and with precompiled headers" ON)
set(LONGARM_LARGEST_BATCH 20 CACHE STRING "Sources per batch: more build faster from scratch, fewer after a small change")
set(LONGARM_ALONE "" CACHE STRING "Folders whose sources are compiled one by one, because you are working there: network;study")

# ccache helps where it is. For precompiled headers it must be told that nobody changes macros between them.
find_program(LONGARM_CCACHE ccache)
mark_as_advanced(LONGARM_CCACHE)
if(LONGARM_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${LONGARM_CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# -ffp-contract=off keeps results independent of whether the compiler finds a multiply-add to fuse.
add_library(longarm_flags INTERFACE)
target_compile_features(longarm_flags INTERFACE cxx_std_20)
target_compile_options(longarm_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                               -ffp-contract=off)
# g++ 12 sees uninitialised members, overlapping copies and copies of half the memory in std::string where there are none.
target_compile_options(longarm_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>)
# clang's -Wconversion also means signs, g++'s does not; and it blames us for what libstdc++ 12 uses in std::stable_sort.
target_compile_options(longarm_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion;-Wno-deprecated-declarations>)
# Batches fill more memory than g++ likes to use before it tidies up, which costs a twentieth of the time.
target_compile_options(longarm_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)
if(LONGARM_WERROR)
  # only where we have seen none: other compilers warn of other things
  target_compile_options(longarm_flags INTERFACE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Werror>
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,23>>:-Werror>)
endif()
if(LONGARM_SANITIZE)
  target_compile_options(longarm_flags INTERFACE -fsanitize=${LONGARM_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(longarm_flags INTERFACE -fsanitize=${LONGARM_SANITIZE})
endif()
# Tests spend their time in the libraries, not in themselves.
add_library(longarm_test_flags INTERFACE)
target_link_libraries(longarm_test_flags INTERFACE longarm_flags)
target_compile_options(longarm_test_flags INTERFACE -O1)

# longarm_precompiled(<target> <flags> <header>...): headers to be parsed once for all targets with these flags
function(longarm_precompiled target flags)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE ${flags})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# longarm_compile_quickly(<target> [<precompiled>]): in batches of about equal size
function(longarm_compile_quickly target)
  if(NOT LONGARM_BATCHES)
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} REUSE_FROM ${ARGN})
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  if(folder IN_LIST LONGARM_ALONE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${LONGARM_LARGEST_BATCH} - 1) / ${LONGARM_LARGEST_BATCH}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  # what a batch includes is no header
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

if(LONGARM_BATCHES)
  find_package(Eigen3 REQUIRED)
  find_package(fmt REQUIRED)
  find_package(nlohmann_json REQUIRED)
  set(headers <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <filesystem> <fstream> <functional> <map>
              <memory> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector>
              <Eigen/Dense> <fmt/format.h> <nlohmann/json.hpp>)
  set(libraries Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json)
  longarm_precompiled(longarm_precompiled longarm_flags ${headers})
  target_link_libraries(longarm_precompiled PRIVATE ${libraries})
  if(LONGARM_TESTS)
    longarm_precompiled(longarm_tests_precompiled longarm_test_flags ${headers} <gmock/gmock.h> <gtest/gtest.h>)
    target_link_libraries(longarm_tests_precompiled PRIVATE ${libraries} GTest::gmock)
    # as executables are compiled, not as libraries
    set_target_properties(longarm_tests_precompiled PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endif()
