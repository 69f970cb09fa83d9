// SPDX-License-Identifier: Apache-2.0
// Packets of the built-in network: sizes and headers, never contents, in slots that are used again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "longarm/network/backend.h"
#include "longarm/network/builtin/tcp/tcp_endpoint.h"

namespace longarm::network {

using PacketIndex = std::uint32_t;
constexpr PacketIndex kNoPacket = UINT32_MAX;

struct NetworkPacket {
  std::uint64_t arrival = 0;  ///< order of the event that is to bring it; any other is out of date
  Time queued_at{};
  PacketIndex next = kNoPacket;  ///< in a queue, or among the free
  std::uint32_t epoch = 0;       ///< of the port that sent it: how often it had gone down
  NodeId source{};
  NodeId destination{};
  std::uint32_t flow = 0;
  std::uint32_t datagram = 0;         ///< which message it is of, unless TCP
  std::uint32_t ip_bytes = 0;         ///< with the headers of IP and above
  std::uint32_t payload_bytes = 0;    ///< of messages
  std::uint32_t datagram_bytes = 0;   ///< of the whole message, unless TCP
  std::uint32_t fragment_offset = 0;  ///< bytes behind the IP header that earlier fragments carry
  std::uint16_t fragment = 0;
  std::uint16_t identification = 0;  ///< of IP
  bool has_more_fragments = false;
  bool is_retransmission = false;  ///< of TCP: all that it carries has been sent before
  Transport transport{};
  Side from{};
  std::uint8_t priority = 0;
  DropReason drop_reason{};  ///< of one that a link model has given up
  tcp::Segment segment;      ///< if TCP
};

/// Addresses stay the same while packets come and go.
class PacketPool {
 public:
  NetworkPacket& operator[](PacketIndex index) {
    return (*blocks_[index / kBlock])[index % kBlock];
  }
  const NetworkPacket& operator[](PacketIndex index) const {
    return (*blocks_[index / kBlock])[index % kBlock];
  }

  /// What is in it is what its last user left, but for the arrival, why it is dropped and
  /// whether it is a retransmission.
  PacketIndex take() {
    if (free_ == kNoPacket) {
      add_block();
    }
    const PacketIndex index = free_;
    free_ = (*this)[index].next;
    return index;
  }
  void release(PacketIndex index) {
    NetworkPacket& packet = (*this)[index];
    packet.arrival = 0;
    packet.drop_reason = DropReason::kLoss;
    packet.is_retransmission = false;
    packet.next = free_;
    free_ = index;
  }
  PacketIndex copy(PacketIndex index) {
    const PacketIndex copied = take();
    (*this)[copied] = (*this)[index];
    return copied;
  }

 private:
  static constexpr std::uint32_t kBlock = 256;
  using Block = std::array<NetworkPacket, kBlock>;

  void add_block() {
    const auto first = static_cast<PacketIndex>(blocks_.size() * kBlock);
    blocks_.push_back(std::make_unique<Block>());
    for (std::uint32_t i = kBlock; i-- > 0;) {
      release(first + i);
    }
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  PacketIndex free_ = kNoPacket;
};

}  // namespace longarm::network
