// SPDX-License-Identifier: Apache-2.0
// What URScript says to text that is wrong: line, column, what, and what to do.
#include <gtest/gtest.h>

#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

/// Inside of a program, on its second line.
std::string error_in(std::string_view statements) {
  return error_of(fmt::format("def f():\n{}\nend\n", statements));
}

TEST(UrscriptErrors, GiveTheirPartsToWhoAsks) {
  SyntaxError error;
  EXPECT_FALSE(compile("def f():\n  x = 1\n  y = [1, 2\nend\n", &error).has_value());
  // the bracket swallows the line's end, so that 'end' is where a comma or ']' is missing
  EXPECT_EQ(error.line, 4);
  EXPECT_EQ(error.column, 1);
  EXPECT_EQ(error.message, "']' is missing before 'end'");
  EXPECT_EQ(error.hint, "write a list as [1, 2, 3]");
}

TEST(UrscriptErrors, OfWords) {
  EXPECT_EQ(error_of("x = \"abc\n"),
            "line 1, column 5: a string without an end; close it with a quotation mark on its "
            "line");
  EXPECT_EQ(error_in("x = 12abc"),
            "line 2, column 5: '12abc' is not a number; write 12, 0.5, 1e-3 or 0xFF");
  EXPECT_EQ(error_in("x = 0xG"),
            "line 2, column 5: '0xG' is not a number; write 12, 0.5, 1e-3 or 0xFF");
  EXPECT_EQ(error_in("x = 1e999"),
            "line 2, column 5: '1e999' is not a number; write 12, 0.5, 1e-3 or 0xFF");
  EXPECT_EQ(error_in("x = 1;"), "line 2, column 6: unexpected ';'; one statement per line");
  EXPECT_EQ(error_in("x = !True"), "line 2, column 5: '!' is not an operator; write 'not'");
  EXPECT_EQ(error_in("x = \x80"),
            "line 2, column 5: unexpected byte 0x80; outside of strings and comments only ASCII");
}

TEST(UrscriptErrors, OfStatements) {
  EXPECT_EQ(error_of(""),
            "line 1, column 1: there is no statement; send 'def name():' … 'end' or one statement");
  EXPECT_EQ(error_of(" \n# only this\n").substr(0, 39), "line 1, column 1: there is no statement");
  EXPECT_EQ(error_in("3 + 4"),
            "line 2, column 1: '3' does not start a statement; a statement is an assignment, a "
            "call, or begins with if, while, return, run, …");
  EXPECT_EQ(error_in("x = 1 2"),
            "line 2, column 7: '2' does not belong here; one statement per line");
  EXPECT_EQ(error_in("x = 1 x"),
            "line 2, column 7: 'x' does not belong here; one statement per line");
  // a value may be on the next line, another statement is none
  EXPECT_EQ(error_in("x =\ny = 2"),
            "line 2, column 4: a value is missing here; write a number, a variable, a list or a "
            "call");
  EXPECT_EQ(error_in("x = "),
            "line 2, column 5: a value is missing here; write a number, a variable, a list or a "
            "call");
  EXPECT_EQ(error_in("x = (1 + 2"),
            "line 3, column 1: ')' is missing before 'end'; close the bracket");
  EXPECT_EQ(error_in("break"),
            "line 2, column 1: 'break' outside of a loop; it belongs into a 'while'");
  EXPECT_EQ(error_in("global x"),
            "line 2, column 8: 'global' without an assignment; write 'global name = value'");
  EXPECT_EQ(error_in("sec g():\nend"),
            "line 2, column 1: 'sec' inside of a program; a secondary program is sent by itself");
}

TEST(UrscriptErrors, OfBlocks) {
  EXPECT_EQ(error_in("while True\nend"),
            "line 2, column 11: ':' is missing at the end of the line; a condition ends with a "
            "colon");
  EXPECT_EQ(error_of("def f():\nif True:\nx = 1\n"),
            "line 2, column 1: 'if' without 'end'; close every block with 'end'");
  EXPECT_EQ(error_of("def f():\nx = 1\n"),
            "line 1, column 1: 'def' without 'end'; close every block with 'end'");
  EXPECT_EQ(error_in("else:\n"),
            "line 2, column 1: 'else' without 'if'; 'elif' and 'else' belong into an 'if', 'else' "
            "last");
  EXPECT_EQ(error_of("def f():\nend\nend\n"),
            "line 3, column 1: text after the program's 'end'; send the next program by itself");
  EXPECT_EQ(error_of("end\n"), "line 1, column 1: 'end' without a block; remove it");
}

