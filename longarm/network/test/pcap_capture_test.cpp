// SPDX-License-Identifier: Apache-2.0
// Captured packets as an independent program, tshark, reads them.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Loses the packets with these numbers.
class ScriptedModel final : public LinkModel {
 public:
  explicit ScriptedModel(std::set<std::uint64_t> lost) : lost_(std::move(lost)) {}
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext&) const override {
    class ScriptedLink final : public Link {
     public:
      explicit ScriptedLink(std::set<std::uint64_t> lost) : lost_(std::move(lost)) {}

     private:
      void do_send(Time now, const Packet& packet, LinkOutput& output) override {
        if (lost_.contains(packet.index)) {
          output.drop(packet, DropReason::kLoss);
        } else {
          output.arrive(packet, now);
        }
      }
      std::set<std::uint64_t> lost_;
    };
    return std::make_unique<ScriptedLink>(lost_);
  }

 private:
  std::set<std::uint64_t> lost_;
};

class Captured : public ::testing::Test {
 protected:
  Captured() {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / "longarm_capture" / info->name();
    std::filesystem::remove_all(folder_);
  }
  ~Captured() override { std::filesystem::remove_all(folder_); }

  BackendOptions options() const { return {1, folder_.string()}; }

  static bool has_tshark() {
    return std::system("tshark --version > /dev/null 2>&1") == 0;  // NOLINT
  }

  /// One line for each packet, with these fields.
  std::vector<std::string> read(const std::string& file, const std::string& fields) const {
    std::string command = "tshark -r '" + (folder_ / file).string() +
                          "' -n -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE"
                          " -o tcp.check_checksum:TRUE -o ip.defragment:FALSE"
                          " -o tcp.relative_sequence_numbers:FALSE -T fields -E separator=' '";
    std::istringstream words(fields);
    for (std::string word; words >> word;) {
      command += " -e " + word;
    }
    std::vector<std::string> lines;
    FILE* pipe = popen((command + " 2> /dev/null").c_str(), "r");
    std::array<char, 4096> buffer{};
    while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
      lines.emplace_back(buffer.data());
      lines.back().pop_back();  // the end of the line
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
    return lines;
  }

  std::filesystem::path folder_;
};

TEST_F(Captured, DatagramsHaveTheirTimesSizesAddressesAndChecksums) {
  if (!has_tshark()) {
    GTEST_SKIP() << "tshark is not installed";
  }
  {
    Traffic traffic(star(3, cable(1e9, 1us, Framing::kEthernet)), {}, options());
    const FlowId flow = traffic.open(0, 2, Transport::kUdp);
    traffic.send(flow, 200, at(1s + 5us));
    traffic.send(flow, 1, at(2s), Side::kPeer);
    traffic.run();
  }
  // sent at once; received after 254 bytes of 8 ns and 1 us, at the switch and again at the host.
  // 200 + 28 + 14 bytes; 1 + 28 + 14 are padded to 60 and arrive after 72 x 8 ns and 1 us per hop
  const std::string fields =
      "frame.time_epoch frame.len ip.src ip.dst ip.len ip.checksum.status udp.srcport udp.dstport "
      "udp.length udp.checksum.status";
  EXPECT_THAT(read("h0-c0.pcap", fields),
              ElementsAre("1.000005000 242 10.0.0.1 10.0.0.3 228 1 49152 7000 208 1",
                          "2.000003152 60 10.0.0.3 10.0.0.1 29 1 7000 49152 9 1"));
  EXPECT_THAT(read("h2-c2.pcap", fields),
              ElementsAre("1.000011064 242 10.0.0.1 10.0.0.3 228 1 49152 7000 208 1",
                          "2.000000000 60 10.0.0.3 10.0.0.1 29 1 7000 49152 9 1"));
  // the third host saw nothing but the file's header of 24 bytes; the switch what the first one saw
  EXPECT_EQ(std::filesystem::file_size(folder_ / "h1-c1.pcap"), 24U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "hub-c0.pcap"),
            std::filesystem::file_size(folder_ / "h0-c0.pcap"));
}

