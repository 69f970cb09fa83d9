// SPDX-License-Identifier: Apache-2.0
// Actions that need no code: servers whose goals take a time, and clients that send goals by a
// schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/actions.h"
#include "longarm/components/node.h"
#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/random.h"
#include "longarm/network/key_remark.h"
#include "longarm/network/varying_time.h"

namespace longarm::components {

/// One goal at a time, as of an arm that moves: it takes time, but no computing.
struct LoopAction {
  std::string name;
  network::VaryingTime duration;
  network::VaryingTime stopping;  ///< after a cancel, or when a newer goal has come
  Duration feedback_every{0};     ///< 0: none
  std::int64_t feedback_bytes = 8;
  std::int64_t result_bytes = 4;
  std::string when_busy = "preempt";
  double abort_probability = 0.0;  ///< at the end of its time
};

/// Goals to one action of another component.
struct LoopGoal {
  std::string name;    ///< made up by the user
  std::string to;      ///< a component
  std::string action;  ///< empty: the entry's own name
  std::int64_t goal_bytes = 0;
  Duration from{0};               ///< the first
  std::optional<Duration> until;  ///< none at or after this time
  Duration period{0};             ///< 0: each as soon as the one before has ended
  std::int64_t count = 0;         ///< 0: as many as fit
  std::optional<Duration> cancel_after{};
  std::optional<Duration> timeout{};  ///< then it counts as lost

  const std::string& action_name() const { return action.empty() ? name : action; }
};

/// A message whose size is all that matters.
Bytes zeros(std::int64_t count);
void judge_size(const std::string& key, std::int64_t bytes,
                std::vector<network::KeyRemark>& remarks, std::int64_t least = 0);

void list_actions(Fields& fields, std::vector<LoopAction>& actions);
void list_goals(Fields& fields, std::vector<LoopGoal>& goals);
/// Read the files of measured times and judge the values. Remarks name keys below the component.
std::vector<network::KeyRemark> load(std::vector<LoopAction>& actions, InputFiles& files);
std::vector<network::KeyRemark> judge_goals(const std::vector<LoopGoal>& goals);

/// Serves one. Outlives the node's tasks.
class LoopActionServer {
 public:
  /// Draws come from the stream "<component>.<action>".
  LoopActionServer(Node& node, LoopAction action, const std::string& component, std::uint64_t seed);

 private:
  static sim::Task<Bytes> run(LoopActionServer* server, Bytes goal, RunningGoal running);

  Node& node_;
  LoopAction action_;
  RandomStream draws_;
  RawActionServer server_;
};

/// Sends them. Outlives the node's tasks.
class LoopGoalClient {
 public:
  LoopGoalClient(Node& node, LoopGoal goal);

 private:
  sim::Task<void> run();
  sim::Task<void> send();
  static sim::Task<void> cancel_later(Node* node, Duration after, std::shared_ptr<CallTicket> goal);

  Node& node_;
  LoopGoal goal_;
  RawActionClient client_;
};

}  // namespace longarm::components
