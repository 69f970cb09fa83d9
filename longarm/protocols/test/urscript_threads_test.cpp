// SPDX-License-Identifier: Apache-2.0
// Threads, critical sections and programs side by side: who runs when, by counting cycles.
#include <gtest/gtest.h>

#include "urscript_host.h"

namespace longarm::protocols::ur::script {
namespace {

using Texts = std::vector<std::string>;

Program compiled(std::string_view text) {
  auto program = compile(text);
  EXPECT_TRUE(program) << program.error().message;
  return *program;
}

TEST(UrscriptThreads, RunInTheOrderTheyBeganAndInTheCycleTheyBegan) {
  ScriptedHost host;
  Machine machine(host);
  machine.start(compiled(R"(
def main():
  thread one():
    while True:
      textmsg("one")
      sync()
    end
  end
  thread two():
    while True:
      textmsg("two")
      sync()
    end
  end
  run two()
  run one()
  while True:
    textmsg("main")
    sync()
  end
end
)"));
  machine.run_cycle();
  EXPECT_EQ(said_in(host.calls), (Texts{"main", "two", "one"}));
  machine.run_cycle();
  EXPECT_EQ(said_in(host.calls), (Texts{"main", "two", "one", "main", "two", "one"}));
}

// A call that waits n cycles is begun in cycle 0 and done at the thread's turn in cycle n.
TEST(UrscriptThreads, GoOnInTheVeryCycleInWhichACallIsDone) {
  ScriptedHost host;
  host.waits["movej"] = 3;
  Machine machine(host);
  machine.start(compiled("def f():\n movej([0])\n textmsg(\"there\")\nend\n"));
  for (int cycle = 0; cycle < 3; ++cycle) {
    machine.run_cycle();
    EXPECT_TRUE(said_in(host.calls).empty()) << cycle;
    EXPECT_TRUE(machine.is_running());
  }
  machine.run_cycle();
  EXPECT_EQ(said_in(host.calls), Texts{"there"});
  EXPECT_FALSE(machine.is_running());
  const auto ends = machine.take_ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].kind, ProgramEnd::Kind::kFinished);
  EXPECT_EQ(ends[0].program, "f");
  EXPECT_TRUE(machine.take_ends().empty());
}

TEST(UrscriptThreads, CallsThatWaitGiveTheirValueWhenDone) {
  ScriptedHost host;
  host.waits["socket_read_binary_integer"] = 2;
  host.answers["socket_read_binary_integer"] = {Value{List{integer(1), integer(42)}}};
  EXPECT_EQ(play("def f():\n x = socket_read_binary_integer(1)\n textmsg(x[1])\nend\n", host).said,
            Texts{"42"});
}

// The worker needs cycles 0, 1 and 2; main has had its turn in cycle 2 when that ends.
TEST(UrscriptThreads, JoinWaitsForTheOther) {
  ScriptedHost host;
  const auto played = play(R"(
def main():
  thread worker():
    sync()
    sync()
    textmsg("worked")
    return False
  end
  handle = run worker()
  join handle
  textmsg("joined")
  join handle
  textmsg("joined again")
  handle = 0
  join handle
  kill handle
  textmsg("0 is no thread")
end
)",
                           host);
  EXPECT_EQ(played.said, (Texts{"worked", "joined", "joined again", "0 is no thread"}));
  EXPECT_EQ(played.cycles, 4);
}

TEST(UrscriptThreads, KillEndsTheOtherAndAbandonsItsCall) {
  ScriptedHost host;
  host.waits["servoj"] = 1000;
  const auto played = play(R"(
def main():
  thread mover():
    servoj([0])
    textmsg("never")
  end
  handle = run mover()
  sync()
  kill handle
  kill handle
  textmsg("killed")
  sync()
end
)",
                           host);
  EXPECT_EQ(played.said, Texts{"killed"});
  EXPECT_EQ(host.abandoned, std::vector<std::uint32_t>{2});  // main is thread 1
}

TEST(UrscriptThreads, AProgramEndsWithItsFirstThread) {
  ScriptedHost host;
  host.waits["sleep"] = 1000;
  const auto played = play(R"(
def main():
  thread other():
    sleep(8)
  end
  run other()
  sync()
  textmsg("last")
end
)",
                           host);
  EXPECT_EQ(played.end.kind, ProgramEnd::Kind::kFinished);
  EXPECT_EQ(played.cycles, 2);
  EXPECT_EQ(host.abandoned, std::vector<std::uint32_t>{2});
}

// 3000 turns of 9 instructions do not fit into a cycle of 10 000. The counter would count in each
// of the cycles that main needs, if main were not inside.
TEST(UrscriptThreads, NobodyElseRunsWhileOneComputesInACriticalSection) {
  const auto counted = [](std::string_view enter, std::string_view leave) {
    const auto played = play(fmt::format(R"(
def main():
  counted = 0
  thread counter():
    while True:
      counted = counted + 1
      sync()
    end
  end
  run counter()
  sync()
  {}
  i = 0
  while i < 3000:
    i = i + 1
  end
  {}
  textmsg(counted)
end
)",
                                         enter, leave));
    return played.said;
  };
  EXPECT_EQ(counted("enter_critical", "exit_critical"), Texts{"1"});
  // 27 000 instructions end in the third cycle, before the counter's third turn since
  EXPECT_EQ(counted("pass", "pass"), Texts{"3"});
}

