// SPDX-License-Identifier: Apache-2.0
// Patience is of the wall clock: it only decides when to give up, never what a simulation does.
#include "longarm/components/lockstep/line_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <poll.h>

namespace longarm::components {
namespace {

using WallClock = std::chrono::steady_clock;

}  // namespace

bool LineStream::wait_for(short events, Duration patience) const {
  pollfd waiting{socket_.number(), events, 0};
  const Duration span = std::max(patience, Duration::zero());
  const timespec limit{span.count() / 1'000'000'000, span.count() % 1'000'000'000};
  return ppoll(&waiting, 1, &limit, nullptr) > 0;
}

bool LineStream::has_pending() const {
  return !buffer_.empty() || wait_for(POLLIN, Duration::zero());
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
    if (searched_ > kLongestLine) {
      return Error{"it sent a line without an end"};
    }
    std::array<char, 65'536> chunk;
    // usually it is there already, or we must wait anyway
    ssize_t count = ::recv(socket_.number(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      const auto left = std::chrono::duration_cast<Duration>(deadline - WallClock::now());
      if (left <= Duration::zero()) {
        return std::optional<std::string>();
      }
      wait_for(POLLIN, left);
      continue;
    }
    if (count < 0) {
      return Error{"its connection broke: " + last_system_error()};
    }
    if (count == 0) {
      return Error{"it closed its connection"};
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

Result<bool> LineStream::write_line(std::string line, Duration patience) {
  line += '\n';
  const auto deadline = WallClock::now() + patience;
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count =
        ::send(socket_.number(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) {
      return Error{"its connection broke: " + last_system_error()};
    }
    const auto left = std::chrono::duration_cast<Duration>(deadline - WallClock::now());
    if (left <= Duration::zero()) {
      return Error{"it does not read what it is told"};
    }
    wait_for(POLLOUT, left);
  }
  return true;
}

}  // namespace longarm::components
