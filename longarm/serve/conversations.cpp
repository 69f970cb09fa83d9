// SPDX-License-Identifier: Apache-2.0
// Hands events to doors and collects their answers.
#include "longarm/serve/conversations.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace longarm::serve {

Conversations::Conversations(std::vector<Door*> doors, Listener listener, Caller caller)
    : doors_(std::move(doors)),
      listener_(std::move(listener)),
      caller_(std::move(caller)),
      figures_(doors_.size()),
      digests_(doors_.size()) {}

void Conversations::apply(const DoorEvent& event, Time now) {
  if (event.door >= doors_.size()) {
    return;
  }
  Door& door = *doors_[event.door];
  DoorFigures& figures = figures_[event.door];
  if (event.kind == DoorEventKind::kCallFailed) {
    ++figures.failed_calls;
    door.call_failed(now);
    return;
  }
  const auto found = clients_.find(event.client);
  const bool is_new = found == clients_.end();
  if (is_new != (event.kind == DoorEventKind::kOpen) ||
      (!is_new && found->second.door != event.door)) {
    return;  // comes twice, or speaks before it has come
  }
  switch (event.kind) {
    case DoorEventKind::kOpen:
      ++figures.opened;
      figures.most_open = std::max(figures.most_open, ++figures.open);
      door.open(event.client, now);
      ask(event.client, clients_[event.client] = Client{event.door, false}, false);
      return;
    case DoorEventKind::kData:
      ++figures.pieces_in;
      figures.bytes_in += event.bytes.size();
      door.receive(event.client, event.bytes, now);
      ask(event.client, found->second, false);
      if (door.take_haste()) {
        for (auto& [id, client] : clients_) {
          if (client.door == event.door) {
            ask(id, client, false);
          }
        }
      }
      return;
    case DoorEventKind::kClose:
      door.close(event.client, now);
      --figures.open;
      clients_.erase(found);
      if (listener_) {
        listener_({event.door, event.client, {}, true});
      }
      return;
    case DoorEventKind::kCallFailed:
      return;  // above
  }
}

void Conversations::after_step() {
  for (auto& [id, client] : clients_) {
    ask(id, client, true);
  }
  call_out();
}

void Conversations::ask(ConnectionId id, Client& client, bool is_after_step) {
  Door& door = *doors_[client.door];
  Said said{client.door, id, door.take_output(id)};
  if (is_after_step) {
    said.cyclic = door.take_cyclic(id);
  }
  said.is_last = !client.is_told_to_go && door.is_over(id);
  if (said.bytes.empty() && said.cyclic.empty() && !said.is_last) {
    return;
  }
  client.is_told_to_go = client.is_told_to_go || said.is_last;
  tell(std::move(said));
}

void Conversations::tell(Said said) {
  hash_.add(static_cast<std::uint64_t>(said.client));
  hash_.add(std::string_view(said.bytes));
  // streams apart, so that what doors say without them hashes as it always has
  if (!said.cyclic.empty()) {
    hash_.add(digest_of(said.door, said.cyclic));
  }
  figures_[said.door].bytes_out += said.bytes.size() + said.cyclic.size();
  if (listener_) {
    listener_(std::move(said));
  }
}

/// Most clients of a stream get the same packet: comparing is cheaper than hashing it anew.
std::uint64_t Conversations::digest_of(std::size_t door, const std::string& packet) {
  Digest& last = digests_[door];
  if (last.packet != packet) {
    Hash hash;
    hash.add(std::string_view(packet));
    last = {packet, hash.value()};
  }
  return last.value;
}

void Conversations::call_out() {
  for (std::size_t i = 0; i < doors_.size(); ++i) {
    const std::optional<protocols::Call> whom = doors_[i]->take_call();
    if (!whom) {
      continue;
    }
    ++figures_[i].calls;
    hash_.add(static_cast<std::uint64_t>(i));
    hash_.add(std::string_view(whom->host));
    hash_.add(static_cast<std::uint64_t>(whom->port));
    if (caller_) {
      caller_(i, *whom);
    }
  }
}

}  // namespace longarm::serve
