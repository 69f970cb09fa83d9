// SPDX-License-Identifier: Apache-2.0
// Computers, switches and the cables between them, as data: what a network backend is built from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// Index of a host or switch in Topology::nodes.
enum class NodeId : std::uint32_t {};
/// Index of a cable in Topology::cables.
enum class CableId : std::uint32_t {};

/// What is put around an IP packet on a cable, and how long the cable rests between two frames.
enum class Framing : std::uint8_t {
  kEthernet,  ///< 14 + 4 bytes, padded to 64, 8 of preamble; 12 of gap
  kPpp,       ///< 2 bytes and no gap, as ns-3's point-to-point devices have it
  kNone       ///< no headers at all, not even of IP: the size of the message is what crosses
};

enum class QueueKind : std::uint8_t { kDropTail, kCoDel };

/// Where frames wait for their cable, at each end of it.
struct QueueSettings {
  QueueKind kind = QueueKind::kDropTail;
  std::int64_t limit_packets = 1000;  ///< waiting, without the one being sent; per priority
  std::int64_t limit_bytes = 0;       ///< 0: no such limit
  Duration target{5'000'000};         ///< CoDel's
  Duration interval{100'000'000};
  int priorities = 1;  ///< strict: a lower number always goes first
};

/// Which way along a cable.
enum class Direction : std::uint8_t { kForward, kBackward };  // first end to second, and back

/// From `at` on, one or both directions of a cable are like this; what is absent stays.
struct CableChange {
  Time at{};
  std::optional<Direction> direction;  ///< none: both
  std::optional<double> rate_bit_s;
  std::optional<Duration> propagation;
  std::optional<bool> is_up;  ///< what is on a cable or waits for it when it goes down is lost
  /// What else happens to packets that leave their queue from now on; null: as before.
  std::shared_ptr<const LinkModel> impairment{};
};

struct Cable {
  std::string name;
  NodeId ends[2]{};
  std::optional<double> rate_bit_s;  ///< none: sending takes no time
  Duration propagation{0};
  Framing framing = Framing::kEthernet;
  QueueSettings queue;
  /// What else happens to packets, per direction, after they left the queue; null: nothing. The
  /// link's random streams are named "<cable>.<sending node>" unless `stream` says otherwise.
  std::shared_ptr<const LinkModel> impairment[2];
  std::string stream[2];
  bool may_overtake = false;  ///< whether a shorter propagation lets packets pass those in flight
  std::vector<CableChange> changes;  ///< in order of time
};

struct Node {
  std::string name;
  bool is_switch = false;
  Duration forwarding{0};  ///< a switch's own, between the last bit in and the queue out
};

/// At `node`, what goes to `destination` leaves by `cable`. Where none is given: fewest cables,
/// then the cable that stands first.
struct Route {
  NodeId node{};
  NodeId destination{};
  CableId cable{};
};

struct Topology {
  std::vector<Node> nodes;
  std::vector<Cable> cables;
  std::vector<Route> routes;
  std::int64_t mtu_bytes = 1500;

  std::optional<NodeId> find(std::string_view name) const;
};

/// What every node does with packets for every other.
class RoutingTable {
 public:
  /// Names every pair without a way and every way that runs in circles.
  static Result<RoutingTable> make(const Topology& topology);
  CableId next(NodeId at, NodeId destination) const;

 private:
  std::size_t node_count_ = 0;
  std::vector<CableId> next_;
};

}  // namespace longarm::network
