// SPDX-License-Identifier: Apache-2.0
// What an end of a TCP flow does for a program's bytes that it does not do for messages.
#include "longarm/network/builtin/tcp_end.h"

namespace longarm::network {

// An end is closed while nobody holds it.
void TcpEnd::carry_stream() {
  is_stream_ = true;
  is_called_ = side_ == Side::kPeer;
  end_.is_closed = is_called_;
  endpoint_.read_by_hand();
}

void TcpEnd::receive_call(const tcp::Segment& segment) {
  if (segment.is_rst || !segment.is_syn || segment.is_ack) {
    return;
  }
  if (call_ == nullptr) {
    call_ = std::make_unique<tcp::Segment>(segment);
    core_.news.push_back({now_, FlowId(flow_), side_, StreamNews::What::kCalled});
  }
}

void TcpEnd::answer(Time now, StreamBackend::Answer answer) {
  now_ = now;
  const std::unique_ptr<tcp::Segment> call = std::move(call_);
  if (call == nullptr || answer == StreamBackend::Answer::kIgnore) {
    return;
  }
  is_called_ = answer == StreamBackend::Answer::kRefuse;  // the next SYN is another call
  if (answer == StreamBackend::Answer::kAccept) {
    endpoint_.listen();
  }
  endpoint_.receive(now, *call);  // who does not listen resets
  follow_up();
}

void TcpEnd::write(Time now, std::uint32_t bytes) {
  if (is_over_ || is_to_close_) {
    return;
  }
  now_ = now;
  written_ += bytes;
  if (!is_connected_) {
    held_.push_back(bytes);
    return;
  }
  endpoint_.write(now, bytes);
  follow_up();
}

void TcpEnd::update_window(Time now) {
  now_ = now;
  endpoint_.update_window(now);
  follow_up();
}

void TcpEnd::change(Time now, const StreamChange& change) {
  now_ = now;
  switch (change.what) {
    case StreamChange::What::kNodelay:
      endpoint_.set_nodelay(now, change.is_on);
      break;
    case StreamChange::What::kCork:
      endpoint_.set_cork(now, change.is_on);
      break;
    case StreamChange::What::kQuickAck:
      endpoint_.set_quick_ack(now, change.is_on);
      break;
    case StreamChange::What::kKeepAlive:
      endpoint_.set_keep_alive(now, change.after, change.every, change.number);
      break;
    case StreamChange::What::kSendBuffer:
      endpoint_.set_send_buffer(now, change.number);
      break;
    case StreamChange::What::kReceiveBuffer:
      endpoint_.set_receive_buffer(now, change.number);
      break;
  }
  follow_up();
}

void TcpEnd::shut_down(Time now) {
  if (is_over_) {
    return;
  }
  now_ = now;
  is_to_close_ = true;
  follow_up();
}

void TcpEnd::release(Time now) {
  end_.is_closed = true;
  awaited_ = UINT64_MAX;
  now_ = now;
  if (!is_connected_ && held_.empty()) {
    is_over_ = true;
    endpoint_.vanish();
    return;
  }
  if (endpoint_.has_unread() && !endpoint_.is_closed()) {
    is_over_ = true;
    endpoint_.abort(now);  // of what is over, this does nothing
    return;
  }
  endpoint_.refuse_data();
  shut_down(now);
}

StreamState TcpEnd::state() const {
  // what is held has not reached the endpoint
  return {endpoint_.acknowledged() - 1, endpoint_.sent() - 1, endpoint_.smoothed_round_trip()};
}

void TcpEnd::tell(StreamNews::What what, std::uint64_t value, StreamFailure why) {
  if (!end_.is_closed) {
    core_.news.push_back({now_, FlowId(flow_), side_, what, why, false, value});
  }
}

void TcpEnd::tell_if_writable() {
  if (endpoint_.acknowledged() >= awaited_) {
    awaited_ = UINT64_MAX;
    tell(StreamNews::What::kWritable);
  }
}

}  // namespace longarm::network
