// SPDX-License-Identifier: Apache-2.0
// Non-blocking sockets and poll, so that nobody can make us wait for ever.
#include "longarm/network/external/local_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace longarm::network::external {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestLine = std::size_t{256} << 20;
constexpr std::chrono::milliseconds kGlance(20);  // how often we look whether a process has ended

/// Waits until `events` or the end of patience; false at the latter.
bool wait_for(int descriptor, short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{descriptor, events, 0};
    const int count = poll(&waiting, 1, static_cast<int>(std::clamp<long>(left, 0, 60'000)));
    if (count > 0) {
      return true;
    }
    if (count == 0 && Clock::now() >= end) {
      return false;
    }
  }
}

bool is_worth_retrying(int error) {
  return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

Result<std::unique_ptr<LocalSocket>> LocalSocket::listen() {
  std::unique_ptr<LocalSocket> made(new LocalSocket());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // paths of sockets are short: a long TMPDIR will not do
  const char* const wanted = std::getenv("TMPDIR");
  const std::string where = wanted != nullptr && std::strlen(wanted) < 64 ? wanted : "/tmp";
  std::string pattern = where + "/longarm-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error{fmt::format("cannot make a folder in {}: {}", where, std::strerror(errno))};
  }
  made->folder_ = pattern;
  made->path_ = pattern + "/socket";
  std::memcpy(address.sun_path, made->path_.c_str(), made->path_.size());
  made->listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made->listening_ < 0 ||
      bind(made->listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(made->listening_, 1) != 0) {
    return Error{fmt::format("cannot listen at {}: {}", made->path_, std::strerror(errno))};
  }
  return made;
}

LocalSocket::~LocalSocket() {
  for (const int descriptor : {listening_, connected_}) {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }
  remove_path();
}

void LocalSocket::remove_path() {
  if (!folder_.empty()) {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
    folder_.clear();
  }
}

Result<bool> LocalSocket::accept(Duration patience,
                                 const std::function<std::optional<std::string>()>& ended) {
  const auto end = Clock::now() + patience;
  while (!wait_for(listening_, POLLIN, std::min(Clock::now() + kGlance, end))) {
    if (const std::optional<std::string> how = ended()) {
      return Error{*how + " without connecting"};
    }
    if (Clock::now() >= end) {
      return Error{fmt::format("has not connected for {:g} s", to_seconds(patience))};
    }
  }
  connected_ = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connected_ < 0) {
    return Error{fmt::format("could not connect: {}", std::strerror(errno))};
  }
  close(listening_);
  listening_ = -1;
  remove_path();
  return true;
}

Result<bool> LocalSocket::write(std::string_view text, Duration patience) {
  const auto end = Clock::now() + patience;
  while (!text.empty()) {
    const ssize_t count = ::send(connected_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (!is_worth_retrying(errno)) {
      return Error{std::string(kClosed)};
    } else if (!wait_for(connected_, POLLOUT, end)) {
      return Error{fmt::format("has not listened for {:g} s", to_seconds(patience))};
    }
  }
  return true;
}

Result<std::string> LocalSocket::read_line(Duration patience) {
  const auto end = Clock::now() + patience;
  std::size_t searched = read_;
  while (true) {
    const std::size_t found = received_.find('\n', searched);
    if (found != std::string::npos) {
      std::string line = received_.substr(read_, found - read_);
      read_ = found + 1;
      return line;
    }
    received_.erase(0, read_);
    read_ = 0;
    searched = received_.size();
    if (received_.size() > kLongestLine) {
      return Error{"sent a line without end"};
    }
    // somebody who never ends a line has not answered either
    if (!wait_for(connected_, POLLIN, end) || Clock::now() >= end) {
      return Error{fmt::format("has not answered for {:g} s", to_seconds(patience))};
    }
    char buffer[65536];
    const ssize_t count = recv(connected_, buffer, sizeof buffer, 0);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || !is_worth_retrying(errno)) {
      return Error{std::string(kClosed)};
    }
  }
}

}  // namespace longarm::network::external
