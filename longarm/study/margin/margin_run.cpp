// SPDX-License-Identifier: Apache-2.0
// Runs, judges whether the verdict rests on enough, and holds longer where it does not.
#include "longarm/study/margin/margin_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "longarm/actors/plan_follower.h"
#include "longarm/core/text.h"
#include "longarm/study/json_values.h"
#include "longarm/study/margin/margin_swing.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;
using record::Verdict;

// The envelope is fitted to 32 windows over three fifths of the hold: with so many swings each
// window has one.
constexpr double kSwingsForSlowGrowth = 64.0;
// An envelope that changes by so many e-folds needs no such care.
constexpr double kClearGrowth = 3.0;
constexpr double kFittedPart = 0.6;

Verdict verdict_of(const Json& stable) {
  if (stable.is_string()) {
    return Verdict::kUndecided;
  }
  return stable.get<bool>() ? Verdict::kStable : Verdict::kUnstable;
}

std::optional<double> number(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// The joint whose verdict is the run's: the worst, and among equals the one that grows fastest.
std::string deciding_joint(const Json& metrics) {
  const auto rank = [](const Json& joint) {
    const Verdict verdict = verdict_of(joint.at("stable"));
    const int severity = verdict == Verdict::kUnstable ? 2 : verdict == Verdict::kUndecided ? 1 : 0;
    return std::pair(
        severity,
        number(joint.at("growth_per_s")).value_or(-std::numeric_limits<double>::infinity()));
  };
  std::string worst;
  for (const auto& [name, joint] : metrics.at("joints").items()) {
    if (worst.empty() || rank(joint) > rank(metrics.at("joints").at(worst))) {
      worst = name;
    }
  }
  return worst;
}

/// What a search needs of one run.
Json run_once(const cell::PreparedScenario& prepared, const std::string& robot) {
  cell::Run run(prepared);
  const sim::Probes& probes = *run.find(robot)->probes();
  const actors::PlanFollower& follower = *follower_of(prepared, robot);
  SwingMeter meter(probes, follower.hold_start());
  run.set_observer([&](Time stamp) { meter.record(stamp); });
  run.run_until(run.end());
  if (run.failure()) {
    throw std::runtime_error(*run.failure());
  }
  const Json results = run.results();
  const Json& metrics = prepared.cell().is_short ? results : results.at(robot);
  const std::string joint = deciding_joint(metrics);
  Json out;
  out["stable"] = metrics.at("stable");
  out["verdict_reason"] = metrics.at("verdict_reason");
  out["has_stopped"] = follower.has_stopped(metrics);
  out["joint"] = joint;
  out["growth_per_s"] = metrics.at("growth_per_s");
  out["growth_standard_error_per_s"] = metrics.at("growth_standard_error_per_s");
  const std::vector<std::string>& names = probes.find("velocity")->columns;
  const auto index = std::find(names.begin(), names.end(), joint) - names.begin();
  const std::optional<std::size_t> limited = meter.first_limited();
  out["limited_joint"] = limited ? names[*limited] : "";
  out["period_s"] = or_null(meter.period_s(static_cast<std::size_t>(index)));
  out["state_hash"] = results.at("state_hash");
  return out;
}

Json run_or_remember(const cell::PreparedScenario& prepared, const MarginRuns& runs) {
  RunCache* const cache = runs.cache;
  const std::string identity = "margin " + runs.robot + " " + prepared.identity;
  if (cache != nullptr) {
    if (std::optional<Json> known = cache->find(identity)) {
      return *std::move(known);
    }
  }
  Json result = run_once(prepared, runs.robot);
  if (cache != nullptr) {
    cache->store(identity, result);
  }
  return result;
}

std::vector<std::string> overrides_for(const MarginRuns& runs, Duration latency, Duration hold) {
  std::vector<std::string> overrides = runs.load.overrides;
  const auto delay = [&](Direction without) {
    return format_duration(runs.direction == without ? Duration(0) : latency);
  };
  if (runs.links.empty()) {
    overrides.push_back(runs.prefix + "link.states.delay=" + delay(Direction::kCommands));
    overrides.push_back(runs.prefix + "link.commands.delay=" + delay(Direction::kStates));
  }
  overrides.push_back(runs.prefix + "task.hold=" + format_duration(hold));
  if (runs.length_before_hold) {
    overrides.push_back("length=" + format_duration(*runs.length_before_hold + hold));
  }
  return overrides;
}

/// Fills in what a run showed.
void take(MarginTrial& trial, const Json& result) {
  trial.verdict = verdict_of(result.at("stable"));
  trial.reason = result.at("verdict_reason");
  trial.has_stopped = result.at("has_stopped");
  trial.joint = result.at("joint");
  trial.limited_joint = result.at("limited_joint");
  trial.growth_per_s = number(result.at("growth_per_s"));
  trial.growth_standard_error_per_s = number(result.at("growth_standard_error_per_s"));
  trial.period_s = number(result.at("period_s"));
  ++trial.runs;
}

/// Whether the verdict rests on a fitted slope of few swings.
bool is_hasty(const MarginTrial& trial) {
  const bool is_fitted =
      trial.reason == "its oscillation grows" || trial.reason == "its error decays";
  if (!is_fitted || !trial.period_s || !trial.growth_per_s) {
    return false;
  }
  const double hold_s = to_seconds(trial.hold);
  const bool is_clear = std::abs(*trial.growth_per_s) * hold_s * kFittedPart > kClearGrowth;
  return !is_clear && hold_s < kSwingsForSlowGrowth * *trial.period_s;
}

/// Twice as long, and again, until it holds enough of the swings seen.
Duration longer_hold(const MarginTrial& trial) {
  Duration hold = 2 * trial.hold;
  while (trial.period_s && to_seconds(hold) < kSwingsForSlowGrowth * *trial.period_s) {
    hold *= 2;
  }
  return hold;
}

}  // namespace

const actors::PlanFollower* follower_of(const cell::PreparedScenario& prepared,
                                        const std::string& actor) {
  return dynamic_cast<const actors::PlanFollower*>(prepared.cell().find(actor)->model.get());
}

const char* verdict_text(Verdict verdict) {
  return verdict == Verdict::kStable     ? "stable"
         : verdict == Verdict::kUnstable ? "unstable"
                                         : "undecided";
}

MarginTrial try_latency(const MarginRuns& runs, Duration latency) {
  MarginTrial trial;
  trial.latency = latency;
  trial.hold = runs.hold;
  while (true) {
    cell::LoadOptions load = runs.load;
    load.overrides = overrides_for(runs, latency, trial.hold);
    take(trial, run_or_remember(with_latency(cell::load_scenario(runs.scenario, load, runs.plugins),
                                             runs.links, latency),
                                runs));
    const bool is_final = trial.verdict != Verdict::kUndecided && !is_hasty(trial);
    if (is_final || trial.has_stopped) {
      return trial;
    }
    const Duration hold = std::min(longer_hold(trial), std::max(runs.hold, runs.hold_limit));
    if (hold <= trial.hold) {
      break;
    }
    trial.hold = hold;
  }
  if (trial.verdict != Verdict::kUndecided) {
    trial.verdict = Verdict::kUndecided;
    trial.reason = "the longest hold has too few oscillations for such slow growth";
  }
  return trial;
}

}  // namespace longarm::study
