// SPDX-License-Identifier: Apache-2.0
// Tests of one-way delays from two captures.
#include <algorithm>

#include "longarm/network/test/trace_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// As the model does it, without files.
Result<DelayTrace> read_pcap_trace(std::string_view sent, std::string_view received) {
  const Result<PcapFile> at_sender = read_pcap(sent);
  const Result<PcapFile> at_receiver = read_pcap(received);
  if (!at_sender || !at_receiver) {
    return at_sender ? at_receiver.error() : at_sender.error();
  }
  return match_captures(*at_sender, *at_receiver);
}

TEST(PcapTrace, MatchesPacketsByTheirBytesInAnyByteOrder) {
  // the receiver sees another time to live, other checksums and other padding; 'b' is lost
  const CaptureFile sent = CaptureFile(false, false)
                               .add(1'000'000'000, udp('a'))
                               .add(1'001'000'000, udp('b'))
                               .add(1'002'000'000, udp('c'))
                               .add(1'003'000'000, udp('a'));
  const CaptureFile received = CaptureFile(true, true)
                                   .add(1'000'400'007, udp('a', 61, 5))
                                   .add(1'003'100'000, udp('c', 61, 5))
                                   .add(1'003'250'000, udp('a', 61, 5));
  const Result<DelayTrace> trace = read_pcap_trace(sent.bytes, received.bytes);
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples,
              ElementsAre(DelaySample{0ms, Duration(400'007)}, DelaySample{1ms, kLost},
                          DelaySample{2ms, 1100us}, DelaySample{3ms, 250us}));
  EXPECT_THAT(
      trace->remarks,
      ElementsAre("one-way delays from two captures are only as accurate as the two clocks are "
                  "synchronised; 1 of 4 packets were not seen at the receiver and count as lost"));
}

TEST(PcapTrace, KnowsSeveralKindsOfLinks) {
  const std::string ip = udp('a', 64, 0, false);
  const std::string vlan = std::string(12, 'm') + std::string{'\x81', 0, 0, 7, 0x08, 0x00} + ip;
  const std::string cooked = std::string(14, 'c') + std::string{0x08, 0x00} + ip;
  const std::string cooked2 = std::string{0x08, 0x00} + std::string(18, 'c') + ip;
  const std::string loopback = std::string{2, 0, 0, 0} + ip;
  const std::string plain = CaptureFile(false, false, 101).add(5000, ip).bytes;
  for (const std::string& other : {CaptureFile(false, false, 1).add(9000, vlan).bytes,
                                   CaptureFile(false, false, 113).add(9000, cooked).bytes,
                                   CaptureFile(false, false, 276).add(9000, cooked2).bytes,
                                   CaptureFile(false, false, 0).add(9000, loopback).bytes}) {
    const Result<DelayTrace> trace = read_pcap_trace(plain, other);
    ASSERT_TRUE(trace) << error_of(trace);
    EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 4us}));
  }
}

TEST(PcapTrace, LeavesOutWhatIsNoIp) {
  const std::string arp = std::string(12, 'm') + std::string{0x08, 0x06} + std::string(28, 'a');
  const Result<PcapFile> capture =
      read_pcap(CaptureFile().add(0, arp).add(0, udp('a')).add(0, "").bytes);
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->packets.size(), 1U);
}

std::vector<std::string> load_captures(const std::string& sent, const std::string& received) {
  const TemporaryFile at_sender("sent.pcap", sent);
  const TemporaryFile at_receiver("received.pcap", received);
  std::vector<std::string> texts =
      load({{"trace", at_sender.path()}, {"trace_received", at_receiver.path()}});
  for (std::string& text : texts) {  // without the folder
    for (std::size_t at; (at = text.find(TemporaryFile::folder())) != std::string::npos;) {
      text.erase(at, TemporaryFile::folder().size());
    }
  }
  return texts;
}

TEST(PcapTrace, SaysWhichFileIsCutAndWhere) {
  const std::string whole = CaptureFile().add(0, udp('a')).bytes;  // 24 + 16 + 60 bytes
  ASSERT_EQ(whole.size(), 100U);
  const std::string sender = "error at trace: longarm-sent.pcap: at the sender: ";
  const std::string receiver = "error at trace_received: longarm-received.pcap: at the receiver: ";
  for (const auto& [bytes, text] :
       {std::pair{10U, "the file header needs 24 bytes, the file ends at byte 10"},
        std::pair{24U, "this capture contains no IP packets"},
        std::pair{30U, "the record at byte 24 is cut off: the file ends at byte 30"},
        std::pair{99U, "the record at byte 24 has 60 bytes, but the file ends at byte 99"}}) {
    EXPECT_THAT(load_captures(whole.substr(0, bytes), whole), ElementsAre(sender + text));
    EXPECT_THAT(load_captures(whole, whole.substr(0, bytes)), ElementsAre(receiver + text));
  }
}

TEST(PcapTrace, UsesWhatIsWholeOfACaptureThatWasInterrupted) {
  // the second record begins at byte 24 + 16 + 60 = 100
  const std::string sent = CaptureFile().add(0, udp('a')).add(1'000'000, udp('b')).bytes;
  const std::string received = CaptureFile().add(7000, udp('a')).add(1'005'000, udp('b')).bytes;
  EXPECT_THAT(load_captures(sent, received.substr(0, 150)),
              ElementsAre("warning at trace: longarm-sent.pcap: one-way delays from two captures "
                          "are only as accurate as the two clocks are synchronised; 1 of 2 packets "
                          "were not seen at the receiver and count as lost; longarm-received.pcap: "
                          "the record at byte 100 has 60 bytes, but the file ends at byte 150; the "
                          "packets before it are used, what arrived later counts as lost"));
  const Result<PcapFile> cut = read_pcap(std::string_view(sent).substr(0, 105));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->packets.size(), 1U);
  EXPECT_EQ(cut->cut, "the record at byte 100 is cut off: the file ends at byte 105");

  std::string damaged = sent;  // a length that no tcpdump writes: 0x7f00003c
  damaged[100 + 8 + 3] = 0x7f;
  EXPECT_FALSE(read_pcap(damaged));
}

TEST(PcapTrace, OfOneCaptureTwiceIsRefused) {
  const std::string whole = CaptureFile().add(0, udp('a')).bytes;
  EXPECT_THAT(load_captures(whole, whole),
              ElementsAre("error at trace_received: longarm-received.pcap is the same capture as "
                          "'trace': every delay would be 0 / capture at the receiver too"));
}

TEST(PcapTrace, RefusesWhatItCannotRead) {
  const std::string good = CaptureFile().add(1000, udp('a')).bytes;
  EXPECT_EQ(error_of(read_pcap_trace(good, "text")), "this is not a pcap file");
  EXPECT_EQ(error_of(read_pcap_trace("\x0a\x0d\x0d\x0a and more", good)),
            "this is a pcapng file; convert it to pcap: editcap -F pcap IN OUT");
  EXPECT_EQ(error_of(read_pcap_trace(CaptureFile(false, false, 105).bytes, good)),
            "captures of link type 105 are not supported; capture on an Ethernet, loopback or "
            "tunnel device");
  EXPECT_EQ(error_of(read_pcap_trace(good, CaptureFile().add(0, udp('a')).bytes)),
            "IP packet 1 arrives 0.001 ms before it was sent: the clocks differ, or the captures "
            "hold the other direction too (filter them: tcpdump src host SENDER)");
  EXPECT_EQ(error_of(read_pcap_trace(good, CaptureFile().add(0, udp('b')).bytes)),
            "the two captures have no packet in common");
}

}  // namespace
}  // namespace longarm::network
