// SPDX-License-Identifier: Apache-2.0
// A component that needs no code: it works in cycles, calls others, publishes and serves, each with
// sizes and computing times that are data. Simulated, or a process of its own: the same code.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/components/loop_actions.h"
#include "longarm/components/node.h"
#include "longarm/components/node_config.h"
#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/random.h"
#include "longarm/network/link.h"
#include "longarm/network/varying_time.h"

namespace longarm::components {

/// A request that is waited for before the next one is made.
struct LoopCall {
  std::string name;    ///< made up by the user; calls are made in the order of the file
  std::string to;      ///< a component
  std::string method;  ///< empty: the call's own name
  std::int64_t request_bytes = 0;
  std::int64_t every = 1;             ///< only in each so-manieth cycle (or execution)
  Duration from{0};                   ///< not before this time
  std::optional<Duration> until;      ///< nor at or after this one
  std::optional<Duration> timeout{};  ///< then it counts as failed; nothing: as all calls
  std::vector<std::string> set;       ///< "NAME:=VALUE": parameters of that component
  std::vector<std::string> get;       ///< names of some

  /// Of the four: `method`, set_parameters, get_parameters or the call's name.
  const std::string& method_name() const;
  bool is_about_parameters() const { return !set.empty() || !get.empty(); }
};

/// The request of a call about parameters.
Bytes parameter_request(const LoopCall& call);
/// "NAME:=VALUE" in two.
std::optional<std::pair<std::string, std::string>> split_assignment(const std::string& text);

/// A message for whoever has subscribed, at the end of a cycle.
struct LoopPublication {
  std::string name;   ///< made up by the user
  std::string topic;  ///< empty: the publication's own name
  std::int64_t bytes = 0;
  std::int64_t every = 1;

  const std::string& topic_name() const { return topic.empty() ? name : topic; }
};

/// What others may call. The reply leaves after computing `execution` and making `calls`.
struct LoopMethod {
  std::string name;
  std::int64_t reply_bytes = 0;
  network::VaryingTime execution;
  std::vector<LoopCall> calls;
};

struct LoopConfig : NodeConfig {
  Duration period{0};            ///< 0: no cycles of its own, it only serves
  Duration phase{0};             ///< of the first cycle, from the start
  std::int64_t cycles = 0;       ///< so many, then no more; 0: without end
  network::VaryingTime compute;  ///< at the beginning of each cycle, before the first request
  std::vector<LoopCall> calls;
  std::vector<LoopPublication> publishes;
  std::vector<LoopMethod> serves;
  std::vector<std::string> subscribes;  ///< topics
  std::vector<LoopAction> actions;
  std::vector<LoopGoal> goals;
};

/// The parameter of all components with cycles, in seconds.
inline constexpr const char* kPeriodParameter = "period";

void list_calls(Fields& fields, std::string_view key, std::string_view doc,
                std::vector<LoopCall>& calls);
/// Keys of remarks begin with `prefix`.
void judge_calls(const std::string& prefix, const std::vector<LoopCall>& calls,
                 std::vector<network::KeyRemark>& remarks);

/// All keys but the name.
void list_fields(Fields& fields, LoopConfig& config);
/// Reads the files of measured times and judges the values. Remarks name keys below the component.
std::vector<network::KeyRemark> load(LoopConfig& config, InputFiles& files);

/// From the first request to the last reply; computing and publications are outside.
struct LoopCycle {
  Time started{};
  Time ended{};
  std::int64_t calls = 0;
  bool has_failed = false;
};

class LoopComponent {
 public:
  using Clock = std::function<Time()>;

  /// Draws come from streams "<component>.compute" and "<component>.<method>". Cycles are measured
  /// with `clock`; the node's own time, if there is none, which in a real process is when an event
  /// was due.
  LoopComponent(Node& node, LoopConfig config, std::uint64_t seed, Clock clock = {});
  LoopComponent(const LoopComponent&) = delete;
  LoopComponent& operator=(const LoopComponent&) = delete;

  const std::vector<LoopCycle>& cycles() const { return cycles_; }
  /// Cycles that began late, because the one before took longer than the period.
  std::uint64_t overruns() const { return overruns_; }
  std::uint64_t messages_received() const { return messages_received_; }
  const std::string& last_failure() const { return last_failure_; }
  bool has_cycles() const { return config_.period > Duration::zero(); }
  /// Made as many cycles as asked for.
  bool is_done() const { return is_done_; }

 private:
  struct Served {
    LoopMethod method;
    RandomStream draws;
    std::int64_t executions = 0;
  };

  void serve(Served& served);
  sim::Task<void> run();
  sim::Task<void> make_calls(const std::vector<LoopCall>& calls, std::int64_t number,
                             LoopCycle& cycle);
  sim::Task<Bytes> execute(Served& served);

  Time measured_now() const { return clock_ ? clock_() : node_.now(); }

  Node& node_;
  LoopConfig config_;
  Clock clock_;
  RandomStream compute_draws_;
  std::deque<Served> served_;  // a deque: handlers keep references
  std::deque<LoopActionServer> actions_;
  std::deque<LoopGoalClient> goals_;
  std::vector<LoopCycle> cycles_;
  std::uint64_t overruns_ = 0;
  std::uint64_t messages_received_ = 0;
  std::string last_failure_;
  bool is_done_ = false;
};

}  // namespace longarm::components
