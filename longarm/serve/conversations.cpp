// SPDX-License-Identifier: Apache-2.0
// Hands events to doors and collects their answers.
#include "longarm/serve/conversations.h"

#include <algorithm>
#include <utility>

namespace longarm::serve {

Conversations::Conversations(std::vector<Door*> doors, Listener listener)
    : doors_(std::move(doors)), listener_(std::move(listener)), figures_(doors_.size()) {}

void Conversations::apply(const DoorEvent& event, Time now) {
  const auto found = clients_.find(event.client);
  const bool is_new = found == clients_.end();
  if (event.door >= doors_.size() || is_new != (event.kind == DoorEventKind::kOpen) ||
      (!is_new && found->second.door != event.door)) {
    return;  // comes twice, or speaks before it has come
  }
  Door& door = *doors_[event.door];
  DoorFigures& figures = figures_[event.door];
  switch (event.kind) {
    case DoorEventKind::kOpen:
      ++figures.opened;
      figures.most_open = std::max(figures.most_open, ++figures.open);
      door.open(event.client, now);
      ask(event.client, clients_[event.client] = Client{event.door, false});
      return;
    case DoorEventKind::kData:
      ++figures.pieces_in;
      figures.bytes_in += event.bytes.size();
      door.receive(event.client, event.bytes, now);
      ask(event.client, found->second);
      return;
    case DoorEventKind::kClose:
      door.close(event.client, now);
      --figures.open;
      clients_.erase(found);
      if (listener_) {
        listener_({event.door, event.client, {}, true});
      }
  }
}

void Conversations::after_step() {
  for (auto& [id, client] : clients_) {
    ask(id, client);
  }
}

void Conversations::ask(ConnectionId id, Client& client) {
  Door& door = *doors_[client.door];
  std::string bytes = door.take_output(id);
  const bool is_last = !client.is_told_to_go && door.is_over(id);
  if (bytes.empty() && !is_last) {
    return;
  }
  client.is_told_to_go = client.is_told_to_go || is_last;
  hash_.add(static_cast<std::uint64_t>(id));
  hash_.add(std::string_view(bytes));
  figures_[client.door].bytes_out += bytes.size();
  if (listener_) {
    listener_({client.door, id, std::move(bytes), is_last});
  }
}

}  // namespace longarm::serve
