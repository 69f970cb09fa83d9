// SPDX-License-Identifier: Apache-2.0
// Clients in and out, bytes to documents to orders, and statuses back.
#include "longarm/robots/crcl/door.h"

#include <map>
#include <utility>

#include "longarm/protocols/crcl/codec.h"
#include "longarm/robots/crcl/controller.h"
#include "longarm/robots/crcl/status.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;
using protocols::ConnectionId;
using Client = std::shared_ptr<CrclClient>;

namespace {

/// By text alone, since it could not be read: whether its command's own tag says StopMotion.
bool is_stop(std::string_view document) {
  constexpr std::string_view kTag = "<CRCLCommand";
  for (std::size_t at = document.find(kTag); at != std::string_view::npos;
       at = document.find(kTag, at + 1)) {
    const std::string_view rest = document.substr(at + kTag.size());
    if (rest.find_first_of(" \t\r\n") == 0) {  // not the root, whose name begins alike
      return rest.substr(0, rest.find('>')).find("StopMotionType") != std::string_view::npos;
    }
  }
  return false;
}

}  // namespace

struct CrclDoor::Parts {
  std::string name;
  RobotPort& robot;
  Pose X_WB;
  CrclDoorConfig config;
  Log log;
  std::unique_ptr<CrclController> controller;
  std::map<ConnectionId, Client> clients;
  CrclCounts counts;
  CrclCounts before;  // what former controllers had counted when they died
  ModelSource models;
  std::optional<Time> pushed;
  bool is_silent = false;

  void make_controller() {
    if (controller != nullptr) {
      before.commands += controller->command_count();
      before.errors += controller->error_count();
    }
    controller = std::make_unique<CrclController>(name, robot, X_WB, config, log,
                                                  [this](const Client& client) { tell(*client); });
  }
  void tell(CrclClient& client);
  void read(const Client& client, const std::string& document, Time now);
  void read_command(const Client& client, const std::string& document, Time now);
  void read_program(const Client& client, const std::string& document, Time now);
  void refuse(const Client& client, const std::string& document, const std::string& reason,
              Time now);
  void drop(CrclClient& client);
};

CrclDoor::CrclDoor(std::string name, RobotPort& robot, const Pose& X_WB,
                   const CrclDoorConfig& config, Log log)
    : Door(std::move(name), static_cast<std::uint16_t>(config.port)),
      parts_(new Parts{.name = this->name(),
                       .robot = robot,
                       .X_WB = X_WB,
                       .config = config,
                       .log = std::move(log),
                       .controller = nullptr,
                       .clients = {},
                       .counts = {},
                       .before = {},
                       .models = {},
                       .pushed = std::nullopt}) {
  parts_->make_controller();
}

CrclDoor::~CrclDoor() = default;

void CrclDoor::Parts::drop(CrclClient& client) {
  if (!client.is_over) {
    ++counts.dropped;
  }
  client.is_over = true;
  client.output.clear();
  client.output.shrink_to_fit();
}

void CrclDoor::Parts::tell(CrclClient& client) {
  if (client.is_over) {
    return;
  }
  crcl::Status status = make_status(*controller, client);
  client.complaint.reset();  // said once
  status.command.status_id = ++client.status_id;
  Result<std::string> document = crcl::encode(status);
  if (!document) {
    // a number that is none, e.g. of a world that has blown up: the state at least can be told
    crcl::Status brief;
    brief.command = status.command;
    brief.command.description = document.error().message;
    document = crcl::encode(brief);
  }
  if (!document) {
    return;
  }
  ++counts.statuses;
  client.output += client.reports_models && models
                       ? with_models(*document, models(), client.dialect, X_WB)
                       : *document;
  if (client.output.size() > static_cast<std::size_t>(config.max_output_bytes)) {
    drop(client);
  }
}

void CrclDoor::Parts::refuse(const Client& client, const std::string& document,
                             const std::string& reason, Time now) {
  ++counts.malformed;
  const std::optional<std::int64_t> id = crcl::command_id_in(document);
  const bool stops = is_stop(document);
  if (!id && !stops) {
    client->complaint = reason;
    return;
  }
  CrclOrder order{.client = client, .instance = {}, .refusal = reason, .program = nullptr};
  order.instance.command.id = id.value_or(0);
  if (stops) {
    order.instance.command.body = crcl::StopMotion{crcl::StopCondition::kNormal};
  }
  controller->take(std::move(order), now);
}

