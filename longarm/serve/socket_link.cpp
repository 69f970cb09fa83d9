// SPDX-License-Identifier: Apache-2.0
// Connects, sends what can be sent, and hears.
#include "longarm/serve/socket_link.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace longarm::serve {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

SocketLink::SocketLink(system::Reactor& reactor, const system::SocketAddress& to,
                       std::function<Time()> clock)
    : reactor_(reactor), clock_(std::move(clock)) {
  Result<system::Descriptor> socket = system::begin_connect(to, SOCK_STREAM);
  if (!socket) {
    problem_ = socket.error().message;
    return;
  }
  socket_ = std::move(socket).value();
  system::set_up_stream(socket_.number());
  watch_ = reactor_.watch(socket_.number(), EPOLLOUT,
                          [this](std::uint32_t happened) { handle(happened); });
  if (watch_ == system::Reactor::kNoWatch) {
    give_up("the system cannot watch more sockets");
  }
}

SocketLink::~SocketLink() {
  give_up({});
}

void SocketLink::give_up(std::string problem) {
  if (watch_ != system::Reactor::kNoWatch) {
    reactor_.forget(std::exchange(watch_, system::Reactor::kNoWatch));
  }
  socket_.reset();
  output_.clear();
  problem_ = std::move(problem);
}

void SocketLink::watch() {
  reactor_.change(watch_, EPOLLIN | (output_.empty() ? 0U : EPOLLOUT));
}

void SocketLink::handle(std::uint32_t happened) {
  if (!is_connected_) {
    const std::string problem = system::connect_error(socket_.number());
    if (!problem.empty()) {
      give_up(problem);
      return;
    }
    is_connected_ = true;
    flush();
    return;
  }
  if ((happened & EPOLLOUT) != 0) {
    flush();
  }
  // a socket that was closed or reset has this to say, too
  if (socket_.is_open() && (happened & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    read();
  }
}

void SocketLink::read() {
  std::array<char, kPieceBytes> piece;
  const ssize_t size = ::recv(socket_.number(), piece.data(), piece.size(), 0);
  if (size > 0) {
    hear({piece.data(), static_cast<std::size_t>(size)}, clock_());
  } else if (size == 0) {
    give_up("the other side has closed the connection");
  } else if (errno != EAGAIN && errno != EINTR) {
    give_up(std::strerror(errno));
  }
}

void SocketLink::do_send(std::string_view bytes) {
  if (!socket_.is_open()) {
    return;
  }
  output_ += bytes;
  if (output_.size() > kMaxOutput) {
    give_up("the other side does not read");
  } else if (is_connected_) {
    flush();
  }
}

void SocketLink::flush() {
  std::size_t sent = 0;
  while (sent < output_.size()) {
    const ssize_t size =
        ::send(socket_.number(), output_.data() + sent, output_.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0 && errno != EAGAIN) {
      give_up(std::strerror(errno));
      return;
    }
    if (size < 0) {
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  output_.erase(0, sent);
  watch();
}

}  // namespace longarm::serve
