// SPDX-License-Identifier: Apache-2.0
// One end of a TCP flow in the built-in network: messages in and out of a byte stream, one timer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "longarm/network/backend.h"
#include "longarm/network/builtin/core.h"
#include "longarm/network/builtin/tcp/tcp_endpoint.h"
#include "longarm/network/ring.h"

namespace longarm::network {

class TcpEnd final : private tcp::Owner {
 public:
  /// `end` is what the flow says of this side, `peer` of the other; `options` outlive it.
  TcpEnd(Core& core, std::uint32_t flow, Side side, const FlowOptions& options, FlowEnd& end,
         FlowEnd& peer);

  /// Timers of an earlier flow of the same id may still be under way: none of them is ours.
  void continue_timers(const TcpEnd& earlier) { timer_version_ = earlier.timer_version_; }
  /// Once, before anything else.
  void join(TcpEnd& other_end) { other_ = &other_end; }
  void listen() { endpoint_.listen(); }
  /// Once, before anything else: bytes instead of messages. They wait to be read, each direction
  /// ends by itself, and a peer answers a call when it is told to.
  void carry_stream();
  void connect(Time now);
  void send(Time now, MessageId message, std::uint32_t size_bytes);
  void close(Time now);
  void reset(Time now);
  void receive(Time now, const tcp::Segment& segment);
  void timer(Time now, std::uint32_t version);

  // of streams
  void answer(Time now, StreamBackend::Answer answer);
  void write(Time now, std::uint32_t bytes);
  /// Whether the window is to be updated.
  bool read(std::uint64_t bytes) { return endpoint_.read(bytes); }
  void update_window(Time now);
  void change(Time now, const StreamChange& change);
  void shut_down(Time now);
  void release(Time now);
  void await(std::uint64_t acknowledged) { awaited_ = acknowledged + 1; }
  StreamState state() const;
  /// The SYN that waits for an answer goes over to `end`, which takes this one's place.
  void hand_over_call(TcpEnd& end) { end.call_ = std::move(call_); }

  /// As long as nothing arrives and nobody asks for anything, nothing will happen here; and nobody
  /// has a reason to ask.
  bool is_at_rest() const {
    return (end_.is_closed || (!is_connected_ && !is_stream_)) && endpoint_.is_at_rest() && !call_;
  }

  /// The message that a byte of the peer's stream is of; nothing: it has been delivered.
  std::optional<MessageId> incoming_at(tcp::Offset offset) const;

  /// With what the endpoint has counted.
  FlowFigures figures() const;
  const tcp::Endpoint& endpoint() const { return endpoint_; }

 private:
  /// Where a message that the peer wrote ends in its stream.
  struct Incoming {
    tcp::Offset end = 0;
    MessageId message{};
    std::uint64_t order = 0;
    std::uint32_t size_bytes = 0;
  };

  void transmit(const tcp::Segment& segment) override;
  void connected() override;
  void readable(tcp::Offset offset) override;
  void peer_closed() override;
  void reset(tcp::Ending why) override;

  void receive_call(const tcp::Segment& segment);
  void tell(StreamNews::What what, std::uint64_t value = 0, StreamFailure why = {});
  void tell_if_writable();
  void tell(Fate fate, MessageId message, std::uint64_t order);
  /// After every call to the endpoint: what had to wait for its end, and the timer.
  void follow_up();

  Core& core_;
  const FlowOptions& options_;
  FlowEnd& end_;
  FlowEnd& peer_;
  TcpEnd* other_ = nullptr;
  tcp::Endpoint endpoint_;
  Ring<Incoming> incoming_;
  Ring<std::uint32_t> held_;  // written before the connection stands
  tcp::Offset written_ = 1;
  tcp::Offset sent_end_ = 0;  // nothing at or behind it has been sent yet
  Time now_{};
  Time timer_at_ = Time::max();
  std::uint32_t timer_version_ = 0;
  std::uint32_t flow_;
  Side side_;
  bool is_connected_ = false;
  bool is_over_ = false;
  bool is_to_close_ = false;
  bool is_stream_ = false;
  bool is_called_ = false;  // a peer of a stream that has not said yet whether it answers
  tcp::Offset awaited_ = UINT64_MAX;
  std::unique_ptr<tcp::Segment> call_;
};

}  // namespace longarm::network
