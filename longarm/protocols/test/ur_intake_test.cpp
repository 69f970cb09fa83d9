// SPDX-License-Identifier: Apache-2.0
// What a client types, cut into statements and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/ur/script_intake.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Scripts = std::vector<std::string>;

Scripts feed(ScriptIntake& intake, std::string_view bytes) {
  Scripts scripts;
  intake.feed(bytes, [&](std::string_view script) { scripts.emplace_back(script); });
  return scripts;
}

Scripts cut(std::string_view bytes) {
  ScriptIntake intake;
  return feed(intake, bytes);
}

TEST(UrIntake, LineIsAStatement) {
  EXPECT_THAT(cut("speedj([0,0,0,0,0,0],1.2,0.008)\nset_digital_out(0,True)\n"),
              ElementsAre("speedj([0,0,0,0,0,0],1.2,0.008)\n", "set_digital_out(0,True)\n"));
}

TEST(UrIntake, StatementWaitsForItsEndOfLine) {
  ScriptIntake intake;
  EXPECT_THAT(feed(intake, "stopj(2)"), IsEmpty());
  EXPECT_EQ(intake.buffered_bytes(), 8U);
  EXPECT_THAT(feed(intake, "\n"), ElementsAre("stopj(2)\n"));
  EXPECT_EQ(intake.buffered_bytes(), 0U);
}

TEST(UrIntake, BlankLinesAndCommentsInBetweenAreSkipped) {
  EXPECT_THAT(cut("\n  \t\n# speedj\n\r\n   # x\nstopj(2) # now\n"),
              ElementsAre("stopj(2) # now\n"));
}

TEST(UrIntake, CarriageReturnsAreTakenOff) {
  EXPECT_THAT(cut("stopj(2)\r\ndef p():\r\n  sync()\r\nend\r\n"),
              ElementsAre("stopj(2)\n", "def p():\n  sync()\nend\n"));
}

TEST(UrIntake, BlockEndsAtItsEndInTheFirstColumn) {
  EXPECT_THAT(cut("def prog():\n"
                  "\tthread motion():\n"
                  "\t\twhile True:\n"
                  "\t\t\tservoj(q)\n"
                  "\t\tend\n"
                  "\tend\n"
                  "\n"
                  "# a remark at the margin\n"
                  "\tif x:\n"
                  "\t\tsync()\n"
                  "\tend\n"
                  "end\n"
                  "stopj(2)\n"),
              ElementsAre("def prog():\n\tthread motion():\n\t\twhile True:\n\t\t\tservoj(q)\n\t\t"
                          "end\n\tend\n\n# a remark at the margin\n\tif x:\n\t\tsync()\n\tend\n"
                          "end\n",
                          "stopj(2)\n"));
}

TEST(UrIntake, BlockThatIsNotIndentedEndsAtTheEndThatBelongsToIt) {
  const std::string program =
      "def prog():\ndef inner():\nsync()\nend\nwhile True:\nif x:\ninner()\nelif y:\npass\nend\n"
      "end\nend\n";
  EXPECT_THAT(cut(program + "stopj(2)\n"), ElementsAre(program, "stopj(2)\n"));
}

TEST(UrIntake, SecondaryProgramIsABlockToo) {
  EXPECT_THAT(cut("sec io():\n set_digital_out(1,True)\nend\n"),
              ElementsAre("sec io():\n set_digital_out(1,True)\nend\n"));
}

TEST(UrIntake, NamesThatOnlyBeginLikeAWordThatOpensABlockDoNot) {
  EXPECT_THAT(cut("define(1)\nsecond=2\nif_flag=3\nendless()\n"),
              ElementsAre("define(1)\n", "second=2\n", "if_flag=3\n", "endless()\n"));
  EXPECT_THAT(cut("def p():\n ending=1\nend_it()\nend\n"),
              ElementsAre("def p():\n ending=1\nend_it()\nend\n"));
}

TEST(UrIntake, BlockOnOneLineDoesNotWaitForAnotherEnd) {
  EXPECT_THAT(cut("def p(): sync() end\nstopj(2)\n"),
              ElementsAre("def p(): sync() end\n", "stopj(2)\n"));
  // an end in a comment or as the end of a name is none
  EXPECT_THAT(cut("def p(): # until the end\n sync()\nend\n"),
              ElementsAre("def p(): # until the end\n sync()\nend\n"));
  EXPECT_THAT(cut("def p(s=\"#\"):\n if s == the_end\n end\nend\n"),
              ElementsAre("def p(s=\"#\"):\n if s == the_end\n end\nend\n"));
}

TEST(UrIntake, BlockWithAnErrorInsideDoesNotSwallowTheNext) {
  // an 'end' is missing inside: the one in the first column ends the block all the same
  EXPECT_THAT(cut("def p():\n if x:\n  sync()\nend\nstopj(2)\n"),
              ElementsAre("def p():\n if x:\n  sync()\nend\n", "stopj(2)\n"));
  // the last one is missing: the next 'def' in the first column begins a new block
  EXPECT_THAT(cut("def p():\n sync()\ndef q():\n sync()\nend\n"),
              ElementsAre("def p():\n sync()\n", "def q():\n sync()\nend\n"));
}