TEST(UrscriptErrors, OfFunctions) {
  EXPECT_EQ(
      error_of("def (): end"),
      "line 1, column 5: 'def' needs a name; write 'def name():'; reserved words cannot be names");
  EXPECT_EQ(error_of("def f: end"),
            "line 1, column 6: '(' is missing after 'f'; write () even without parameters");
  EXPECT_EQ(error_of("def f(a): end"),
            "line 1, column 5: a program takes no parameters; use global variables");
  EXPECT_EQ(error_in("thread t(a):\nend"),
            "line 2, column 8: a thread takes no parameters; use global variables");
  EXPECT_EQ(error_in("def g(a, a):\nend"),
            "line 2, column 10: there are two parameters 'a'; rename one");
  EXPECT_EQ(error_in("def g(a, 1):\nend"),
            "line 2, column 10: the name of a parameter is missing; write (a, b) or (a, b=0.5)");
  EXPECT_EQ(error_in("def g(a=x):\nend"),
            "line 2, column 9: the default of 'a' is not a constant; write a number, True, False "
            "or a string");
  EXPECT_EQ(error_in("def g(a b):\nend"),
            "line 2, column 9: ')' is missing after the parameters; write (a, b) or (a, b=0.5)");
  EXPECT_EQ(error_in("def g():\nend\ndef g():\nend"),
            "line 4, column 5: a function 'g' already exists; choose another name");
  EXPECT_EQ(error_in("def movej():\nend"),
            "line 2, column 5: 'movej' is a function of the robot; choose another name");
  EXPECT_EQ(error_of("x = 1\ndef g():\nend"),
            "line 2, column 1: 'def' after another statement; a program begins with 'def' and "
            "holds everything");
}

TEST(UrscriptErrors, OfNames) {
  EXPECT_EQ(error_in("velocity = 1\nx = velocty"),
            "line 3, column 5: there is no variable 'velocty'; did you mean 'velocity'?");
  EXPECT_EQ(error_in("x = true"),
            "line 2, column 5: there is no variable 'true'; write True or False");
  EXPECT_EQ(error_in("x[0] = 1"),
            "line 2, column 1: there is no variable 'x'; assign a value to it first");
  EXPECT_EQ(error_in("moej([0])"),
            "line 2, column 1: there is no function 'moej'; did you mean 'movej'?");
  EXPECT_EQ(
      error_in("frobnicate()"),
      "line 2, column 1: there is no function 'frobnicate'; docs/reference/urscript.md lists the "
      "robot's");
  EXPECT_EQ(error_in("def g():\nlocal y = 1\nend\nx = y"),
            "line 5, column 5: there is no variable 'y'; it is a variable of 'g': write 'global y "
            "= …' there");
  EXPECT_EQ(error_in("p = [1, 2]\nx = p[0, 1]"),
            "line 3, column 5: a pose of 2 numbers; write p[x, y, z, rx, ry, rz]");
  EXPECT_EQ(
      error_in("def g():\nend\nrun g()"),
      "line 4, column 5: 'g' is not a thread; 'run' starts a thread defined by 'thread name(): "
      "… end'");
  EXPECT_EQ(error_in("thread t():\nend\nt()"),
            "line 4, column 1: 't' is a thread; write 'run t()'");
}

TEST(UrscriptErrors, OfArguments) {
  EXPECT_EQ(error_in("servoj([0], gian=300)"),
            "line 2, column 13: 'servoj' has no parameter 'gian'; it takes q, a, v, t, "
            "lookahead_time, gain");
  EXPECT_EQ(error_in("servoj([0], gain=300, gain=400)"),
            "line 2, column 23: 'gain' is given twice; it takes q, a, v, t, lookahead_time, gain");
  EXPECT_EQ(error_in("movej([0], q=[1])"),
            "line 2, column 12: 'q' is given twice; it takes q, a, v, t, r");
  EXPECT_EQ(error_in("speedj([0])"), "line 2, column 1: 'speedj' needs 'a'; it takes qd, a, t");
  EXPECT_EQ(error_in("servoj(gain=300)"),
            "line 2, column 1: 'servoj' needs 'q'; it takes q, a, v, t, lookahead_time, gain");
  EXPECT_EQ(error_in("sleep(1, 2)"),
            "line 2, column 10: too many arguments for 'sleep'; it takes t");
  EXPECT_EQ(error_in("sync(1)"), "line 2, column 6: too many arguments for 'sync'; it takes none");
  EXPECT_EQ(error_in("movej(q=[0], 1.4)"),
            "line 2, column 14: an argument without a name after one with a name; give this one a "
            "name, too");
  EXPECT_EQ(error_in("sleep(1"),
            "line 3, column 1: ')' is missing before 'end'; write arguments as (1, 2, name=3)");
  EXPECT_EQ(error_in("def g(a, b=1):\nend\ng()"), "line 4, column 1: 'g' needs 'a'; it takes a, b");
}

