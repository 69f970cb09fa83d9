// SPDX-License-Identifier: Apache-2.0
// From a socket into the model, and from the model to the other socket; how each of them may end.
#include "longarm/proxy/tcp_connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "longarm/network/builtin/core.h"

namespace longarm::proxy {
namespace {

using network::other;
using network::Side;

constexpr std::size_t kReadBytes = 64 * 1024;
// so much a connection may hold even when all of them together hold too much
constexpr std::size_t kLittleBytes = 64 * 1024;

}  // namespace

TcpConnection::TcpConnection(system::Reactor& reactor, TcpLink& link, system::Descriptor client,
                             system::Descriptor server, const TcpConnectionOptions& options,
                             Capture* capture, std::function<void()> done)
    : reactor_(reactor),
      link_(link),
      options_(options),
      capture_(capture),
      done_(std::move(done)),
      uncalled_(std::move(server)),
      flow_(link.open(*this)) {
  end(Side::kOpener).socket = std::move(client);
}

void TcpConnection::start() {
  End& at = end(Side::kOpener);
  stand(Side::kOpener);
  at.watch = reactor_.watch(at.socket.number(), EPOLLIN,
                            [this](std::uint32_t happened) { look_at(Side::kOpener, happened); });
  if (at.watch == system::Reactor::kNoWatch) {
    break_off(Side::kOpener);
    settle();
  }
}

TcpConnection::~TcpConnection() {
  for (const Side side : {Side::kOpener, Side::kPeer}) {
    reactor_.forget(end(side).watch);
    drop_bytes_to(side);
  }
  if (has_flow_) {
    link_.forget(flow_);
  }
}

DirectionFigures& TcpConnection::figures_from(Side side) {
  return side == Side::kOpener ? link_.figures().up : link_.figures().down;
}

/// Its socket is connected.
void TcpConnection::stand(Side side) {
  End& at = end(side);
  at.is_connected = true;
  system::set_up_stream(at.socket.number());
  if (capture_ == nullptr) {
    return;
  }
  at.own = system::local_socket_address(at.socket.number());
  at.peer = system::peer_socket_address(at.socket.number());
  if (side == Side::kOpener) {
    capture_->tcp_open(reactor_.now(), at.peer, at.own);
  } else {
    capture_->tcp_open(reactor_.now(), at.own, at.peer);
  }
}

// --- what the model says

void TcpConnection::connected(Side side) {
  if (side != Side::kPeer) {
    return;
  }
  const std::string problem = call_server();
  if (!problem.empty()) {
    fail_server(problem);
  }
}

/// What stands in the way: the machine knows no route there.
std::string TcpConnection::call_server() {
  End& at = end(Side::kPeer);
  at.socket = std::move(uncalled_);
  const SocketAddress& to = options_.server;
  if (connect(at.socket.number(), to.generic(), to.length) != 0 && errno != EINPROGRESS) {
    return std::strerror(errno);
  }
  at.watch = reactor_.watch(at.socket.number(), EPOLLOUT,
                            [this](std::uint32_t happened) { look_at(Side::kPeer, happened); });
  return at.watch != system::Reactor::kNoWatch ? "" : std::strerror(errno);
}

void TcpConnection::fail_server(const std::string& why) {
  ++link_.figures().conversations_refused;
  options_.server_failed(why);
  break_off(Side::kPeer);
}

void TcpConnection::delivered(Side side, Time due) {
  TcpStream& stream = stream_from(other(side));
  if (stream.under_way.empty()) {
    return;  // its socket is closed: nobody wants it any more
  }
  if (stream.under_way.front().size_bytes > 0) {
    stream.arrive(due);
    return;
  }
  stream.under_way.pop_front();
  stream.is_end_delivered = true;
  if (stream_from(side).is_end_delivered) {  // both ends are told: the flow has done its work
    link_.close(flow_, side);
    over_in_model(side);
    over_in_model(other(side));
  }
}

void TcpConnection::reset(Side side) {
  over_in_model(side);
  TcpStream& stream = stream_from(other(side));
  if (end(other(side)).is_finished_in_model && stream.under_way.empty()) {
    stream.is_end_delivered = true;
    return;
  }
  close(side, true);
  close_uncalled_server();
}

void TcpConnection::settle() {
  for (const Side side : {Side::kOpener, Side::kPeer}) {
    write(side);
  }
  for (const Side side : {Side::kOpener, Side::kPeer}) {
    update_watch(side);
  }
  if (is_done(Side::kOpener) && is_done(Side::kPeer) && !std::exchange(is_done_, true)) {
    close(Side::kOpener, false);
    close(Side::kPeer, false);
    over_in_model(Side::kOpener);
    over_in_model(Side::kPeer);
    done_();
  }
}

void TcpConnection::has_room() {
  is_waiting_for_room_ = false;
  settle();
}

// --- what the sockets say

void TcpConnection::look_at(Side side, std::uint32_t happened) {
  End& at = end(side);
  if (!at.is_connected) {
    if (const std::string problem = system::connect_error(at.socket.number()); !problem.empty()) {
      fail_server(problem);
      settle();
      return;
    }
    if ((happened & EPOLLOUT) == 0) {
      return;
    }
    stand(side);
  }
  if ((happened & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && may_read(side)) {
    read(side);
  } else if ((happened & (EPOLLHUP | EPOLLERR)) != 0 &&
             !system::connect_error(at.socket.number()).empty()) {
    break_off(side);
  }
  settle();
}

bool TcpConnection::may_read(Side side) {
  const End& at = end(side);
  const TcpStream& stream = stream_from(side);
  return at.is_connected && !at.is_closed && !stream.has_ended &&
         stream.bytes.size() + stream.in_vain < options_.most_bytes &&
         (!link_.is_full() || stream.bytes.size() < kLittleBytes);
}

void TcpConnection::read(Side side) {
  std::array<std::byte, kReadBytes> room;
  const ssize_t size = recv(end(side).socket.number(), room.data(), room.size(), 0);
  if (size > 0) {
    hand_over(side, std::span(room).first(static_cast<std::size_t>(size)));
  } else if (size == 0) {
    if (capture_ != nullptr) {
      capture_->tcp_finish(reactor_.now(), end(side).peer, end(side).own);
    }
    finish(side);
  } else if (errno != EAGAIN && errno != EINTR) {
    break_off(side);
  }
}

void TcpConnection::hand_over(Side side, std::span<const std::byte> bytes) {
  const Time now = reactor_.now();
  if (capture_ != nullptr) {
    capture_->tcp_bytes(now, end(side).peer, end(side).own, bytes);
  }
  DirectionFigures& figures = figures_from(side);
  if (end(side).is_over_in_model) {
    figures.received(bytes.size());
    figures.discard();
    return;
  }
  TcpStream& stream = stream_from(side);
  const bool is_wanted = !end(other(side)).is_closed;
  if (is_wanted) {
    stream.bytes.push(bytes);
    link_.hold(bytes.size());
  } else {
    stream.in_vain += bytes.size();  // sent all the same: the answer is another RST
  }
  // no longer than a segment: the other side is to have the first bytes before the last arrive
  const auto most = static_cast<std::size_t>(link_.options().tcp.mss_bytes);
  for (std::size_t done = 0; done < bytes.size(); done += most) {
    const auto size = static_cast<std::uint32_t>(std::min(most, bytes.size() - done));
    link_.send(flow_, side, size, now);
    figures.received(size);
    if (is_wanted) {
      stream.under_way.push_back({now, size});
    } else {
      figures.discard();
    }
  }
}

/// No more will come from it. The first FIN of the two is a message, as the model's own would end
/// both directions; the second is the model's.
void TcpConnection::finish(Side side) {
  TcpStream& stream = stream_from(side);
  stream.has_ended = true;
  if (end(side).is_over_in_model || !has_flow_) {
    return;
  }
  if (stream_from(other(side)).is_end_delivered) {
    link_.close(flow_, side);
    end(side).is_finished_in_model = true;
    over_in_model(side);
    return;
  }
  stream.under_way.push_back({reactor_.now(), 0});
  link_.send(flow_, side, 0, reactor_.now());
}

void TcpConnection::write(Side to) {
  End& at = end(to);
  TcpStream& stream = stream_from(other(to));
  if (at.is_closed || !at.is_connected) {
    stream.await_receiver();
    return;
  }
  while (stream.delivered > 0) {
    auto bytes = stream.bytes.front();
    bytes = bytes.first(std::min(bytes.size(), stream.delivered));
    const ssize_t size = send(at.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      stream.await_receiver();
      if (errno != EAGAIN) {
        break_off(to);
      }
      return;
    }
    const auto sent = static_cast<std::size_t>(size);
    if (capture_ != nullptr) {
      capture_->tcp_bytes(reactor_.now(), at.own, at.peer, bytes.first(sent));
    }
    stream.written(sent, reactor_.now(), figures_from(other(to)));
    link_.release(sent);
  }
  if (stream.is_end_delivered && !std::exchange(stream.is_shut, true)) {
    shutdown(at.socket.number(), SHUT_WR);
    if (capture_ != nullptr) {
      capture_->tcp_finish(reactor_.now(), at.own, at.peer);
    }
  }
}

void TcpConnection::update_watch(Side side) {
  const End& at = end(side);
  if (at.is_closed || !at.socket.is_open()) {
    return;
  }
  const TcpStream& stream = stream_from(side);
  const bool is_read = may_read(side);
  const bool is_written = !at.is_connected || stream_from(other(side)).delivered > 0;
  std::uint32_t wanted = (is_read ? EPOLLIN : 0U) | (is_written ? EPOLLOUT : 0U);
  // its end is told all the same, but once: it would wake us for ever
  reactor_.change(at.watch, wanted == 0 ? static_cast<std::uint32_t>(EPOLLET) : wanted);
  const bool waits = !is_read && at.is_connected && !stream.has_ended && link_.is_full();
  if (waits && has_flow_ && !std::exchange(is_waiting_for_room_, true)) {
    link_.wait_for_room(flow_);
  }
}

// --- ends

/// Its socket is gone without a FIN, or never was.
void TcpConnection::break_off(Side side) {
  End& at = end(side);
  if (at.is_closed) {
    return;
  }
  if (capture_ != nullptr && at.is_connected) {
    capture_->tcp_reset(reactor_.now(), at.peer, at.own);
  }
  if (!at.is_over_in_model) {
    link_.reset(flow_, side);
    over_in_model(side);
  }
  close(side, true);
  close_uncalled_server();
}

/// Where the model's handshake is not over nobody hears of the flow's end.
void TcpConnection::close_uncalled_server() {
  End& at = end(Side::kPeer);
  if (!at.socket.is_open() && !at.is_closed) {
    over_in_model(Side::kPeer);
    close(Side::kPeer, false);
    uncalled_.reset();
  }
}

void TcpConnection::close(Side side, bool with_reset) {
  End& at = end(side);
  if (std::exchange(at.is_closed, true)) {
    return;
  }
  reactor_.forget(at.watch);
  if (with_reset && at.socket.is_open()) {
    const linger at_once{1, 0};
    setsockopt(at.socket.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  at.socket.reset();
  stream_from(side).has_ended = true;
  drop_bytes_to(side);
}

void TcpConnection::drop_bytes_to(Side side) {
  TcpStream& stream = stream_from(other(side));
  link_.release(stream.bytes.size());
  stream.discard(figures_from(other(side)));
}

void TcpConnection::over_in_model(Side side) {
  end(side).is_over_in_model = true;
  if (end(other(side)).is_over_in_model && std::exchange(has_flow_, false)) {
    link_.forget(flow_);
  }
}

/// Nothing more comes from its socket or goes to it.
bool TcpConnection::is_done(Side side) {
  return end(side).is_closed || (stream_from(side).has_ended && stream_from(other(side)).is_shut);
}

}  // namespace longarm::proxy