TEST(UrIntake, EveryCutGivesTheSame) {
  const std::string text =
      "speedj([0.1,0,0,0,0,0],1.2)\r\n\ndef p():\n  while True:\n    sync()\n  end\nend\nsec s():\n"
      "  set_flag(1,True)\nend\nstopj(2)\n";
  const Scripts whole = cut(text);
  ASSERT_EQ(whole.size(), 4U);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    ScriptIntake intake;
    Scripts scripts = feed(intake, std::string_view(text).substr(0, at));
    for (const std::string& script : feed(intake, std::string_view(text).substr(at))) {
      scripts.push_back(script);
    }
    EXPECT_EQ(scripts, whole) << "cut at " << at;
  }
  ScriptIntake intake;
  Scripts scripts;
  for (const char byte : text) {
    for (const std::string& script : feed(intake, std::string_view(&byte, 1))) {
      scripts.push_back(script);
    }
  }
  EXPECT_EQ(scripts, whole);
}

TEST(UrIntake, LineWithoutEndIsDroppedAndTheNextOneRead) {
  ScriptIntake intake;
  const std::string piece(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(feed(intake, piece), IsEmpty());
    ASSERT_LE(intake.buffered_bytes(), ScriptIntake::kMaxLineBytes);
  }
  EXPECT_EQ(intake.dropped(), 1U);
  EXPECT_EQ(intake.last_drop(), "a line of more than 65536 bytes");
  EXPECT_THAT(feed(intake, "\nstopj(2)\n"), ElementsAre("stopj(2)\n"));
}

TEST(UrIntake, BlockThatIsTooLongIsDroppedUpToItsEnd) {
  ScriptIntake intake;
  feed(intake, "def p():\n");
  const std::string body = " while True:\n  sync()\n end\n";
  const std::size_t rounds = 2 * ScriptIntake::kMaxBlockBytes / body.size();
  for (std::size_t i = 0; i < rounds; ++i) {
    EXPECT_THAT(feed(intake, body), IsEmpty());
    ASSERT_LE(intake.buffered_bytes(), ScriptIntake::kMaxBlockBytes);
  }
  EXPECT_THAT(feed(intake, "end\nstopj(2)\n"), ElementsAre("stopj(2)\n"));
  EXPECT_EQ(intake.dropped(), 1U);
  EXPECT_EQ(intake.last_drop(), "a block of more than 1048576 bytes");
  // and the next block is whole again
  EXPECT_THAT(feed(intake, "def q():\n sync()\nend\n"), ElementsAre("def q():\n sync()\nend\n"));
}

TEST(UrIntake, LineThatIsTooLongTakesItsBlockWithIt) {
  ScriptIntake intake;
  feed(intake, "def p():\n");
  feed(intake, " x = \"" + std::string(ScriptIntake::kMaxLineBytes, 'x') + "\"\n");
  EXPECT_EQ(intake.dropped(), 1U);
  EXPECT_THAT(feed(intake, " sync()\nend\nstopj(2)\n"), ElementsAre("stopj(2)\n"));
  EXPECT_EQ(intake.dropped(), 1U);
}

TEST(UrIntake, BlockOfExactlyTheLimitIsTaken) {
  std::string program = "def p():\n";
  const std::string line = "  " + std::string(1021, '#') + "\n";  // 1024 bytes
  while (program.size() + line.size() + 4 <= ScriptIntake::kMaxBlockBytes) {
    program += line;
  }
  program += std::string(ScriptIntake::kMaxBlockBytes - program.size() - 5, ' ') + "\n";
  program += "end\n";
  ASSERT_EQ(program.size(), ScriptIntake::kMaxBlockBytes);
  EXPECT_THAT(cut(program), ElementsAre(program));
  program.insert(9, " ");
  EXPECT_THAT(cut(program), IsEmpty());
}

TEST(UrIntake, BytesOfAnyKindAreOnlyCut) {
  using namespace std::string_view_literals;
  EXPECT_THAT(cut("\xFF\xFE\0\x01\n\0\0\n"sv), ElementsAre(std::string("\xFF\xFE\0\x01\n"sv)));
}

TEST(UrIntake, CountsBlocksWhereverOnALineTheyBeginAndEnd) {
  const std::string program =
      "def p():\n x = 1 if x == 1: sync() end while True:\n textmsg(\"end\") 'if' break end\n"
      " if a: # end\n sync()\n y = 2 end end\n";
  EXPECT_THAT(cut(program + "stopj(2)\n"), ElementsAre(program, "stopj(2)\n"));
}

TEST(UrIntake, SaysWhatWasNotFinished) {
  ScriptIntake intake;
  EXPECT_EQ(intake.unfinished(), std::nullopt);
  feed(intake, "stopj(2)\n");
  EXPECT_EQ(intake.unfinished(), std::nullopt);
  feed(intake, "movej(q");
  EXPECT_EQ(intake.unfinished(), "the connection was closed before the end of the line 'movej(q'");
  feed(intake, ")\ndef half():\n  movej(q)\n");
  EXPECT_EQ(intake.unfinished(), "the connection was closed before the 'end' of 'def half():'");
  feed(intake, "end\n");
  EXPECT_EQ(intake.unfinished(), std::nullopt);
}

}  // namespace
}  // namespace longarm::protocols::ur
