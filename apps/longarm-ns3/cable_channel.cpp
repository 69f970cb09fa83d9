// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// ns-3's devices queue and serialise; what comes after the last bit has left is decided here.
#include "apps/longarm-ns3/cable_channel.h"

#include <algorithm>

namespace longarm_ns3 {

using namespace ns3;

namespace {

constexpr std::uint32_t kPppBytes = 2;  // which ns-3 puts before each packet
constexpr std::uint32_t kLeastFrameBytes = 64;
constexpr std::uint32_t kEthernetBytes = 14 + 4;
constexpr std::uint32_t kPreambleBytes = 8;
constexpr std::uint32_t kGapBytes = 12;

/// Of an IP packet, with the preamble.
std::uint32_t ethernet_bytes(std::uint32_t packet_bytes) {
  return std::max(kLeastFrameBytes, packet_bytes + kEthernetBytes) + kPreambleBytes;
}

}  // namespace

void CableChannel::connect(const CableSettings& settings, Ptr<Node> first, Ptr<Node> second,
                           std::uint16_t mtu_bytes, const std::int64_t (&arrival_ns)[2]) {
  settings_ = settings;
  Ptr<PointToPointNetDevice> devices[2];
  for (int end = 0; end < 2; ++end) {
    const auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(
        QueueSize(QueueSizeUnit::PACKETS, static_cast<std::uint32_t>(settings.limit_packets)));
    devices[end] = CreateObject<PointToPointNetDevice>();
    devices[end]->SetAddress(Mac48Address::Allocate());
    devices[end]->SetMtu(mtu_bytes);
    devices[end]->SetQueue(queue);
    (end == 0 ? first : second)->AddDevice(devices[end]);
    devices[end]->Attach(Ptr<PointToPointChannel>(this));
  }
  for (int direction = 0; direction < 2; ++direction) {
    Way& way = ways_[direction];
    way.from = devices[direction];
    way.to = devices[1 - direction];
    way.arrival = NanoSeconds(arrival_ns[1 - direction]);
    set_rate(direction, settings.rate_bit_s);
    set_propagation(direction, settings.propagation_ns);
    watch(direction);
  }
}

void CableChannel::set_callbacks(OnDrop on_drop, OnNoFates on_no_fates) {
  on_drop_ = std::move(on_drop);
  on_no_fates_ = std::move(on_no_fates);
}

void CableChannel::watch(int direction) {
  Way& way = ways_[direction];
  if (settings_.is_ethernet) {
    // the device rests after each frame for what its two bytes of PPP are short of Ethernet
    way.from->TraceConnectWithoutContext(
        "PhyTxBegin", Callback<void, Ptr<const Packet>>([this, &way](Ptr<const Packet> packet) {
          const Time sending = way.rate.CalculateBytesTxTime(packet->GetSize());
          way.from->SetInterframeGap(until_free(way, packet->GetSize() - kPppBytes) - sending);
        }));
  }
  const Ptr<Queue<Packet>> queue = way.from->GetQueue();
  queue->TraceConnectWithoutContext(
      "Drop", Callback<void, Ptr<const Packet>>([this, &way](Ptr<const Packet> packet) {
        if (!way.is_up) {  // what waits for a cable that goes down is lost with it
          drop(way, packet);
          return;
        }
        ++way.counts.dropped_queue;
        on_drop_(packet, "queue_full");
      }));
  queue->TraceConnectWithoutContext(
      "Enqueue", Callback<void, Ptr<const Packet>>([&way](Ptr<const Packet>) {
        if (Simulator::Now() < way.free_at) {  // otherwise it is sent at once
          way.counts.longest_queue_packets = std::max<std::uint64_t>(
              way.counts.longest_queue_packets, way.from->GetQueue()->GetNPackets());
        }
      }));
}

Time CableChannel::until_last_bit(const Way& way, std::uint32_t packet_bytes) const {
  return way.rate.CalculateBytesTxTime(settings_.is_ethernet ? ethernet_bytes(packet_bytes)
                                                             : packet_bytes + kPppBytes);
}

Time CableChannel::until_free(const Way& way, std::uint32_t packet_bytes) const {
  return way.rate.CalculateBytesTxTime(
      settings_.is_ethernet ? ethernet_bytes(packet_bytes) + kGapBytes : packet_bytes + kPppBytes);
}

bool CableChannel::TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source,
                                 Time) {
  const int direction = source == ways_[0].from ? 0 : 1;
  Way& way = ways_[direction];
  const std::uint32_t packet_bytes = packet->GetSize() - kPppBytes;
  const Time sent = Simulator::Now() + until_last_bit(way, packet_bytes);
  way.free_at = Simulator::Now() + until_free(way, packet_bytes);
  if (!way.is_up) {
    drop(way, packet);
    return true;
  }
  ++way.counts.packets;
  way.frame_bytes = settings_.is_ethernet ? ethernet_bytes(packet_bytes) : packet->GetSize();
  way.counts.bytes += way.frame_bytes;
  way.counts.busy_ns += (sent - Simulator::Now()).GetNanoSeconds();
  way.last_bit_ns = sent.GetNanoSeconds();
  if (!way.has_fates) {
    arrive(way, packet, sent, 0);
    return true;
  }
  // there is one: without any the run would have been paused
  const std::vector<std::int64_t> fate = std::move(way.fates.front());
  way.fates.pop_front();
  ++way.next_fate;
  if (way.fates.empty()) {
    on_no_fates_(direction);
  }
  for (const std::int64_t extra_ns : fate) {
    arrive(way, packet, sent, extra_ns);
  }
  if (fate.empty()) {
    Simulator::Schedule(sent - Simulator::Now(), MakeEvent([this, &way, packet] {
                          drop(way, packet);  // known when the last bit has left
                        }));
  }
  return true;
}

