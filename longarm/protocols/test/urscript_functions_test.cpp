// SPDX-License-Identifier: Apache-2.0
// Pure functions of URScript by closed forms, and the table of all functions.
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "longarm/protocols/ur/script/builtins.h"
#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

constexpr double kPi = std::numbers::pi;

Value result_of(std::string_view expression) {
  ScriptedHost host;
  const auto played = play(fmt::format("textmsg({})", expression), host);
  EXPECT_TRUE(played.end.text.empty()) << expression << ": " << played.end.text;
  return host.values.empty() ? Value{} : host.values.front();
}

void expect_number(std::string_view expression, double expected) {
  const auto value = to_number(result_of(expression));
  ASSERT_TRUE(value.has_value()) << expression;
  EXPECT_NEAR(*value, expected, 1e-12) << expression;
}

void expect_pose(std::string_view expression, const std::array<double, 6>& expected) {
  const Value value = result_of(expression);
  ASSERT_TRUE(is_pose(value)) << expression;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR((*to_six(value))[i], expected[i], 1e-12) << expression << " [" << i << "]";
  }
}

void expect_three(std::string_view expression, const std::array<double, 3>& expected) {
  const auto value = to_three(result_of(expression));
  ASSERT_TRUE(value.has_value()) << expression;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((*value)[i], expected[i], 1e-12) << expression << " [" << i << "]";
  }
}

TEST(UrscriptFunctions, OfNumbers) {
  expect_number("sin(0.5235987755982988)", 0.5);  // π/6
  expect_number("cos(1.0471975511965976)", 0.5);  // π/3
  expect_number("tan(0.7853981633974483)", 1.0);  // π/4
  expect_number("asin(1)", kPi / 2);
  expect_number("acos(-1)", kPi);
  expect_number("atan(1)", kPi / 4);
  expect_number("atan2(1, -1)", 3 * kPi / 4);  // ordinate first
  expect_number("sqrt(2)", std::numbers::sqrt2);
  expect_number("pow(2, 10)", 1024);
  expect_number("exp(1)", std::numbers::e);
  expect_number("log(10, 1000)", 3);  // base first
  expect_number("d2r(180)", kPi);
  expect_number("r2d(-3.141592653589793)", -180);
  expect_number("fabs(-2.5)", 2.5);
  expect_number("norm(-2.5)", 2.5);
  expect_number("norm([2, 3, 6])", 7);  // 4 + 9 + 36 = 49
  EXPECT_EQ(value_of("floor(-2.5)"), "-3");
  EXPECT_EQ(value_of("ceil(-2.5)"), "-2");
  EXPECT_EQ(value_of("floor(7.9) / 2"), "3.5");
  EXPECT_EQ(value_of("normalize([3, 0, 4])"), "[0.6, 0, 0.8]");
}

TEST(UrscriptFunctions, SayWhatTheyCannotDo) {
  EXPECT_EQ(value_of("sin([1])"), "'sin' takes a number, not a list");
  EXPECT_EQ(value_of("asin(2)"), "'asin' has no value there");
  EXPECT_EQ(value_of("log(10, 0)"), "'log' has no value there");
  EXPECT_EQ(value_of("pow(10, 400)"), "'pow' has no value there");
  EXPECT_EQ(value_of("normalize([0, 0])"), "'normalize' of a list of zeros");
  EXPECT_EQ(value_of("pose_add(p[0,0,0,0,0,0], [1, 2])"), "'pose_add' takes poses, not a list");
  EXPECT_EQ(value_of("to_num(\"1x\")"), "'to_num' of \"1x\"");
  EXPECT_EQ(value_of("str_at(\"abc\", 3)"), "'str_at' at 3 of a string of 3");
  EXPECT_EQ(value_of("length(5)"), "'length' takes a list, a pose or a string, not an integer");
}

// Rz(90°) turns x into y.
TEST(UrscriptFunctions, OfPoses) {
  const double quarter = kPi / 2;
  const std::string turned = "p[1, 0, 0, 0, 0, 1.5707963267948966]";
  expect_pose("pose_trans(" + turned + ", p[1, 0, 0, 0, 0, 0])", {1, 1, 0, 0, 0, quarter});
  // R⁻¹(-p): Rz(-90°)(-1, 0, 0) = (0, 1, 0)
  expect_pose("pose_inv(" + turned + ")", {0, 1, 0, 0, 0, -quarter});
  expect_pose("pose_trans(" + turned + ", pose_inv(" + turned + "))", {0, 0, 0, 0, 0, 0});
  // positions add, rotations follow each other about the same axis
  expect_pose("pose_add(" + turned + ", p[0, 2, 0, 0, 0, 0.1])", {1, 2, 0, 0, 0, quarter + 0.1});
  expect_pose("pose_sub(p[3, 2, 1, 0, 0, 0.5], p[1, 1, 1, 0, 0, 0.2])", {2, 1, 0, 0, 0, 0.3});
  // more than half a turn is less than half a turn the other way
  expect_pose("pose_add(p[0,0,0,0,0,3], p[0,0,0,0,0,1])", {0, 0, 0, 0, 0, 4 - 2 * kPi});
  expect_pose("interpolate_pose(p[0,0,0,0.2,0,0], p[4,0,2,1.0,0,0], 0.25)", {1, 0, 0.5, 0.4, 0, 0});
  expect_number("pose_dist(p[1,1,1,0,0,0], p[3,4,7,1,0,0])", 7);  // (2, 3, 6)
  expect_number("point_dist(p[1,1,1,0,0,0], p[3,4,7,1,0,0])", 7);
}

