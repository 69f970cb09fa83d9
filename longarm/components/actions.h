// SPDX-License-Identifier: Apache-2.0
// Goals that take their time: with feedback on the way, and a newer goal or a cancel to end them
// early; as the actions of ROS.
//
// A goal is a call whose reply is the result; states, feedback and cancel travel on the same
// connection, so feedback never comes after the result, and a client that dies cancels its goal.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/components/node.h"

namespace longarm::components {

/// The numbers up to kAborted are those of action_msgs/GoalStatus.
enum class ActionStatus : std::uint8_t {
  kAccepted = 1,  ///< waits for its turn
  kExecuting = 2,
  kCancelling = 3,  ///< a cancel has reached the server
  kSucceeded = 4,
  kCancelled = 5,  ///< the client asked for it
  kAborted = 6,    ///< the server gave up
  kPreempted = 7,  ///< by a newer goal; the outcome is what was reached until then
  kRejected = 8,   ///< never began
  kLost = 9        ///< the client cannot know: no answer, or no server
};

/// "succeeded".
std::string_view name_of(ActionStatus status);

/// What the reply carries, and what comes before it: a state, or a state with feedback.
struct ActionReply {
  static constexpr std::string_view kTypeName = "longarm/ActionReply";
  std::uint8_t status = 0;
  std::vector<std::uint8_t> outcome;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("status", self.status);
    visitor("outcome", self.outcome);
  }
};

enum class WhenBusy : std::uint8_t {
  kPreempt,  ///< ask the running goal to end; of those that wait only the newest is kept
  kReject,
  kWait  ///< begin after those that came before
};

struct ActionOptions {
  WhenBusy when_busy = WhenBusy::kPreempt;
  /// False: the goal is rejected; an error: the bytes are no goal. Empty: takes all.
  std::function<Result<bool>(const Bytes& goal)> accepts{};
};

/// A goal under way. Copies are of the same goal; harmless once it is over.
class RunningGoal {
 public:
  void feedback(const Bytes& feedback) const;
  /// It is time to come to an end: cancelled, preempted, or the client is gone.
  bool must_end() const;
  /// The result will say that the server gave up.
  void abort() const { state_->is_aborted = true; }

  /// `co_await goal.sleep_for(node, 2s)`: ends early if the goal must end.
  class Sleep {
   public:
    Sleep(sim::TaskContext context, Time when, const RunningGoal& goal)
        : context_(context), when_(when), goal_(goal) {}
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;
    ~Sleep();
    bool await_ready() const { return when_ <= context_.kernel.now() || goal_.must_end(); }
    void await_suspend(std::coroutine_handle<> frame);
    void await_resume() const {}

   private:
    sim::TaskContext context_;
    Time when_;
    const RunningGoal& goal_;
    sim::EventId wake_up_{UINT32_MAX, 0};
    bool is_waiting_ = false;
  };
  Sleep sleep_for(const Node& node, Duration span) const {
    return {node.context(), node.now() + span, *this};
  }

 private:
  friend class RawActionServer;
  struct State {
    bool is_preempted = false;
    bool is_aborted = false;
    std::function<void()> wake;  // of the task that sleeps; empty: none does
  };
  explicit RunningGoal(ServedCall call) : call_(call), state_(std::make_shared<State>()) {}
  void say(ActionStatus status, const Bytes& feedback = {}) const;
  void wake() const {
    if (state_->wake) {
      state_->wake();
    }
  }

  ServedCall call_;
  std::shared_ptr<State> state_;  // shared: the server sets it while the goal runs
};

/// One goal at a time, as bytes. Outlives the node's tasks.
class RawActionServer {
 public:
  /// Returns a task made by a function, not by a lambda that captures (task.h).
  using Run = std::function<sim::Task<Bytes>(Bytes goal, RunningGoal running)>;

  RawActionServer(Node& node, std::string_view action, Run run, ActionOptions options = {});
  RawActionServer(const RawActionServer&) = delete;
  RawActionServer& operator=(const RawActionServer&) = delete;

  bool is_running() const { return running_.has_value(); }

 private:
  using Turn = sim::Mailbox<bool>;  // true: begin; false: a newer goal has come

  static sim::Task<Result<Bytes>> execute(RawActionServer* server, Bytes goal, ServedCall call);

  Run run_;
  ActionOptions options_;
  std::optional<RunningGoal> running_;
  std::deque<Turn*> waiting_;  // in the frames of the goals that wait
};

struct RawActionResult {
  ActionStatus status = ActionStatus::kSucceeded;
  Bytes outcome;
};

