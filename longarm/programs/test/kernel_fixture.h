// SPDX-License-Identifier: Apache-2.0
// One host with the emulated kernel, and scripts that run on it.
#pragma once

#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/programs/test/test_machine.h"

namespace longarm::programs {

using namespace std::chrono_literals;
using Running = TestMachine::Running;

class ProgramsTest : public ::testing::Test {
 protected:
  ProgramsTest() { machine.set_kernel(kernel); }

  Thread& start(TestMachine::Code code) { return machine.start(host, "program", std::move(code)); }
  /// Until everybody waits for good.
  void run(Duration span = 1000s) { EXPECT_TRUE(clock.run_until(clock.now() + span)); }
  Duration now() const { return clock.now().time_since_epoch(); }

  sim::Kernel clock;
  TestMachine machine;
  Kernel kernel{clock, machine};
  Host& host = kernel.add_host({"edge"});
};

}  // namespace longarm::programs
