// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// A cable of the topology: ns-3's point-to-point devices, with framing, fates and changes added.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

namespace longarm_ns3 {

/// As the protocol has it; times in nanoseconds.
struct CableSettings {
  std::uint64_t rate_bit_s = 0;
  std::int64_t propagation_ns = 0;
  bool is_ethernet = true;  ///< otherwise ns-3's own two bytes of PPP
  bool may_overtake = false;
  std::int64_t limit_packets = 1000;
};

/// What one direction did.
struct CableCounts {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped_queue = 0;
  std::uint64_t dropped_loss = 0;
  std::uint64_t longest_queue_packets = 0;
  std::int64_t busy_ns = 0;  ///< sending, without gaps between frames
};

class CableChannel final : public ns3::PointToPointChannel {
 public:
  /// Told when a packet goes no further.
  using OnDrop = std::function<void(ns3::Ptr<const ns3::Packet>, const char* reason)>;
  /// Told when there are no more fates for packets of this direction.
  using OnNoFates = std::function<void(int direction)>;

  /// Makes the two devices. `arrival_ns` is added at each end: what a switch there takes.
  void connect(const CableSettings& settings, ns3::Ptr<ns3::Node> first, ns3::Ptr<ns3::Node> second,
               std::uint16_t mtu_bytes, const std::int64_t (&arrival_ns)[2]);
  void set_callbacks(OnDrop on_drop, OnNoFates on_no_fates);

  ns3::Ptr<ns3::PointToPointNetDevice> device(int end) const { return ways_[end].from; }

  /// From now on packets of this direction need a fate each.
  void expect_fates(int direction, bool is_in_order);
  /// Of the packets from number `first` on: extra nanoseconds of each copy; none: lost.
  void add_fates(int direction, std::vector<std::vector<std::int64_t>> fates);
  std::uint64_t next_fate(int direction) const { return ways_[direction].next_fate; }
  bool needs_fates(int direction) const;

  void set_rate(int direction, std::uint64_t rate_bit_s);
  void set_propagation(int direction, std::int64_t propagation_ns);
  void set_up(int direction, bool is_up);

  bool is_ethernet() const { return settings_.is_ethernet; }

  /// As they are then: a frame counts once its last bit has left.
  CableCounts counts(int direction, std::int64_t at_ns) const;

  bool TransmitStart(ns3::Ptr<const ns3::Packet> packet,
                     ns3::Ptr<ns3::PointToPointNetDevice> source, ns3::Time sending) override;

 private:
  struct InFlight {
    ns3::EventId event;
    ns3::Ptr<const ns3::Packet> packet;
  };
  /// One direction; `from` is the device that sends into it.
  struct Way {
    ns3::Ptr<ns3::PointToPointNetDevice> from;
    ns3::Ptr<ns3::PointToPointNetDevice> to;
    ns3::DataRate rate;
    ns3::Time propagation;
    ns3::Time arrival;
    bool is_up = true;
    bool has_fates = false;
    bool is_in_order = false;
    std::deque<std::vector<std::int64_t>> fates;
    std::uint64_t next_fate = 0;
    ns3::Time last_in_order;
    ns3::Time last_arrival;
    ns3::Time free_at;
    std::int64_t last_bit_ns = 0;  // of the frame sent last
    std::uint32_t frame_bytes = 0;
    std::deque<InFlight> in_flight;
    CableCounts counts;
  };

  void watch(int direction);
  ns3::Time until_last_bit(const Way& way, std::uint32_t packet_bytes) const;
  ns3::Time until_free(const Way& way, std::uint32_t packet_bytes) const;
  void arrive(Way& way, ns3::Ptr<const ns3::Packet> packet, ns3::Time sent, std::int64_t extra_ns);
  void drop(Way& way, ns3::Ptr<const ns3::Packet> packet);
  static void take_back_frame(const Way& way, std::int64_t now_ns, CableCounts& counts);

  CableSettings settings_;
  OnDrop on_drop_;
  OnNoFates on_no_fates_;
  Way ways_[2];
};

}  // namespace longarm_ns3
