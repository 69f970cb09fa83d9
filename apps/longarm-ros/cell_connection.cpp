// SPDX-License-Identifier: Apache-2.0
// Sockets, and where lines end.
#include "apps/longarm-ros/cell_connection.h"

#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace longarm::ros_port {
namespace {

/// Sends of a request may block for as long as the cell is busy, but not for ever.
constexpr timeval kLongestSend{10, 0};
constexpr std::size_t kMostLineBytes = 256 * 1024 * 1024;

std::string why() {
  return std::strerror(errno);
}

}  // namespace

CellConnection::~CellConnection() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

std::string CellConnection::connect(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    return host + ": " + gai_strerror(error);
  }
  std::string problem = "no address";
  int connected = -1;
  for (const addrinfo* each = found; each != nullptr && connected < 0; each = each->ai_next) {
    connected = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (connected >= 0 && ::connect(connected, each->ai_addr, each->ai_addrlen) != 0) {
      problem = why();
      ::close(connected);
      connected = -1;
    }
  }
  freeaddrinfo(found);
  if (connected < 0) {
    return host + ":" + std::to_string(port) + ": " + problem;
  }
  const int yes = 1;
  setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(connected, SOL_SOCKET, SO_SNDTIMEO, &kLongestSend, sizeof kLongestSend);
  const std::lock_guard<std::mutex> lock(sending_);
  if (socket_ >= 0) {
    ::close(socket_);
  }
  socket_ = connected;
  received_.clear();
  searched_ = 0;
  why_closed_.clear();
  return {};
}

bool CellConnection::has_line() const {
  return socket_ < 0 || received_.find('\n', searched_) != std::string::npos;
}

Line CellConnection::next_line(std::string& line, std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const std::size_t found = received_.find('\n', searched_);
    if (found != std::string::npos) {
      line.assign(received_, 0, found);
      received_.erase(0, found + 1);
      searched_ = 0;
      return Line::kComplete;
    }
    searched_ = received_.size();
    if (socket_ < 0) {
      return Line::kClosed;
    }
    if (received_.size() > kMostLineBytes) {
      return close_because("it sent a line that is too long");
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready == 0) {
      return Line::kLate;
    }
    if (ready < 0) {
      if (errno == EINTR) {
        return Line::kLate;  // a signal may be what somebody waits for
      }
      return close_because(why());
    }
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) {
      received_.append(bytes, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return close_because("it closed the connection");
    } else if (errno != EINTR && errno != EAGAIN) {
      return close_because(why());
    }
  }
}

bool CellConnection::send(const std::string& line) {
  const std::string bytes = line + '\n';
  const std::lock_guard<std::mutex> lock(sending_);
  std::size_t sent = 0;
  while (socket_ >= 0 && sent < bytes.size()) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      ::shutdown(socket_, SHUT_RDWR);  // half a line cannot be taken back; the reader notices
      return false;
    }
  }
  return sent == bytes.size();
}

void CellConnection::shut_down() {
  const std::lock_guard<std::mutex> lock(sending_);
  if (socket_ >= 0) {
    ::shutdown(socket_, SHUT_RDWR);
  }
}

Line CellConnection::close_because(const std::string& why) {
  const std::lock_guard<std::mutex> lock(sending_);
  ::close(socket_);
  socket_ = -1;
  why_closed_ = why;
  return Line::kClosed;
}

bool parse_address(const std::string& text, std::string& host, std::uint16_t& port) {
  const std::size_t colon = text.rfind(':');
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const std::string number = is_number                    ? text
                             : colon == std::string::npos ? ""
                                                          : text.substr(colon + 1);
  if (!is_number && colon != std::string::npos) {
    host = text.substr(0, colon);
  } else if (!is_number) {
    host = text;
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host.empty()) {
    return false;
  }
  if (is_number || colon != std::string::npos) {
    if (number.empty() || number.size() > 5 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return false;
    }
    const unsigned long value = std::stoul(number);
    if (value == 0 || value > 65535) {
      return false;
    }
    port = static_cast<std::uint16_t>(value);
  }
  return true;
}

}  // namespace longarm::ros_port
