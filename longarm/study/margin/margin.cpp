// SPDX-License-Identifier: Apache-2.0
// Scans a coarse grid of latencies, then narrows the gap between stable and unstable.
#include "longarm/study/margin/margin.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/arm.h"
#include "longarm/cell/scenario.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::study {
namespace {

using record::Verdict;

// points of the scan, and points tried at once within a gap: fixed, so that what is tried does not
// depend on the machine
constexpr std::int64_t kScanPoints = 8;
constexpr std::int64_t kSections = 4;
// the edge of a band where no hold is long enough is found to this part of itself
constexpr std::int64_t kEdgeParts = 64;
// a task without a hold shows nothing
constexpr Duration kLeastHold = std::chrono::seconds(1);

/// Lets several runs share a cache.
class LockedCache final : public RunCache {
 public:
  explicit LockedCache(RunCache& cache) : cache_(cache) {}
  std::optional<nlohmann::ordered_json> find(const std::string& identity) override {
    const std::lock_guard lock(mutex_);
    return cache_.find(identity);
  }
  void store(const std::string& identity, const nlohmann::ordered_json& result) override {
    const std::lock_guard lock(mutex_);
    cache_.store(identity, result);
  }

 private:
  RunCache& cache_;
  std::mutex mutex_;
};

/// One search. Latencies are counted in steps of the resolution.
class MarginSearch {
 public:
  MarginSearch(MarginRuns runs, Duration resolution, std::int64_t most, int threads,
               const MarginProgress& progress)
      : runs_(std::move(runs)),
        resolution_(resolution),
        most_(most),
        threads_(threads > 0 ? static_cast<unsigned>(threads)
                             : std::max(1U, std::thread::hardware_concurrency())),
        progress_(progress) {}

  /// `guess` is only where to look first besides the grid.
  void run(std::optional<std::int64_t> guess) {
    std::set<std::int64_t> grid;
    for (std::int64_t i = 0; i <= kScanPoints; ++i) {
      grid.insert(most_ * i / kScanPoints);
    }
    if (guess) {
      grid.insert(std::clamp<std::int64_t>(*guess, 0, most_));
      grid.insert(std::clamp<std::int64_t>(*guess + 1, 0, most_));
    }
    try_all({grid.begin(), grid.end()});
    // below: stable; above: not; and where some are undecided, the first that certainly is not
    narrow([](Verdict verdict) { return verdict == Verdict::kStable; });
    look_above_undecided();
    narrow([](Verdict verdict) { return verdict != Verdict::kUnstable; });
  }

  const std::map<std::int64_t, MarginTrial>& trials() const { return trials_; }

 private:
  /// The last of the first trials for which `is_below` holds, and the one after it.
  using IsBelow = bool (*)(Verdict);
  std::optional<std::pair<std::int64_t, std::int64_t>> gap(IsBelow is_below) const {
    const auto above = std::find_if(trials_.begin(), trials_.end(), [&](const auto& each) {
      return !is_below(each.second.verdict);
    });
    if (above == trials_.begin() || above == trials_.end()) {
      return std::nullopt;
    }
    return std::pair(std::prev(above)->first, above->first);
  }

  /// The scan may have jumped from one undecided latency to another: look at what is between them
  /// in steps that double, until something is certainly unstable.
  void look_above_undecided() {
    const auto undecided = std::find_if(trials_.begin(), trials_.end(), [](const auto& each) {
      return each.second.verdict == Verdict::kUndecided;
    });
    if (undecided == trials_.end()) {
      return;
    }
    const std::int64_t first = undecided->first;
    for (std::int64_t step = std::max<std::int64_t>(1, first / kEdgeParts); first + step <= most_;
         step *= 2) {
      if (!trials_.contains(first + step)) {
        try_all({first + step});
      }
      if (trials_.at(first + step).is_unstable()) {
        return;
      }
    }
  }

  /// How narrow a gap must be: a step, or less where one side is undecided after a long hold, which
  /// costs most.
  std::int64_t fineness(const std::pair<std::int64_t, std::int64_t>& ends) const {
    const auto is_costly = [&](std::int64_t at) {
      const MarginTrial& trial = trials_.at(at);
      return trial.verdict == Verdict::kUndecided && !trial.has_stopped;
    };
    return is_costly(ends.first) || is_costly(ends.second)
               ? std::max<std::int64_t>(1, ends.second / kEdgeParts)
               : 1;
  }

