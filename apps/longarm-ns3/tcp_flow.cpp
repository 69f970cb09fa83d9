// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// A message is a stretch of the stream: it is delivered when its last byte can be read.
#include <algorithm>
#include <stdexcept>

#include "apps/longarm-ns3/flow.h"
#include "apps/longarm-ns3/port_of.h"
#include "apps/longarm-ns3/tcp_settings.h"

namespace longarm_ns3 {

using namespace ns3;

namespace {

class TcpFlow final : public Flow {
 public:
  TcpFlow(std::int64_t id, const Place (&ends)[2], const nlohmann::json& options, Tell tell)
      : id_(id), tell_(std::move(tell)), to_(ends[1].address, port_of(id)) {
    check_tcp(options);
    listening_ = make_tcp_socket(ends[1].node, options);
    listening_->Bind(InetSocketAddress(Ipv4Address::GetAny(), to_.GetPort()));
    listening_->Listen();
    listening_->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>(
            [this](Ptr<Socket> socket, const Address&) { accept(socket); }));
    ends_[0].socket = make_tcp_socket(ends[0].node, options);
    ends_[0].socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { connected(0); }),
        Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { gone(0); }));
    watch(0);
  }

  void connect() override { ends_[0].socket->Connect(to_); }

  void send(int from, std::uint64_t message, std::uint32_t bytes) override {
    if (bytes == 0) {
      throw std::runtime_error("an empty message, which TCP cannot carry");
    }
    End& end = ends_[from];
    if (end.is_closed) {
      return;
    }
    ++counts_[from].messages_sent;
    end.written += bytes;
    end.messages.push_back({message, bytes, end.written});
    flush(end);
  }

  void close(int side) override {
    ends_[side].is_deaf = true;
    ends_[side].is_closed = true;
    flush(ends_[side]);
  }

  void reset(int side) override {
    End& end = ends_[side];
    if (!end.is_gone && end.socket) {
      end.is_gone = true;
      end.is_deaf = true;
      end.is_closed = true;
      send_reset(end.socket);
    }
  }

 private:
  struct Message {
    std::uint64_t id;
    std::uint32_t bytes;
    std::uint64_t end;  // in the stream
  };
  struct End {
    Ptr<TcpSocketBase> socket;
    std::deque<Message> messages;  // sent from here and not delivered yet
    std::uint64_t written = 0;     // by the program
    std::uint64_t handed = 0;      // to the socket, which has room for so much only
    std::uint64_t received = 0;
    bool is_connected = false;
    bool is_deaf = false;      // the program here wants to hear no more
    bool is_closed = false;    // after what is written, FIN
    bool is_finished = false;  // FIN handed to the socket
    bool is_gone = false;
    std::uint32_t highest_sent = 0;
    Time data_taken_at = Time::Max();
  };

  void accept(Ptr<Socket> socket) {
    ends_[1].socket = DynamicCast<TcpSocketBase>(socket);
    watch(1);
    connected(1);
  }

  void watch(int side) {
    const Ptr<TcpSocketBase> socket = ends_[side].socket;
    socket->SetRecvCallback(
        Callback<void, Ptr<Socket>>([this, side](Ptr<Socket>) { receive(side); }));
    socket->SetSendCallback(Callback<void, Ptr<Socket>, std::uint32_t>(
        [this, side](Ptr<Socket>, std::uint32_t) { flush(ends_[side]); }));
    const Callback<void, Ptr<Socket>> gone_here([this, side](Ptr<Socket>) { gone(side); });
    socket->SetCloseCallbacks(gone_here, gone_here);  // by FIN, or by RST and for want of answers
    using Sent = Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>;
    socket->TraceConnectWithoutContext(
        "Tx", Sent([this, side](Ptr<const Packet> packet, const TcpHeader& header,
                                Ptr<const TcpSocketBase>) { count(side, packet, header); }));
    using State = Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>;
    socket->TraceConnectWithoutContext(
        "CongState",
        State([this, side](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state) {
          counts_[side].timeouts += state == TcpSocketState::CA_LOSS ? 1 : 0;
        }));
  }

  void count(int side, Ptr<const Packet> packet, const TcpHeader& header) {
    ++counts_[side].packets_sent;
    if (packet->GetSize() == 0) {
      return;
    }
    const std::uint32_t end = header.GetSequenceNumber().GetValue() + packet->GetSize();
    End& from = ends_[side];
    if (static_cast<std::int32_t>(end - from.highest_sent) > 0) {
      from.highest_sent = end;
    } else {
      ++counts_[side].retransmissions;
    }
  }

  void connected(int side) {
    ends_[side].is_connected = true;
    tell_({id_, side, 0, "connected"});
    flush(ends_[side]);
  }

  void gone(int side) {
    End& end = ends_[side];
    if (end.is_gone || end.is_finished) {
      return;
    }
    end.is_gone = true;
    if (!end.is_deaf) {
      tell_({id_, side, 0, "reset"});
    }
  }

  /// As much as the socket has room for; the end of the stream after the last of it.
  void flush(End& end) {
    if (!end.is_connected || end.is_gone) {
      return;
    }
    const std::uint64_t bytes =
        std::min<std::uint64_t>(end.written - end.handed, end.socket->GetTxAvailable());
    if (bytes > 0) {
      end.handed += bytes;
      end.socket->Send(Create<Packet>(static_cast<std::uint32_t>(bytes)), 0);
      // a program that answers while ns-3 hands it the data has no nanosecond to wait
      if (end.data_taken_at == Simulator::Now()) {
        send_pending_data(end.socket);
      }
    }
    if (end.is_closed && !end.is_finished && end.handed == end.written) {
      end.is_finished = true;
      end.socket->Close();
    }
  }

  void receive(int side) {
    End& end = ends_[side];
    while (const Ptr<Packet> packet = end.socket->Recv(UINT32_MAX, 0)) {
      if (packet->GetSize() == 0) {
        break;  // the end of the stream
      }
      end.received += packet->GetSize();
      end.data_taken_at = Simulator::Now();
    }
    std::deque<Message>& messages = ends_[1 - side].messages;
    while (!messages.empty() && messages.front().end <= end.received) {
      const Message message = messages.front();
      messages.pop_front();
      ++counts_[1 - side].messages_delivered;
      counts_[1 - side].bytes_delivered += message.bytes;
      if (!end.is_deaf) {
        tell_({id_, side, message.id, "delivered"});
      }
    }
  }

  std::int64_t id_;
  Tell tell_;
  InetSocketAddress to_;
  Ptr<TcpSocketBase> listening_;
  End ends_[2];
};

}  // namespace

std::unique_ptr<Flow> make_tcp_flow(std::int64_t id, const Flow::Place (&ends)[2],
                                    const nlohmann::json& options, Flow::Tell tell) {
  return std::make_unique<TcpFlow>(id, ends, options, std::move(tell));
}

}  // namespace longarm_ns3
