// SPDX-License-Identifier: Apache-2.0
// Whole CRCL programs on the socket, with loops.
#include <chrono>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using CrclProgramOf = CrclBench;

std::string middle(int id, const std::string& type, const std::string& fields) {
  return "<MiddleCommand xsi:type=\"" + type + "\"><CommandID>" + std::to_string(id) +
         "</CommandID>" + fields + "</MiddleCommand>";
}

std::string program(const std::string& middles) {
  return "<CRCLProgram xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
         "<InitCanon><CommandID>1</CommandID></InitCanon>" +
         middles + "<EndCanon><CommandID>99</CommandID></EndCanon></CRCLProgram>";
}

std::string dwell(int id, const std::string& seconds) {
  return middle(id, "DwellType", "<DwellTime>" + seconds + "</DwellTime>");
}

TEST_F(CrclProgramOf, RunsItsCommandsOneAfterTheOther) {
  client_.say_text(program(dwell(2, "0.1") + dwell(3, "0.1")));
  cycle();
  EXPECT_EQ(client_.status().command.command_id, 2);
  EXPECT_EQ(client_.status().command.program_index, 1);
  EXPECT_EQ(client_.status().command.program_length, 4);
  for (int i = 0; i < 30; ++i) {
    cycle();
  }
  EXPECT_EQ(client_.status().command.command_id, 3);
  for (int i = 0; i < 30; ++i) {
    cycle();
  }
  EXPECT_EQ(client_.status().command.command_id, 99);
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclProgramOf, LoopsRepeatWhatStandsBetween) {
  // three rounds of an outer loop, two of an inner one: 3 · (1 + 2) openings
  const auto set = [](int id, const std::string& value) {
    return middle(id, "SetEndEffectorType", "<Setting>" + value + "</Setting>");
  };
  client_.say_text(
      program(middle(2, "LoopBlockStartType", "<LoopName>outer</LoopName>") + set(3, "1") +
              middle(4, "LoopBlockStartType", "<LoopName>inner</LoopName>") + set(5, "0") +
              middle(6, "LoopBlockEndType", "<LoopName>inner</LoopName><MaxCount>2</MaxCount>") +
              middle(7, "LoopBlockEndType", "<LoopName>outer</LoopName><MaxCount>3</MaxCount>")));
  for (int i = 0; i < 20; ++i) {
    cycle();
  }
  EXPECT_EQ(robot_.openings, (std::vector<double>{1, 0, 0, 1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(client_.status().command.command_id, 99);
}

TEST_F(CrclProgramOf, LoopsThatDoNothingForeverDoNotHoldUpTheCell) {
  client_.say_text(program(
      middle(2, "LoopBlockStartType", "<LoopName>a</LoopName>") +
      middle(3, "SetMotionCoordinationType", "<Coordinated>true</Coordinated>") +
      middle(4, "LoopBlockEndType", "<LoopName>a</LoopName><MaxCount>2000000000</MaxCount>")));
  cycle();  // comes back
  EXPECT_EQ(client_.status().command.command_id, 3);
  client_.say(crcl::StopMotion{});
  cycle();
  EXPECT_EQ(client_.state(), CommandState::kDone);
  EXPECT_NE(client_.status().command.command_id, 3);
}

TEST_F(CrclProgramOf, LoopsThatDoNotCloseAreErrorsWithTheirOwnNumber) {
  client_.say_text(program(dwell(2, "0.1") +
                           middle(7, "LoopBlockStartType", "<LoopName>a</LoopName>") +
                           dwell(8, "0.1")));
  EXPECT_EQ(client_.description(), "loop 'a' never ends");
  EXPECT_EQ(client_.status().command.command_id, 7);
  EXPECT_EQ(client_.status().command.program_index, 2);
  client_.say_text(
      program(dwell(2, "0.1") +
              middle(5, "LoopBlockEndType", "<LoopName>b</LoopName><MaxCount>2</MaxCount>")));
  EXPECT_EQ(client_.description(), "loop 'b' ends without a start");
  EXPECT_EQ(client_.status().command.command_id, 5);
}

TEST_F(CrclProgramOf, ALoopWithoutACountIsRefusedBeforeItsBody) {
  client_.say_text(
      program(middle(2, "LoopBlockStartType", "<LoopName>a</LoopName>") +
              middle(3, "SetEndEffectorType", "<Setting>1</Setting>") +
              middle(4, "LoopBlockEndType", "<LoopName>a</LoopName><MaxCount>0</MaxCount>")));
  for (int i = 0; i < 5; ++i) {
    cycle();
  }
  EXPECT_TRUE(robot_.openings.empty());
  EXPECT_EQ(client_.status().command.command_id, 4);
  EXPECT_EQ(client_.description(), "loop 'a': MaxCount is 0, and must be at least 1");
}

TEST_F(CrclProgramOf, AnEmptyLoopOfManyRoundsIsAnErrorWithItsOwnNumber) {
  client_.say_text(program(
      middle(2, "LoopBlockStartType", "<LoopName>a</LoopName>") +
      middle(3, "LoopBlockEndType", "<LoopName>a</LoopName><MaxCount>2000000000</MaxCount>")));
  EXPECT_EQ(client_.description(), "a loop without commands repeats too often");
  EXPECT_GE(client_.status().command.command_id, 2);
  EXPECT_LE(client_.status().command.command_id, 3);
}

TEST_F(CrclProgramOf, EndsAtTheFirstErrorWithThatCommandsNumber) {
  robot_.refusal = "out of reach";
  client_.say_text(
      program(middle(2, "RunProgramType", "<ProgramText>x</ProgramText>") + dwell(3, "0.1")));
  cycle();
  EXPECT_EQ(client_.status().command.command_id, 2);
  EXPECT_EQ(client_.state(), CommandState::kError);
}

TEST_F(CrclProgramOf, StopMotionEndsTheProgram) {
  client_.say_text(program(dwell(2, "0.1") + dwell(3, "0.1")));
  cycle();
  const std::int64_t stop = client_.say(crcl::StopMotion{});
  for (int i = 0; i < 60; ++i) {
    cycle();
  }
  EXPECT_EQ(client_.status().command.command_id, stop);
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclProgramOf, AnswersAQuestionWithinIt) {
  client_.say_text(program(middle(2, "GetStatusType", "")));
  EXPECT_EQ(client_.heard().command.command_id, 1);
}

}  // namespace
}  // namespace longarm::robots
