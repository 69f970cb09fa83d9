// SPDX-License-Identifier: Apache-2.0
// Times that vary: their parts, their files, and what is said of wrong ones.
#include "longarm/network/varying_time.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

class VaryingTimes : public ::testing::Test {
 protected:
  VaryingTimes() {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / "longarm_varying_time" / info->name();
    std::filesystem::create_directories(folder_);
  }
  ~VaryingTimes() override { std::filesystem::remove_all(folder_); }

  /// Loads a time from a file with this content; gives what is said of it.
  std::string load_from(const std::string& content) {
    std::ofstream(folder_ / "times.csv") << content;
    time_.file = (folder_ / "times.csv").string();
    InputFiles files;
    const std::vector<KeyRemark> remarks = load(time_, files);
    return remarks.empty() ? "" : remarks[0].message;
  }

  std::filesystem::path folder_;
  VaryingTime time_;
};

TEST_F(VaryingTimes, AddsItsParts) {
  EXPECT_TRUE(time_.is_zero());
  time_.fixed = 20us;
  time_.per_byte_ns = 0.5;
  EXPECT_FALSE(time_.is_zero());
  EXPECT_EQ(time_.at(1000, 0.9), 20'500ns);
  EXPECT_EQ(time_.at(3, 0.0), 20'002ns);  // 1.5 rounds away from zero
  EXPECT_EQ(time_.minimum(), 20us);
  EXPECT_EQ(time_.mean(1000), 20'500ns);
}

TEST_F(VaryingTimes, DrawsEachMeasuredValueEquallyOften) {
  ASSERT_EQ(load_from("# made by hand\nhost,seconds\na,3e-6\nb, 1e-6\n\nc,\"2e-6\"\nd,4e-6\n"), "");
  time_.fixed = 10us;
  time_.scale = 2.0;
  EXPECT_EQ(time_.at(0, 0.0), 12us);
  EXPECT_EQ(time_.at(0, 0.2499), 12us);
  EXPECT_EQ(time_.at(0, 0.25), 14us);
  EXPECT_EQ(time_.at(0, 0.999), 18us);
  EXPECT_EQ(time_.at(0, 1.0), 18us);
  EXPECT_EQ(time_.minimum(), 12us);
  EXPECT_EQ(time_.mean(0), 15us);
}

TEST_F(VaryingTimes, TakesTheColumnThatIsNamed) {
  time_.column = "send";
  ASSERT_EQ(load_from("send,receive\r\n1e-6,9e-6\r\n"), "");
  EXPECT_EQ(time_.at(0, 0.5), 1us);
}

TEST_F(VaryingTimes, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(load_from("second\n1\n"),
              ::testing::EndsWith("line 1: there is no column 'seconds'"));
  EXPECT_THAT(load_from("seconds\n"), ::testing::EndsWith("it contains no values"));
  EXPECT_THAT(load_from(""), ::testing::EndsWith("it contains no values"));
  for (const char* wrong : {"-1", "nan", "inf", "soon", "1e9", ","}) {
    EXPECT_THAT(load_from(std::string("a,seconds\n1,1\n1,") + wrong + "\n"),
                ::testing::EndsWith("line 3: column 'seconds' is not a time in seconds"))
        << wrong;
  }
  EXPECT_EQ(time_.sorted_s, nullptr);
  time_.file = (folder_ / "nothing.csv").string();
  InputFiles files;
  EXPECT_EQ(load(time_, files).size(), 1U);
}

}  // namespace
}  // namespace longarm::network
