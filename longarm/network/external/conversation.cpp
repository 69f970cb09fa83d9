// SPDX-License-Identifier: Apache-2.0
// One question at a time; whoever stops answering is asked no more.
#include "longarm/network/external/conversation.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "longarm/network/external/protocol.h"

namespace longarm::network::external {
namespace {

constexpr std::chrono::seconds kTimeToConnect(10);  // at least: programs take a while to start
constexpr std::chrono::milliseconds kTimeToQuit(2000);
constexpr std::chrono::milliseconds kTimeToDie(200);  // between closing a socket and ending

}  // namespace

Conversation::~Conversation() {
  // it may have files to finish; without patience it is killed with its ChildProcess
  if (child_ && socket_ && !failure_ && socket_->write(quit_line(), patience_)) {
    child_->wait(kTimeToQuit);
  }
}

Result<bool> Conversation::start(const std::vector<std::string>& command) {
  Result<std::unique_ptr<LocalSocket>> socket = LocalSocket::listen();
  if (!socket) {
    return not_started("has no socket: " + socket.error().message);
  }
  std::vector<std::string> words = command;
  words.insert(words.end(), {"--socket", (*socket)->path()});
  Result<system::ChildProcess> child =
      system::ChildProcess::start(words, {.ends_with_thread = true});
  if (!child) {
    return not_started("cannot be started: " + child.error().message);
  }
  socket_ = std::move(socket).value();
  child_ = std::move(child).value();
  const Result<bool> accepted = socket_->accept(std::max<Duration>(patience_, kTimeToConnect),
                                                [this] { return how_it_ended(Duration::zero()); });
  return accepted ? accepted : not_started(accepted.error().message);
}

Result<std::string> Conversation::ask(const std::string& question, Time now) {
  if (failure_) {
    return *failure_;
  }
  pending_ += question;
  const Result<bool> written = socket_->write(pending_, patience_);
  pending_.clear();
  if (!written) {
    return fail(written.error().message, now);
  }
  Result<std::string> line = socket_->read_line(patience_);
  return line ? line : fail(line.error().message, now);
}

/// "exited with status 3", "was killed by signal 11 (…)"
std::optional<std::string> Conversation::how_it_ended(Duration patience) {
  const auto ending = child_ ? child_->wait(patience) : std::nullopt;
  if (!ending) {
    return std::nullopt;
  }
  return ending->is_signal
             ? fmt::format("was killed by signal {} ({})", ending->code, strsignal(ending->code))
             : fmt::format("exited with status {}", ending->code);
}

Error Conversation::not_started(const std::string& what) {
  failure_ = Error{fmt::format("network backend '{}' {}", name_, what)};
  return *failure_;
}

Error Conversation::fail(const std::string& what, Time now) {
  // why a connection was closed is best known from how the process ended
  std::optional<std::string> how;
  if (what == kClosed) {
    how = how_it_ended(kTimeToDie);
  }
  failure_ = Error{fmt::format("network backend '{}' {}, at simulated time {:.9f} s", name_,
                               how.value_or(what), to_seconds(now.time_since_epoch()))};
  return *failure_;
}

}  // namespace longarm::network::external
