// SPDX-License-Identifier: Apache-2.0
// A door that tells whoever has come what goes on, without being asked.
#pragma once

#include "longarm/protocols/door.h"

namespace longarm::protocols {

/// Its take_cyclic() never ends. So a client that stops talking may still listen, and is not gone
/// before it takes no more packets; at other doors it has said its last word.
class BroadcastDoor : public Door {
 public:
  using Door::Door;
};

}  // namespace longarm::protocols
