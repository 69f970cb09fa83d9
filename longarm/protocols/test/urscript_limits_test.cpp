// SPDX-License-Identifier: Apache-2.0
// Every limit of the URScript machine, from just below and from just above.
#include <gtest/gtest.h>

#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST(UrscriptLimits, ProgramsUpToAMebibyte) {
  const std::string head = "def f():\n#";
  const std::string tail = "\nend\n";
  const auto text = [&](std::size_t size) {
    return head + std::string(size - head.size() - tail.size(), 'x') + tail;
  };
  EXPECT_EQ(error_of(text(1 << 20)), "none");
  EXPECT_EQ(error_of(text((1 << 20) + 1)),
            "line 1, column 1: a program of 1048577 bytes; 1048576 bytes are the limit");
}

TEST(UrscriptLimits, NestingOfBracketsAndBlocks) {
  const auto brackets = [](std::size_t depth) {
    return error_of("x = " + repeated("(", depth) + "1" + repeated(")", depth));
  };
  EXPECT_EQ(brackets(63), "none");  // and the expression itself
  EXPECT_EQ(brackets(64),
            "line 1, column 69: nested more than 64 deep; use variables or functions for the inner "
            "parts");
  EXPECT_EQ(brackets(100'000).substr(0, 42), "line 1, column 69: nested more than 64 dee");
  EXPECT_EQ(error_of("x = " + repeated("-", 300'000) + "1").substr(0, 42),
            "line 1, column 69: nested more than 64 dee");
  EXPECT_EQ(error_of("x = " + repeated("not ", 200'000) + "True").substr(0, 7), "line 1,");
  EXPECT_EQ(error_of(repeated("if True:\n", 100'000)).substr(0, 40),
            "line 65, column 4: nested more than 64 d");
  EXPECT_EQ(error_of("def f():\n" + repeated("def g():\n", 2)).substr(0, 20),
            "line 3, column 5: a ");
}

TEST(UrscriptLimits, Variables) {
  const auto text = [](int count) {
    std::string all = "def f():\n";
    for (int i = 0; i < count; ++i) {
      all += fmt::format("v{} = 1\n", i);
    }
    return all + "end\n";
  };
  EXPECT_EQ(error_of(text(1000)), "none");
  EXPECT_EQ(error_of(text(1001)),
            "line 1002, column 1: more than 1000 global variables; keep numbers in a list");
}

// 500 defaults, a call and what throws the result away are 502 instructions a line, after 2 of the
// function's own: 1992 lines are 999 986, and the next is beyond a million, on line 2 + 1993.
TEST(UrscriptLimits, CodeThatIsLargerThanItsText) {
  std::string parameters;
  for (int i = 0; i < 500; ++i) {
    parameters += fmt::format("{}p{}=1", i > 0 ? "," : "", i);
  }
  const auto text = [&](std::size_t calls) {
    return "def f():\ndef g(" + parameters + "): end\n" + repeated("g()\n", calls) + "end\n";
  };
  EXPECT_EQ(error_of(text(1990)), "none");
  EXPECT_EQ(error_of(text(2000)),
            "line 1995, column 1: a program of more than 1000000 instructions; send it in parts");
  EXPECT_EQ(error_of(text(200'000)).substr(0, 10), "line 1995,");
}

// Per turn of this loop: constant, jump if false, jump, that is 3 instructions; 10 cycles of
// 10 000 are 33 333 turns. What counts is that it ends in cycle 10, not before and not after.
TEST(UrscriptLimits, ALoopThatNeverWaitsIsFoundAfterTenCycles) {
  const auto played = play("def f():\n while True:\n end\nend\n");
  EXPECT_EQ(played.cycles, 10);
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kFailed);
  EXPECT_EQ(played.end.text, "infinite loop: a thread that does not wait, for 10 cycles");
  EXPECT_EQ(played.end.line, 2);
}

// 100 000 statements of 4 instructions are 40 full cycles and a little.
TEST(UrscriptLimits, StatementsInARowAreNoLoopHoweverMany) {
  const auto played =
      play("def f():\ni = 0\n" + repeated("i=i+1\n", 100'000) + "textmsg(i)\nend\n", 50);
  EXPECT_EQ(played.end.text, "");
  EXPECT_EQ(played.said, std::vector<std::string>{"100000"});
  EXPECT_EQ(played.cycles, 41);
}

// A loop of its own that ended long ago does not count against what follows.
TEST(UrscriptLimits, ALoopBeforeManyStatementsIsForgotten) {
  const auto played = play("def f():\ni = 0\nwhile i < 9000:\ni = i + 1\nend\n" +
                               repeated("i=i+1\n", 50'000) + "textmsg(i)\nend\n",
                           50);
  EXPECT_EQ(played.end.text, "");
  EXPECT_EQ(played.said, std::vector<std::string>{"59000"});
}

// i = i + 1: 4; i < n: 3; two jumps: 9 a turn, 5000 turns are 45 000 and 4 cycles full.
TEST(UrscriptLimits, LongComputationsTakeSeveralCycles) {
  const auto played =
      play("def f():\n i = 0\n while i < 5000:\n i = i + 1\n end\n textmsg(i)\nend\n");
  EXPECT_EQ(played.said, std::vector<std::string>{"5000"});
  EXPECT_EQ(played.cycles, 5);
}

TEST(UrscriptLimits, ALoopThatWaitsGoesOnForEver) {
  const auto played = play("def f():\n while True:\n sync()\n end\nend\n", 1000);
  EXPECT_EQ(played.cycles, 1000);
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kStopped);
}

TEST(UrscriptLimits, Threads) {
  const auto text = [](int count) {
    return fmt::format(
        "def f():\n thread t():\n sync()\n end\n i = 0\n while i < {}:\n run t()\n"
        " i = i + 1\n end\nend\n",
        count);
  };
  EXPECT_EQ(play(text(63)).end.text, "");  // and the program's own
  EXPECT_EQ(play(text(64)).end.text, "more than 64 threads");
}

TEST(UrscriptLimits, ThreadsThatEndedDoNotCount) {
  const auto played = play(
      "def f():\n thread t():\n pass\n end\n i = 0\n while i < 200:\n run t()\n"
      " i = i + 1\n sync()\n end\n textmsg(i)\nend\n",
      300);
  EXPECT_EQ(played.said, std::vector<std::string>{"200"});
}

// f(n) has n frames of itself above the program's: 4095 fit into 4096
TEST(UrscriptLimits, Recursion) {
  const auto text = [](int depth) {
    return fmt::format(
        "def f():\n def g(n):\n if n > 1:\n g(n - 1)\n end\n end\n g({})\n textmsg(1)\nend\n",
        depth);
  };
  EXPECT_EQ(play(text(4095)).end.text, "");
  EXPECT_EQ(play(text(4096)).end.text, "functions that call functions, 4096 deep");
}

TEST(UrscriptLimits, ValuesOfAThread) {
  // 100 locals in each of 656 frames are 65 600
  std::string locals;
  for (int i = 0; i < 99; ++i) {
    locals += fmt::format("l{} = 1\n", i);
  }
  const auto text = [&](int depth) {
    return fmt::format(
        "def f():\n def g(n):\n if n > 1:\n g(n - 1)\n return 0\n end\n {} end\n"
        " g({})\nend\n",
        locals, depth);
  };
  EXPECT_EQ(play(text(600)).end.text, "");
  EXPECT_EQ(play(text(700)).end.text, "more than 65536 values at once in a thread");
}

// A list can only be as long as a literal, but lists hold lists: 10 * 10 000 + 10 elements.
TEST(UrscriptLimits, ListsWithTheListsInThem) {
  const std::string ten_thousand = "[" + repeated("0,", 9'999) + "0]";
  const auto text = [&](int times) {
    return "def f():\n a = " + ten_thousand + "\n sync()\n b = [" +
           repeated("a,", static_cast<std::size_t>(times)) + "0]\nend\n";
  };
  EXPECT_EQ(play(text(9)).end.text, "");
  EXPECT_EQ(play(text(10)).end.text, "a list of 100011 elements; 100000 are the limit");
}

TEST(UrscriptLimits, ListsInLists) {
  EXPECT_EQ(value_of("[[[[[[[[]]]]]]]]"), "[[[[[[[[]]]]]]]]");
  EXPECT_EQ(value_of("[[[[[[[[[]]]]]]]]]"), "lists in lists, 9 deep; 8 are the limit");
  const auto played = play("def f():\n a = [0]\n while True:\n a[0] = a\n end\nend\n");
  EXPECT_EQ(played.end.text, "lists in lists, 9 deep; 8 are the limit");
}

TEST(UrscriptLimits, Strings) {
  // doubled 20 times: 1 MiB; once more: 2 MiB
  const auto text = [](int times) {
    return fmt::format(
        "def f():\n s = \"x\"\n i = 0\n while i < {}:\n s = str_cat(s, s)\n"
        " i = i + 1\n sync()\n end\nend\n",
        times);
  };
  EXPECT_EQ(play(text(20)).end.text, "");
  EXPECT_EQ(play(text(21)).end.text, "a string of 2097152 bytes; 1048576 are the limit");
}

// Half a MiB of a in which a quarter of a MiB of a with a b behind is looked for: comparing at
// every place would be 2^19 * 2^18 steps.
TEST(UrscriptLimits, LookingForAStringTakesOnlyAsLongAsReadingIt) {
  const auto played = play(R"(
def f():
  s = "a"
  i = 0
  while i < 18:
    s = str_cat(s, s)
    i = i + 1
    sync()
  end
  textmsg(str_find(str_cat(s, s), str_cat(s, "b")))
end
)");
  EXPECT_EQ(played.said, std::vector<std::string>{"-1"});
}

// Each string of 1 MiB weighs 16 385 values; the 62nd is beyond a million.
TEST(UrscriptLimits, MemoryOfAllVariablesTogether) {
  std::string text =
      "def f():\n s = \"x\"\n i = 0\n while i < 20:\n s = str_cat(s, s)\n i = i + 1\n"
      " sync()\n end\n";
  for (int i = 0; i < 70; ++i) {
    text += fmt::format(" v{} = s\n sync()\n", i);
  }
  const auto played = play(text + "end\n", 200);
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kFailed);
  EXPECT_EQ(played.end.text.substr(0, 14), "out of memory:");
  // 20 cycles of doubling; counted every 50 000 values, that is every third or fourth string
  EXPECT_GE(played.cycles, 80);
  EXPECT_LE(played.cycles, 86);
}

TEST(UrscriptLimits, SecondariesAtOnce) {
  ScriptedHost host;
  host.waits["sleep"] = 1000;
  Machine machine(host);
  const auto program = compile("sec s():\n sleep(1)\nend\n");
  ASSERT_TRUE(program);
  for (int i = 0; i < 64; ++i) {
    machine.start_secondary(*program);
  }
  EXPECT_TRUE(machine.take_ends().empty());
  machine.start_secondary(*program);
  const auto ends = machine.take_ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].text, "too many programs at once: 64 beside, 64 threads");
}

// What a robot answers comes from outside.
TEST(UrscriptLimits, AnswersThatAreNotFiniteDoNotGetIn) {
  ScriptedHost host;
  host.answers["force"] = {number(1.0 / 0.0)};
  EXPECT_EQ(play("x = force()", host).end.text, "a number that is not finite");
  host.answers["force"] = {integer(std::int64_t{1} << 62)};
  EXPECT_EQ(play("textmsg(force() * force())", host).said,
            std::vector<std::string>{"2.12676e+37"});  // 2^124
}

}  // namespace
}  // namespace longarm::protocols::ur::script