void CrclDoor::Parts::read_command(const Client& client, const std::string& document, Time now) {
  Result<crcl::CommandInstance> instance = crcl::decode_command(document);
  if (!instance) {
    refuse(client, document, instance.error().message, now);
    return;
  }
  const crcl::CommandBody& body = instance->command.body;
  if (std::holds_alternative<crcl::GetStatus>(body)) {
    tell(*client);
    return;
  }
  if (std::holds_alternative<crcl::InitCanon>(body)) {
    client->complaint.reset();
  }
  controller->take({.client = client,
                    .instance = std::move(instance).value(),
                    .refusal = {},
                    .program = nullptr},
                   now);
}

void CrclDoor::Parts::read_program(const Client& client, const std::string& document, Time now) {
  Result<crcl::Program> program = crcl::decode_program(document);
  if (!program) {
    refuse(client, document, program.error().message, now);
    return;
  }
  client->complaint.reset();
  controller->take({.client = client,
                    .instance = {},
                    .refusal = {},
                    .program = std::make_shared<const crcl::Program>(std::move(program).value())},
                   now);
}

void CrclDoor::Parts::read(const Client& client, const std::string& document, Time now) {
  switch (crcl::kind_of(document)) {
    case crcl::DocumentKind::kCommand:
      read_command(client, document, now);
      return;
    case crcl::DocumentKind::kProgram:
      read_program(client, document, now);
      return;
    case crcl::DocumentKind::kStatus:
    case crcl::DocumentKind::kUnknown:
      break;
  }
  ++counts.malformed;
  client->complaint = "expected a CRCLCommandInstance or a CRCLProgram";
}

void CrclDoor::update(Time now) {
  if (parts_->is_silent) {
    return;
  }
  parts_->controller->update(now);
  const std::optional<Duration>& period = parts_->config.status_period;
  if (!period || (parts_->pushed && now - *parts_->pushed < *period)) {
    return;
  }
  parts_->pushed = now;
  for (const auto& [id, client] : parts_->clients) {
    parts_->tell(*client);
  }
}

void CrclDoor::set_silent(bool is_silent) {
  if (parts_->is_silent == is_silent) {
    return;
  }
  parts_->is_silent = is_silent;
  for (const auto& [id, client] : parts_->clients) {
    client->output.clear();
    client->is_over = client->is_over || !is_silent;  // it wakes up without knowing them
  }
  if (!is_silent) {
    parts_->make_controller();
  }
}

bool CrclDoor::is_silent() const {
  return parts_->is_silent;
}

void CrclDoor::set_models(ModelSource models) {
  parts_->models = std::move(models);
}

CrclCounts CrclDoor::counts() const {
  CrclCounts counts = parts_->counts;
  counts.commands = parts_->before.commands + parts_->controller->command_count();
  counts.errors = parts_->before.errors + parts_->controller->error_count();
  return counts;
}

std::size_t CrclDoor::clients() const {
  return parts_->clients.size();
}

const std::string& CrclDoor::last_message() const {
  return parts_->controller->actions().settings().message;
}

void CrclDoor::do_open(ConnectionId id, Time) {
  if (parts_->clients.size() >= static_cast<std::size_t>(parts_->config.max_clients)) {
    ++parts_->counts.turned_away;
    return;
  }
  auto client = std::make_shared<CrclClient>();
  parts_->controller->actions().welcome(*client);
  parts_->clients[id] = std::move(client);
}

void CrclDoor::do_receive(ConnectionId id, std::string_view bytes, Time now) {
  const auto found = parts_->clients.find(id);
  if (found == parts_->clients.end() || parts_->is_silent) {
    return;
  }
  const Client client = found->second;
  client->framing.feed(bytes);
  while (!client->is_over) {
    Result<std::optional<std::string>> next = client->framing.next();
    if (!next) {
      client->complaint = next.error().message;
      parts_->tell(*client);
      ++parts_->counts.malformed;
      ++parts_->counts.dropped;
      client->is_over = true;
      return;
    }
    if (!next->has_value()) {
      return;
    }
    parts_->read(client, **next, now);
  }
}

void CrclDoor::do_close(ConnectionId id, Time) {
  const auto found = parts_->clients.find(id);
  if (found == parts_->clients.end()) {
    return;
  }
  // what it asked for goes on; nobody listens any more
  found->second->is_over = true;
  found->second->output.clear();
  parts_->clients.erase(found);
}

std::string CrclDoor::do_take_output(ConnectionId id) {
  const auto found = parts_->clients.find(id);
  if (found == parts_->clients.end()) {
    return {};
  }
  return std::exchange(found->second->output, {});
}

bool CrclDoor::do_is_over(ConnectionId id) const {
  const auto found = parts_->clients.find(id);
  return found == parts_->clients.end() || found->second->is_over;
}

}  // namespace longarm::robots
