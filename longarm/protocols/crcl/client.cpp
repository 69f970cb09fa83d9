// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of a CRCL client: what was sent, what was heard of it.
#include "longarm/protocols/crcl/client.h"

#include <utility>

namespace longarm::protocols::crcl {
namespace {

constexpr std::size_t kEndingsKept = 256;

}  // namespace

Result<std::int64_t> Client::send(CommandBody body, std::vector<Guard> guards) {
  CommandInstance instance;
  instance.command.id = next_id_;
  instance.command.guards = std::move(guards);
  instance.command.body = std::move(body);
  const Result<std::string> document = encode(instance);
  if (!document) {
    return document.error();
  }
  output_ += *document;
  return next_id_++;
}

void Client::ask_status() {
  // a command without fields can always be written
  (void)send(GetStatus{});
  ++open_questions_;
}

std::string Client::take_output() {
  return std::exchange(output_, {});
}

std::size_t Client::receive(std::string_view bytes) {
  std::size_t heard = 0;
  framing_.feed(bytes);
  while (true) {
    Result<std::optional<std::string>> document = framing_.next();
    if (!document) {
      ++unreadable_;
      last_failure_ = document.error().message;
      return heard;
    }
    if (!document->has_value()) {
      return heard;
    }
    hear(**document);
    ++heard;
  }
}

void Client::hear(const std::string& document) {
  Result<Status> status = decode_status(document);
  open_questions_ -= open_questions_ > 0 ? 1 : 0;
  if (!status) {
    ++unreadable_;
    last_failure_ = status.error().message;
    return;
  }
  last_status_ = std::move(status).value();
  const CommandStatus& command = last_status_->command;
  if (command.state == CommandState::kDone || command.state == CommandState::kError) {
    endings_.insert_or_assign(command.command_id,
                              Ending{command.state, command.description.value_or("")});
  }
  if (endings_.size() > kEndingsKept) {
    endings_.erase(endings_.begin());
  }
}

Progress Client::progress(std::int64_t id) const {
  const auto ending = endings_.find(id);
  if (ending != endings_.end()) {
    return ending->second.state == CommandState::kDone ? Progress::kDone : Progress::kError;
  }
  if (!last_status_.has_value() || last_status_->command.command_id < id) {
    return Progress::kSent;
  }
  return last_status_->command.command_id == id ? Progress::kWorking : Progress::kOvertaken;
}

bool Client::is_over(std::int64_t id) const {
  const Progress progress_now = progress(id);
  return progress_now != Progress::kSent && progress_now != Progress::kWorking;
}

std::string Client::description(std::int64_t id) const {
  const auto ending = endings_.find(id);
  return ending == endings_.end() ? std::string() : ending->second.description;
}

}  // namespace longarm::protocols::crcl
