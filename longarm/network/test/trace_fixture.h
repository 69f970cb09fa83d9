// SPDX-License-Identifier: Apache-2.0
// For tests of traces: captures made byte by byte, files that go away, and what is said of them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "longarm/core/input_files.h"
#include "longarm/network/test/link_fixture.h"
#include "longarm/network/trace/trace_link.h"

namespace longarm::network {

inline constexpr std::optional<Duration> kLost = std::nullopt;

inline std::string error_of(const Result<DelayTrace>& trace) {
  return trace ? "no error" : trace.error().message;
}

inline constexpr const char* kPing =
    "PING time.example.org (192.0.2.1) 56(84) bytes of data.\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=1 ttl=64 time=10.0 ms\n"
    "no answer yet for icmp_seq=2\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=3 ttl=64 time=0.5 ms\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=3 ttl=64 time=0.9 ms (DUP!)\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=5 ttl=64 time=12 ms\n"
    "\n"
    "--- time.example.org ping statistics ---\n"
    "6 packets transmitted, 3 received, +1 duplicates, 50% packet loss, time 1000ms\n"
    "rtt min/avg/max/mdev = 0.500/7.500/12.000/5.000 ms\n";

/// Builds pcap files byte by byte.
class CaptureFile {
 public:
  explicit CaptureFile(bool is_big_endian = false, bool is_fine = false,
                       std::uint32_t link_type = 1)
      : is_big_endian_(is_big_endian), is_fine_(is_fine) {
    number(is_fine ? 0xa1b23c4d : 0xa1b2c3d4);
    number(is_big_endian ? 0x00020004 : 0x00040002);
    number(0);
    number(0);
    number(65535);
    number(link_type);
  }

  CaptureFile& add(std::int64_t at_ns, const std::string& frame) {
    number(static_cast<std::uint32_t>(at_ns / 1'000'000'000));
    number(static_cast<std::uint32_t>(at_ns % 1'000'000'000 / (is_fine_ ? 1 : 1000)));
    number(static_cast<std::uint32_t>(frame.size()));
    number(static_cast<std::uint32_t>(frame.size()));
    bytes += frame;
    return *this;
  }

  std::string bytes;

 private:
  void number(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned shift = 8 * (is_big_endian_ ? 3 - i : i);
      bytes += static_cast<char>(value >> shift & 0xffU);
    }
  }
  bool is_big_endian_;
  bool is_fine_;
};

/// An IPv4 UDP packet with one byte of payload, padded as Ethernet does.
inline std::string udp(char payload, char time_to_live = 64, char checksum = 0,
                       bool is_ethernet = true) {
  std::string ip{0x45, 0, 0, 29, 0,  0, 0, 0, time_to_live, 17, checksum, checksum,
                 10,   0, 0, 1,  10, 0, 0, 2};
  ip += std::string{0, 1, 0, 2, 0, 9, checksum, checksum};
  ip += payload;
  if (!is_ethernet) {
    return ip;
  }
  const std::string ethernet = std::string(12, 'm') + std::string{0x08, 0x00};
  return ethernet + ip + std::string(17, checksum == 0 ? '\0' : 'p');
}

inline std::vector<Outcome> play(const TraceConfig& config, std::vector<DelaySample> samples,
                                 int count, Duration period) {
  DelayTrace trace;
  trace.samples = std::move(samples);
  return send_stream(*make_trace_link(config, trace), count, period);
}

inline Outcome after(Duration delay) {
  return {{delay}, std::nullopt};
}
inline const Outcome kDropped{{}, DropReason::kLoss};

/// A file that goes away with the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_(folder() + "longarm-" + name) {
    std::filesystem::create_directories(folder());
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() {
    std::remove(path_.c_str());
    rmdir(folder().c_str());  // if it was the last one
  }
  const std::string& path() const { return path_; }
  /// Tests run at once, each in a process of its own.
  static std::string folder() {
    return ::testing::TempDir() + "longarm-" + std::to_string(getpid()) + "/";
  }

 private:
  std::string path_;
};

inline std::vector<std::string> load(LinkModel& model, Keys keys) {
  KeyFields fields(std::move(keys));
  model.list_fields(fields);
  if (!fields.rejections.empty()) {
    return fields.rejections;
  }
  InputFiles files;
  std::vector<std::string> texts;
  for (const KeyRemark& remark : model.load(files)) {
    const std::string severity = remark.severity == Severity::kError ? "error" : "warning";
    texts.push_back(severity + " at " + remark.key + ": " + remark.message +
                    (remark.hint.empty() ? "" : " / " + remark.hint));
  }
  return texts;
}

inline std::vector<std::string> load(Keys keys) {
  return load(*built_in_link_models().make("trace"), std::move(keys));
}

}  // namespace longarm::network
