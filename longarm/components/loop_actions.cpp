// SPDX-License-Identifier: Apache-2.0
// Goals as data: what takes how long, who sends them when.
#include "longarm/components/loop_actions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::components {
namespace {

using network::KeyRemark;

constexpr std::int64_t kLargestMessageBytes = 64 << 20;
// between goals that take no time
constexpr Duration kRetryGoal{1'000'000};
const std::vector<std::string> kWhenBusy{"preempt", "reject", "wait"};

WhenBusy when_busy(const std::string& word) {
  return static_cast<WhenBusy>(std::ranges::find(kWhenBusy, word) - kWhenBusy.begin());
}

void judge_time(const std::string& key, const Duration& time, std::vector<KeyRemark>& remarks) {
  if (time < Duration::zero()) {
    remarks.push_back({key, "a time must not be negative", "give a time such as 2s, or 0s"});
  }
}

}  // namespace

Bytes zeros(std::int64_t count) {
  return Bytes(static_cast<std::size_t>(count));
}

void judge_size(const std::string& key, std::int64_t bytes, std::vector<KeyRemark>& remarks,
                std::int64_t least) {
  if (bytes < least || bytes > kLargestMessageBytes) {
    remarks.push_back({key, fmt::format("{} is not a valid message size", bytes),
                       fmt::format("give a number from {} to {}", least, kLargestMessageBytes)});
  }
}

void list_actions(Fields& fields, std::vector<LoopAction>& actions) {
  named(fields, "actions", "actions that other components may send goals to; one goal at a time",
        actions, [](Fields& group, LoopAction& action) {
          network::list_fields(group, "duration", "time that a goal takes; no computing",
                               action.duration);
          network::list_fields(group, "stopping", "time to stop after a cancel or for a newer goal",
                               action.stopping);
          group.field("feedback_every", action.feedback_every,
                      "time between two feedback messages; 0s: none");
          group.field("feedback_bytes", action.feedback_bytes, "payload size of feedback");
          group.field("result_bytes", action.result_bytes, "payload size of the result");
          group.choice("when_busy", action.when_busy, kWhenBusy,
                       "what a goal does that finds another one running");
          group.field("abort_probability", action.abort_probability,
                      "probability that a goal is aborted at the end of its time");
        });
}

void list_goals(Fields& fields, std::vector<LoopGoal>& goals) {
  named(fields, "goals", "goals sent to actions of other components", goals,
        [](Fields& group, LoopGoal& goal) {
          group.field("to", goal.to, "component to send them to");
          group.field("action", goal.action, "its action; default: the name of the entry");
          group.field("goal_bytes", goal.goal_bytes, "payload size of the goal");
          group.field("from", goal.from, "time of the first goal");
          group.field("until", goal.until, "send no goals at or after this time");
          group.field("period", goal.period,
                      "time between two goals; 0s: each when the one before has ended");
          group.field("count", goal.count, "number of goals; 0: as many as fit");
          group.field("cancel_after", goal.cancel_after,
                      "cancel each goal that has not ended by then");
          group.field("timeout", goal.timeout,
                      "time after which a goal counts as lost; default: none");
        });
}

std::vector<KeyRemark> load(std::vector<LoopAction>& actions, InputFiles& files) {
  std::vector<KeyRemark> remarks;
  for (LoopAction& action : actions) {
    const std::string key = "actions." + action.name + ".";
    const auto load_time = [&](const std::string& name, network::VaryingTime& time) {
      for (KeyRemark remark : network::load(time, files)) {
        remark.key = key + (remark.key.empty() ? name : name + "." + remark.key);
        remarks.push_back(std::move(remark));
      }
    };
    load_time("duration", action.duration);
    load_time("stopping", action.stopping);
    judge_time(key + "feedback_every", action.feedback_every, remarks);
    judge_size(key + "feedback_bytes", action.feedback_bytes, remarks, 1);
    judge_size(key + "result_bytes", action.result_bytes, remarks);
    if (!(action.abort_probability >= 0.0 && action.abort_probability <= 1.0)) {
      remarks.push_back(
          {key + "abort_probability", "a probability is from 0 to 1", "0 means never"});
    }
  }
  return remarks;
}

