// SPDX-License-Identifier: Apache-2.0
// A conveyor, to those who are wired to it.
#pragma once

#include "longarm/cell/wish.h"
#include "longarm/mechanisms/belt.h"

namespace longarm::actors {

class BeltBody {
 public:
  static constexpr cell::Interface kInterface{"belt", cell::Reach::kBody};

  virtual ~BeltBody() = default;
  virtual mechanisms::Belt& belt() = 0;
  virtual bool is_safety_stopped() const = 0;
};

}  // namespace longarm::actors
