// SPDX-License-Identifier: Apache-2.0
// One component whose program is a process that is not ours: what it says becomes what its node
// does, and what its node hears is told to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "longarm/components/lockstep/lockstep_message.h"
#include "longarm/components/node.h"
#include "longarm/sim/task.h"
#include "longarm/system/line_stream.h"

namespace longarm::components {

/// What was the last thing a client has been told: decides how long it is listened to (Krauß et al.
/// 2018, § 3.2).
enum class CollectionPhase : std::uint8_t { kStep, kRequest, kExecution, kReply };

/// Who waits for clients, and ends the run.
class TurnTaker {
 public:
  virtual ~TurnTaker() = default;
  virtual bool is_exact() const = 0;
  virtual Duration patience() const = 0;
  /// Listens to all clients for as long as the phase says.
  virtual void collect(CollectionPhase phase) = 0;
  virtual void fail(const std::string& who, const std::string& what) = 0;
  virtual bool has_failed() const = 0;
};

class ForeignComponent {
 public:
  /// All outlive it but the node, whose tasks use it.
  ForeignComponent(sim::Kernel& kernel, Node& node, std::string host, TurnTaker& turns);

  const std::string& name() const { return node_.name(); }
  const std::string& host() const { return host_; }
  bool has_joined() const { return stream_.has_value(); }
  /// Someone said hello in its name.
  void join(system::LineStream stream) { stream_ = std::move(stream); }
  /// It may speak for the first time.
  void begin();

  /// Tells it something and listens to what it says to that.
  void tell(LockstepMessage message, CollectionPhase phase);
  /// Only tells it. False: it cannot be told.
  bool send(LockstepMessage message);
  /// Reads what has come, without waiting.
  void listen();
  /// Makes its node do what was read, in order.
  void obey();
  /// The last words.
  void say_end();
  /// For poll(); -1 if there is nothing to listen to.
  int descriptor() const;

  std::int64_t turns() const { return turn_; }
  /// By the wall clock, for it to become idle.
  double waited_s() const { return waited_s_; }

 private:
  struct Answer {
    Bytes data;
    Duration execution{0};
  };
  struct OpenRequest {
    sim::Mailbox<Answer> answers;
    bool is_answered = false;
  };

  bool can_be_told(const std::string& type);
  void take_turn();
  void sleep(std::int64_t id, Time when);
  void take(const std::string& line, bool& is_idle);
  void obey(LockstepMessage message);
  void answer(const LockstepMessage& message);
  sim::Task<Bytes> ask(std::string method, Bytes request);
  sim::Task<void> call(LockstepMessage message);
  void complain(const std::string& what);

  sim::Kernel& kernel_;
  Node& node_;
  std::string host_;
  TurnTaker& turns_;
  sim::SourceId source_;
  std::optional<system::LineStream> stream_;
  bool has_left_ = false;
  std::int64_t turn_ = 0;
  std::int64_t next_request_ = 1;
  std::vector<LockstepMessage> heard_;
  std::map<std::int64_t, OpenRequest> open_requests_;
  std::set<std::int64_t> open_calls_;  ///< calls and sleeps that have no end yet
  double waited_s_ = 0.0;
};

}  // namespace longarm::components
