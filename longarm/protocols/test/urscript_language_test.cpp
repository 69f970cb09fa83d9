// SPDX-License-Identifier: Apache-2.0
// The URScript language: statements, expressions, functions and scopes, by results found by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

TEST(UrscriptLanguage, ComputesAsSchoolTaught) {
  EXPECT_EQ(value_of("1 + 2 * 3"), "7");
  EXPECT_EQ(value_of("(1 + 2) * 3"), "9");
  EXPECT_EQ(value_of("10 - 4 - 3"), "3");  // from the left
  EXPECT_EQ(value_of("24 / 4 / 2"), "3");  // likewise
  EXPECT_EQ(value_of("-2 * -3 + +1"), "7");
  EXPECT_EQ(value_of("7 % 4"), "3");
  EXPECT_EQ(value_of("7.5 % 2"), "1.5");
  EXPECT_EQ(value_of("0x1F + 1"), "32");
  EXPECT_EQ(value_of(".5 + 1e-1"), "0.6");
}

// The driver's program divides two integers and needs the fraction.
TEST(UrscriptLanguage, DividesIntegersToAFraction) {
  EXPECT_EQ(value_of("1 / 4"), "0.25");
  EXPECT_EQ(value_of("1570796 / 1000000"), "1.5708");
}

// 2^31 - 1 + 1 = 2147483648, which six digits of a float show as 2.14748e+09
TEST(UrscriptLanguage, IntegersHave32BitsAndBecomeFloatsBeyond) {
  EXPECT_EQ(value_of("2147483647"), "2147483647");
  EXPECT_EQ(value_of("2147483647 + 1"), "2.14748e+09");
  EXPECT_EQ(value_of("0xFFFFFFFF"), "4.29497e+09");
}

TEST(UrscriptLanguage, ComparesAndDecides) {
  EXPECT_EQ(value_of("1 < 2"), "True");
  EXPECT_EQ(value_of("2 <= 1"), "False");
  EXPECT_EQ(value_of("1 == 1.0"), "True");
  EXPECT_EQ(value_of("[1, 2] == [1, 2]"), "True");
  EXPECT_EQ(value_of("[1, 2] != [1, 3]"), "True");
  EXPECT_EQ(value_of("\"a\" == \"a\""), "True");
  EXPECT_EQ(value_of("1 == \"1\""), "False");
  EXPECT_EQ(value_of("True and not False"), "True");
  EXPECT_EQ(value_of("False or False"), "False");
  EXPECT_EQ(value_of("True xor True"), "False");
  EXPECT_EQ(value_of("not 1 == 2"), "True");               // not binds weaker than ==
  EXPECT_EQ(value_of("True or False and False"), "True");  // and binds stronger
  EXPECT_EQ(value_of("1 + 1 == 2 and 3 > 2"), "True");
}

TEST(UrscriptLanguage, NumbersAreConditionsOfWhichZeroIsFalse) {
  EXPECT_EQ(value_of("not 0"), "True");
  EXPECT_EQ(value_of("1 and 0.5"), "True");
  EXPECT_EQ(value_of("0 or 0.0"), "False");
  EXPECT_EQ(play("def f():\n if 0.0:\n textmsg(1)\n elif 2:\n textmsg(2)\n end\nend\n").said,
            Texts{"2"});
}

TEST(UrscriptLanguage, ListsOfNumbersAddAndScale) {
  EXPECT_EQ(value_of("[1, 2] + [0.5, 3]"), "[1.5, 5]");
  EXPECT_EQ(value_of("[1, 2] - [3, 5]"), "[-2, -3]");
  EXPECT_EQ(value_of("[1, 2] * 3"), "[3, 6]");
  EXPECT_EQ(value_of("3 * [1, 2]"), "[3, 6]");
  EXPECT_EQ(value_of("[1, 2] / 4"), "[0.25, 0.5]");
  EXPECT_EQ(value_of("-[1, 2]"), "[-1, -2]");
  EXPECT_EQ(value_of("norm(([4, 5] - [1, 1]) / 5)"), "1");  // (3, 4) / 5
}

TEST(UrscriptLanguage, AnOperatorAtTheEndOfALineGoesOnInTheNext) {
  EXPECT_EQ(play("def f():\n x = 3\n if x == 1 or\n   x == 2 or # and\n   x == 3:\n"
                 "  textmsg(x +\n 1)\n end\nend\n")
                .said,
            Texts{"4"});
}

TEST(UrscriptLanguage, DoesNotLookAtWhatCannotDecideAnyMore) {
  // the right sides would divide by zero
  EXPECT_EQ(value_of("False and 1 / 0 == 1"), "False");
  EXPECT_EQ(value_of("True or 1 / 0 == 1"), "True");
  EXPECT_EQ(value_of("True and 1 / 0 == 1"), "division by zero");
}

