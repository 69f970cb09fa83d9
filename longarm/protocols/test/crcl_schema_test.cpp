// SPDX-License-Identifier: Apache-2.0
// The published examples are read, and what we write is valid by the published schema. Both are
// data from elsewhere; where they are not at hand, crcl_documents_test.cpp has to do.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "crcl_random.h"
#include "longarm/protocols/crcl/client.h"

namespace longarm::protocols::crcl {
namespace {

namespace fs = std::filesystem;

const fs::path kPublished = fs::path(LONGARM_SOURCE_DIR) / ".." / "shared" / "crcl";

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class CrclPublished : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPublished / "examples")) {
      GTEST_SKIP() << "the published schemas and examples are not at hand";
    }
  }

  // Sorted, so that a failure is the same every time.
  static std::vector<fs::path> examples(const std::string& prefix) {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(kPublished / "examples")) {
      if (entry.path().filename().string().starts_with(prefix)) {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }
};

TEST_F(CrclPublished, CommandExamplesAreReadAndComeBackTheSame) {
  const std::vector<fs::path> paths = examples("command");
  EXPECT_EQ(paths.size(), 10U);
  for (const fs::path& path : paths) {
    const Result<CommandInstance> read = decode_command(contents_of(path));
    ASSERT_TRUE(read.has_value()) << path << ": " << read.error().message;
    EXPECT_EQ(decode_command(encode(*read).value()).value(), *read) << path;
  }
  // its waypoints are at (2.5, 1, 1) and (0.5, 0, 2)
  const auto through =
      decode_command(contents_of(kPublished / "examples" / "commandMoveThroughToWithNames.xml"));
  const auto& move = std::get<MoveThroughTo>(through->command.body);
  EXPECT_EQ(through->command.name, "Command1");
  EXPECT_EQ(move.waypoints.at(1).pose.point, (Point{0.5, 0.0, 2.0}));
  EXPECT_EQ(move.number_of_positions, 2);
}

TEST_F(CrclPublished, ProgramExamplesAreReadAndComeBackTheSame) {
  const std::vector<fs::path> paths = examples("program");
  EXPECT_EQ(paths.size(), 4U);
  for (const fs::path& path : paths) {
    const Result<Program> read = decode_program(contents_of(path));
    ASSERT_TRUE(read.has_value()) << path << ": " << read.error().message;
    EXPECT_EQ(decode_program(encode(*read).value()).value(), *read) << path;
  }
  // 26 commands between the two ends; those on sensors, grippers and reports came later
  const Program all =
      decode_program(contents_of(kPublished / "examples" / "programAll.xml")).value();
  std::vector<bool> is_seen(kCommandTypes.size());
  for (const Command& command : all.commands) {
    is_seen[command.body.index()] = true;
  }
  EXPECT_EQ(std::count(is_seen.begin(), is_seen.end(), true), 28);
}

TEST_F(CrclPublished, StatusExamplesGoThroughTheClient) {
  const std::vector<fs::path> paths = examples("status");
  EXPECT_EQ(paths.size(), 4U);
  Client client;
  for (const fs::path& path : paths) {
    EXPECT_EQ(client.receive(contents_of(path)), 1U) << path;
    EXPECT_EQ(client.unreadable(), 0U) << path << ": " << client.last_failure();
  }
  const Status generated =
      decode_status(contents_of(kPublished / "examples" / "statusExampleGen.xml")).value();
  EXPECT_EQ(generated.command.state, CommandState::kWorking);
  EXPECT_EQ(generated.joints->at(1).velocity, 0.87);
  EXPECT_EQ(std::get<ParallelGripper>(generated.gripper->kind).separation, 0.44);
}

// --- xmllint
// --------------------------------------------------------------------------------------

class CrclWritten : public CrclPublished {
 protected:
  void SetUp() override {
    CrclPublished::SetUp();
    if (std::system("command -v xmllint >/dev/null") != 0) {
      GTEST_SKIP() << "xmllint is not installed";
    }
    folder_ = fs::temp_directory_path() / ("longarm-crcl-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) {
      fs::remove_all(folder_);
    }
  }

  void write(const Result<std::string>& document) {
    ASSERT_TRUE(document.has_value()) << document.error().message;
    std::ofstream(folder_ / (std::to_string(1000 + count_++) + ".xml"), std::ios::binary)
        << *document;
  }

  // What xmllint says of all documents at once; empty if all are valid.
  std::string complaints(const std::string& schema) const {
    const std::string command = "cd '" + folder_.string() + "' && xmllint --noout --schema '" +
                                (kPublished / "xsd_2019" / schema).string() +
                                "' *.xml >said 2>&1; echo $? >code";
    const int ran = std::system(command.c_str());
    if (ran == 0 && contents_of(folder_ / "code") == "0\n") {
      return {};
    }
    return contents_of(folder_ / "said");
  }

  fs::path folder_;
  int count_ = 0;
};

TEST_F(CrclWritten, CommandsOfEveryTypeAreValid) {
  Filler filler(3);
  for (int round = 0; round < 6; ++round) {
    filler.fill_all(round % 2 == 0);
    for (std::size_t type = 0; type + 2 < kCommandTypes.size(); ++type) {
      CommandInstance instance;
      take_alternative(kCommandTypes[type], kCommandTypes, instance.command.body);
      list_fields(filler, instance);
      write(encode(instance));
    }
  }
  EXPECT_EQ(complaints("CRCLCommandInstance.xsd"), "");
}

TEST_F(CrclWritten, AProgramOfAllCommandsIsValid) {
  Filler filler(4);
  Program program{"all", {}};
  for (std::size_t type = 0; type + 2 < kCommandTypes.size(); ++type) {
    Command& command = program.commands.emplace_back();
    take_alternative(kCommandTypes[type], kCommandTypes, command.body);
    list_fields(filler, command);
  }
  // EndCanon is the second type; it belongs to the end
  std::rotate(program.commands.begin() + 1, program.commands.begin() + 2, program.commands.end());
  write(encode(program));
  EXPECT_EQ(complaints("CRCLProgramInstance.xsd"), "");
}

TEST_F(CrclWritten, StatusesWithEverySectionAndGripperAreValid) {
  Filler filler(5);
  std::vector<bool> is_seen(kGripperTypes.size());
  for (int round = 0; round < 100; ++round) {
    filler.fill_all(round % 2 == 0);
    Status status;
    list_fields(filler, status);
    if (status.gripper.has_value()) {
      is_seen[status.gripper->kind.index()] = true;
    }
    write(encode(status));
  }
  EXPECT_EQ(std::count(is_seen.begin(), is_seen.end(), true), 3);
  write(encode(Status{}));
  EXPECT_EQ(complaints("CRCLStatus.xsd"), "");
}

// That the oracle can say no: a document with a name that is no ID.
TEST_F(CrclWritten, XmllintNoticesWhatIsNotValid) {
  std::ofstream(folder_ / "bad.xml")
      << "<CRCLStatus><Name>no id</Name><CommandStatus><CommandID>0</CommandID>"
         "<StatusID>1</StatusID><CommandState>CRCL_Ready</CommandState></CommandStatus>"
         "</CRCLStatus>";
  EXPECT_NE(complaints("CRCLStatus.xsd"), "");
}

}  // namespace
}  // namespace longarm::protocols::crcl
