// SPDX-License-Identifier: Apache-2.0
// Servers of actors, as others ask for them: by the protocol that is spoken there.
#pragma once

#include <cstddef>
#include <functional>

#include "longarm/cell/wish.h"
#include "longarm/protocols/door.h"

namespace longarm::actors {

/// What a World::dial() leads to.
struct ModbusDoor {
  static constexpr cell::Interface kInterface{"Modbus server", cell::Reach::kSpoken, true};
  protocols::Door* door = nullptr;
};

struct CrclServer {
  static constexpr cell::Interface kInterface{"CRCL server", cell::Reach::kSpoken, true};
  protocols::Door* door = nullptr;
  std::function<std::size_t()> clients;  ///< how many are connected now
};

}  // namespace longarm::actors
