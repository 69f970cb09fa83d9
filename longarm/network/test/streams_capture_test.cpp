// SPDX-License-Identifier: Apache-2.0
// What programs send, captured: ports, contents and checksums as an independent program reads them.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class StreamsCaptured : public StreamsFixture {
 protected:
  StreamsCaptured() {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / "longarm_streams" / info->name();
    std::filesystem::remove_all(folder_);
  }
  ~StreamsCaptured() override { std::filesystem::remove_all(folder_); }

  void SetUp() override {
    if (std::system("tshark --version > /dev/null 2>&1") != 0) {  // NOLINT
      GTEST_SKIP() << "tshark is not installed";
    }
    start(chain(cable(1e8, 1ms, Framing::kEthernet), 2), {1, folder_.string(), nullptr});
  }

  /// One line for each packet that the filter takes; the run is over.
  std::vector<std::string> read(const std::string& filter, const std::string& fields) {
    client.stream.reset();
    server.stream.reset();
    streams_.reset();
    network_.reset();  // writes what is left
    const std::string command = "tshark -r '" + (folder_ / "h1-c1.pcap").string() + "' -n -Y '" +
                                filter +
                                "' -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE"
                                " -o tcp.check_checksum:TRUE -T fields -E separator=' ' " +
                                fields + " 2> /dev/null";
    std::vector<std::string> lines;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
      lines.emplace_back(buffer.data());
      lines.back().pop_back();
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
    return lines;
  }

  static std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }

  std::filesystem::path folder_;
};

TEST_F(StreamsCaptured, AnExchangeOfHttpIsDissected) {
  server.reads_at_once = client.reads_at_once = false;
  std::vector<std::byte> heard(10'000);
  server.on_readable = [&] {
    if (server.stream && server.stream->read(heard) > 0) {
      const std::string answer =
          "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x');
      server.stream->write(bytes_of(answer));
    }
  };
  client.on_readable = [&] { client.stream->read(heard); };
  connect();
  client.stream->write(bytes_of("GET /poses/7 HTTP/1.1\r\nHost: robot\r\n\r\n"));
  run();
  EXPECT_THAT(read("http",
                   "-e tcp.srcport -e tcp.dstport -e http.request.uri -e "
                   "http.response.code -e http.content_length"),
              ElementsAre("40000 80 /poses/7  ", "80 40000  200 5000"));
  EXPECT_THAT(read("tcp", "-e tcp.checksum.status"), Each("1"));
}

TEST_F(StreamsCaptured, DatagramsHaveTheirPortsAndContentsAndUnreachableOnesAnAnswer) {
  doormen_[1].takes_datagrams = false;
  at_time(1ms, [&] {
    const std::string text(3000, 'y');
    EXPECT_TRUE(streams_->send_datagram({host(0), 1000}, {far(), 2000}, 0, bytes_of(text), 0));
  });
  run();
  EXPECT_THAT(read("udp && !icmp",
                   "-e udp.srcport -e udp.dstport -e udp.length -e "
                   "udp.checksum.status -e data.len"),
              ElementsAre("1000 2000 3008 1 3000"));
  EXPECT_THAT(read("icmp",
                   "-e icmp.type -e icmp.code -e icmp.checksum.status -e udp.dstport "
                   "-e udp.length -e ip.len"),
              ElementsAre("3 3 1 2000 3008 56,3028"));
}

}  // namespace
}  // namespace longarm::network