/// What a client hears before the result.
struct GoalEvents {
  std::function<void(const Bytes& feedback)> feedback{};
  std::function<void(ActionStatus status)> state{};
};

/// Sends goals to one server. Outlives the calls.
class RawActionClient {
 public:
  RawActionClient(Node& node, std::string server, std::string action)
      : node_(node), server_(std::move(server)), action_(std::move(action)) {}
  RawActionClient(const RawActionClient&) = delete;
  RawActionClient& operator=(const RawActionClient&) = delete;

  /// To the end of the goal, however it ends; the node's observer hears of it. An error: it is
  /// lost. With `ticket` this goal can be cancelled, whatever was sent after it.
  sim::Task<Result<RawActionResult>> run(Bytes goal, GoalEvents events = {},
                                         std::optional<Duration> timeout = {},
                                         CallTicket* ticket = nullptr);
  /// The goal sent last without a ticket of its own.
  void cancel() { ticket_.cancel(); }

 private:
  Node& node_;
  std::string server_;
  std::string action_;
  CallTicket ticket_;
};

// --- the same with messages instead of bytes

/// What a running goal may say and ask.
template <typename Feedback>
class ActionGoal : public RunningGoal {
 public:
  explicit ActionGoal(RunningGoal goal) : RunningGoal(std::move(goal)) {}
  void feedback(const Feedback& feedback) const { RunningGoal::feedback(encode(feedback)); }
};

template <typename Goal, typename Feedback, typename Outcome>
class ActionServer {
 public:
  /// Returns a task made by a function, not by a lambda that captures (task.h).
  using Run = std::function<sim::Task<Outcome>(Goal goal, ActionGoal<Feedback> running)>;
  using Accepts = std::function<bool(const Goal& goal)>;

  ActionServer(Node& node, std::string_view action, Run run,
               WhenBusy when_busy = WhenBusy::kPreempt, Accepts accepts = {})
      : run_(std::move(run)),
        raw_(node, action,
             [this](Bytes bytes, RunningGoal running) {
               return execute(this, std::move(bytes), std::move(running));
             },
             {.when_busy = when_busy,
              .accepts = [accepts = std::move(accepts)](const Bytes& bytes) -> Result<bool> {
                const Result<Goal> goal = decode<Goal>(bytes);
                return goal ? Result<bool>(!accepts || accepts(*goal)) : Result<bool>(goal.error());
              }}) {}

  bool is_running() const { return raw_.is_running(); }

 private:
  static sim::Task<Bytes> execute(ActionServer* server, Bytes bytes, RunningGoal running) {
    // it was decoded before it was accepted
    sim::Task<Outcome> task =
        server->run_(*decode<Goal>(bytes), ActionGoal<Feedback>(std::move(running)));
    const Outcome outcome = co_await std::move(task);
    co_return encode(outcome);
  }

  Run run_;
  RawActionServer raw_;
};

template <typename Outcome>
struct ActionResult {
  ActionStatus status = ActionStatus::kSucceeded;
  Outcome outcome;
};

template <typename Goal, typename Feedback, typename Outcome>
class ActionClient {
 public:
  ActionClient(Node& node, std::string server, std::string action)
      : node_(node), raw_(node, std::move(server), std::move(action)) {}

  sim::Task<Result<ActionResult<Outcome>>> run(Goal goal,
                                               std::function<void(const Feedback&)> feedback = {},
                                               std::function<void(ActionStatus)> state = {}) {
    GoalEvents events;
    events.state = std::move(state);
    if (feedback) {
      events.feedback = [this, feedback](const Bytes& bytes) {
        const Result<Feedback> message = decode<Feedback>(bytes);
        message ? feedback(*message) : node_.complain(message.error().message);
      };
    }
    sim::Task<Result<RawActionResult>> asked = raw_.run(encode(goal), std::move(events));
    const Result<RawActionResult> raw = co_await std::move(asked);
    if (!raw) {
      co_return raw.error();
    }
    if (raw->outcome.empty()) {
      co_return ActionResult<Outcome>{raw->status, Outcome{}};  // it never began
    }
    Result<Outcome> outcome = decode<Outcome>(raw->outcome);
    if (!outcome) {
      co_return outcome.error();
    }
    co_return ActionResult<Outcome>{raw->status, std::move(outcome).value()};
  }

  /// The goal sent last.
  void cancel() { raw_.cancel(); }

 private:
  Node& node_;
  RawActionClient raw_;
};

}  // namespace longarm::components
