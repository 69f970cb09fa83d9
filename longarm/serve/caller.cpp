// SPDX-License-Identifier: Apache-2.0
// Non-blocking connects, looked after until they are through.
#include "longarm/serve/caller.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "longarm/serve/listener.h"

namespace longarm::serve {
namespace {

// doors call one after the other, so that there are never many
constexpr std::size_t kMostPending = 64;
constexpr std::size_t kLongestHost = 64;

/// A program that somebody uploaded has chosen the host, so that it may be anything.
std::string name_of(const protocols::Call& whom) {
  std::string host = whom.host.substr(0, kLongestHost);
  std::replace_if(
      host.begin(), host.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return fmt::format("{}:{}", host, whom.port);
}

/// In host order.
std::optional<std::uint32_t> address_of(const std::string& host) {
  in_addr address{};
  if (host == "localhost") {
    return INADDR_LOOPBACK;
  }
  return inet_pton(AF_INET, host.c_str(), &address) == 1
             ? std::optional<std::uint32_t>(ntohl(address.s_addr))
             : std::nullopt;
}

/// A socket that looks for a listener on this computer may be given the very port that it looks
/// for, and then finds itself.
bool is_talking_to_itself(int socket) {
  sockaddr_in here{};
  sockaddr_in there{};
  socklen_t here_size = sizeof here;
  socklen_t there_size = sizeof there;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
         getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) == 0 &&
         here.sin_port == there.sin_port && here.sin_addr.s_addr == there.sin_addr.s_addr;
}

/// Nothing if it is connected.
std::string problem_of(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0 && is_talking_to_itself(socket)) {
    error = ECONNREFUSED;
  }
  return error == 0 ? std::string() : std::string(std::strerror(error));
}

bool is_through(int socket) {
  pollfd one{socket, POLLOUT, 0};
  return poll(&one, 1, 0) > 0;
}

}  // namespace

Caller::Caller(bool may_call_others)
    : may_call_others_(may_call_others), poller_(epoll_create1(EPOLL_CLOEXEC)) {}

Result<Descriptor> Caller::connect_to(const protocols::Call& whom) const {
  const std::optional<std::uint32_t> host = address_of(whom.host);
  if (!host) {
    return Error{"no IPv4 address, and names are not looked up"};
  }
  if (!may_call_others_ && (*host >> 24) != 127) {
    return Error{"not on this computer; --open lets doors call others"};
  }
  if (pending_.size() >= kMostPending) {
    return Error{"too many calls at once"};
  }
  Descriptor out(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!out.is_open()) {
    return Error{std::strerror(errno)};
  }
  set_up_client(out.get());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(whom.port);
  address.sin_addr.s_addr = htonl(*host);
  if (connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno != EINPROGRESS) {
    return Error{std::strerror(errno)};
  }
  return out;
}

void Caller::begin(std::size_t door, const protocols::Call& whom) {
  Result<Descriptor> made = connect_to(whom);
  if (!made) {
    outcomes_.push_back({door, Descriptor(), name_of(whom) + ": " + made.error().message});
    return;
  }
  Descriptor socket = std::move(made).value();
  epoll_event event{};
  event.events = EPOLLOUT;
  epoll_ctl(poller_.get(), EPOLL_CTL_ADD, socket.get(), &event);
  pending_.push_back({door, std::move(socket), name_of(whom), Clock::now() + kPatience});
}

std::vector<Caller::Outcome> Caller::take_outcomes() {
  std::vector<Outcome> out = std::exchange(outcomes_, {});
  if (pending_.empty()) {
    return out;
  }
  const Clock::time_point now = Clock::now();
  std::erase_if(pending_, [&](Pending& each) {
    const bool is_answered = is_through(each.socket.get());
    if (!is_answered && now < each.until) {
      return false;
    }
    const std::string problem = is_answered
                                    ? problem_of(each.socket.get())
                                    : fmt::format("no answer within {} s", kPatience.count());
    epoll_ctl(poller_.get(), EPOLL_CTL_DEL, each.socket.get(), nullptr);
    if (problem.empty()) {
      out.push_back({each.door, std::move(each.socket), {}});
    } else {
      out.push_back({each.door, Descriptor(), each.whom + ": " + problem});
    }
    return true;
  });
  return out;
}

}  // namespace longarm::serve
