// SPDX-License-Identifier: Apache-2.0
// Of the addresses of IPv6, those that stand for one of IPv4, any, and loopback.
#include "longarm/programs/kernel/inet_address.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace longarm::programs {
namespace {

std::optional<InetAddress> parse_v6(const std::string& name, int& error) {
  sockaddr_in6 in{};
  std::memcpy(&in, name.data(), std::min(name.size(), sizeof(in)));
  const std::uint16_t port = ntohs(in.sin6_port);
  if (IN6_IS_ADDR_UNSPECIFIED(&in.sin6_addr)) {
    return InetAddress{InetAddress::kAny, port};
  }
  if (IN6_IS_ADDR_LOOPBACK(&in.sin6_addr)) {
    return InetAddress{InetAddress::kLoopback6, port};
  }
  if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
    std::uint32_t address = 0;
    std::memcpy(&address, in.sin6_addr.s6_addr + 12, 4);
    return InetAddress{ntohl(address), port};
  }
  error = -ENETUNREACH;
  return std::nullopt;
}

}  // namespace

std::optional<InetAddress> parse_inet(int family, const std::string& name, int& error) {
  sa_family_t given = AF_UNSPEC;
  if (name.size() < sizeof(given)) {
    error = -EINVAL;
    return std::nullopt;
  }
  std::memcpy(&given, name.data(), sizeof(given));
  if (given != family) {
    error = -EAFNOSUPPORT;
    return std::nullopt;
  }
  // without the scope of an address of IPv6, as old programs have it
  if (name.size() < (family == AF_INET6 ? 24 : sizeof(sockaddr_in))) {
    error = -EINVAL;
    return std::nullopt;
  }
  if (family == AF_INET6) {
    return parse_v6(name, error);
  }
  sockaddr_in in{};
  std::memcpy(&in, name.data(), sizeof(in));
  return InetAddress{ntohl(in.sin_addr.s_addr), ntohs(in.sin_port)};
}

std::string format_inet(int family, const InetAddress& address) {
  if (family == AF_INET) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(address.port);
    in.sin_addr.s_addr = htonl(address.address);
    return {reinterpret_cast<const char*>(&in), sizeof(in)};
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(address.port);
  if (address.address == InetAddress::kLoopback6) {
    in.sin6_addr = in6addr_loopback;
  } else if (!address.is_any()) {
    const std::uint32_t ip = htonl(address.address);
    in.sin6_addr.s6_addr[10] = in.sin6_addr.s6_addr[11] = 0xFF;
    std::memcpy(in.sin6_addr.s6_addr + 12, &ip, 4);
  }
  return {reinterpret_cast<const char*>(&in), sizeof(in)};
}

}  // namespace longarm::programs
