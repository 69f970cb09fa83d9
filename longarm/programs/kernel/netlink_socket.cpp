// SPDX-License-Identifier: Apache-2.0
// Messages of rtnetlink(7), as getifaddrs(3) and resolvers read them.
#include "longarm/programs/kernel/netlink_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>

#include "longarm/programs/kernel/inet_address.h"
#include "longarm/programs/kernel/interfaces.h"

namespace longarm::programs {
namespace {

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string padded(std::string bytes) {
  bytes.resize(NLMSG_ALIGN(bytes.size()), '\0');
  return bytes;
}

std::string attribute(std::uint16_t type, const std::string& value) {
  const rtattr header{static_cast<std::uint16_t>(RTA_LENGTH(value.size())), type};
  return padded(bytes_of(header) + value);
}

std::string attribute(std::uint16_t type, std::uint32_t value) {
  return attribute(type, bytes_of(value));
}

std::string link_message(const Interface& one) {
  const bool is_loopback = (one.flags & IFF_LOOPBACK) != 0;
  ifinfomsg info{};
  info.ifi_family = AF_UNSPEC;
  info.ifi_type = is_loopback ? ARPHRD_LOOPBACK : ARPHRD_ETHER;
  info.ifi_index = one.index;
  info.ifi_flags = one.flags;
  const std::string hardware(one.hardware.begin(), one.hardware.end());
  return bytes_of(info) + attribute(IFLA_IFNAME, one.name + std::string(1, '\0')) +
         attribute(IFLA_MTU, static_cast<std::uint32_t>(one.mtu)) +
         attribute(IFLA_ADDRESS, hardware) +
         attribute(IFLA_BROADCAST, std::string(6, is_loopback ? '\0' : '\xFF'));
}

std::string address_message(const Interface& one) {
  const bool is_loopback = (one.flags & IFF_LOOPBACK) != 0;
  ifaddrmsg info{};
  info.ifa_family = AF_INET;
  info.ifa_prefixlen = static_cast<unsigned char>(__builtin_popcount(one.netmask));
  info.ifa_flags = IFA_F_PERMANENT;
  info.ifa_scope = is_loopback ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
  info.ifa_index = static_cast<std::uint32_t>(one.index);
  std::string message = bytes_of(info) + attribute(IFA_ADDRESS, htonl(one.address)) +
                        attribute(IFA_LOCAL, htonl(one.address));
  if (!is_loopback) {
    message += attribute(IFA_BROADCAST, htonl(one.address | ~one.netmask));
  }
  return message + attribute(IFA_LABEL, one.name + std::string(1, '\0'));
}

std::string loopback6_message() {
  ifaddrmsg info{};
  info.ifa_family = AF_INET6;
  info.ifa_prefixlen = 128;
  info.ifa_flags = IFA_F_PERMANENT;
  info.ifa_scope = RT_SCOPE_HOST;
  info.ifa_index = 1;
  return bytes_of(info) + attribute(IFA_ADDRESS, bytes_of(in6addr_loopback));
}

std::string route_message(const Interface& one) {
  rtmsg info{};
  info.rtm_family = AF_INET;
  info.rtm_dst_len = static_cast<unsigned char>(__builtin_popcount(one.netmask));
  info.rtm_table = RT_TABLE_MAIN;
  info.rtm_protocol = RTPROT_KERNEL;
  info.rtm_scope = RT_SCOPE_LINK;
  info.rtm_type = RTN_UNICAST;
  return bytes_of(info) + attribute(RTA_DST, htonl(one.address & one.netmask)) +
         attribute(RTA_OIF, static_cast<std::uint32_t>(one.index)) +
         attribute(RTA_PREFSRC, htonl(one.address));
}

}  // namespace

std::uint32_t NetlinkSocket::readiness() const {
  return POLLOUT | POLLWRNORM | (answers_.empty() ? 0U : POLLIN | POLLRDNORM);
}

std::int64_t NetlinkSocket::bind(Thread& thread, const SocketName& name) {
  sockaddr_nl address{};
  std::memcpy(&address, name.data(), std::min(name.size(), sizeof(address)));
  port_ = address.nl_pid != 0 ? address.nl_pid : static_cast<std::uint32_t>(thread.process->id);
  return 0;
}

SocketName NetlinkSocket::name() const {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_pid = port_;
  return bytes_of(address);
}

std::optional<SocketName> NetlinkSocket::peer_name() const {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  return bytes_of(address);
}

std::optional<std::int64_t> NetlinkSocket::set_option(int level, int name,
                                                      const std::string& value) {
  constexpr int kNetlinkLevel = 270;
  return level == kNetlinkLevel ? std::optional<std::int64_t>(0)
                                : Socket::set_option(level, name, value);
}

std::int64_t NetlinkSocket::send(Outgoing& message) {
  const std::string bytes(reinterpret_cast<const char*>(message.bytes.data()),
                          message.bytes.size());
  nlmsghdr header{};
  if (bytes.size() < sizeof(header)) {
    return -EINVAL;
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  answer(header.nlmsg_type, bytes);
  changed();
  return static_cast<std::int64_t>(bytes.size());
}

void NetlinkSocket::answer(std::uint16_t type, const std::string& request) {
  nlmsghdr asked{};
  std::memcpy(&asked, request.data(), sizeof(asked));
  const unsigned char family = request.size() > sizeof(asked)
                                   ? static_cast<unsigned char>(request[sizeof(asked)])
                                   : static_cast<unsigned char>(AF_UNSPEC);
  const auto message = [&](std::uint16_t kind, std::uint16_t flags, const std::string& body) {
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_LENGTH(body.size()));
    header.nlmsg_type = kind;
    header.nlmsg_flags = flags;
    header.nlmsg_seq = asked.nlmsg_seq;
    header.nlmsg_pid = port_;
    return padded(bytes_of(header) + body);
  };
  std::string all;
  const std::vector<Interface> interfaces = interfaces_of(host());
  const bool wants_v4 = family == AF_UNSPEC || family == AF_INET;
  const bool wants_v6 = family == AF_UNSPEC || family == AF_INET6;
  switch (type) {
    case RTM_GETLINK:
      for (const Interface& one : interfaces) {
        all += message(RTM_NEWLINK, NLM_F_MULTI, link_message(one));
      }
      break;
    case RTM_GETADDR:
      for (const Interface& one : interfaces) {
        if (wants_v4) {
          all += message(RTM_NEWADDR, NLM_F_MULTI, address_message(one));
        }
      }
      if (wants_v6) {
        all += message(RTM_NEWADDR, NLM_F_MULTI, loopback6_message());
      }
      break;
    case RTM_GETROUTE:
      if (wants_v4) {
        all += message(RTM_NEWROUTE, NLM_F_MULTI, route_message(interfaces.back()));
      }
      break;
    default: {
      nlmsgerr error{};
      error.error = -EOPNOTSUPP;
      error.msg = asked;
      answers_.push_back(message(NLMSG_ERROR, 0, bytes_of(error)));
      return;
    }
  }
  answers_.push_back(std::move(all));
  answers_.push_back(message(NLMSG_DONE, NLM_F_MULTI, bytes_of(0)));
}

std::int64_t NetlinkSocket::receive(Incoming& message) {
  if (answers_.empty()) {
    return -EAGAIN;
  }
  const std::string& next = answers_.front();
  const std::size_t count = std::min(next.size(), message.room.size());
  std::memcpy(message.room.data(), next.data(), count);
  message.from = *peer_name();
  const auto whole = static_cast<std::int64_t>(next.size());
  if (count < next.size()) {
    message.result_flags |= MSG_TRUNC;
  }
  if ((message.flags & MSG_PEEK) == 0) {
    answers_.pop_front();
  }
  return (message.flags & MSG_TRUNC) != 0 ? whole : static_cast<std::int64_t>(count);
}

}  // namespace longarm::programs