  void narrow(IsBelow is_below) {
    while (true) {
      const auto ends = gap(is_below);
      if (!ends || ends->second - ends->first <= fineness(*ends)) {
        return;
      }
      std::set<std::int64_t> between;
      for (std::int64_t i = 1; i < kSections; ++i) {
        between.insert(ends->first + (ends->second - ends->first) * i / kSections);
      }
      between.erase(ends->first);
      try_all({between.begin(), between.end()});
    }
  }

  /// Each in a thread of its own, as far as there are threads.
  void try_all(const std::vector<std::int64_t>& latencies) {
    std::vector<MarginTrial> results(latencies.size());
    std::vector<std::exception_ptr> problems(latencies.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < latencies.size(); i = next++) {
        try {
          results[i] = try_latency(runs_, latencies[i] * resolution_);
          report(results[i]);
        } catch (...) {
          problems[i] = std::current_exception();
        }
      }
    };
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < std::min<std::size_t>(threads_, latencies.size()); ++i) {
        workers.emplace_back(work);
      }
      work();
    }
    for (std::size_t i = 0; i < latencies.size(); ++i) {
      if (problems[i]) {
        std::rethrow_exception(problems[i]);
      }
      trials_[latencies[i]] = std::move(results[i]);
    }
  }

  void report(const MarginTrial& trial) {
    if (!progress_) {
      return;
    }
    const std::lock_guard lock(mutex_);
    ++done_;
    progress_(fmt::format("{} latencies tried, {} is {}", done_, format_duration(trial.latency),
                          verdict_text(trial.verdict)));
  }

  MarginRuns runs_;
  Duration resolution_;
  std::int64_t most_;
  unsigned threads_;
  const MarginProgress& progress_;
  std::mutex mutex_;
  int done_ = 0;
  std::map<std::int64_t, MarginTrial> trials_;
};

/// Whose verdict is asked for, and what is late.
struct Subject {
  std::string robot;
  const actors::ArmModel* arm =
      nullptr;                     ///< null: a robot of another kind, which has no closed form
  std::vector<std::string> links;  ///< of the network; empty: the arm's own
  std::string prefix;              ///< of its keys
};

/// Those that say whether they are stable.
std::vector<std::string> robots_of(const cell::PreparedScenario& prepared) {
  std::vector<std::string> names;
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (follower_of(prepared, actor.name) != nullptr) {
      names.push_back(actor.name);
    }
  }
  return names;
}

std::string robot_of(const MarginQuestion& question, const cell::PreparedScenario& prepared) {
  const std::vector<std::string> robots = robots_of(prepared);
  if (robots.empty()) {
    refuse(fmt::format("'{}' has no robot whose stability can be tested", prepared.name),
           "use an actor of kind arm or ur-driver");
  }
  if (question.robot.empty() && robots.size() > 1) {
    refuse(fmt::format("'{}' has several robots: {}", prepared.name, join(robots)),
           "choose one with --robot " + robots.front());
  }
  const std::string robot = question.robot.empty() ? robots.front() : question.robot;
  if (std::find(robots.begin(), robots.end(), robot) == robots.end()) {
    refuse(
        fmt::format("'{}' has no robot '{}' whose stability can be tested", prepared.name, robot),
        suggest(robot, robots));
  }
  return robot;
}

std::vector<std::string> links_of(const MarginQuestion& question,
                                  const cell::PreparedScenario& prepared,
                                  const actors::ArmModel* arm) {
  const bool has_own = arm != nullptr && arm->config().control.host.empty();
  if (!question.links.empty() || has_own) {
    return question.links;
  }
  const std::vector<std::string> names = names_of(prepared.cell().network.links);
  if (names.size() != 1) {
    refuse(names.empty() ? fmt::format("'{}' has no link to delay", prepared.name)
                         : "the network has several links: " + join(names),
           names.empty() ? "give it a network"
                         : "choose the ones to delay with --link " + names.front());
  }
  return names;
}

Subject subject_of(const MarginQuestion& question, const cell::PreparedScenario& prepared) {
  Subject subject;
  subject.robot = robot_of(question, prepared);
  subject.arm =
      dynamic_cast<const actors::ArmModel*>(prepared.cell().find(subject.robot)->model.get());
  subject.links = links_of(question, prepared, subject.arm);
  subject.prefix = prepared.cell().is_short ? "" : "actors." + subject.robot + ".";
  with_latency(prepared, subject.links, Duration(0));  // says what is no link
  return subject;
}

