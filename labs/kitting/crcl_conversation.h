// SPDX-License-Identifier: Apache-2.0
// Talking CRCL with one robot in straight lines of a task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "labs/kitting/line.h"
#include "longarm/protocols/crcl/client.h"
#include "longarm/sim/task.h"

namespace longarm::kitting {

enum class Ending {
  kDone,
  kError,   ///< the robot said so
  kSilent,  ///< it said nothing for so long that it was given up
};

struct CommandEnd {
  Ending ending = Ending::kDone;
  std::string words{};  ///< of the robot, or about its silence
  bool is_done() const { return ending == Ending::kDone; }
};

/// One command at a time. A connection that was lost is dialled again and the command sent once
/// more under its number, which the robot knows then. One task at a time may run commands.
class CrclConversation {
 public:
  CrclConversation(sim::TaskContext context, std::string robot, Dial dial,
                   const TalkConfig& config);
  CrclConversation(const CrclConversation&) = delete;
  CrclConversation& operator=(const CrclConversation&) = delete;

  /// Sends it and asks every `poll` what has become of it, until it is over.
  sim::Task<CommandEnd> run(protocols::crcl::CommandBody body);
  /// One status, newer than this call; nothing if the robot is silent.
  sim::Task<std::optional<protocols::crcl::Status>> ask();

  /// Stops the motion at once, whatever command runs, and waits for no answer. Does nothing without
  /// a connection.
  void stop_now();

  const std::string& robot() const { return robot_; }
  /// Newest of all; may be old.
  const std::optional<protocols::crcl::Status>& status() const { return client_.last_status(); }
  /// Whether nothing has come for longer than `silent_after` although something was asked.
  bool is_silent() const { return is_silent_; }
  /// Times it began to be silent.
  std::uint64_t silences() const { return silences_; }
  std::uint64_t commands() const { return commands_; }
  const RoundTrips& round_trips() const { return round_trips_; }
  const Line& line() const { return line_; }
  /// Whether the connection is a new one since the last call: what was configured is forgotten.
  bool take_is_new();

 private:
  void hear(std::string_view bytes, Time now);
  void ask_status();
  void flush();
  /// Notes a silence as it begins; true once it has lasted too long.
  bool is_given_up(Time since);
  CommandEnd silence() const;

  sim::TaskContext context_;
  std::string robot_;
  TalkConfig config_;
  protocols::crcl::Client client_;
  Line line_;
  std::int64_t last_id_ = 0;  ///< of a command
  Time asked_{};
  bool is_silent_ = false;
  bool is_new_ = false;
  std::uint64_t silences_ = 0;
  std::uint64_t commands_ = 0;
  RoundTrips round_trips_;
};

}  // namespace longarm::kitting
