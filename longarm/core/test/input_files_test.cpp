// SPDX-License-Identifier: Apache-2.0
// Files that inputs name.
#include "longarm/core/input_files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace longarm {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, with two folders in it.
class InputFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(testing::TempDir()) / ("input_files_" + test);
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "here");
    fs::create_directories(folder_ / "there");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

TEST_F(InputFilesTest, LooksBesideTheFileThatNamesThemFirst) {
  write("here/a.csv", "near");
  write("there/a.csv", "far");
  InputFiles files(path("here/cell.yaml"), {path("there")});
  EXPECT_EQ(files.read("a.csv").value(), "near");
  fs::remove(folder_ / "here/a.csv");
  EXPECT_EQ(files.read("a.csv").value(), "far");
}

TEST_F(InputFilesTest, SaysEveryPlaceItLookedAt) {
  InputFiles files(path("here/cell.yaml"), {path("there")});
  EXPECT_EQ(
      files.read("b.csv").error().message,
      "file not found: 'b.csv'; looked for " + path("here/b.csv") + ", " + path("there/b.csv"));
}

TEST_F(InputFilesTest, TakesAnAbsolutePathAsItStands) {
  write("there/a.csv", "x");
  InputFiles files(path("here/cell.yaml"));
  EXPECT_EQ(files.read(path("there/a.csv")).value(), "x");
  EXPECT_FALSE(files.read(path("here/a.csv")).has_value());
}

TEST_F(InputFilesTest, HashChangesWithTheContentAndCountsAFileOnce) {
  write("here/a.csv", "1");
  InputFiles once(path("here/cell.yaml"));
  ASSERT_TRUE(once.read("a.csv").has_value());
  InputFiles twice(path("here/cell.yaml"));
  ASSERT_TRUE(twice.read("a.csv").has_value());
  ASSERT_TRUE(twice.read("a.csv").has_value());
  EXPECT_EQ(once.hash().text(), twice.hash().text());
  EXPECT_EQ(twice.all().size(), 1u);

  write("here/a.csv", "2");
  InputFiles changed(path("here/cell.yaml"));
  ASSERT_TRUE(changed.read("a.csv").has_value());
  EXPECT_NE(once.hash().text(), changed.hash().text());
}

TEST_F(InputFilesTest, AnEmptyFileIsEmptyAndAFolderIsNoFile) {
  write("here/empty", "");
  EXPECT_EQ(read_file(path("here/empty")).value(), "");
  EXPECT_EQ(read_file(path("here")).error().message, "cannot read the file '" + path("here") + "'");
}

}  // namespace
}  // namespace longarm