void CableChannel::arrive(Way& way, Ptr<const Packet> packet, Time sent, std::int64_t extra_ns) {
  Time at = sent + way.propagation;
  if (!settings_.may_overtake) {
    at = std::max(at, way.last_arrival);
    way.last_arrival = at;
  }
  Time extra = NanoSeconds(extra_ns);
  if (way.is_in_order) {
    extra = std::max(extra, way.last_in_order - sent);
    way.last_in_order = sent + extra;
  }
  at += extra + way.arrival;
  while (!way.in_flight.empty() && way.in_flight.front().event.IsExpired()) {
    way.in_flight.pop_front();
  }
  const Ptr<Packet> copy = packet->Copy();
  way.in_flight.push_back(
      {Simulator::Schedule(at - Simulator::Now(), &PointToPointNetDevice::Receive, way.to, copy),
       copy});
}

void CableChannel::drop(Way& way, Ptr<const Packet> packet) {
  ++way.counts.dropped_loss;
  on_drop_(packet, "loss");
}

void CableChannel::take_back_frame(const Way& way, std::int64_t now_ns, CableCounts& counts) {
  if (way.last_bit_ns > now_ns) {
    --counts.packets;
    counts.bytes -= way.frame_bytes;
    counts.busy_ns -= way.last_bit_ns - now_ns;
  }
}

CableCounts CableChannel::counts(int direction, std::int64_t at_ns) const {
  CableCounts counts = ways_[direction].counts;
  take_back_frame(ways_[direction], at_ns, counts);
  return counts;
}

void CableChannel::expect_fates(int direction, bool is_in_order) {
  ways_[direction].has_fates = true;
  ways_[direction].is_in_order = is_in_order;
}

void CableChannel::add_fates(int direction, std::vector<std::vector<std::int64_t>> fates) {
  for (std::vector<std::int64_t>& fate : fates) {
    ways_[direction].fates.push_back(std::move(fate));
  }
}

bool CableChannel::needs_fates(int direction) const {
  return ways_[direction].has_fates && ways_[direction].fates.empty();
}

void CableChannel::set_rate(int direction, std::uint64_t rate_bit_s) {
  ways_[direction].rate = DataRate(rate_bit_s);
  ways_[direction].from->SetDataRate(ways_[direction].rate);
}

void CableChannel::set_propagation(int direction, std::int64_t propagation_ns) {
  ways_[direction].propagation = NanoSeconds(propagation_ns);
}

void CableChannel::set_up(int direction, bool is_up) {
  Way& way = ways_[direction];
  way.is_up = is_up;
  if (is_up) {
    return;
  }
  const std::int64_t now_ns = Simulator::Now().GetNanoSeconds();
  take_back_frame(way, now_ns, way.counts);
  way.last_bit_ns = std::min(way.last_bit_ns, now_ns);
  for (InFlight& packet : way.in_flight) {
    if (packet.event.IsRunning()) {
      packet.event.Cancel();
      drop(way, packet.packet);
    }
  }
  way.in_flight.clear();
  way.from->GetQueue()->Flush();
}

}  // namespace longarm_ns3