TEST_F(Captured, ConnectionsHaveTheirOptionsAndSelectiveAcknowledgements) {
  if (!has_tshark()) {
    GTEST_SKIP() << "tshark is not installed";
  }
  {
    // packets of the opener: SYN, ACK, then segments; the third of these is lost
    Cable scripted = cable(1e8, 1ms);
    scripted.impairment[0] = std::make_shared<ScriptedModel>(std::set<std::uint64_t>{4});
    Traffic traffic(chain(scripted), {}, options());
    FlowOptions tcp;  // timestamps and SACK are usual
    const FlowId flow = traffic.open(0, 1, tcp, at(1s));
    traffic.send(flow, 6 * 1448, at(2s));
    traffic.backend().close(flow, Side::kOpener, at(3s));
    traffic.run(at(10s));
    EXPECT_EQ(traffic.arrivals().size(), 1U);
  }
  const std::vector<std::string> lines =
      read("h0-c0.pcap",
           "tcp.flags.syn tcp.flags.ack tcp.flags.fin tcp.seq tcp.len tcp.hdr_len "
           "tcp.checksum.status tcp.ack");
  ASSERT_GE(lines.size(), 9U);
  // 20 bytes, MSS 4, SACK permitted 2, timestamps 10, window scale 3 and one of padding. Segments
  // are longer than what is kept, so that their checksums cannot be judged (2)
  EXPECT_EQ(lines[0], "1 0 0 0 0 40 1 0");
  EXPECT_EQ(lines[1], "1 1 0 0 0 40 1 1");
  EXPECT_EQ(lines[2], "0 1 0 1 0 32 1 1");
  EXPECT_EQ(lines[3], "0 1 0 1 1448 32 2 1");
  EXPECT_EQ(lines[4], "0 1 0 1449 1448 32 2 1");
  EXPECT_THAT(lines, Contains(StartsWith("0 1 1 8689 0 32 1 ")));  // FIN behind 6 x 1448 bytes
  EXPECT_THAT(lines, Contains("0 1 0 1 0 32 1 8689"));             // which are acknowledged

  const std::vector<std::string> options_seen =
      read("h1-c0.pcap",
           "tcp.options.mss_val tcp.options.wscale.shift tcp.options.sack_perm tcp.ack "
           "tcp.options.timestamp.tsval tcp.options.timestamp.tsecr tcp.options.sack_le "
           "tcp.options.sack_re");
  ASSERT_GE(options_seen.size(), 9U);
  EXPECT_THAT(options_seen[0], StartsWith("1448 7 0402 0 1000 0"));
  EXPECT_THAT(options_seen[1], StartsWith("1448 7 0402 1 1001 1000"));
  // the receiver waits for byte 2897 and says that 4345 ... 5792 are there
  EXPECT_THAT(options_seen, Contains(AllOf(HasSubstr(" 2897 "), EndsWith(" 4345 5793"))));
}

TEST_F(Captured, FragmentsAndRawMessagesCanBeSeen) {
  if (!has_tshark()) {
    GTEST_SKIP() << "tshark is not installed";
  }
  {
    Traffic traffic(chain(cable(1e8, 1ms)), {}, options());
    const FlowId udp = traffic.open(0, 1, Transport::kUdp);
    const FlowId raw = traffic.open(0, 1, Transport::kRaw);
    traffic.send(udp, 3000, at(1s));
    traffic.send(raw, 3000, at(2s));
    traffic.run();
  }
  // parts of 1480, 1480 and 48 bytes; offsets are counted in eights
  EXPECT_THAT(
      read("h1-c0.pcap", "ip.len ip.flags.mf ip.frag_offset ip.checksum.status ip.proto frame.len"),
      ElementsAre("1500 1 0 1 17 1500", "1500 1 185 1 17 1500", "68 0 370 1 17 68",
                  "3020 0 0 1 253 3020"));
}

TEST_F(Captured, CapturingChangesNothing) {
  const auto run = [](const BackendOptions& with) {
    Cable narrow = cable(1e7, 100us, Framing::kEthernet);
    narrow.queue.limit_packets = 4;
    Traffic traffic(star(4, narrow), {}, with);
    const FlowId tcp = traffic.open(0, 1, Transport::kTcp);
    const FlowId udp = traffic.open(2, 1, Transport::kUdp);
    for (int i = 0; i < 50; ++i) {
      traffic.send(tcp, 3000, at(i * 1ms));
      traffic.send(udp, 2500, at(i * 1ms));
    }
    traffic.run(at(20s));
    std::vector<std::tuple<Time, MessageId, Fate>> all;
    for (const Delivery& delivery : traffic.deliveries()) {
      all.emplace_back(delivery.time, delivery.message, delivery.fate);
    }
    return all;
  };
  EXPECT_EQ(run(options()), run({}));
  EXPECT_GT(std::filesystem::file_size(folder_ / "h1-c1.pcap"), 5000U);
}

TEST_F(Captured, AFolderThatCannotBeIsRefused) {
  EXPECT_THROW((void)make_builtin_backend(star(2, cable(1e9, 1us)), {1, "/dev/null/packets"}),
               InputError);
}

}  // namespace
}  // namespace longarm::network
