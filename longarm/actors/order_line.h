// SPDX-License-Identifier: Apache-2.0
// Orders from one actor to another: across the network where both have a host, else at once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "longarm/cell/world.h"
#include "longarm/network/channel.h"

namespace longarm::actors {

template <typename Order>
class OrderLine {
 public:
  using CarryOut = std::function<void(const Order&)>;

  OrderLine(cell::World& world, const std::string& asker, const cell::Wish& wish,
            CarryOut carry_out)
      : carry_out_(std::move(carry_out)) {
    if (!world.is_networked(asker, wish.name)) {
      return;
    }
    network::FlowLinks flow = world.open_flow(asker, wish.name, wish.options(world.usual_flow()));
    channel_ = std::make_unique<network::Channel<Order>>(
        world.kernel(), asker + "." + wish.name, std::move(flow.from_opener),
        [this](const Order& order, Time) { carry_out_(order); });
  }

  void send(const Order& order) {
    if (channel_) {
      channel_->send(order, kOrderBytes);
    } else {
      carry_out_(order);
    }
  }

 private:
  // a header, a word and a checksum
  static constexpr std::size_t kOrderBytes = 16;

  CarryOut carry_out_;
  std::unique_ptr<network::Channel<Order>> channel_;  ///< null: it needs none
};

}  // namespace longarm::actors
