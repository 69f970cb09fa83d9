// SPDX-License-Identifier: Apache-2.0
// Tries first and waits then: usually something is there already.
#include "longarm/system/line_stream.h"

#include <array>
#include <cerrno>

#include <sys/socket.h>

#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

Error broken() {
  return Error{"its connection broke: " + last_system_error()};
}

/// After a call that would have had to wait: false if there is no time left to.
bool wait_until(int socket, short events, WallClock::time_point deadline) {
  const Duration left = deadline - WallClock::now();
  if (left <= Duration::zero()) {
    return false;
  }
  wait_for(socket, events, left);
  return true;
}

}  // namespace

bool LineStream::has_pending() const {
  return !buffer_.empty() || wait_for(socket_.number(), POLLIN, Duration::zero());
}

Result<std::optional<std::string>> LineStream::read_line(Duration patience) {
  const auto deadline = WallClock::now() + patience;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return std::optional(std::move(line));
    }
    searched_ = buffer_.size();
    if (searched_ > longest_line_) {
      return Error{std::string(kEndless)};
    }
    std::array<char, 65'536> chunk;
    const ssize_t count = ::recv(socket_.number(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count == 0) {
      return Error{"it closed its connection"};
    }
    if (count > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
      return broken();
    } else if (!wait_until(socket_.number(), POLLIN, deadline)) {
      return std::optional<std::string>();
    }
  }
}

Result<bool> LineStream::write_line(std::string line, Duration patience) {
  line += '\n';
  const Result<bool> written = write(line, patience);
  return written && !*written ? Error{"it does not read its messages"} : written;
}

Result<bool> LineStream::write(std::string_view text, Duration patience) {
  const auto deadline = WallClock::now() + patience;
  while (!text.empty()) {
    const ssize_t count =
        ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
      return broken();
    } else if (!wait_until(socket_.number(), POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

}  // namespace longarm::system