/// The link is the search's to set.
void check_link(const MarginQuestion& question, const Subject& subject) {
  if (!subject.links.empty() && question.direction != Direction::kBoth) {
    refuse("links of a network are delayed in both directions", "remove --direction");
  }
  if (subject.arm == nullptr) {
    if (!question.cut.empty()) {
      refuse(fmt::format("'{}' is not an arm and has no cut", subject.robot), "remove --cut");
    }
    return;
  }
  if (subject.arm->config().cut == "none") {
    refuse("cut 'none' has no link, so latency has no effect", "choose another --cut");
  }
  if (!subject.links.empty()) {
    return;
  }
  for (const std::string& each : question.load.overrides) {
    for (const char* key : {"link.delay=", "link.states.delay=", "link.commands.delay=",
                            "link.slots=", "link.states.slots=", "link.commands.slots="}) {
      if (each.starts_with(subject.prefix + key)) {
        refuse(fmt::format("--set {}: margin sets the link's delay itself", each),
               "remove it; use --up-to to set the largest latency");
      }
    }
  }
  const config::LinkConfig& links = subject.arm->config().link;
  for (const auto& [name, link] :
       {std::pair{"states", &links.states}, std::pair{"commands", &links.commands}}) {
    if (link->model != "none" && link->model != "delay") {
      refuse(fmt::format("link.{}.model is '{}', but margin sets link.delay itself", name,
                         link->model),
             "use --set link.model=delay; use longarm sweep for other link models");
    }
  }
}

Duration resolution_of(const MarginConfig& config, const Subject& subject, Duration step) {
  // who speaks to a robot's controller is not in step with it: any part of a tick may matter
  const Duration usual = subject.arm != nullptr ? subject.arm->control_period() : step;
  const Duration resolution = config.resolution.value_or(usual);
  if (resolution <= Duration(0) || resolution % step != Duration(0)) {
    refuse(
        fmt::format("a resolution of {} is not a whole number of physics steps of {}",
                    format_duration(resolution), format_duration(step)),
        "delays act in whole physics steps: use " + format_duration(step) + " or a multiple of it");
  }
  return resolution;
}

Duration up_to_of(const MarginConfig& config, const Prediction& prediction, Duration resolution) {
  if (config.up_to) {
    if (*config.up_to < resolution) {
      refuse("--up-to " + format_duration(*config.up_to) + " is less than one step of " +
                 format_duration(resolution),
             "give a larger one, or a finer --resolution");
    }
    return *config.up_to / resolution * resolution;
  }
  const PredictedMargin& expected = prediction.at_goal;
  const Duration most = expected.is_unlimited || !prediction.is_known
                            ? kUpToWithoutLimit
                            : std::max(kLeastUpTo, 4 * expected.critical.value_or(Duration(0)));
  return (most + resolution - Duration(1)) / resolution * resolution;
}

std::optional<double> common_gain(const actors::ArmConfig& s) {
  if (s.gain || s.gains.p.empty()) {
    return s.gain;
  }
  const bool is_common = std::all_of(s.gains.p.begin(), s.gains.p.end(),
                                     [&](double gain) { return gain == s.gains.p.front(); });
  return is_common ? std::optional(s.gains.p.front()) : std::nullopt;
}

cell::LoadOptions load_options(const MarginQuestion& question) {
  cell::LoadOptions load = question.load;
  if (!question.cut.empty()) {
    const std::string prefix = question.robot.empty() ? "" : "actors." + question.robot + ".";
    load.overrides.push_back(prefix + "cut=" + question.cut);
  }
  return load;
}

/// Everything that is known before the first run, of a scenario that is fit for a search.
MarginResult begin(const MarginQuestion& question, const MarginConfig& config,
                   const cell::PreparedScenario& prepared, const Subject& subject) {
  check_link(question, subject);
  MarginResult result;
  result.direction = question.direction;
  result.physics_period = prepared.scenario.physics_period;
  result.control_period = follower_of(prepared, subject.robot)->control_period();
  result.resolution = resolution_of(config, subject, result.physics_period);
  if (subject.arm != nullptr) {
    const actors::ArmConfig& arm = subject.arm->config();
    result.cut = arm.cut;
    result.gain = common_gain(arm);
    up_to_of(config, {}, result.resolution);  // what is wrong with it is told first
    result.prediction = predict_margin(*subject.arm, question.direction);
    if (subject.links.empty() &&
        (arm.link.states.model == "delay" || arm.link.commands.model == "delay")) {
      result.remarks.emplace_back("the scenario's own link delay was replaced");
    }
  } else {
    result.cut = subject.robot;
    result.prediction.is_known = false;
    result.remarks.push_back(
        fmt::format("there is no closed form for '{}', which is not an arm", subject.robot));
  }
  if (!subject.links.empty()) {
    result.remarks.push_back("added to the behaviour of the network, each way, on " +
                             join(subject.links));
  }
  result.searched_up_to = up_to_of(config, result.prediction, result.resolution);
  return result;
}

