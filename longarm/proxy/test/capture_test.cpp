// SPDX-License-Identifier: Apache-2.0
// Captures, byte by byte.
#include "longarm/proxy/capture.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

SocketAddress at(const char* host, std::uint16_t port) {
  return *system::resolve({host, port});
}

class CaptureTest : public testing::Test {
 protected:
  CaptureTest()
      : path_((std::filesystem::temp_directory_path() /
               ("longarm-capture-" + std::to_string(::getpid()) + ".pcap"))
                  .string()) {}
  ~CaptureTest() override { std::filesystem::remove(path_); }

  std::unique_ptr<Capture> open(std::uint64_t most_bytes = Capture::kMostBytes) {
    Result<std::unique_ptr<Capture>> capture =
        Capture::open(path_, 1'700'000'000'000'000'000, most_bytes);
    EXPECT_TRUE(capture);
    return std::move(capture).value();
  }
  /// Hexadecimal digits of the file, from byte `begin` on.
  std::string hex(std::size_t begin) const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    std::string out;
    for (std::size_t i = begin; i < all.str().size(); ++i) {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(all.str()[i]);
      out += kDigits[byte / 16];
      out += kDigits[byte % 16];
    }
    return out;
  }

  std::string path_;
};

TEST_F(CaptureTest, BeginsWithTheHeaderOfNanosecondPcapOfRawIp) {
  open();
  // magic a1b23c4d, version 2.4, zone, accuracy, longest packet 262144, link type 101; little
  // endian
  EXPECT_EQ(hex(0),
            "4d3cb2a1"
            "02000400"
            "00000000"
            "00000000"
            "00000400"
            "65000000");
}

TEST_F(CaptureTest, WritesADatagramWithItsHeadersAndChecksums) {
  open()->datagram(Time(1ms + 7ns), at("127.0.0.1", 5000), at("127.0.0.1", 6000), bytes_of("hi"));
  // 1 700 000 000 s = 0x6553f100; 1 000 007 ns = 0xf4247; 30 bytes, twice
  // IP: 4500+001e+4000+4011+7f00+0001+7f00+0001 = 1c331, folded c332, inverted 3ccd
  // UDP: 7f00+0001+7f00+0001+0011+000a+1388+1770+000a+6869 = 19188, folded 9189, inverted 6e76
  EXPECT_EQ(hex(24),
            "00f15365"
            "47420f00"
            "1e000000"
            "1e000000"
            "4500001e000040004011"
            "3ccd"
            "7f0000017f000001"
            "13881770000a"
            "6e76"
            "6869");
}

TEST_F(CaptureTest, WritesDatagramsOfIpv6) {
  open()->datagram(Time(0ms), at("::1", 1), at("::1", 2), bytes_of("a"));
  // UDP: two addresses 0001+0001, protocol 0011, length 0009; 0001+0002+0009, 6100 = 6129 ... 9ed7
  EXPECT_EQ(hex(40),
            "60000000"
            "0009"
            "11"
            "40"
            "00000000000000000000000000000001"
            "00000000000000000000000000000001"
            "00010002"
            "0009"
            "9ed7"
            "61");
}

TEST_F(CaptureTest, WritesTcpWithSequenceNumbersThatFitTogether) {
  const SocketAddress client = at("127.0.0.1", 40000);
  const SocketAddress relay = at("127.0.0.1", 30003);
  {
    const std::unique_ptr<Capture> capture = open();
    capture->tcp_open(Time(0ms), client, relay);
    capture->tcp_bytes(Time(1ms), client, relay, bytes_of("abc"));
    capture->tcp_bytes(Time(2ms), relay, client, bytes_of("de"));
    capture->tcp_finish(Time(3ms), client, relay);
    capture->tcp_finish(Time(4ms), relay, client);
    EXPECT_EQ(capture->packets(), 8U);  // three to open, two with bytes, two FIN, one ACK
  }
  // of each packet: sequence number, acknowledgement, flags (SYN 02, ACK 10, PSH 08, FIN 01)
  const std::string all = hex(24);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t size = std::stoul(all.substr(i + 16, 2), nullptr, 16);
    seen.push_back(all.substr(i + 32 + 48, 16) + " " + all.substr(i + 32 + 66, 2));
    i += 2 * (16 + size);
  }
  const std::vector<std::string> expected{
      "0000000000000000 02",  // client: SYN 0
      "0000000000000001 12",  // relay: SYN 0, has 1
      "0000000100000001 10",
      "0000000100000001 18",  // client: abc
      "0000000100000004 18",  // relay: de, has 4
      "0000000400000003 11",  // client: FIN, has 3
      "0000000300000005 11",  // relay: FIN, has 5
      "0000000500000004 10",
  };
  EXPECT_EQ(seen, expected);
}

TEST_F(CaptureTest, CutsLongStreamsIntoSegments) {
  const std::string megabyte(1'000'000, 'x');
  const std::unique_ptr<Capture> capture = open();
  capture->tcp_bytes(Time(0ms), at("127.0.0.1", 1), at("127.0.0.1", 2), bytes_of(megabyte));
  EXPECT_EQ(capture->packets(), 31U);  // 1 000 000 / 32 768 = 30.5
}

TEST_F(CaptureTest, StopsAtItsLimitAndSaysSo) {
  const std::unique_ptr<Capture> capture = open(24 + 2 * (16 + 30));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(i < 2 && capture->is_cut());
    capture->datagram(Time(0ms), at("127.0.0.1", 1), at("127.0.0.1", 2), bytes_of("hi"));
  }
  EXPECT_EQ(capture->packets(), 2U);
  EXPECT_TRUE(capture->is_cut());
}

TEST_F(CaptureTest, ThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(Capture::open("/nowhere/at/all.pcap", 0));
}

TEST_F(CaptureTest, PutsRecordsInTheOrderOfTheirTimes) {
  const std::unique_ptr<Capture> capture = open();
  // left at 3 ms; then one is read that came at 1 ms, and the same at 2 ms twice
  for (const auto& [when, text] :
       {std::pair{3ms, "c"}, std::pair{1ms, "a"}, std::pair{2ms, "b"}, std::pair{2ms, "B"}}) {
    capture->ip_packet(Time(when), bytes_of(text));
  }
  EXPECT_EQ(capture->packets(), 4U);
  capture->flush();
  // a record: 16 bytes of header, the second four of which are nanoseconds; then one byte
  const std::string all = hex(24);
  ASSERT_EQ(all.size(), 4U * 34U);
  std::string order;
  for (std::size_t i = 0; i < 4; ++i) {
    order += all.substr(34 * i + 32, 2);
  }
  EXPECT_EQ(order, "61624263");
}

TEST_F(CaptureTest, LeavesNoFileBeforeItIsToldWhere) {
  Capture capture(0);
  capture.ip_packet(Time(1ms), bytes_of("lost"));
  EXPECT_EQ(capture.packets(), 0U);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace longarm::proxy
