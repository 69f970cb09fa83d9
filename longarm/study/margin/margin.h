// SPDX-License-Identifier: Apache-2.0
// The largest latency at which a scenario's loop stays stable, by scan and bisection over runs,
// beside what mathematics says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/core/time.h"
#include "longarm/study/margin/margin_prediction.h"
#include "longarm/study/margin/margin_run.h"

namespace longarm::study {

struct MarginConfig {
  std::optional<Duration> resolution;  ///< of the latency; default one control tick
  /// The largest latency tried; default four times the closed form and at least kLeastUpTo, or
  /// kUpToWithoutLimit where the closed form has no limit.
  std::optional<Duration> up_to;
  Duration hold_limit = std::chrono::seconds(1280);  ///< no run holds longer to reach a verdict
  int threads = 0;                                   ///< 0: one per core
};
inline constexpr Duration kLeastUpTo = std::chrono::milliseconds(50);
inline constexpr Duration kUpToWithoutLimit = std::chrono::milliseconds(500);

/// What a margin is asked of.
struct MarginQuestion {
  std::string scenario;    ///< a ready scenario's name or a file
  cell::LoadOptions load;  ///< may say anything but the link's delay
  std::string cut;         ///< empty: the scenario's own
  Direction direction = Direction::kBoth;
  /// The actor whose verdict is asked for; empty: the only one that gives one.
  std::string robot{};
  /// Links of the network that are late, on top of what they do; empty: the arm's own link or,
  /// where a network is in its place, the only one.
  std::vector<std::string> links{};
};

struct MarginResult {
  std::string cut;
  Direction direction = Direction::kBoth;
  std::vector<std::string> settings;  ///< "key=value" that set this one apart from others
  std::optional<double> gain;         ///< of the position loop, if all joints have the same
  Duration control_period{0};
  Duration physics_period{0};
  Duration resolution{0};
  Duration searched_up_to{0};

  std::optional<Duration> critical;   ///< largest stable latency (each way, if both)
  std::optional<Duration> unstable;   ///< smallest unstable one above it; nothing: none was found
  std::vector<MarginTrial> tried;     ///< in order of latency
  std::optional<MarginTrial> beyond;  ///< the run at `unstable`
  Prediction prediction;
  std::optional<LoopSwing> predicted_swing;  ///< at `unstable`
  std::vector<std::string> remarks;

  int runs() const;
  /// Stable as far as it was searched.
  bool is_at_limit() const;
  /// Simulated minus predicted, both in steps of the resolution, given in control ticks; nothing
  /// where one of them has no limit or latencies between stable and unstable are undecided.
  std::optional<double> difference_ticks() const;
};

/// Runs tried so far, of about how many; called from one thread at a time.
using MarginProgress = std::function<void(const std::string& what)>;

/// Throws InputError if the scenario is no good or its own link has another model than `delay`. The
/// result does not depend on the number of threads. `cache` may be null.
MarginResult find_margin(const MarginQuestion& question, const MarginConfig& config,
                         const cell::Plugins& plugins, RunCache* cache = nullptr,
                         const MarginProgress& progress = {});

/// Throws what find_margin() would throw, before anything runs.
void check_margin(const MarginQuestion& question, const MarginConfig& config,
                  const cell::Plugins& plugins);

/// In words where simulation and closed form contradict each other by more than a control tick, or
/// by any latency where one of them has no limit; otherwise empty.
std::string remark_on_difference(const MarginResult& result);

/// A line for each, under a line of titles.
std::string format_margin_table(const std::vector<MarginResult>& results);

/// One entry of "margins" in the document of a search.
nlohmann::ordered_json to_json(const MarginResult& result);

/// In words, what the results say together: "margin_remarks" there.
std::vector<std::string> remarks_on(const std::vector<MarginResult>& results);

}  // namespace longarm::study
