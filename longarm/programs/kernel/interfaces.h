// SPDX-License-Identifier: Apache-2.0
// The network interfaces that programs of a host see: loopback, and one to the network.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

struct Interface {
  std::string name;
  int index = 0;
  unsigned flags = 0;  ///< IFF_…
  int mtu = 0;
  std::array<unsigned char, 6> hardware{};
  std::uint32_t address = 0;
  std::uint32_t netmask = 0;
};

std::vector<Interface> interfaces_of(const Host& host);

/// SIOCGIFCONF and its kin; -ENOTTY: it is none of them.
std::int64_t control_interfaces(Kernel& kernel, Thread& thread, std::uint64_t request,
                                std::uint64_t argument);

/// What /etc/hosts says, with all hosts of the cell.
std::string hosts_file(const Kernel& kernel, const Host& host);

}  // namespace longarm::programs