/// Reads the answer off the trials.
void conclude(MarginResult& result, const std::map<std::int64_t, MarginTrial>& trials) {
  bool is_all_stable = true;
  for (const auto& [step, trial] : trials) {
    result.tried.push_back(trial);
    is_all_stable = is_all_stable && trial.is_stable();
    if (is_all_stable) {
      result.critical = trial.latency;
    }
    if (trial.is_unstable() && !result.unstable) {
      result.unstable = trial.latency;
      result.beyond = trial;
    }
    if (trial.is_stable() && result.unstable) {
      result.remarks.push_back(
          fmt::format("stable again at {}, beyond the margin", format_duration(trial.latency)));
    }
  }
}

/// A loop may be stable in the small and not in the large.
void remark_on_limits(MarginResult& result) {
  const PredictedMargin& goal = result.prediction.at_goal;
  const bool decays = result.predicted_swing && result.predicted_swing->growth_per_s < 0.0 &&
                      (goal.is_unlimited || goal.critical >= result.unstable);
  if (decays && !result.beyond->limited_joint.empty()) {
    result.remarks.push_back(
        fmt::format("at {} small oscillations would decay, but the motion drives {} to its limits, "
                    "which keep it oscillating",
                    format_duration(*result.unstable), result.beyond->limited_joint));
  }
}

}  // namespace

MarginResult find_margin(const MarginQuestion& question, const MarginConfig& config,
                         const cell::Plugins& plugins, RunCache* cache,
                         const MarginProgress& progress) {
  const cell::LoadOptions load = load_options(question);
  const cell::PreparedScenario prepared = cell::load_scenario(question.scenario, load, plugins);
  const Subject subject = subject_of(question, prepared);
  MarginResult result = begin(question, config, prepared, subject);

  std::optional<LockedCache> locked;
  if (cache != nullptr) {
    locked.emplace(*cache);
  }
  const Duration own_hold = follower_of(prepared, subject.robot)->hold();
  std::optional<Duration> length_before_hold = prepared.cell().length;
  if (length_before_hold) {
    *length_before_hold = std::max(*length_before_hold - own_hold, Duration(0));
  }
  MarginSearch search({question.scenario, load, plugins, question.direction, subject.robot,
                       subject.prefix, subject.links, std::max(own_hold, kLeastHold),
                       length_before_hold, config.hold_limit, locked ? &*locked : nullptr},
                      result.resolution, result.searched_up_to / result.resolution, config.threads,
                      progress);
  std::optional<std::int64_t> guess;
  if (result.prediction.at_goal.critical) {
    guess = *result.prediction.at_goal.critical / result.resolution;
  }
  search.run(guess);
  conclude(result, search.trials());
  if (result.unstable && subject.arm != nullptr) {
    result.predicted_swing = predict_swing(*subject.arm, question.direction, *result.unstable);
    remark_on_limits(result);
  }
  // a loop that needs no latency to fail has no swing of its margin
  if (!result.critical) {
    result.predicted_swing.reset();
  }
  if (const std::string remark = remark_on_difference(result); !remark.empty()) {
    result.remarks.insert(result.remarks.begin(), remark);
  }
  return result;
}

void check_margin(const MarginQuestion& question, const MarginConfig& config,
                  const cell::Plugins& plugins) {
  const cell::PreparedScenario prepared =
      cell::load_scenario(question.scenario, load_options(question), plugins);
  begin(question, config, prepared, subject_of(question, prepared));
}

int MarginResult::runs() const {
  int sum = 0;
  for (const MarginTrial& trial : tried) {
    sum += trial.runs;
  }
  return sum;
}

bool MarginResult::is_at_limit() const {
  return critical == searched_up_to && !unstable;
}

std::optional<double> MarginResult::difference_ticks() const {
  const bool is_bracketed = critical && unstable && *unstable - *critical <= resolution;
  if (!is_bracketed || !prediction.at_goal.critical) {
    return std::nullopt;
  }
  const Duration expected = *prediction.at_goal.critical / resolution * resolution;
  return to_seconds(*critical - expected) / to_seconds(control_period);
}

}  // namespace longarm::study
