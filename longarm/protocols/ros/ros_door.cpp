// SPDX-License-Identifier: Apache-2.0
// Greets, hands requests on, and answers.
#include "longarm/protocols/ros/ros_door.h"

#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::ros {

void RosDoor::say(const std::string& line) {
  for (auto& [client, talk] : clients_) {
    talk.output += line;
    talk.output += '\n';
    talk.is_over = talk.is_over || talk.output.size() > kMostLineBytes;
  }
}

void RosDoor::stream(std::string packet) {
  packet_ = std::move(packet);
  ++packets_;
}

void RosDoor::do_open(ConnectionId client, Time now) {
  if (clients_.size() < kMaxClients) {
    RosTalk& talk = clients_[client];
    talk.output = greet_(now) + '\n';
    talk.taken = packets_;
  }
}

void RosDoor::do_receive(ConnectionId client, std::string_view bytes, Time now) {
  const auto found = clients_.find(client);
  if (found != clients_.end()) {
    hear_lines(found->second, bytes, kMostLineBytes,
               [&](const std::string& line) { answer(found->second, line, now); });
  }
}

std::string RosDoor::do_take_cyclic(ConnectionId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || std::exchange(found->second.taken, packets_) == packets_) {
    return {};
  }
  return packet_;
}

void RosDoor::answer(LineTalk& talk, const std::string& line, Time now) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) {
    return;
  }
  ++requests_;
  std::optional<std::int64_t> id;
  std::optional<Error> error;
  if (line.size() > kMostLineBytes) {
    error = Error{fmt::format("a line of more than {} bytes", kMostLineBytes)};
    talk.is_over = true;
  } else {
    Result<Request> request = parse_request(line);
    id = request ? request->id : id_of(line);
    error = request ? handle_(*request, now) : request.error();
  }
  if (error) {
    ++refused_;
    last_refusal_ = error->message;
  }
  if (!id && !error) {
    return;
  }
  nlohmann::ordered_json out{{"t_ns", now.time_since_epoch().count()}};
  if (id) {
    out["answer"] = *id;
  }
  if (error) {
    out["error"] = error->message;
  }
  talk.output += out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  talk.output += '\n';
}

}  // namespace longarm::protocols::ros