// Rx(90°) then Rz(90°) about fixed axes is a third of a turn about (1, 1, 1)/√3 (x → y → z → x):
// Rz Rx: x → y, y → (Rx) z → z, z → (Rx) -y → x.
TEST(UrscriptFunctions, OfRotations) {
  const double third = 2 * kPi / 3 / std::numbers::sqrt3;
  expect_three("rpy2rotvec([1.5707963267948966, 0, 1.5707963267948966])", {third, third, third});
  expect_three("rotvec2rpy(rpy2rotvec([0.3, -0.2, 1.1]))", {0.3, -0.2, 1.1});
  expect_three("rotvec2rpy([0, 0.4, 0])", {0, 0.4, 0});
  expect_three("rpy2rotvec([0, 0, 0])", {0, 0, 0});
}

TEST(UrscriptFunctions, OfStringsAndLists) {
  EXPECT_EQ(value_of("length([1, 2, 3])"), "3");
  EXPECT_EQ(value_of("get_list_length(p[0,0,0,0,0,0])"), "6");
  EXPECT_EQ(value_of("str_len(\"four\")"), "4");
  EXPECT_EQ(value_of("str_cat(\"a\", \"b\")"), "ab");
  EXPECT_EQ(value_of("str_cat(\"a\", 1)"), "a1");
  EXPECT_EQ(value_of("str_at(\"abc\", 1)"), "b");
  EXPECT_EQ(value_of("str_sub(\"abcdef\", 2, 3)"), "cde");
  EXPECT_EQ(value_of("str_sub(\"abcdef\", 2)"), "cdef");
  EXPECT_EQ(value_of("str_find(\"ababac\", \"abac\")"), "2");
  EXPECT_EQ(value_of("str_find(\"ababac\", \"a\", 3)"), "4");
  EXPECT_EQ(value_of("str_find(\"abc\", \"d\")"), "-1");
  EXPECT_EQ(value_of("str_empty(\"\")"), "True");
  EXPECT_EQ(value_of("to_num(\" 12 \") + 1"), "13");
  EXPECT_EQ(value_of("to_num(\"-1.5e1\")"), "-15");
  EXPECT_EQ(value_of("to_str([1, True, \"x\"])"), "[1, True, x]");
  // 5 = 101 in binary, least significant first
  EXPECT_EQ(value_of("integer_to_binary_list(5)[0]"), "True");
  EXPECT_EQ(value_of("integer_to_binary_list(5)[1]"), "False");
  EXPECT_EQ(value_of("length(integer_to_binary_list(5))"), "32");
  EXPECT_EQ(value_of("binary_list_to_integer([True, False, True])"), "5");
  EXPECT_EQ(value_of("binary_list_to_integer(integer_to_binary_list(-2))"), "-2");
}

TEST(UrscriptFunctions, AreFoundByNameAndNothingElseIs) {
  std::set<std::string_view> names;
  for (const auto& builtin : builtins()) {
    EXPECT_EQ(find_builtin(builtin.name), &builtin) << builtin.name;
    EXPECT_TRUE(names.insert(builtin.name).second) << builtin.name << " is there twice";
  }
  EXPECT_EQ(find_builtin("movejj"), nullptr);
  EXPECT_EQ(find_builtin("move"), nullptr);
  EXPECT_EQ(find_builtin(""), nullptr);
}

// A pure function that the table promises and nobody wrote would say so.
TEST(UrscriptFunctions, EveryPureOneIsThere) {
  for (const auto& builtin : builtins()) {
    if (builtin.effect != Effect::kPure) {
      continue;
    }
    std::string call = fmt::format("textmsg({}(", builtin.name);
    for (std::size_t i = 0; i < builtin.count; ++i) {
      call += i > 0 ? ", 1" : "1";
    }
    const auto played = play(call + "))");
    EXPECT_EQ(played.end.text.find("is not there"), std::string::npos) << played.end.text;
  }
}

TEST(UrscriptFunctions, PrintValuesAsTheLanguageWritesThem) {
  EXPECT_EQ(to_text(boolean(true)), "True");
  EXPECT_EQ(to_text(integer(-3)), "-3");
  EXPECT_EQ(to_text(number(0.1)), "0.1");
  EXPECT_EQ(to_text(pose({0.1, 0, 0, 0, 0, 1.5})), "p[0.1, 0, 0, 0, 0, 1.5]");
  EXPECT_EQ(to_text(list(std::array{1.0, 2.5})), "[1, 2.5]");
  EXPECT_EQ(to_text(Value{}), "nothing");
}

TEST(UrscriptFunctions, ConvertOnlyWhatFits) {
  EXPECT_EQ(to_integer(number(3.0)), 3);
  EXPECT_EQ(to_integer(number(3.5)), std::nullopt);
  EXPECT_EQ(to_integer(number(3e9)), std::nullopt);
  EXPECT_EQ(to_number(boolean(true)), std::nullopt);
  EXPECT_EQ(to_boolean(integer(1)), std::nullopt);
  EXPECT_EQ(to_six(list(std::array{1.0, 2.0})), std::nullopt);
  EXPECT_TRUE(to_six(list(std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0})).has_value());
}

}  // namespace
}  // namespace longarm::protocols::ur::script
