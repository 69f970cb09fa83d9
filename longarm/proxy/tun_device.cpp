// SPDX-License-Identifier: Apache-2.0
// /dev/net/tun and its one ioctl.
#include "longarm/proxy/tun_device.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace longarm::proxy {

Result<TunDevice> TunDevice::open(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ || name.find('/') != std::string::npos) {
    return Error{fmt::format("'{}' is no name of a device: 1 to {} letters", name, IFNAMSIZ - 1)};
  }
  components::Descriptor device(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!device.is_open()) {
    return Error{fmt::format("cannot open /dev/net/tun: {}", components::last_system_error())};
  }
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI);
  if (ioctl(device.number(), TUNSETIFF, &request) != 0) {
    return Error{
        fmt::format("cannot make the TUN device '{}': {}", name, components::last_system_error())};
  }
  return TunDevice(std::move(device), name);
}

std::optional<std::span<const std::byte>> TunDevice::read(std::span<std::byte> room) {
  const ssize_t size = ::read(number(), room.data(), room.size());
  if (size <= 0) {
    return std::nullopt;
  }
  return std::span<const std::byte>(room).first(static_cast<std::size_t>(size));
}

bool TunDevice::write(std::span<const std::byte> packet) {
  return ::write(number(), packet.data(), packet.size()) == static_cast<ssize_t>(packet.size());
}

}  // namespace longarm::proxy