TEST(UrscriptLanguage, ListsAndPosesHaveElementsThatCanBeSet) {
  const auto played = play(R"(
def lists():
  a = [1, 2.5, "three", [4, 5]]
  textmsg(a[3][1])
  a[0] = a[0] + 9
  a[3][0] = True
  textmsg(a)
  b = p[0.1, 0, 0, 0, 0, 3]
  b[2] = 0.25
  textmsg(b)
  textmsg(b[5])
  textmsg([7, 8, 9][2])
  c = a
  c[0] = 0
  textmsg(a[0])
end
)");
  EXPECT_EQ(played.said, (Texts{"5", "[10, 2.5, three, [True, 5]]", "p[0.1, 0, 0.25, 0, 0, 3]", "3",
                                "9", "10"}));
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kFinished);
}

// 1 + 2 + … + 10 without 5 and up to 8: 1+2+3+4+6+7+8 = 31
TEST(UrscriptLanguage, LoopsBreakAndContinue) {
  const auto played = play(R"(
def loops():
  i = 0
  sum = 0
  while True:
    i = i + 1
    if i == 5:
      continue
    elif i > 8:
      break
    else:
      sum = sum + i
    end
  end
  textmsg(sum)
end
)");
  EXPECT_EQ(played.said, Texts{"31"});
}

TEST(UrscriptLanguage, TakesTheFirstBranchThatHolds) {
  const auto branch = [](int number) {
    const auto played = play(fmt::format(R"(def branches():
x = {}
if x < 0:
textmsg("negative")
elif x == 0:
textmsg("zero")
elif x == 0:
textmsg("never")
else:
textmsg("positive")
end
textmsg("after")
end)",
                                         number));
    return played.said;
  };
  EXPECT_EQ(branch(-1), (Texts{"negative", "after"}));
  EXPECT_EQ(branch(0), (Texts{"zero", "after"}));
  EXPECT_EQ(branch(1), (Texts{"positive", "after"}));
}

// 10! = 3628800
TEST(UrscriptLanguage, FunctionsHaveParametersLocalsAndResults) {
  const auto played = play(R"(
def functions():
  def factorial(n):
    if n <= 1:
      return 1
    end
    local smaller = factorial(n - 1)
    return n * smaller
  end
  def twice(a, factor=2):
    return a * factor
  end
  def nothing():
    pass
  end
  textmsg(factorial(10))
  textmsg(twice(21))
  textmsg(twice(factor=3, a=5))
  textmsg(later(4))
  nothing()
  def later(x):
    return -x
  end
end
)");
  EXPECT_EQ(played.said, (Texts{"3628800", "42", "15", "-4"}));
}

// By the manual's scoping rules: variables of the program are global; a function's own are local
// unless there is such a global; `local` hides it, `global` makes one.
TEST(UrscriptLanguage, KnowsWhoseVariableItIs) {
  const auto played = play(R"(
def scopes():
  a = 0
  b = 0
  def change():
    a = 1
    local b = 1
    mine = 5
    global made = 7
    later_made = 9
    textmsg(mine)
  end
  later_made = 0
  change()
  textmsg(a)
  textmsg(b)
  textmsg(made)
  textmsg(later_made)
end
)");
  EXPECT_EQ(played.said, (Texts{"5", "1", "0", "7", "9"}));
}

TEST(UrscriptLanguage, ReadsIndentedAndFlatTextWithAnyLineEnds) {
  const Texts expected{"[1, 2]", "done"};
  EXPECT_EQ(play("def a():\r\n\tx = [1,\r\n  2]  # over two lines\r\n\r\n# nothing\r\n"
                 "\ttextmsg(x)\r\n\ttextmsg('done')\r\nend\r\n")
                .said,
            expected);
  EXPECT_EQ(play("def a():\nx=[1,2]\ntextmsg(x)\ntextmsg(\"done\")\nend").said, expected);
  EXPECT_EQ(play("def a(): x=[1,2]\nif True: textmsg(x) end\ntextmsg(\"done\") end").said,
            expected);
}

TEST(UrscriptLanguage, StatementsByThemselvesArePrograms) {
  ScriptedHost host;
  const auto speed = compile("speedj([0,0,0,0,0,0.1],1.2,0.008)\n");
  ASSERT_TRUE(speed) << speed.error().message;
  EXPECT_TRUE(speed->is_bare());
  EXPECT_TRUE(speed->moves_robot());
  EXPECT_FALSE(speed->is_secondary());
  EXPECT_EQ(speed->name(), "speedj");
  EXPECT_EQ(play("speedj([0,0,0,0,0,0.1],1.2,0.008)\n", host).end.kind,
            ProgramEnd::Kind::kFinished);
  EXPECT_EQ(host.calls, Texts{"speedj([0, 0, 0, 0, 0, 0.1], 1.2, 0.008)"});
  const auto output = compile("set_digital_out(0,True)");
  ASSERT_TRUE(output);
  EXPECT_FALSE(output->moves_robot());
}

