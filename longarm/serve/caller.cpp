// SPDX-License-Identifier: Apache-2.0
// Non-blocking connects, looked after until they are through.
#include "longarm/serve/caller.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/epoll.h>

#include "longarm/system/socket.h"
#include "longarm/system/wait.h"

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

/// Nothing if it is connected.
std::string problem_of(int socket) {
  const std::string problem = system::connect_error(socket);
  // a socket that looks for a listener on this computer may be given the very port that it looks
  // for, and then finds itself
  const bool is_talking_to_itself =
      problem.empty() &&
      system::local_socket_address(socket).bytes() == system::peer_socket_address(socket).bytes();
  return is_talking_to_itself ? std::strerror(ECONNREFUSED) : problem;
}

}  // namespace

Result<system::Descriptor> Caller::connect_to(const protocols::Call& whom) const {
  const std::string host = whom.host == "localhost" ? "127.0.0.1" : whom.host;
  in_addr ignored{};
  if (inet_pton(AF_INET, host.c_str(), &ignored) != 1) {
    return Error{"not an IPv4 address; host names are not resolved"};
  }
  const Result<system::SocketAddress> address = system::resolve({host, whom.port});
  if (!address) {
    return address.error();
  }
  if (!may_call_others_ && !is_loopback(*address)) {
    return Error{"not on this computer; use --open to allow connections to other machines"};
  }
  if (pending_.size() >= kMostPending) {
    return Error{"too many connections at once"};
  }
  Result<system::Descriptor> made = system::begin_connect(*address, SOCK_STREAM);
  if (made) {
    system::set_up_stream(made->number());
  }
  return made;
}

void Caller::begin(std::size_t door, const protocols::Call& whom) {
  Result<system::Descriptor> made = connect_to(whom);
  if (!made) {
    outcomes_.push_back({door, system::Descriptor(), name_of(whom) + ": " + made.error().message});
    return;
  }
  system::Descriptor socket = std::move(made).value();
  // to be woken is enough: take_outcomes() looks at all of them
  const auto watch = reactor_.watch(socket.number(), EPOLLOUT, [](std::uint32_t) {});
  pending_.push_back({door, std::move(socket), watch, name_of(whom), Clock::now() + kPatience});
}

std::vector<Caller::Outcome> Caller::take_outcomes() {
  std::vector<Outcome> out = std::exchange(outcomes_, {});
  if (pending_.empty()) {
    return out;
  }
  const Clock::time_point now = Clock::now();
  std::erase_if(pending_, [&](Pending& each) {
    const bool is_answered = system::wait_for(each.socket.number(), POLLOUT, Duration::zero());
    if (!is_answered && now < each.until) {
      return false;
    }
    const std::string problem = is_answered
                                    ? problem_of(each.socket.number())
                                    : fmt::format("no answer within {} s", kPatience.count());
    reactor_.forget(each.watch);
    if (problem.empty()) {
      out.push_back({each.door, std::move(each.socket), {}});
    } else {
      out.push_back({each.door, system::Descriptor(), each.whom + ": " + problem});
    }
    return true;
  });
  return out;
}

}  // namespace longarm::serve
