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
namespace {

constexpr const char* kTaken = "is in use";
constexpr const char* kNoTun = "is not a TUN device";
constexpr const char* kNoName = "is not a valid device name";

}  // namespace

std::string TunDevice::hint_of(const Error& error) {
  const auto says = [&](const char* words) {
    return error.message.find(words) != std::string::npos;
  };
  if (says(kTaken) || says(kNoTun)) {
    return "choose an unused name; `ip link` lists the existing devices";
  }
  if (says(kNoName)) {
    return "e.g. --tun near,far";
  }
  return "TUN needs Linux and permission to create devices (CAP_NET_ADMIN)";
}

Result<TunDevice> TunDevice::open(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ || name.find('/') != std::string::npos) {
    return Error{fmt::format("'{}' {}: names have 1 to {} characters and no '/'", name, kNoName,
                             IFNAMSIZ - 1)};
  }
  system::Descriptor device(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!device.is_open()) {
    return Error{fmt::format("cannot open /dev/net/tun: {}", system::last_system_error())};
  }
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI);
  if (ioctl(device.number(), TUNSETIFF, &request) != 0) {
    // EINVAL also where the kernel does not like the name
    if (errno == EBUSY) {
      return Error{fmt::format("the TUN device '{}' {} by another program", name, kTaken)};
    }
    if (errno == EINVAL && if_nametoindex(name.c_str()) != 0) {
      return Error{fmt::format("'{}' {}", name, kNoTun)};
    }
    return Error{
        fmt::format("cannot create the TUN device '{}': {}", name, system::last_system_error())};
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
