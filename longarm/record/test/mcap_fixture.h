// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test that writes files, and small traces to put there.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/record/mcap_reader.h"
#include "longarm/record/mcap_writer.h"

namespace longarm::record {

class McapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             (std::string("longarm-") + info->test_suite_name() + "-" + info->name());
    std::filesystem::create_directories(folder);
    path = folder / "trace.mcap";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string read_bytes(const std::string& from) {
    std::ifstream file(from, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void write_bytes(const std::string& to, std::string_view bytes) {
    std::ofstream file(to, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  /// "topic@time_ns:data" of each message of a file that is in memory.
  static std::vector<std::string> messages_in(std::string_view file, McapContents* contents) {
    std::vector<std::string> messages;
    auto result = read_mcap_bytes(as_bytes(file), "the file", [&](const McapMessage& message) {
      messages.push_back(
          message.channel.topic + "@" +
          std::to_string(message.log_time.time_since_epoch().count()) + ":" +
          std::string(reinterpret_cast<const char*>(message.data.data()), message.data.size()));
    });
    if (contents != nullptr && result) {
      *contents = std::move(result).value();
    }
    return messages;
  }
  static std::vector<std::string> messages_of(const std::string& from, McapContents* contents) {
    return messages_in(read_bytes(from), contents);
  }

  std::filesystem::path folder;
  std::string path;
};

}  // namespace longarm::record
