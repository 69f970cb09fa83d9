// SPDX-License-Identifier: Apache-2.0
// Fragments by the rules of IP: all but the last carry a multiple of eight bytes.
#include "longarm/network/builtin/datagrams.h"

#include <algorithm>

#include "longarm/network/builtin/fabric.h"
#include "longarm/network/builtin/wire.h"

namespace longarm::network {
namespace {

constexpr std::uint32_t kLargestUdpBytes = 65'507;

}  // namespace

std::uint32_t Datagrams::take() {
  if (free_.empty()) {
    datagrams_.emplace_back();
    return static_cast<std::uint32_t>(datagrams_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

void Datagrams::forget_one(std::uint32_t index) {
  if (--datagrams_[index].packets_under_way == 0) {
    free_.push_back(index);
  }
}

void Datagrams::send(Time now, const Request& request, FlowEnd& sender) {
  ++sender.sent;
  ++sender.figures.messages_sent;
  const bool is_udp = request.transport == Transport::kUdp;
  if (is_udp && request.size_bytes > kLargestUdpBytes) {
    // no such datagram can be sent; a socket would refuse it
    core_.due.add({now, FlowId(request.flow), request.message, other(request.from), Fate::kLost},
                  sender.sent);
    return;
  }

  // what follows the IP header is cut; a raw message has none and is never cut
  const std::uint32_t total = request.size_bytes + (is_udp ? kUdpHeaderBytes : 0);
  const std::uint32_t most = is_udp ? (core_.mtu_bytes - kIpHeaderBytes) : UINT32_MAX;
  const std::uint32_t step = total <= most ? total : most / 8 * 8;
  const std::uint32_t count = total <= most ? 1 : (total + step - 1) / step;

  const std::uint32_t index = take();
  Datagram& datagram = datagrams_[index];
  datagram.message = request.message;
  datagram.order = sender.sent;
  datagram.size_bytes = request.size_bytes;
  datagram.parts_missing = count;
  datagram.packets_under_way = count + 1;  // one for us, until all are on their way
  datagram.is_lost = false;
  datagram.is_for_programs = request.is_for_programs;
  datagram.from = request.from;
  datagram.flow = request.flow;
  datagram.parts.assign(count, {1, false});

  const std::uint16_t identification = core_.next_identification++;
  for (std::uint32_t part = 0; part < count; ++part) {
    const PacketIndex packet_index = core_.packets.take();
    NetworkPacket& packet = core_.packets[packet_index];
    const std::uint32_t offset = part * step;
    const std::uint32_t length = std::min(step, total - offset);
    packet.source = sender.node;
    packet.destination = sender.peer_node;
    packet.flow = request.flow;
    packet.datagram = index;
    packet.datagram_bytes = request.size_bytes;
    packet.ip_bytes = length + (is_udp ? kIpHeaderBytes : 0);
    packet.payload_bytes = part == 0 && is_udp ? length - kUdpHeaderBytes : length;
    packet.fragment_offset = offset;
    packet.fragment = static_cast<std::uint16_t>(part);
    packet.identification = identification;
    packet.has_more_fragments = part + 1 < count;
    packet.transport = request.transport;
    packet.from = request.from;
    packet.priority = static_cast<std::uint8_t>(request.priority);
    ++sender.figures.packets_sent;
    core_.fabric->forward(now, sender.node, packet_index);
  }
  end_for_programs(now, datagrams_[index]);
  forget_one(index);
}

void Datagrams::arrived(Time now, const NetworkPacket& packet, FlowEnd& sender,
                        const FlowEnd& receiver) {
  Datagram& datagram = datagrams_[packet.datagram];
  Part& part = datagram.parts[packet.fragment];
  --part.under_way;
  if (part.has_arrived) {
    ++sender.figures.duplicates;
  } else {
    part.has_arrived = true;
    if (--datagram.parts_missing == 0 && !receiver.is_closed) {
      ++sender.figures.messages_delivered;
      sender.figures.bytes_delivered += datagram.size_bytes;
      if (datagram.is_for_programs) {
        tell_programs(now, datagram, StreamNews::What::kDatagram, datagram.packets_under_way == 1);
        datagram.parts_missing = static_cast<std::uint32_t>(datagram.parts.size());
        for (Part& each : datagram.parts) {
          each.has_arrived = false;
        }
        forget_one(packet.datagram);
        return;
      }
      core_.due.add({now, FlowId(packet.flow), datagram.message, other(packet.from)},
                    datagram.order);
    }
  }
  end_for_programs(now, datagram);
  forget_one(packet.datagram);
}

void Datagrams::tell_programs(Time now, Datagram& datagram, StreamNews::What what, bool is_last) {
  datagram.is_lost = is_last;
  core_.news.push_back({now,
                        FlowId(datagram.flow),
                        other(datagram.from),
                        what,
                        {},
                        is_last,
                        static_cast<std::uint64_t>(datagram.message)});
}

void Datagrams::end_for_programs(Time now, Datagram& datagram) {
  if (datagram.is_for_programs && datagram.packets_under_way == 1 && !datagram.is_lost) {
    tell_programs(now, datagram, StreamNews::What::kLost, true);
  }
}

void Datagrams::dropped(Time now, const NetworkPacket& packet, DropReason reason, FlowEnd& sender,
                        const FlowEnd& receiver) {
  ++sender.figures.packets_lost;
  Datagram& datagram = datagrams_[packet.datagram];
  Part& part = datagram.parts[packet.fragment];
  --part.under_way;
  if (datagram.is_for_programs) {
    end_for_programs(now, datagram);
  } else if (part.under_way == 0 && !part.has_arrived && !datagram.is_lost && !receiver.is_closed) {
    datagram.is_lost = true;
    core_.due.add(
        {now, FlowId(packet.flow), datagram.message, other(packet.from), Fate::kLost, reason},
        datagram.order);
  }
  forget_one(packet.datagram);
}

}  // namespace longarm::network
