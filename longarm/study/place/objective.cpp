// SPDX-License-Identifier: Apache-2.0
// What of a run's numbers can be minimised, and whether the run did its work at all.
#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/study/place/place_runs.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

struct ObjectiveWord {
  const char* word;
  const char* metric;
};
constexpr ObjectiveWord kWords[] = {{"cycle-time", "cycle_time_mean_s"},
                                    {"bandwidth", "bandwidth_bit_s"},
                                    {"path-deviation", "path_deviation_rms_m"}};
/// Measured, but the more the better.
constexpr const char* kGood[] = {"calls_per_s", "messages_per_s", "cycles"};
/// Calls that may be under way when a run ends, of all that are made.
constexpr double kMissing = 0.05;
/// The same of short runs: some calls for each one under way, as a cycle has several.
constexpr double kCallsOfACycle = 10.0;

bool is_good(const std::string& metric) {
  return std::find(std::begin(kGood), std::end(kGood), metric) != std::end(kGood);
}

/// Neither what the user said nor how the run was made.
bool is_measured(const std::string& metric) {
  for (const char* beginning : {"cycle_time_", "cycle_overruns", "bandwidth_", "path_deviation_"}) {
    if (metric.starts_with(beginning)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> valid_names(const Json& metrics) {
  std::vector<std::string> names;
  for (const ObjectiveWord& each : kWords) {
    if (metrics.contains(each.metric) && metrics[each.metric].is_number()) {
      names.emplace_back(each.word);
    }
  }
  for (const auto& [name, value] : metrics.items()) {
    if (value.is_number() && is_measured(name)) {
      names.push_back(name);
    }
  }
  return names;
}

std::string why_not(const std::string& word, const std::string& metric, const Json& metrics) {
  if (is_good(metric)) {
    return fmt::format("'{}' cannot be minimised: more is better", word);
  }
  if (metric.starts_with("cycle_time_") && metrics.value("cycles", 0) == 0) {
    return fmt::format("there is no cycle time: no cycle of '{}' (see 'measure') ended",
                       metrics.value("measured", ""));
  }
  if (metric != word) {
    return fmt::format("runs of this scenario do not measure {}", word);
  }
  const auto found = metrics.find(metric);
  return found != metrics.end() && found->is_number()
             ? fmt::format("'{}' cannot be minimised: it does not depend on the placement", word)
             : fmt::format("a run has no numeric metric '{}'", word);
}

}  // namespace

std::string failure_of(const Json& metrics) {
  const std::string ended = metrics.value("ended", "");
  return ended == "completed" ? "" : metrics.value("failure", "it " + ended);
}

double failures_of(const Json& metrics, const Json& as_written) {
  const double failed = metrics.value("failed_calls", 0.0) + metrics.value("cycles_failed", 0.0);
  const double seconds = metrics.value("simulated_s", 0.0);
  const double expected = as_written.value("calls_per_s", 0.0) * seconds;
  const double missing = expected - metrics.value("calls_per_s", 0.0) * seconds;
  const double under_way = kCallsOfACycle * metrics.value("calls_outstanding", 1.0);
  return failed + (missing > std::max(kMissing * expected, under_way) ? missing : 0.0);
}

std::vector<std::string> objective_words() {
  std::vector<std::string> words;
  for (const ObjectiveWord& each : kWords) {
    words.emplace_back(each.word);
  }
  return words;
}

Objective find_objective(const std::string& word, const Json& metrics,
                         const cell::Figures& figures) {
  Objective objective{word, word, word, ""};
  for (const ObjectiveWord& each : kWords) {
    objective.metric = word == each.word ? each.metric : objective.metric;
  }
  const auto found = metrics.find(objective.metric);
  if (found == metrics.end() || !found->is_number() || !is_measured(objective.metric)) {
    const std::vector<std::string> names = valid_names(metrics);
    const bool is_unknown = objective.metric == word && found == metrics.end();
    throw InputError(
        Diagnostic{{"--minimise " + word},
                   why_not(word, objective.metric, metrics),
                   is_unknown ? suggest(word, names) : "valid names are: " + join(names)});
  }
  for (const cell::MetricInfo& info : figures.metrics) {
    if (info.name == objective.metric) {
      objective.label = info.label;
      objective.unit = info.unit;
      objective.scale = info.scale;
    }
  }
  return objective;
}

}  // namespace longarm::study
