// SPDX-License-Identifier: Apache-2.0
// What users say about the link becomes models; what makes no sense is told in words.
#include "longarm/proxy/link_options.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

/// Writes down when packets arrive.
class Arrivals final : public network::LinkOutput {
 public:
  void arrive(const network::Packet&, Time when) override { at.push_back(when); }
  void drop(const network::Packet&, network::DropReason) override { ++drops; }

  std::vector<Time> at;
  int drops = 0;
};

Duration delay_of(const network::LinkModel& model) {
  Arrivals arrivals;
  model.make({1, "x"})->send(Time(1s), {0, 100, 0}, arrivals);
  return arrivals.at.empty() ? Duration(-1) : arrivals.at.front() - Time(1s);
}

RelayLinks links_of(const LinkOptions& options) {
  return read_links(options, network::built_in_link_models());
}

std::string complaint(const LinkOptions& options) {
  try {
    links_of(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A file that goes away.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("longarm-link-" + std::to_string(::getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(LinkOptions, NothingSaidIsNoLink) {
  const RelayLinks links = links_of({});
  EXPECT_TRUE(links.is_up_none);
  EXPECT_TRUE(links.is_down_none);
  EXPECT_EQ(delay_of(*links.up), 0ms);
  EXPECT_EQ(links.yaml, "link:\n  up:\n    model: none\n  down:\n    model: none\n");
}

TEST(LinkOptions, ALineIsForBothDirections) {
  LinkOptions options;
  options.line = "delay 10ms";
  const RelayLinks links = links_of(options);
  EXPECT_FALSE(links.is_up_none);
  EXPECT_EQ(delay_of(*links.up), 10ms);
  EXPECT_EQ(delay_of(*links.down), 10ms);
}

TEST(LinkOptions, ALineForOneDirectionWinsOverTheOneForBoth) {
  LinkOptions options;
  options.line = "delay 10ms";
  options.line_down = "delay 3ms";
  const RelayLinks links = links_of(options);
  EXPECT_EQ(delay_of(*links.up), 10ms);
  EXPECT_EQ(delay_of(*links.down), 3ms);
}

TEST(LinkOptions, ALineForOneDirectionLeavesTheOtherAlone) {
  LinkOptions options;
  options.line_up = "delay 4ms";
  const RelayLinks links = links_of(options);
  EXPECT_EQ(delay_of(*links.up), 4ms);
  EXPECT_TRUE(links.is_down_none);
}

TEST(LinkOptions, KeysChooseOtherModels) {
  LinkOptions options;
  options.sets = {"link.up.delay=7ms", "link.down.preset=embb-required"};
  const RelayLinks links = links_of(options);
  EXPECT_EQ(delay_of(*links.up), 7ms);
  // embb-required: 4 ms, and 100 bytes at 50 Mbit/s take 800 bit / 50 bit/us = 16 us
  EXPECT_EQ(delay_of(*links.down), 4'016us);
}

TEST(LinkOptions, ScenariosDirectionsAreTaken) {
  const TextFile file(
      "robot: whatever\nlink:\n  commands: {delay: 5ms, on_silence: stop}\n  states: {delay: "
      "2ms}\n");
  LinkOptions options;
  options.file = file.path();
  const RelayLinks links = links_of(options);
  EXPECT_EQ(delay_of(*links.up), 5ms);
  EXPECT_EQ(delay_of(*links.down), 2ms);
  ASSERT_EQ(links.warnings.size(), 1U);
  EXPECT_EQ(links.warnings.front().format(),
            file.path() +
                ":3:38: warning: a relay does not use 'on_silence'\n"
                "  hint: it applies only to the robot at the end of a simulated link");
}

TEST(LinkOptions, TheCommandLineWinsOverTheFile) {
  const TextFile file("link: {delay: 5ms}\n");
  LinkOptions options;
  options.file = file.path();
  options.line_up = "delay 1ms";
  const RelayLinks links = links_of(options);
  EXPECT_EQ(delay_of(*links.up), 1ms);
  EXPECT_EQ(delay_of(*links.down), 5ms);
}

TEST(LinkOptions, WhatIsResolvedReadsBackAsTheSame) {
  LinkOptions options;
  options.sets = {"link.delay=6ms"};
  const TextFile file(links_of(options).yaml);
  LinkOptions again;
  again.file = file.path();
  EXPECT_EQ(delay_of(*links_of(again).up), 6ms);
  EXPECT_EQ(links_of(again).yaml, links_of(options).yaml);
}

TEST(LinkOptions, AWrongLineIsToldOnceWithAHint) {
  LinkOptions options;
  options.line = "dealy 10ms";
  EXPECT_EQ(complaint(options),
            "--link \"dealy 10ms\": error: 'dealy' is not a netem option\n"
            "  hint: did you mean 'delay'?");
}

TEST(LinkOptions, AnUnknownKeyIsToldWithWhatIsNear) {
  LinkOptions options;
  options.sets = {"link.dealy=1ms", "gain=3"};
  const std::string text = complaint(options);
  EXPECT_EQ(text,
            "--set gain=3: error: unknown key 'gain'\n"
            "  hint: a relay has keys below 'link.' only, for example link.delay=5ms");
  options.sets = {"link.dealy=1ms"};
  EXPECT_EQ(complaint(options),
            "--set link.dealy=1ms: error: unknown key 'link.dealy'\n"
            "  hint: did you mean 'delay'?");
}

TEST(LinkOptions, AFileWithoutALinkIsRefused) {
  const TextFile file("robot: ur5\n");
  LinkOptions options;
  options.file = file.path();
  EXPECT_EQ(complaint(options), file.path() +
                                    ": error: there is no group of keys 'link' in this file\n"
                                    "  hint: for example: link: {delay: 5ms}");
}

TEST(TcpOptions, AreReadByTheKeysOfScenarios) {
  const network::TcpOptions tcp =
      read_tcp_options({"min_rto=50ms", "congestion=reno"}, network::TcpOptions{});
  EXPECT_EQ(tcp.min_rto, 50ms);
  EXPECT_EQ(tcp.congestion, network::CongestionControl::kReno);
  EXPECT_EQ(tcp.mss_bytes, network::TcpOptions{}.mss_bytes);
}

TEST(TcpOptions, ThatMakeNoSenseAreTold) {
  const auto text = [](const std::vector<std::string>& sets) -> std::string {
    try {
      read_tcp_options(sets, network::TcpOptions{});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(text({"mss_bytes=9000"}),
            "--tcp mss_bytes=9000: error: mss_bytes must be between 1 and 1448\n"
            "  hint: use at most 1448: packets have 1500 bytes, headers 40, timestamps 12");
  EXPECT_EQ(text({"min_roto=1s"}),
            "--tcp min_roto=1s: error: unknown key 'tcp.min_roto'\n"
            "  hint: did you mean 'min_rto'?");
  EXPECT_NE(text({"min_rto"}), "");
}

TEST(LinkOptions, ARenamedPresetIsNamed) {
  LinkOptions options;
  options.sets = {"link.preset=urllc"};
  EXPECT_EQ(complaint(options),
            "--set link.preset=urllc: error: unknown link.preset 'urllc'\n"
            "  hint: renamed to 'urllc-required'");
}

TEST(LinkOptions, AWrongPresetIsOneMistake) {
  LinkOptions options;
  options.sets = {"link.preset=nope"};
  EXPECT_EQ(
      complaint(options),
      "--set link.preset=nope: error: unknown link.preset 'nope'\n"
      "  hint: valid names are: urllc-required, embb-required, private-5g, private-lte, lte, 3g, "
      "wifi, wan");
}

TEST(LinkOptions, TwoNamesOfOneKeyAreGivenTwice) {
  LinkOptions options;
  options.sets = {"link.up.delay=5ms", "link.commands.delay=7ms"};
  EXPECT_EQ(complaint(options),
            "--set link.commands.delay=7ms: error: the key link.up.delay is given twice\n"
            "  hint: keep one of them; 'commands' is 'up', 'states' is 'down'");
}

TEST(LinkOptions, TheSeedIsAnOptionOfItsOwn) {
  LinkOptions options;
  options.line = "seed 5 delay 3ms";
  const RelayLinks links = links_of(options);
  ASSERT_EQ(links.warnings.size(), 1U);
  EXPECT_EQ(links.warnings.front().format(),
            "--link \"seed 5 delay 3ms\": warning: the 'seed' of the netem line is ignored: draws "
            "follow --seed\n"
            "  hint: use --seed");
}

}  // namespace
}  // namespace longarm::proxy