// Drivers' programs read their socket and call servoj inside of critical sections, while other
// threads must go on.
TEST(UrscriptThreads, OneThatWaitsInACriticalSectionHoldsUpNobody) {
  ScriptedHost host;
  host.waits["socket_read_binary_integer"] = 3;
  const auto played = play(R"(
def main():
  counted = 0
  thread counter():
    while True:
      enter_critical
      counted = counted + 1
      servoj([0])
      sync()
      exit_critical
    end
  end
  run counter()
  enter_critical
  socket_read_binary_integer(7)
  exit_critical
  textmsg(counted)
end
)",
                           host);
  EXPECT_EQ(played.said, Texts{"3"});  // cycles 0, 1 and 2
}

TEST(UrscriptThreads, ACriticalSectionEndsWithItsThread) {
  const auto played = play(R"(
def main():
  thread careless():
    enter_critical
  end
  run careless()
  sync()
  textmsg("alive")
end
)");
  EXPECT_EQ(played.said, Texts{"alive"});
}

TEST(UrscriptThreads, AnotherProgramTakesThePlace) {
  ScriptedHost host;
  host.waits["movej"] = 1000;
  Machine machine(host);
  machine.start(compiled("def first():\n movej([0])\nend\n"));
  machine.run_cycle();
  machine.start(compiled("def second():\n textmsg(2)\n sync()\nend\n"));
  EXPECT_EQ(host.abandoned, std::vector<std::uint32_t>{1});
  EXPECT_EQ(machine.program_name(), "second");
  machine.run_cycle();
  EXPECT_EQ(said_in(host.calls), Texts{"2"});
  const auto ends = machine.take_ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].kind, ProgramEnd::Kind::kStopped);
  EXPECT_EQ(ends[0].program, "first");
}

TEST(UrscriptThreads, ASecondaryRunsBesideAndLeavesTheProgramAlone) {
  for (const char* beside : {"sec beside():\n textmsg(\"sec\")\nend\n", "textmsg(\"sec\")\n"}) {
    ScriptedHost host;
    Machine machine(host);
    machine.start(compiled("def main():\n while True:\n textmsg(\"main\")\n sync()\n end\nend\n"));
    machine.start_secondary(compiled(beside));
    machine.run_cycle();
    machine.run_cycle();
    EXPECT_EQ(said_in(host.calls), (Texts{"main", "sec", "main"}));
    const auto ends = machine.take_ends();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_TRUE(ends[0].is_secondary) << beside;
    EXPECT_TRUE(machine.is_running());
  }
}

TEST(UrscriptThreads, AFailureInASecondaryLeavesTheProgramAlone) {
  ScriptedHost host;
  Machine machine(host);
  machine.start(compiled("def main():\n while True:\n sync()\n end\nend\n"));
  machine.start_secondary(compiled("sec beside():\n x = 1 / 0\nend\n"));
  machine.run_cycle();
  const auto ends = machine.take_ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].text, "division by zero");
  EXPECT_TRUE(ends[0].is_secondary);
  EXPECT_TRUE(machine.is_running());
}

TEST(UrscriptThreads, PausedProgramsKeepTheirPlace) {
  ScriptedHost host;
  host.waits["sleep"] = 1;
  Machine machine(host);
  machine.start(compiled("def main():\n textmsg(1)\n sleep(0.008)\n textmsg(2)\nend\n"));
  machine.run_cycle();
  machine.pause();
  EXPECT_TRUE(machine.is_paused());
  machine.start_secondary(compiled("sec beside():\n textmsg(\"sec\")\nend\n"));
  for (int cycle = 0; cycle < 5; ++cycle) {
    machine.run_cycle();
  }
  EXPECT_EQ(said_in(host.calls), (Texts{"1", "sec"}));
  machine.resume();
  machine.run_cycle();
  EXPECT_EQ(said_in(host.calls), (Texts{"1", "sec", "2"}));
  EXPECT_FALSE(machine.is_running());
}

TEST(UrscriptThreads, StopEndsEverything) {
  ScriptedHost host;
  host.waits["sleep"] = 1000;
  Machine machine(host);
  machine.start(compiled("def main():\n sleep(1)\nend\n"));
  machine.start_secondary(compiled("sec beside():\n sleep(1)\nend\n"));
  machine.run_cycle();
  machine.pause();
  machine.stop();
  EXPECT_FALSE(machine.is_running());
  EXPECT_FALSE(machine.is_paused());
  EXPECT_EQ(machine.take_ends().size(), 2U);
  EXPECT_EQ(host.abandoned, (std::vector<std::uint32_t>{1, 2}));
}

TEST(UrscriptThreads, TheSameProgramGivesTheSameCallsAgain) {
  const std::string text = R"(
def main():
  x = 0.1
  thread busy():
    while True:
      x = x * 3.9 * (1 - x)
      textmsg(to_str(x))
      sync()
    end
  end
  run busy()
  while x < 0.95:
    x = x + 0.001
    sync()
  end
end
)";
  ScriptedHost one;
  ScriptedHost other;
  const auto first = play(text, one);
  const auto second = play(text, other);
  EXPECT_GT(one.calls.size(), 3U);
  EXPECT_EQ(one.calls, other.calls);
  EXPECT_EQ(first.cycles, second.cycles);
}

}  // namespace
}  // namespace longarm::protocols::ur::script
