// SPDX-License-Identifier: Apache-2.0
// Questions to a network simulator that we started, and its answers, until it fails.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/external/local_socket.h"
#include "longarm/system/child_process.h"

namespace longarm::network::external {

/// Errors are whole sentences: who, what, and once it runs at which simulated time. After the first
/// one every question gets it again.
class Conversation {
 public:
  Conversation(std::string name, Duration patience) : name_(std::move(name)), patience_(patience) {}
  /// Asks the process to quit, and sees to it that it does.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  const std::string& name() const { return name_; }

  /// Starts it and waits until it has connected.
  Result<bool> start(const std::vector<std::string>& command);
  /// Goes out with the next question.
  void say(const std::string& line) { pending_ += line; }
  /// Sends what was said and this, and waits for a line.
  Result<std::string> ask(const std::string& question, Time now);
  /// It did `what`, which ends the conversation.
  Error fail(const std::string& what, Time now);

 private:
  std::optional<std::string> how_it_ended(Duration patience);
  Error not_started(const std::string& what);

  std::string name_;
  Duration patience_;
  std::unique_ptr<LocalSocket> socket_;
  std::optional<system::ChildProcess> child_;  // ends before its socket
  std::string pending_;
  std::optional<Error> failure_;
};

}  // namespace longarm::network::external
