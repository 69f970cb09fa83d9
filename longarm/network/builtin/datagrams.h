// SPDX-License-Identifier: Apache-2.0
// Messages that are datagrams: cut to the size that cables carry, put together again, or lost.
#pragma once

#include <cstdint>
#include <vector>

#include "longarm/network/backend.h"
#include "longarm/network/builtin/core.h"

namespace longarm::network {

/// UDP, and messages without any transport. A message arrives once, when the last of its parts
/// does, or is lost as soon as one part can arrive no more. One for programs arrives as often as
/// all of its parts do, and is lost only when nothing of it is under way any more.
class Datagrams {
 public:
  explicit Datagrams(Core& core) : core_(core) {}

  struct Request {
    std::uint32_t flow = 0;
    Side from{};
    Transport transport{};
    int priority = 0;
    MessageId message{};
    std::uint32_t size_bytes = 0;
    bool is_for_programs = false;
  };
  void send(Time now, const Request& request, FlowEnd& sender);
  void arrived(Time now, const NetworkPacket& packet, FlowEnd& sender, const FlowEnd& receiver);
  void dropped(Time now, const NetworkPacket& packet, DropReason reason, FlowEnd& sender,
               const FlowEnd& receiver);
  void copied(const NetworkPacket& packet) { ++parts_of(packet)[packet.fragment].under_way; }
  MessageId message_of(const NetworkPacket& packet) const {
    return datagrams_[packet.datagram].message;
  }

 private:
  struct Part {
    std::uint32_t under_way = 0;
    bool has_arrived = false;
  };
  struct Datagram {
    MessageId message{};
    std::uint64_t order = 0;
    std::uint32_t size_bytes = 0;
    std::uint32_t parts_missing = 0;
    std::uint32_t packets_under_way = 0;
    bool is_lost = false;  ///< or, for programs, over: they have been told so
    bool is_for_programs = false;
    Side from{};
    std::uint32_t flow = 0;
    std::vector<Part> parts;
  };

  std::vector<Part>& parts_of(const NetworkPacket& packet) {
    Datagram& datagram = datagrams_[packet.datagram];
    ++datagram.packets_under_way;
    return datagram.parts;
  }
  void tell_programs(Time now, Datagram& datagram, StreamNews::What what, bool is_last);
  /// If this was the last of it, and programs have not heard so.
  void end_for_programs(Time now, Datagram& datagram);
  std::uint32_t take();
  void forget_one(std::uint32_t index);

  Core& core_;
  std::vector<Datagram> datagrams_;
  std::vector<std::uint32_t> free_;
};

}  // namespace longarm::network
