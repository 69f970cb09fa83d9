// SPDX-License-Identifier: Apache-2.0
// For outputs that pass damaged packets on, as real cables do, instead of counting them as dropped.
#pragma once

#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// A LinkOutput that is one of these, too, is told of each damaged copy when it would arrive,
/// before arrive() and drop() speak of the packet. A packet of which no copy is whole is dropped as
/// kCorrupt all the same.
class DamageOutput {
 public:
  virtual ~DamageOutput() = default;
  virtual void damaged(const Packet& packet, Time when) = 0;
};

}  // namespace longarm::network
