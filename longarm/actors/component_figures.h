// SPDX-License-Identifier: Apache-2.0
// What is measured on a system of components: times of cycles and phases of calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/components/communication_graph.h"
#include "longarm/components/loop_component.h"
#include "longarm/core/hash.h"

namespace longarm::actors {

struct CycleFigures {
  std::size_t count = 0;   ///< without those that failed
  std::size_t failed = 0;  ///< a call of theirs did
  double mean_s = 0.0;
  /// Standard deviation of the cycles, and half of the 95 % interval of their mean, neighbours not
  /// taken for independent; nothing for fewer than two.
  std::optional<double> deviation_s;
  std::optional<double> confidence_s;
  double smallest_s = 0.0;
  double p50_s = 0.0;
  double p90_s = 0.0;
  double p99_s = 0.0;
  double largest_s = 0.0;
  /// Mean of the cycles within the fullest bin of 50 µs, among the shorter and among the longer
  /// ones; the second only where these are two groups.
  double peak_low_s = 0.0;
  std::optional<double> peak_high_s;
};

/// Of the cycles that began at `from` or later; zeros if there are none.
CycleFigures figures_of(const std::vector<components::LoopCycle>& cycles, Time from);

/// `cycles.csv`: one line each.
std::string cycles_csv(const std::vector<components::LoopCycle>& cycles);

/// `cycles.svg`: how often cycles took how long, of those that began at `from` or later. Empty if
/// there are none.
std::string draw_histogram(const std::vector<components::LoopCycle>& cycles, Time from,
                           const std::string& name);

/// Goals of one action, or of several together.
struct GoalFigures {
  std::uint64_t count = 0;
  std::map<std::string, std::uint64_t, std::less<>> ends;  ///< by how they ended
  std::uint64_t feedback = 0;                              ///< messages
  std::vector<double> begin_s{};                           ///< from goal to "it runs"
  std::vector<double> result_s{};  ///< from goal to result; without lost ones

  void add(const components::GoalRecord& goal);
  void add(const GoalFigures& other);
};
/// "goals", "succeeded", …, "time_mean_s".
nlohmann::ordered_json to_json(const GoalFigures& figures);

/// Hears of all calls: counts them for the graph, and sums the phases of those of one component.
class SystemObserver final : public components::NodeObserver {
 public:
  /// `nodes` are the components' full names, `measured` is one of them.
  SystemObserver(std::vector<std::string> components, const std::vector<std::string>& nodes,
                 std::string measured, Time from);
  /// Hears everything, too, and lives as long; null: nobody does.
  void pass_on_to(components::NodeObserver* other) { other_ = other; }

  void called(const components::CallRecord& record) override;
  void executed(const components::ExecutionRecord& record) override;
  void published(const std::string& publisher, const std::string& topic,
                 const std::string& subscriber, std::size_t bytes, Time sent,
                 Time arrived) override;
  void goal_ended(const components::GoalRecord& goal) override;

  const components::TrafficCounter& traffic() const { return traffic_; }
  std::uint64_t failed_calls() const { return failed_calls_; }
  /// By NODE/ACTION, without a slash in front; of goals sent after the settling time.
  const std::map<std::string, GoalFigures>& goals() const { return goals_; }
  /// Of everything heard, in order: equal for equal runs.
  const Hash& hash() const { return hash_; }
  /// Mean times of the measured component's calls, by method.
  nlohmann::ordered_json phases() const;

 private:
  struct Phases {
    std::uint64_t count = 0;
    double request_s = 0.0;
    double execution_s = 0.0;
    double reply_s = 0.0;
    std::uint64_t remote = 0;
  };

  components::NodeObserver* other_ = nullptr;
  components::TrafficCounter traffic_;
  std::string measured_;
  Time from_;
  std::map<std::string, Phases> phases_;
  std::map<std::string, GoalFigures> goals_;
  std::uint64_t failed_calls_ = 0;
  Hash hash_;
};

}  // namespace longarm::actors