std::vector<KeyRemark> judge_goals(const std::vector<LoopGoal>& goals) {
  std::vector<KeyRemark> remarks;
  for (const LoopGoal& goal : goals) {
    const std::string key = "goals." + goal.name + ".";
    if (goal.to.empty()) {
      remarks.push_back({key + "to", "the goal has no component", "name a component"});
    }
    judge_size(key + "goal_bytes", goal.goal_bytes, remarks);
    judge_time(key + "from", goal.from, remarks);
    judge_time(key + "period", goal.period, remarks);
    if (goal.count < 0) {
      remarks.push_back({key + "count", "is negative", "give a count, or 0 for as many as fit"});
    }
    if (goal.until && *goal.until <= goal.from) {
      remarks.push_back({key + "until", "no goal would ever be sent", "give a time after `from`"});
    }
    for (const auto& [name, time] :
         {std::pair("cancel_after", goal.cancel_after), std::pair("timeout", goal.timeout)}) {
      if (time && *time <= Duration::zero()) {
        remarks.push_back(
            {key + name, "this time must be greater than zero", "give a time such as 1s"});
      }
    }
  }
  return remarks;
}

LoopActionServer::LoopActionServer(Node& node, LoopAction action, const std::string& component,
                                   std::uint64_t seed)
    : node_(node),
      action_(std::move(action)),
      draws_(seed, component + "." + action_.name),
      server_(node, action_.name,
              [this](Bytes goal, RunningGoal running) {
                return run(this, std::move(goal), std::move(running));
              },
              {.when_busy = when_busy(action_.when_busy), .accepts = {}}) {}

sim::Task<Bytes> LoopActionServer::run(LoopActionServer* server, Bytes goal, RunningGoal running) {
  Node& node = server->node_;
  const LoopAction& action = server->action_;
  // all drawn here, so that what happens to one goal does not change the next ones
  const Duration duration = action.duration.at(goal.size(), server->draws_.uniform());
  const Duration stopping = action.stopping.at(goal.size(), server->draws_.uniform());
  const bool is_aborted = server->draws_.uniform() < action.abort_probability;

  const Time end = node.now() + duration;
  while (node.now() < end && !running.must_end()) {
    Duration rest = end - node.now();
    const bool has_feedback =
        action.feedback_every > Duration::zero() && action.feedback_every < rest;
    if (has_feedback) {
      rest = action.feedback_every;
    }
    co_await running.sleep_for(node, rest);
    if (has_feedback && !running.must_end()) {
      running.feedback(zeros(action.feedback_bytes));
    }
  }
  if (running.must_end()) {
    co_await node.sleep_for(stopping);
  } else if (is_aborted) {
    running.abort();
  }
  co_return zeros(action.result_bytes);
}

LoopGoalClient::LoopGoalClient(Node& node, LoopGoal goal)
    : node_(node), goal_(std::move(goal)), client_(node, goal_.to, goal_.action_name()) {
  node_.spawn(run());
}

sim::Task<void> LoopGoalClient::run() {
  Time next{goal_.from};
  for (std::int64_t number = 0; goal_.count == 0 || number < goal_.count; ++number) {
    co_await node_.sleep_until(next);
    if (goal_.until && node_.now().time_since_epoch() >= *goal_.until) {
      co_return;
    }
    if (goal_.period > Duration::zero()) {
      node_.spawn(send());
      next += goal_.period;
      continue;
    }
    const Time sent = node_.now();
    co_await send();
    // one that is lost or refused at once is not sent again in the same instant
    next = std::max(node_.now(), sent + kRetryGoal);
  }
}

sim::Task<void> LoopGoalClient::send() {
  const auto ticket = std::make_shared<CallTicket>();
  if (goal_.cancel_after) {
    node_.spawn(cancel_later(&node_, *goal_.cancel_after, ticket));
  }
  sim::Task<Result<RawActionResult>> goal =
      client_.run(zeros(goal_.goal_bytes), {}, goal_.timeout, ticket.get());
  const Result<RawActionResult> result = co_await std::move(goal);
  if (!result) {
    node_.complain(
        fmt::format("goal {}.{}: {}", goal_.to, goal_.action_name(), result.error().message));
  }
}

sim::Task<void> LoopGoalClient::cancel_later(Node* node, Duration after,
                                             std::shared_ptr<CallTicket> goal) {
  co_await node->sleep_for(after);
  goal->cancel();
}

}  // namespace longarm::components
