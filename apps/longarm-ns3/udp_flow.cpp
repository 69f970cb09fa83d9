// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Datagrams carry a tag of ns-3's that names their message; it takes no bytes on the wire.
#include <stdexcept>

#include "apps/longarm-ns3/flow.h"
#include "apps/longarm-ns3/port_of.h"

namespace longarm_ns3 {

using namespace ns3;

TypeId MessageTag::GetTypeId() {
  static const TypeId id =
      TypeId("longarm_ns3::MessageTag").SetParent<Tag>().AddConstructor<MessageTag>();
  return id;
}

void MessageTag::Serialize(TagBuffer buffer) const {
  buffer.WriteU64(flow);
  buffer.WriteU64(message);
  buffer.WriteU8(to_side);
}

void MessageTag::Deserialize(TagBuffer buffer) {
  flow = buffer.ReadU64();
  message = buffer.ReadU64();
  to_side = buffer.ReadU8();
}

void MessageTag::Print(std::ostream& stream) const {
  stream << "flow " << flow << " message " << message;
}

namespace {

constexpr std::uint32_t kLongestDatagram = 65'507;

class UdpFlow final : public Flow {
 public:
  UdpFlow(std::int64_t id, const Place (&ends)[2], Tell tell) : id_(id), tell_(std::move(tell)) {
    const std::uint16_t port = port_of(id);
    for (int side = 0; side < 2; ++side) {
      sockets_[side] = Socket::CreateSocket(ends[side].node, UdpSocketFactory::GetTypeId());
      sockets_[side]->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
      sockets_[side]->Connect(InetSocketAddress(ends[1 - side].address, port));
      sockets_[side]->SetRecvCallback(
          Callback<void, Ptr<Socket>>([this, side](Ptr<Socket> socket) { receive(side, socket); }));
    }
  }

  void connect() override {}

  void send(int from, std::uint64_t message, std::uint32_t bytes) override {
    if (bytes > kLongestDatagram) {
      throw std::runtime_error("a datagram of " + std::to_string(bytes) +
                               " bytes; UDP carries at most 65507");
    }
    MessageTag tag;
    tag.flow = static_cast<std::uint64_t>(id_);
    tag.message = message;
    tag.to_side = static_cast<std::uint8_t>(1 - from);
    const Ptr<Packet> packet = Create<Packet>(bytes);
    packet->AddPacketTag(tag);
    ++counts_[from].messages_sent;
    ++counts_[from].packets_sent;
    under_way_[1 - from].insert(message);
    sockets_[from]->Send(packet);
  }

  void close(int side) override { is_closed_[side] = true; }
  void reset(int side) override { is_closed_[side] = true; }

  void lose(const MessageTag& tag, const char* reason) override {
    ++counts_[1 - tag.to_side].packets_lost;
    if (under_way_[tag.to_side].erase(tag.message) > 0 && !is_closed_[tag.to_side]) {
      tell_({id_, tag.to_side, tag.message, "lost", reason});
    }
  }

 private:
  void receive(int side, Ptr<Socket> socket) {
    while (const Ptr<Packet> packet = socket->Recv()) {
      MessageTag tag;
      // a second copy finds its message no longer under way
      if (!packet->PeekPacketTag(tag) || under_way_[side].erase(tag.message) == 0) {
        continue;
      }
      ++counts_[1 - side].messages_delivered;
      counts_[1 - side].bytes_delivered += packet->GetSize();
      if (!is_closed_[side]) {
        tell_({id_, side, tag.message, "delivered"});
      }
    }
  }

  std::int64_t id_;
  Tell tell_;
  Ptr<Socket> sockets_[2];
  std::set<std::uint64_t> under_way_[2];  // to that side
  bool is_closed_[2] = {false, false};
};

}  // namespace

std::unique_ptr<Flow> make_udp_flow(std::int64_t id, const Flow::Place (&ends)[2],
                                    Flow::Tell tell) {
  return std::make_unique<UdpFlow>(id, ends, std::move(tell));
}

}  // namespace longarm_ns3
