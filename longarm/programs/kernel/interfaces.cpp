// SPDX-License-Identifier: Apache-2.0
// Interfaces for ioctl(2); netlink_socket.cpp has them for netlink(7).
#include "longarm/programs/kernel/interfaces.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include "longarm/programs/kernel/internet.h"

namespace longarm::programs {
namespace {

constexpr int kEthernetMtu = 1500;
constexpr int kLoopbackMtu = 65'536;

sockaddr socket_address(std::uint32_t address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address);
  sockaddr out{};
  std::memcpy(&out, &in, sizeof(out));
  return out;
}

std::int64_t list_interfaces(Kernel& kernel, Thread& thread, std::uint64_t argument) {
  ifconf request{};
  if (!kernel.get(thread, argument, request)) {
    return -EFAULT;
  }
  const std::vector<Interface> all = interfaces_of(*thread.process->host);
  const auto buffer = reinterpret_cast<std::uint64_t>(request.ifc_buf);
  std::size_t count = all.size();
  if (buffer != 0) {
    count = std::min(count, static_cast<std::size_t>(request.ifc_len) / sizeof(ifreq));
    for (std::size_t i = 0; i < count; ++i) {
      ifreq entry{};
      std::strncpy(entry.ifr_name, all[i].name.c_str(), IFNAMSIZ - 1);
      entry.ifr_addr = socket_address(all[i].address);
      if (!kernel.put(thread, buffer + i * sizeof(ifreq), entry)) {
        return -EFAULT;
      }
    }
  }
  request.ifc_len = static_cast<int>(count * sizeof(ifreq));
  return kernel.put(thread, argument, request) ? 0 : -EFAULT;
}

}  // namespace

std::vector<Interface> interfaces_of(const Host& host) {
  Interface loopback;
  loopback.name = "lo";
  loopback.index = 1;
  loopback.flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  loopback.mtu = kLoopbackMtu;
  loopback.address = InetAddress::kLoopback;
  loopback.netmask = 0xFF00'0000;
  Interface cable;
  cable.name = "eth0";
  cable.index = 2;
  cable.flags = IFF_UP | IFF_BROADCAST | IFF_RUNNING | IFF_MULTICAST;
  cable.mtu = kEthernetMtu;
  // as captures have it: locally administered, with the address behind it
  const auto part = [&](int shift) {
    return static_cast<unsigned char>(host.address >> shift & 0xFF);
  };
  cable.hardware = {0x02, 0, part(24), part(16), part(8), part(0)};
  cable.address = host.address;
  cable.netmask = kNetmask;
  return {loopback, cable};
}

std::int64_t control_interfaces(Kernel& kernel, Thread& thread, std::uint64_t request,
                                std::uint64_t argument) {
  if (request == SIOCGIFCONF) {
    return list_interfaces(kernel, thread, argument);
  }
  constexpr std::array kAbout = {SIOCGIFADDR,   SIOCGIFFLAGS, SIOCGIFNETMASK, SIOCGIFBRDADDR,
                                 SIOCGIFHWADDR, SIOCGIFMTU,   SIOCGIFINDEX,   SIOCGIFNAME,
                                 SIOCGIFTXQLEN, SIOCGIFMETRIC};
  if (std::find(kAbout.begin(), kAbout.end(), static_cast<int>(request)) == kAbout.end()) {
    return -ENOTTY;
  }
  ifreq entry{};
  if (!kernel.get(thread, argument, entry)) {
    return -EFAULT;
  }
  entry.ifr_name[IFNAMSIZ - 1] = '\0';
  const std::string name = entry.ifr_name;
  const std::vector<Interface> all = interfaces_of(*thread.process->host);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Interface& one) {
    return request == SIOCGIFNAME ? one.index == entry.ifr_ifindex : one.name == name;
  });
  if (found == all.end()) {
    return -ENODEV;
  }
  const bool is_loopback = (found->flags & IFF_LOOPBACK) != 0;
  switch (request) {
    case SIOCGIFADDR:
      entry.ifr_addr = socket_address(found->address);
      break;
    case SIOCGIFNETMASK:
      entry.ifr_netmask = socket_address(found->netmask);
      break;
    case SIOCGIFBRDADDR:
      entry.ifr_broadaddr = socket_address(is_loopback ? 0 : found->address | ~found->netmask);
      break;
    case SIOCGIFFLAGS:
      entry.ifr_flags = static_cast<short>(found->flags);
      break;
    case SIOCGIFHWADDR:
      entry.ifr_hwaddr.sa_family = is_loopback ? ARPHRD_LOOPBACK : ARPHRD_ETHER;
      std::memcpy(entry.ifr_hwaddr.sa_data, found->hardware.data(), found->hardware.size());
      break;
    case SIOCGIFMTU:
      entry.ifr_mtu = found->mtu;
      break;
    case SIOCGIFINDEX:
      entry.ifr_ifindex = found->index;
      break;
    case SIOCGIFNAME:
      std::strncpy(entry.ifr_name, found->name.c_str(), IFNAMSIZ - 1);
      break;
    default:
      entry.ifr_qlen = 1000;
      break;
  }
  return kernel.put(thread, argument, entry) ? 0 : -EFAULT;
}

std::string hosts_file(const Kernel& kernel, const Host& host) {
  std::string text = "127.0.0.1 localhost\n::1 localhost\n";
  for (const std::unique_ptr<Host>& one : kernel.hosts()) {
    in_addr address{};
    address.s_addr = htonl(one->address);
    char written[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address, written, sizeof(written));
    text += std::string(written) + " " + one->name + (one.get() == &host ? " # this host\n" : "\n");
  }
  return text;
}

}  // namespace longarm::programs
