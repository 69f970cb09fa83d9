// SPDX-License-Identifier: Apache-2.0
// Follows each route from server to listener until nobody listens there, or it is back.
#include "longarm/proxy/relay_loops.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <netinet/in.h>
#include <sys/socket.h>

namespace longarm::proxy {
namespace {

struct Resolved {
  RelayTransport transport{};
  std::optional<SocketAddress> listen;
  std::optional<SocketAddress> to;
};

bool is_wildcard(const SocketAddress& address) {
  if (address.family() == AF_INET6) {
    return IN6_IS_ADDR_UNSPECIFIED(
               &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr) != 0;
  }
  return reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr == INADDR_ANY;
}

/// Of this machine: whoever may be bound to.
bool is_local(SocketAddress address) {
  if (address.family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port = 0;
  } else {
    reinterpret_cast<sockaddr_in&>(address.storage).sin_port = 0;
  }
  const system::Descriptor socket(
      ::socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return bind(socket.number(), address.generic(), address.length) == 0;
}

/// Whoever calls `to` is heard at `listen`.
bool reaches(const SocketAddress& to, const SocketAddress& listen) {
  if (port_of(to) != port_of(listen)) {
    return false;
  }
  if (to.bytes() == listen.bytes()) {
    return true;
  }
  // the wildcard of IPv6 hears both kinds
  if (is_wildcard(listen) && (to.family() == listen.family() || listen.family() == AF_INET6)) {
    return is_local(to);
  }
  // to call a wildcard is to call this machine's loopback address
  return is_wildcard(to) && to.family() == listen.family() && is_loopback(listen);
}

bool leads_to(const Resolved& from, const Resolved& next) {
  return from.transport == next.transport && from.to && next.listen &&
         reaches(*from.to, *next.listen);
}

std::vector<Resolved> resolve_all(const std::vector<RelayRoute>& routes) {
  std::vector<Resolved> all;
  for (const RelayRoute& route : routes) {
    Resolved added{route.transport, {}, {}};
    if (const Result<SocketAddress> listen = system::resolve(route.listen)) {
      added.listen = *listen;
    }
    if (const Result<SocketAddress> to = system::resolve(route.to)) {
      added.to = *to;
    }
    all.push_back(added);
  }
  return all;
}

}  // namespace

std::vector<std::vector<std::size_t>> find_loops(const std::vector<RelayRoute>& routes) {
  const std::vector<Resolved> all = resolve_all(routes);
  std::vector<std::vector<std::size_t>> loops;
  std::vector<bool> is_over(all.size(), false);  // leads out, or is part of a loop that was found
  std::vector<std::size_t> path;
  const std::function<bool(std::size_t)> follow = [&](std::size_t at) {
    const auto again = std::find(path.begin(), path.end(), at);
    if (again != path.end()) {
      loops.emplace_back(again, path.end());
      return true;
    }
    if (is_over[at]) {
      return false;
    }
    path.push_back(at);
    bool is_loop = false;
    for (std::size_t next = 0; next < all.size() && !is_loop; ++next) {
      is_loop = leads_to(all[at], all[next]) && follow(next);
    }
    path.pop_back();
    is_over[at] = true;
    return is_loop;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    follow(i);
  }
  return loops;
}

}  // namespace longarm::proxy
