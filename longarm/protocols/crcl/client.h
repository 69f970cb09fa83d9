// SPDX-License-Identifier: Apache-2.0
// A CRCL client without a socket: numbers commands, writes them, and knows from the statuses it
// hears what has become of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/protocols/crcl/codec.h"
#include "longarm/protocols/crcl/framing.h"

namespace longarm::protocols::crcl {

/// What a client knows of a command it sent.
enum class Progress {
  kSent,       ///< no status has named it yet
  kWorking,    ///< a status said so
  kDone,       ///< a status said so; this and the next are final
  kError,      ///< a status said so
  kOvertaken,  ///< statuses speak of a later command and none said how this one ended
};

class Client {
 public:
  /// Ids are counted from `first_id`; a second client of the same server begins elsewhere.
  explicit Client(std::int64_t first_id = 1) : next_id_(first_id) {}

  /// The command's id, or why it cannot be written; its bytes wait in `take_output`.
  Result<std::int64_t> send(CommandBody body, std::vector<Guard> guards = {});
  /// Asks for one status.
  void ask_status();
  std::string take_output();

  /// Bytes from the server, cut anywhere. How many whole statuses they completed.
  std::size_t receive(std::string_view bytes);

  const std::optional<Status>& last_status() const { return last_status_; }
  /// How many statuses were asked for and have not come. A server that sends on its own makes it 0.
  std::size_t open_questions() const { return open_questions_; }

  Progress progress(std::int64_t id) const;
  bool is_over(std::int64_t id) const;
  /// What the server said of a command that ended in an error; empty otherwise.
  std::string description(std::int64_t id) const;

  /// Statuses that could not be read, and the reason of the last.
  std::size_t unreadable() const { return unreadable_; }
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Ending {
    CommandState state = CommandState::kDone;
    std::string description;
  };

  void hear(const std::string& document);

  std::int64_t next_id_;
  std::string output_;
  Framing framing_;
  std::optional<Status> last_status_;
  std::map<std::int64_t, Ending> endings_;  // of the latest few hundred commands
  std::size_t open_questions_ = 0;
  std::size_t unreadable_ = 0;
  std::string last_failure_;
};

}  // namespace longarm::protocols::crcl