TEST(UrscriptErrors, ASecondaryProgramCannotMoveTheRobot) {
  EXPECT_EQ(error_of("sec s():\n  stopj(2)\nend\n"),
            "line 2, column 3: 'stopj' in a secondary program; a 'sec' cannot move the robot; send "
            "a 'def'");
}

TEST(UrscriptErrors, WhileItRunsAreSaidWithTheirPlace) {
  const auto end_of = [](std::string_view statements) {
    const auto end = play(fmt::format("def f():\n{}\nend\n", statements)).end;
    return fmt::format("{}:{}: {}", end.line, end.column, end.text);
  };
  EXPECT_EQ(end_of("x = 1\ny = x / 0"), "3:7: division by zero");
  EXPECT_EQ(end_of("x = 1 % 0"), "2:7: division by zero");
  EXPECT_EQ(end_of("x = [1, 2]\ny = x[2]"), "3:6: index 2 of a list of 2");
  EXPECT_EQ(end_of("x = [1, 2]\nx[-1] = 3"), "3:1: index -1 of a list of 2");
  EXPECT_EQ(end_of("x = 5\ny = x[0]"), "3:6: an index into an integer");
  EXPECT_EQ(end_of("x = [1]\ny = x[\"0\"]"), "3:6: an index must be an integer, not a string");
  EXPECT_EQ(end_of("x = p[0,0,0,0,0,0]\nx[0] = True"), "3:1: a pose holds numbers, not a boolean");
  EXPECT_EQ(end_of("x = p[0,0,0,0,0,True]"), "2:5: a pose holds numbers, not a boolean");
  EXPECT_EQ(end_of("x = [1] + 1"), "2:9: '+' between a list and an integer");
  EXPECT_EQ(end_of("x = [1] * [1]"), "2:9: '*' between a list and a list");
  EXPECT_EQ(end_of("x = 1 / [1]"), "2:7: '/' between an integer and a list");
  EXPECT_EQ(end_of("x = [1, 2] - [1]"), "2:12: '-' between lists of 2 and 1");
  EXPECT_EQ(end_of("x = [1, \"a\"] * 2"), "2:14: '*' between a string and an integer");
  EXPECT_EQ(end_of("x = [1] / 0"), "2:9: division by zero");
  EXPECT_EQ(end_of("x = \"a\" < \"b\""), "2:9: '<' between a string and a string");
  EXPECT_EQ(end_of("x = True xor \"a\""), "2:10: 'xor' between a boolean and a string");
  EXPECT_EQ(end_of("x = -True"), "2:5: '-' in front of a boolean");
  EXPECT_EQ(end_of("x = not [1]"), "2:5: True or False is needed, not a list");
  EXPECT_EQ(end_of("if \"a\":\nend"), "2:1: a condition must be True or False, not a string");
  EXPECT_EQ(end_of("x = 1e308 * 10"), "2:11: a number beyond the range of floats");
  EXPECT_EQ(end_of("while False:\nx = 1\nend\ny = x"), "5:5: 'x' has no value");
  EXPECT_EQ(end_of("x = sqrt(-1)"), "2:5: 'sqrt' has no value there");
  EXPECT_EQ(end_of("join True"), "2:1: 'join' takes what 'run' gave, not a boolean");
}

TEST(UrscriptErrors, PointToWhereTheTextEnds) {
  const auto error_of = [](std::string_view text) { return compile(text).error().message; };
  EXPECT_EQ(error_of("speedj([0,0,0,0,0,0], 1.0\n"),
            "line 1, column 26: ')' is missing at the end of the line; write arguments as (1, 2, "
            "name=3)");
  EXPECT_EQ(error_of("textmsg(\"a\"\n\n"),
            "line 1, column 12: ')' is missing at the end of the line; write arguments as (1, 2, "
            "name=3)");
}

TEST(UrscriptErrors, DoNotProposeTheVariableThatIsBeingDefined) {
  const auto error_of = [](std::string_view text) { return compile(text).error().message; };
  EXPECT_EQ(error_of("x = y\n"),
            "line 1, column 5: there is no variable 'y'; assign a value to it first");
  EXPECT_EQ(error_of("def f():\n  count = 0\n  count = cuont + 1\nend\n"),
            "line 3, column 11: there is no variable 'cuont'; did you mean 'count'?");
}

TEST(UrscriptErrors, OfTheRobotEndTheProgramWithItsWords) {
  ScriptedHost host;
  host.failures["movej"] = "no inverse kinematics";
  const auto played = play("def f():\n  movej(p[9,9,9,0,0,0])\n  textmsg(1)\nend\n", host);
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kFailed);
  EXPECT_EQ(played.end.text, "no inverse kinematics");
  EXPECT_EQ(played.end.line, 2);
  EXPECT_EQ(played.end.column, 3);
  EXPECT_TRUE(played.said.empty());
}

}  // namespace
}  // namespace longarm::protocols::ur::script