TEST(UrscriptLanguage, NamedArgumentsGoToTheirPlacesAndDefaultsFillTheRest) {
  const auto call = [](std::string_view text) {
    ScriptedHost host;
    const auto played = play(text, host);
    return host.calls.empty() ? played.end.text : host.calls.front();
  };
  EXPECT_EQ(call("servoj([1], t=0.008, lookahead_time=0.1, gain=300)"),
            "servoj([1], 0, 0, 0.008, 0.1, 300)");
  EXPECT_EQ(call("servoj(gain=500, q=[1, 2], t=1 + 1)"), "servoj([1, 2], 0, 0, 2, 0.1, 500)");
  EXPECT_EQ(call("movej([1])"), "movej([1], 1.4, 1.05, 0, 0)");
  EXPECT_EQ(call("movel(p[1,2,3,4,5,6], v=0.5)"), "movel(p[1, 2, 3, 4, 5, 6], 1.2, 0.5, 0, 0)");
  EXPECT_EQ(call("speedj([1], 2)"), "speedj([1], 2, nothing)");
  EXPECT_EQ(call("socket_open(\"10.0.0.1\", 50001)"), "socket_open(10.0.0.1, 50001, socket_0)");
  EXPECT_EQ(call("textmsg(\"a\", 3)"), "textmsg(a, 3)");
  // a jump inside of an argument that is moved
  EXPECT_EQ(call("popup(error=True and False, s=\"s\")"), "popup(s, Popup, False, False, False)");
}

TEST(UrscriptLanguage, ASecondaryProgramSaysSo) {
  const auto program = compile("sec out():\n set_digital_out(1, True)\nend\n");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE(program->is_secondary());
  EXPECT_FALSE(program->is_bare());
  EXPECT_EQ(program->name(), "out");
}

TEST(UrscriptLanguage, HaltEndsTheProgramFromInside) {
  const auto played = play("def a():\n def f():\n halt\n end\n f()\n textmsg(1)\nend\n");
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kHalted);
  EXPECT_EQ(played.said, Texts{});
}

// a library cuts a comment's line in two and puts a value below it
TEST(UrscriptLanguage, AValueMayStandOnTheLineBelowItsAssignment) {
  const auto played = play(
      "def f():\n"
      "  global offset = # register offset\n"
      "24\n"
      "  list = [0, 0]\n"
      "  list[1] =\n"
      "    -offset\n"
      "  textmsg(list)\n"
      "end\n");
  EXPECT_THAT(played.said, ElementsAre("[0, -24]")) << played.end.text;
}

TEST(UrscriptLanguage, StatementsMayShareALine) {
  const auto played = play(
      "def f():\n"
      "  a = 1 b = 2 textmsg(a + b)\n"
      "  if a == 1: c = [3] c[0] = 4 textmsg(c) end textmsg(\"after\")\n"
      "  while True: break end\n"
      "  def g(x): local y = x return y end\n"
      "  textmsg(g(5)) halt\n"
      "end\n");
  EXPECT_THAT(played.said, ElementsAre("3", "[4]", "after", "5")) << played.end.text;
}

TEST(UrscriptLanguage, AVariableMayBeCalledP) {
  const auto played = play(
      "def f():\n"
      "  def scaled(p, factor):\n"
      "    p[0] = p[0] * factor\n"
      "    return p\n"
      "  end\n"
      "  p = p[1, 2, 3, 0, 0, 0]\n"
      "  textmsg(p[2])\n"
      "  textmsg(scaled(p, 4))\n"
      "  p[1] = 7\n"
      "  textmsg(p[1] + p[0])\n"
      "  textmsg([p[0], p[1, 1, 1, 0, 0, 0][0]])\n"
      "end\n");
  EXPECT_THAT(played.said, ElementsAre("3", "p[4, 2, 3, 0, 0, 0]", "8", "[1, 1]"))
      << played.end.text;
  EXPECT_EQ(error_of("x = p[1]\n"),
            "line 1, column 5: a pose of 1 number; write p[x, y, z, rx, ry, rz]");
}

TEST(UrscriptLanguage, SignalsMayBeWrittenAsOldProgramsDo) {
  ScriptedHost host;
  host.answers["get_digital_in"] = {{true}};
  const auto played = play(
      "def f():\n"
      "  digital_out[2]=True\n"
      "  analog_out[0] = 0.5\n"
      "  flag[3] = False\n"
      "  if digital_in[1]:\n"
      "    textmsg(digital_in[4])\n"
      "  end\n"
      "end\n",
      host);
  EXPECT_THAT(host.calls, ElementsAre("set_digital_out(2, True)", "set_analog_out(0, 0.5)",
                                      "set_flag(3, False)", "get_digital_in(1)",
                                      "get_digital_in(4)", "textmsg(True, )"))
      << played.end.text;
  EXPECT_EQ(error_of("digital_in[0] = True\n"),
            "line 1, column 1: 'digital_in' cannot be set; it is an input");
  // a variable of that name is one
  EXPECT_THAT(
      play("def f():\n digital_out = [1]\n digital_out[0] = 5\n textmsg(digital_out)\nend\n").said,
      ElementsAre("[5]"));
}

TEST(UrscriptLanguage, NumbersInRoundBracketsAreAList) {
  EXPECT_EQ(value_of("(1, 2.5, 3)"), "[1, 2.5, 3]");
  EXPECT_EQ(value_of("(1 + 2) * 3"), "9");
}

}  // namespace
}  // namespace longarm::protocols::ur::script
