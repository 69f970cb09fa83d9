// SPDX-License-Identifier: Apache-2.0
// Programs that end by themselves, when they are asked to, and when they are not.
#include "longarm/system/child_process.h"

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> shell(const std::string& command) {
  return {"/bin/sh", "-c", command};
}

ChildProcess started(const std::string& command, const ChildOptions& options = {}) {
  return std::move(ChildProcess::start(shell(command), options)).value();
}

TEST(ChildProcess, SaysHowItEnded) {
  ChildProcess exits = started("exit 3");
  const auto exited = exits.wait(10s);
  ASSERT_TRUE(exited.has_value());
  EXPECT_EQ(exited->code, 3);
  EXPECT_FALSE(exited->is_signal);
  ChildProcess crashes = started("kill -9 $$");
  const auto crashed = crashes.wait(10s);
  ASSERT_TRUE(crashed.has_value());
  EXPECT_EQ(crashed->code, SIGKILL);
  EXPECT_TRUE(crashed->is_signal);
}

TEST(ChildProcess, SaysWhoCouldNotBeStarted) {
  const Result<ChildProcess> gone = ChildProcess::start({"no-such-program-at-all"});
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().message,
            "cannot start 'no-such-program-at-all': No such file or directory");
  EXPECT_FALSE(ChildProcess::start({}).has_value());
}

TEST(ChildProcess, HasMoreVariablesAndNothingToRead) {
  ChildProcess child =
      started("test \"$LONGARM_TEST_NAME\" = 'a b' && test -n \"$PATH\" && ! read x",
              {.variables = {{"LONGARM_TEST_NAME", "a b"}}});
  const auto ending = child.wait(10s);
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->code, 0);
}

TEST(ChildProcess, EndsWithItsOwnerAtOnceOrAfterItsGrace) {
  const auto begin = WallClock::now();
  { const ChildProcess killed = started("sleep 1000"); }
  { const ChildProcess asked = started("sleep 1000", {.grace = 100s}); }
  { const ChildProcess deaf = started("trap '' TERM; while :; do sleep 1; done", {.grace = 50ms}); }
  EXPECT_LT(WallClock::now() - begin, 60s);
}

TEST(ChildProcess, MovesWithItsProcess) {
  ChildProcess first = started("sleep 1000");
  ChildProcess second = std::move(first);
  EXPECT_FALSE(first.wait(0s).has_value());
  EXPECT_FALSE(second.wait(0s).has_value());
}

}  // namespace
}  // namespace longarm::system
