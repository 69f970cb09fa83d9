// SPDX-License-Identifier: Apache-2.0
// Draws what becomes of the packets of one direction before there are any, for other processes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "longarm/network/link.h"

namespace longarm::network::external {

/// What is added to the travel of each copy that arrives; none: the packet is lost.
using PacketFate = std::vector<Duration>;

/// The fates are those that the link itself would give to the packets with these indices.
class FateSource {
 public:
  /// Of a model whose fates go by index.
  FateSource(const LinkModel& model, const LinkContext& context) : link_(model.make(context)) {}

  std::uint64_t next_index() const { return next_index_; }
  /// Of the next `count` packets.
  std::vector<PacketFate> draw(std::size_t count);

 private:
  std::unique_ptr<Link> link_;
  std::uint64_t next_index_ = 0;
  Time now_{};
};

}  // namespace longarm::network::external
