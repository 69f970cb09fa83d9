// SPDX-License-Identifier: Apache-2.0
// The endpoint decides; here its segments become packets and its bytes become messages.
#include "longarm/network/builtin/tcp_end.h"

#include <algorithm>
#include <utility>

#include "longarm/network/builtin/fabric.h"
#include "longarm/network/builtin/wire.h"

namespace longarm::network {

TcpEnd::TcpEnd(Core& core, std::uint32_t flow, Side side, const FlowOptions& options, FlowEnd& end,
               FlowEnd& peer)
    : core_(core),
      options_(options),
      end_(end),
      peer_(peer),
      endpoint_(options.tcp, *this),
      flow_(flow),
      side_(side) {}

void TcpEnd::connect(Time now) {
  now_ = now;
  endpoint_.connect(now);
  follow_up();
}

void TcpEnd::send(Time now, MessageId message, std::uint32_t size_bytes) {
  if (is_over_ || is_to_close_) {
    return;
  }
  now_ = now;
  ++end_.sent;
  ++end_.figures.messages_sent;
  // an empty message has to be seen, too
  const std::uint32_t bytes = std::max(size_bytes, 1U);
  written_ += bytes;
  other_->incoming_.push_back({written_, message, end_.sent, size_bytes});
  if (!is_connected_) {
    held_.push_back(bytes);
    return;
  }
  endpoint_.write(now, bytes);
  follow_up();
}

void TcpEnd::close(Time now) {
  end_.is_closed = true;
  if (is_over_) {
    return;
  }
  now_ = now;
  is_to_close_ = true;
  follow_up();
}

void TcpEnd::reset(Time now) {
  end_.is_closed = end_.is_closed || !is_stream_;  // a stream is held until it is released
  if (std::exchange(is_over_, true)) {
    return;
  }
  now_ = now;
  endpoint_.abort(now);
  follow_up();
}

void TcpEnd::receive(Time now, const tcp::Segment& segment) {
  now_ = now;
  if (is_called_) {
    receive_call(segment);
    return;
  }
  endpoint_.receive(now, segment);
  follow_up();
}

void TcpEnd::timer(Time now, std::uint32_t version) {
  if (version != timer_version_) {
    return;  // an earlier one took its place
  }
  timer_at_ = Time::max();
  now_ = now;
  if (endpoint_.deadline() <= now) {
    endpoint_.wake(now);
  }
  follow_up();
}

void TcpEnd::follow_up() {
  while (is_connected_ && !held_.empty()) {
    const std::uint32_t bytes = held_.front();
    held_.pop_front();
    endpoint_.write(now_, bytes);
  }
  if (is_to_close_ && is_connected_ && !is_over_) {
    is_over_ = true;
    endpoint_.close(now_);
  }
  if (is_stream_) {
    tell_if_writable();
  }
  // the deadline moves with every segment; its event is moved only if it would come too late
  const Time deadline = endpoint_.deadline();
  if (deadline < timer_at_) {
    timer_at_ = std::max(deadline, now_);
    core_.events.push(timer_at_, EventKind::kTimer, end_of(flow_, side_), ++timer_version_);
  }
}

void TcpEnd::tell(Fate fate, MessageId message, std::uint64_t order) {
  if (!end_.is_closed) {
    core_.due.add({now_, FlowId(flow_), message, side_, fate}, order);
  }
}

void TcpEnd::transmit(const tcp::Segment& segment) {
  const PacketIndex index = core_.packets.take();
  NetworkPacket& packet = core_.packets[index];
  packet.source = end_.node;
  packet.destination = end_.peer_node;
  packet.flow = flow_;
  packet.ip_bytes = kIpHeaderBytes + segment.header_bytes(options_.tcp) + segment.length;
  packet.payload_bytes = segment.length;
  packet.fragment_offset = 0;
  packet.fragment = 0;
  packet.identification = core_.next_identification++;
  packet.has_more_fragments = false;
  packet.transport = Transport::kTcp;
  packet.from = side_;
  packet.priority = static_cast<std::uint8_t>(options_.priority);
  packet.segment = segment;
  const tcp::Offset end =
      segment.sequence + segment.length + (segment.is_syn || segment.is_fin ? 1U : 0U);
  packet.is_retransmission = end > segment.sequence && end <= sent_end_;
  sent_end_ = std::max(sent_end_, end > segment.sequence ? end : 0);
  ++end_.figures.packets_sent;
  ++end_.packets_under_way;
  core_.fabric->forward(now_, end_.node, index);
}

void TcpEnd::connected() {
  is_connected_ = true;
  if (is_stream_) {
    end_.is_closed = end_.is_closed && side_ == Side::kOpener;
    tell(StreamNews::What::kConnected);
    return;
  }
  tell(Fate::kConnected, MessageId{}, DueDeliveries::kFirst);
}

void TcpEnd::readable(tcp::Offset offset) {
  if (is_stream_) {
    peer_.figures.bytes_delivered = offset - 1;
    tell(StreamNews::What::kReadable, offset - 1);
    return;
  }
  while (!incoming_.empty() && incoming_.front().end <= offset) {
    const Incoming& message = incoming_.front();
    if (!end_.is_closed) {
      ++peer_.figures.messages_delivered;
      peer_.figures.bytes_delivered += message.size_bytes;
      tell(Fate::kDelivered, message.message, message.order);
    }
    incoming_.pop_front();
  }
}

std::optional<MessageId> TcpEnd::incoming_at(tcp::Offset offset) const {
  // ends only grow
  std::size_t low = 0;
  std::size_t high = incoming_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (incoming_[middle].end > offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  // what the first one begins with may have been delivered together with those before it
  const bool is_known = low < incoming_.size() &&
                        offset + std::max(incoming_[low].size_bytes, 1U) >= incoming_[low].end;
  return is_known ? std::optional(incoming_[low].message) : std::nullopt;
}

void TcpEnd::peer_closed() {
  if (is_stream_) {
    tell(StreamNews::What::kFin);
    return;
  }
  tell(Fate::kReset, MessageId{}, DueDeliveries::kLast);
  end_.is_closed = true;
  is_to_close_ = true;  // nobody would hear what we still have to say
}

void TcpEnd::reset(tcp::Ending why) {
  if (is_stream_) {
    is_over_ = true;
    tell(StreamNews::What::kFailed, 0,
         why == tcp::Ending::kRefused ? StreamFailure::kRefused
         : why == tcp::Ending::kReset ? StreamFailure::kReset
                                      : StreamFailure::kTimedOut);
    return;
  }
  tell(Fate::kReset, MessageId{}, DueDeliveries::kLast);
  end_.is_closed = true;
  is_over_ = true;
}

FlowFigures TcpEnd::figures() const {
  FlowFigures figures = end_.figures;
  const tcp::Counters& counters = endpoint_.counters();
  figures.retransmissions = counters.retransmissions;
  figures.timeouts = counters.timeouts;
  figures.tail_probes = counters.tail_probes;
  figures.duplicate_acks = counters.duplicate_acks;
  return figures;
}

}  // namespace longarm::network
