// SPDX-License-Identifier: Apache-2.0
// For tests of inputs that make no sense: such an input, and what users are told about it.
#pragma once

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace longarm::actors {

struct Broken {
  const char* name;
  std::string text;
  std::string complaint;
  std::string file_name{};  ///< of a file beside the scenario
  std::string file_content{};
};

inline void PrintTo(const Broken& input, std::ostream* out) {
  *out << input.text;
}

inline std::string name_of(const testing::TestParamInfo<Broken>& test) {
  return test.param.name;
}

/// Lines that make, with a task, a good scenario of whatever follows: it begins in line 6.
inline const std::string kUr5 =
    "robot:\n"
    "  model: ur5\n"
    "  end_effector: tool0\n"
    "  home_rad: [0, -1.57, 1.57, -1.57, -1.57, 0]\n"
    "gain: 10\n";

}  // namespace longarm::actors
