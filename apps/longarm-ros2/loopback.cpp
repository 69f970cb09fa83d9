// SPDX-License-Identifier: Apache-2.0
// Settings alone are not enough: a socket in between makes sure.
#include "apps/longarm-ros2/loopback.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace longarm::ros2 {
namespace {

std::atomic<bool> is_loopback_only{false};

bool has_network() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) {
    return false;
  }
  bool found = false;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    found = found || (each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
                      (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0);
  }
  freeifaddrs(all);
  return found;
}

}  // namespace

void listen_at_loopback_only() {
  is_loopback_only = true;
}

// Participants are at the ports of their numbers, where others look for them. With loopback, nodes
// of this computer are looked for at those ports of 127.0.0.1, once a second, as ROS 2 does with
// ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST. Nodes that use Fast DDS name this computer's address on
// the network as theirs, which CycloneDDS only believes if it has that interface, too.
std::string dds_settings(bool is_open) {
  std::string general, peers;
  if (!is_open) {
    general = fmt::format(R"(<General>
    <Interfaces><NetworkInterface address="127.0.0.1"/>{}</Interfaces>
    <AllowMulticast>false</AllowMulticast>
  </General>)",
                          has_network() ? R"(<NetworkInterface autodetermine="true"/>)" : "");
    peers = R"(<Peers><Peer address="127.0.0.1"/></Peers>
    <SPDPInterval>1s</SPDPInterval>)";
  }
  const char* const more = std::getenv("CYCLONEDDS_URI");
  return fmt::format(R"(<CycloneDDS><Domain Id="any">
  {}
  <Discovery>
    <ParticipantIndex>auto</ParticipantIndex>
    <MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>
    {}
  </Discovery>
</Domain></CycloneDDS>,{})",
                     general, peers, more == nullptr ? "" : more);
}

}  // namespace longarm::ros2

/// The C library's, but for the address; the library of CycloneDDS finds this one first.
extern "C" int bind(int socket, const sockaddr* address, socklen_t size) noexcept {
  using Bind = int (*)(int, const sockaddr*, socklen_t);
  static const auto real = reinterpret_cast<Bind>(dlsym(RTLD_NEXT, "bind"));
  sockaddr_in changed{};
  int type = 0;
  socklen_t type_size = sizeof type;
  if (longarm::ros2::is_loopback_only && address->sa_family == AF_INET && size >= sizeof changed &&
      getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_DGRAM) {
    std::memcpy(&changed, address, sizeof changed);
    if (changed.sin_addr.s_addr == htonl(INADDR_ANY)) {
      changed.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    return real(socket, reinterpret_cast<const sockaddr*>(&changed), sizeof changed);
  }
  return real(socket, address, size);
}
