// SPDX-License-Identifier: Apache-2.0
// What happens at a cell's doors: a client comes, says something, goes; somebody who was called
// does not answer.
#pragma once

#include <cstddef>
#include <string>

#include "longarm/protocols/door.h"

namespace longarm::serve {

using protocols::ConnectionId;
using protocols::Door;

enum class DoorEventKind { kOpen, kData, kClose, kCallFailed };

struct DoorEvent {
  DoorEventKind kind = DoorEventKind::kData;
  std::size_t door = 0;   ///< which of the cell's
  ConnectionId client{};  ///< of kCallFailed none
  std::string bytes{};    ///< of kData; of kCallFailed why

  bool operator==(const DoorEvent&) const = default;
};

}  // namespace longarm::serve
