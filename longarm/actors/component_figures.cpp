// SPDX-License-Identifier: Apache-2.0
// Statistics of cycles, and sums over calls.
#include "longarm/actors/component_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "longarm/components/actions.h"
#include "longarm/core/statistics.h"

namespace longarm::actors {
namespace {

using components::LoopCycle;

// of the histogram that peaks are looked for in
constexpr double kBin_s = 50e-6;

double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

/// The mean of what is in the fullest bin; of equals the first.
double mode(std::span<const double> sorted) {
  std::size_t best_count = 0;
  double best_mean = 0.0;
  for (std::size_t i = 0; i < sorted.size();) {
    const double bin = std::floor(sorted[i] / kBin_s);
    std::size_t end = i;
    while (end < sorted.size() && std::floor(sorted[end] / kBin_s) == bin) {
      ++end;
    }
    if (end - i > best_count) {
      best_count = end - i;
      best_mean = std::accumulate(sorted.begin() + static_cast<std::ptrdiff_t>(i),
                                  sorted.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                  static_cast<double>(end - i);
    }
    i = end;
  }
  return best_mean;
}

/// How many belong to the lower of two groups: where the sum of squares about two means is least.
std::size_t split(const std::vector<double>& sorted) {
  double total = 0.0;
  for (const double value : sorted) {
    total += value;
  }
  std::size_t best = 0;
  double best_gain = -1.0;
  double below = 0.0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    const auto left = static_cast<double>(i);
    const auto right = static_cast<double>(sorted.size() - i);
    const double distance = (total - below) / right - below / left;
    const double gain = left * right * distance * distance;
    if (gain > best_gain) {
      best_gain = gain;
      best = i;
    }
  }
  return best;
}

struct Group {
  double mean = 0.0;
  double deviation = 0.0;
};

Group group_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Group out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (const double value : values) {
    out.deviation += (value - out.mean) * (value - out.mean) / n;
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

/// Halves of one uniform, normal or exponential distribution are not this far apart, and a few
/// stragglers are no group.
bool are_two_groups(std::span<const double> lower, std::span<const double> upper) {
  const std::size_t all = lower.size() + upper.size();
  if (20 * std::min(lower.size(), upper.size()) < all || lower.empty()) {
    return false;
  }
  const Group low = group_of(lower);
  const Group high = group_of(upper);
  return high.mean - low.mean > kBin_s &&
         high.mean - low.mean > 2.0 * (low.deviation + high.deviation);
}

}  // namespace

CycleFigures figures_of(const std::vector<LoopCycle>& cycles, Time from) {
  std::vector<double> times;
  CycleFigures out;
  for (const LoopCycle& cycle : cycles) {
    if (cycle.started >= from && cycle.has_failed) {
      ++out.failed;
    } else if (cycle.started >= from) {
      times.push_back(to_seconds(cycle.ended - cycle.started));
    }
  }
  out.count = times.size();
  if (times.empty()) {
    return out;
  }
  const auto n = static_cast<double>(times.size());
  for (const double time : times) {
    out.mean_s += time / n;
  }
  double squares = 0.0;
  for (const double time : times) {
    squares += (time - out.mean_s) * (time - out.mean_s);
  }
  if (times.size() > 1) {
    out.deviation_s = std::sqrt(squares / (n - 1.0));
  }
  out.confidence_s = series_half_width(times);
  std::sort(times.begin(), times.end());
  out.smallest_s = times.front();
  out.p50_s = quantile(times, 0.5);
  out.p90_s = quantile(times, 0.9);
  out.p99_s = quantile(times, 0.99);
  out.largest_s = times.back();
  const std::span<const double> all = times;
  const std::size_t lower = split(times);
  const bool are_two = are_two_groups(all.first(lower), all.subspan(lower));
  out.peak_low_s = mode(are_two ? all.first(lower) : all);
  if (are_two) {
    out.peak_high_s = mode(all.subspan(lower));
  }
  return out;
}

std::string cycles_csv(const std::vector<LoopCycle>& cycles) {
  std::string out = "started_s,seconds,calls,failed\n";
  for (const LoopCycle& cycle : cycles) {
    out +=
        fmt::format("{:.9f},{:.9f},{},{}\n", to_seconds(cycle.started),
                    to_seconds(cycle.ended - cycle.started), cycle.calls, cycle.has_failed ? 1 : 0);
  }
  return out;
}

void GoalFigures::add(const components::GoalRecord& goal) {
  ++count;
  ++ends[std::string(goal.status)];
  feedback += goal.feedback;
  if (goal.began) {
    begin_s.push_back(to_seconds(*goal.began - goal.sent));
  }
  if (goal.status != components::name_of(components::ActionStatus::kLost)) {
    result_s.push_back(to_seconds(goal.ended - goal.sent));
  }
}

void GoalFigures::add(const GoalFigures& other) {
  count += other.count;
  for (const auto& [end, number] : other.ends) {
    ends[end] += number;
  }
  feedback += other.feedback;
  begin_s.insert(begin_s.end(), other.begin_s.begin(), other.begin_s.end());
  result_s.insert(result_s.end(), other.result_s.begin(), other.result_s.end());
}

nlohmann::ordered_json to_json(const GoalFigures& figures) {
  using components::ActionStatus;
  nlohmann::ordered_json out{{"goals", figures.count}};
  for (const ActionStatus end :
       {ActionStatus::kSucceeded, ActionStatus::kCancelled, ActionStatus::kPreempted,
        ActionStatus::kAborted, ActionStatus::kRejected, ActionStatus::kLost}) {
    const std::string name(components::name_of(end));
    const auto found = figures.ends.find(name);
    out[name] = found == figures.ends.end() ? 0 : found->second;
  }
  out["feedback"] = figures.feedback;
  const auto put = [&out](const std::string& name, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const bool is_known = !times.empty();
    const double sum = std::accumulate(times.begin(), times.end(), 0.0);
    const auto number = [&](const std::string& key, double value) {
      out[name + key] = is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    number("_mean_s", is_known ? sum / static_cast<double>(times.size()) : 0.0);
    number("_min_s", is_known ? times.front() : 0.0);
    number("_max_s", is_known ? times.back() : 0.0);
  };
  put("begin", figures.begin_s);
  put("time", figures.result_s);
  return out;
}

SystemObserver::SystemObserver(std::vector<std::string> components,
                               const std::vector<std::string>& nodes, std::string measured,
                               Time from)
    : traffic_(std::move(components), nodes), measured_(std::move(measured)), from_(from) {}

void SystemObserver::goal_ended(const components::GoalRecord& goal) {
  if (other_ != nullptr) {
    other_->goal_ended(goal);
  }
  if (goal.sent >= from_) {
    goals_[goal.server.substr(goal.server.starts_with('/') ? 1 : 0) + "/" + goal.action].add(goal);
  }
}

void SystemObserver::executed(const components::ExecutionRecord& record) {
  if (other_ != nullptr) {
    other_->executed(record);
  }
}

void SystemObserver::called(const components::CallRecord& record) {
  if (other_ != nullptr) {
    other_->called(record);
  }
  hash_.add(static_cast<std::uint64_t>(record.called.time_since_epoch().count()));
  hash_.add(static_cast<std::uint64_t>(record.reply_arrived.time_since_epoch().count()));
  if (record.has_failed) {
    ++failed_calls_;
    return;
  }
  if (record.called < from_) {
    return;
  }
  traffic_.called(record);
  const std::string_view caller = record.caller;
  if (caller != measured_ && (!caller.starts_with('/') || caller.substr(1) != measured_)) {
    return;
  }
  Phases& phases = phases_[record.method];
  ++phases.count;
  phases.remote += record.is_remote ? 1 : 0;
  phases.request_s += to_seconds(record.request_arrived - record.called);
  phases.execution_s += to_seconds(record.executed - record.request_arrived);
  phases.reply_s += to_seconds(record.reply_arrived - record.executed);
}

void SystemObserver::published(const std::string& publisher, const std::string& topic,
                               const std::string& subscriber, std::size_t bytes, Time sent,
                               Time arrived) {
  if (other_ != nullptr) {
    other_->published(publisher, topic, subscriber, bytes, sent, arrived);
  }
  hash_.add(static_cast<std::uint64_t>(sent.time_since_epoch().count()));
  hash_.add(static_cast<std::uint64_t>(arrived.time_since_epoch().count()));
  if (sent >= from_) {
    traffic_.published(publisher, topic, subscriber, bytes, sent, arrived);
  }
}

nlohmann::ordered_json SystemObserver::phases() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [method, phases] : phases_) {
    const auto n = static_cast<double>(phases.count);
    out[method] = {{"calls", phases.count},
                   {"remote_calls", phases.remote},
                   {"request_mean_s", phases.request_s / n},
                   {"execution_mean_s", phases.execution_s / n},
                   {"reply_mean_s", phases.reply_s / n}};
  }
  return out;
}

}  // namespace longarm::actors
