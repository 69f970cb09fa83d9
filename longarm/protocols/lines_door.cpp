// SPDX-License-Identifier: Apache-2.0
// Keeps the last few lines, and what each client has heard of them.
#include "longarm/protocols/lines_door.h"

#include <algorithm>
#include <utility>

namespace longarm::protocols {

void LinesDoor::say(std::string line) {
  line += '\n';
  last_.push_back(std::move(line));
  ++said_;
  if (last_.size() > kMaxLines) {
    last_.pop_front();
  }
}

void LinesDoor::do_open(ConnectionId client, Time /*now*/) {
  if (clients_.size() < kMaxClients) {  // is_over() tells the carrier of the others
    clients_.try_emplace(client, said_ - std::min<std::uint64_t>(said_, 1));
  }
}

void LinesDoor::do_close(ConnectionId client, Time /*now*/) {
  clients_.erase(client);
}

std::string LinesDoor::do_take_cyclic(ConnectionId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return {};
  }
  const std::uint64_t missed = said_ - std::exchange(found->second, said_);
  const std::size_t count = std::min<std::size_t>(missed, last_.size());
  std::string out;
  for (std::size_t i = last_.size() - count; i < last_.size(); ++i) {
    out += last_[i];
  }
  return out;
}

bool LinesDoor::do_is_over(ConnectionId client) const {
  return !clients_.contains(client);
}

}  // namespace longarm::protocols
