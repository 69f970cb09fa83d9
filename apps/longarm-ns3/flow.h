// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// A flow between two hosts: sockets of ns-3 and the messages that cross them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "ns3/internet-module.h"
#include "ns3/network-module.h"

namespace longarm_ns3 {

/// Something that the protocol tells of.
struct Happening {
  std::int64_t flow = 0;
  int side = 0;
  std::uint64_t message = 0;
  const char* fate = "";         ///< connected, delivered, lost or reset
  const char* reason = nullptr;  ///< of a loss
};

/// Says of a datagram, on its way through ns-3, which message it is.
class MessageTag final : public ns3::Tag {
 public:
  static ns3::TypeId GetTypeId();
  ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  std::uint32_t GetSerializedSize() const override { return 17; }
  void Serialize(ns3::TagBuffer buffer) const override;
  void Deserialize(ns3::TagBuffer buffer) override;
  void Print(std::ostream& stream) const override;

  std::uint64_t flow = 0;
  std::uint64_t message = 0;
  std::uint8_t to_side = 0;
};

struct FlowCounts {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_delivered = 0;
  std::uint64_t bytes_delivered = 0;
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_lost = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
};

class Flow {
 public:
  using Tell = std::function<void(const Happening&)>;
  struct Place {
    ns3::Ptr<ns3::Node> node;
    ns3::Ipv4Address address;
  };

  virtual ~Flow() = default;
  virtual void connect() = 0;
  virtual void send(int from, std::uint64_t message, std::uint32_t bytes) = 0;
  virtual void close(int side) = 0;
  virtual void reset(int side) = 0;
  /// A datagram of this flow went no further.
  virtual void lose(const MessageTag&, const char* /*reason*/) {}

  /// Of what goes from that side.
  const FlowCounts& counts(int side) const { return counts_[side]; }

 protected:
  FlowCounts counts_[2];
};

/// Both throw std::runtime_error that names what ns-3 cannot do.
std::unique_ptr<Flow> make_udp_flow(std::int64_t id, const Flow::Place (&ends)[2], Flow::Tell tell);
std::unique_ptr<Flow> make_tcp_flow(std::int64_t id, const Flow::Place (&ends)[2],
                                    const nlohmann::json& options, Flow::Tell tell);

}  // namespace longarm_ns3
