// SPDX-License-Identifier: Apache-2.0
// One-way delays: the same packet seen at both ends.
#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "longarm/network/trace/delay_trace.h"
#include "longarm/network/trace/pcap_file.h"

namespace longarm::network {

Result<DelayTrace> match_captures(const PcapFile& sent, const PcapFile& received) {
  // packets that look alike are matched in order
  std::map<std::string_view, std::deque<std::int64_t>> arrivals;
  for (const CapturedPacket& packet : received.packets) {
    arrivals[packet.identity].push_back(packet.at_ns);
  }
  DelayTrace trace;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < sent.packets.size(); ++i) {
    const CapturedPacket& packet = sent.packets[i];
    DelaySample sample;
    sample.at = Duration(packet.at_ns - sent.packets.front().at_ns);
    if (!trace.samples.empty()) {
      sample.at = std::max(sample.at, trace.samples.back().at);  // captures may swap neighbours
    }
    const auto found = arrivals.find(packet.identity);
    if (found == arrivals.end() || found->second.empty()) {
      ++lost;
    } else {
      sample.delay = Duration(found->second.front() - packet.at_ns);
      found->second.pop_front();
      if (*sample.delay < Duration(0)) {
        return Error{fmt::format(
            "IP packet {} arrives {:.6g} ms before it was sent: the clocks differ, or the captures "
            "hold the other direction too (filter them: tcpdump src host SENDER)",
            i + 1, -1e-6 * static_cast<double>(sample.delay->count()))};
      }
    }
    trace.samples.push_back(sample);
  }
  if (lost == sent.packets.size()) {
    return Error{"the two captures have no packet in common"};
  }
  trace.remarks.push_back(
      fmt::format("one-way delays from two captures are only as accurate as the two clocks are "
                  "synchronised; {} of {} packets were not seen at the receiver and count as lost",
                  lost, sent.packets.size()));
  return trace;
}

}  // namespace longarm::network
