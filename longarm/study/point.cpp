// SPDX-License-Identifier: Apache-2.0
// One simulation after another, in any thread; only the references are shared.
#include "longarm/study/point.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

#include "longarm/core/hash.h"
#include "longarm/scenario/ready.h"
#include "longarm/scenario/simulation.h"
#include "longarm/scenario/text_file.h"
#include "longarm/study/curves.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A trace of the reference costs a megabyte.
constexpr std::size_t kMostReferences = 32;

Json to_json(const std::optional<RunRow>& row) {
  if (!row) {
    return nullptr;
  }
  return {
      {"identity", row->identity},
      {"reference", row->reference},
      {"scenario", row->scenario},
      {"metrics", row->metrics},
      {"curves", Json::binary(std::vector<std::uint8_t>(row->curves.begin(), row->curves.end()))},
      {"wall_s", row->wall_s}};
}

std::optional<RunRow> row_of(const Json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  const auto& curves = json.at("curves").get_binary();
  return RunRow{json.at("identity"),
                json.at("reference"),
                json.at("scenario"),
                json.at("metrics"),
                std::string(curves.begin(), curves.end()),
                json.at("wall_s")};
}

/// Runs to the end and makes a row of it; `trace`, if not null, is filled as well.
RunRow simulate_row(const scenario::PreparedScenario& prepared,
                    std::shared_ptr<const record::MemoryTrace> reference, bool keeps_curves,
                    std::shared_ptr<const record::MemoryTrace>* trace) {
  const auto begin = std::chrono::steady_clock::now();
  scenario::SimulationOptions options;
  if (reference) {
    options.reference = record::MemoryTrace::reader(reference);
  }
  scenario::Simulation simulation(prepared, std::move(options));
  std::optional<CurveRecorder> curves;
  if (keeps_curves) {
    curves.emplace(simulation, prepared.scenario.physics_period, reference != nullptr);
  }
  std::shared_ptr<record::MemoryTrace> recorded;
  if (trace != nullptr) {
    recorded = std::make_shared<record::MemoryTrace>(
        simulation.probes(), std::vector<std::string>{"end_effector", "velocity_command"});
  }
  simulation.set_observer([&](Time stamp) {
    if (curves) {
      curves->record(stamp);
    }
    if (recorded) {
      recorded->record(stamp);
    }
  });
  const Result<Time> reached = simulation.run_until(simulation.end());
  if (!reached) {
    throw InputError(Diagnostic{{}, reached.error().message, "give the link between them a delay"});
  }
  if (trace != nullptr) {
    *trace = std::move(recorded);
  }
  RunRow row;
  row.identity = prepared.identity;
  row.scenario = to_yaml(prepared.scenario, prepared.plugins);
  row.metrics = simulation.results();
  row.curves = curves ? pack(curves->curves()) : "";
  row.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return row;
}

}  // namespace

std::string PointAnswer::to_bytes() const {
  const Json json{
      {"index", index}, {"row", to_json(row)}, {"reference", to_json(reference)}, {"error", error}};
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return std::string(bytes.begin(), bytes.end());
}

PointAnswer PointAnswer::from_bytes(const std::string& bytes) {
  const Json json = Json::from_cbor(bytes);
  return {json.at("index"), row_of(json.at("row")), row_of(json.at("reference")), json.at("error")};
}

PointRunner::PointRunner(const StudySource& source, const Grid& grid, scenario::LoadOptions load,
                         const scenario::Plugins& plugins)
    : source_(source), grid_(grid), load_(std::move(load)), plugins_(plugins) {
  std::vector<std::string> overrides = source.overrides;
  overrides.insert(overrides.end(), load_.overrides.begin(), load_.overrides.end());
  load_.overrides = std::move(overrides);
  if (!source.folder.empty()) {
    load_.search.push_back(source.folder);
  }
  check_values_of_axes();
  first_ = load_first();
  changes_files_ = may_change_files();
  base_hash_ = hash_of_base();
}

scenario::LoadOptions PointRunner::options_at(const Point& point) const {
  scenario::LoadOptions options = load_;
  const std::vector<std::string> texts = grid_.assignments(point);
  const std::vector<SourceLocation> places = grid_.places(point);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    options.varied.push_back({texts[i], places[i]});
  }
  return options;
}

scenario::PreparedScenario PointRunner::load(const Point& point) const {
  return scenario::load_scenario(source_.scenario, options_at(point), plugins_);
}

/// Points with at most one axis away from its first value: few, and every value is in one of them.
std::vector<Point> PointRunner::points_along_axes() const {
  std::vector<Point> points{Point(grid_.axes().size())};
  for (std::size_t axis = 0; axis < grid_.axes().size(); ++axis) {
    for (std::size_t step = 1; step < grid_.axes()[axis].values.size(); ++step) {
      points.emplace_back(grid_.axes().size())[axis] = step;
    }
  }
  return points;
}

/// A slip in the last value of a long study must show before anything runs.
void PointRunner::check_values_of_axes() const {
  for (const Point& point : points_along_axes()) {
    scenario::check_values(source_.scenario, options_at(point), plugins_);
  }
}

/// One impossible point does not spoil the others, wherever in the grid it is.
scenario::PreparedScenario PointRunner::load_first() const {
  constexpr std::size_t kTries = 20;
  std::vector<Point> points = points_along_axes();
  points.push_back(grid_.point(grid_.size() - 1));
  std::exception_ptr first_problem;
  for (std::size_t i = 0; i < std::min(kTries, points.size()); ++i) {
    try {
      return load(points[i]);
    } catch (const InputError&) {
      first_problem = first_problem ? first_problem : std::current_exception();
    }
  }
  std::rethrow_exception(first_problem);
}

bool PointRunner::may_change_files() const {
  const fs::path folder = fs::path(scenario::find_scenario_file(source_.scenario)).parent_path();
  for (const Axis& axis : grid_.axes()) {
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      const std::string& key = axis.keys[k];
      if (key.starts_with("robot.") || key == "world" || key == "plugins") {
        return true;
      }
      for (const std::vector<std::string>& step : axis.values) {
        std::error_code ignored;
        const bool is_file = fs::exists(folder / step[k], ignored) ||
                             fs::exists(fs::path(source_.folder) / step[k], ignored) ||
                             fs::exists(step[k], ignored);
        if (is_file) {
          return true;
        }
      }
    }
  }
  return false;
}

/// What a comment in the file or another spelling does not change; where the scenario only makes
/// sense with the axes' values, its text.
std::string PointRunner::hash_of_base() const {
  try {
    return scenario::load_scenario(source_.scenario, load_, plugins_).identity;
  } catch (const InputError&) {
    Hash hash;
    const std::string file = scenario::find_scenario_file(source_.scenario);
    hash.add(std::string_view(scenario::read_text_file(file)));
    for (const std::string& each : load_.overrides) {
      hash.add(std::string_view(each));
    }
    hash.add(std::string_view(first_.model_hash));
    hash.add(std::string_view(first_.link_hash));
    hash.add(static_cast<std::uint64_t>(scenario::kResultFormat));
    return hash.text();
  }
}

std::string PointRunner::key(const Point& point) const {
  std::vector<std::string> assignments = grid_.assignments(point);
  std::sort(assignments.begin(), assignments.end());
  Hash hash;
  if (changes_files_) {
    try {
      return load(point).identity;
    } catch (const InputError&) {
      // it will be told when its turn comes; nothing ever answers it
    }
  }
  hash.add(std::string_view(base_hash_));
  for (const std::string& each : assignments) {
    hash.add(std::string_view(each));
  }
  return hash.text();
}

PointAnswer PointRunner::run(std::size_t index) const {
  PointAnswer answer;
  answer.index = index;
  try {
    const scenario::PreparedScenario prepared = load(grid_.point(index));
    simulate(prepared, answer);
  } catch (const InputError& problem) {
    answer.error = problem.what();
  }
  return answer;
}

/// What a run is compared with: nothing between controller and robot, and the first seed.
scenario::PreparedScenario PointRunner::reference_scenario(
    scenario::PreparedScenario prepared) const {
  const std::string identity = prepared.identity;
  prepared.scenario.seed = first_.scenario.seed;
  prepared = without_link(std::move(prepared));
  if (prepared.scenario.task.replan == "per-run") {
    // every run has a plan of its own, and so has what it is compared with
    Hash own;
    own.add(std::string_view(prepared.identity));
    own.add(std::string_view(identity));
    prepared.identity = own.text();
  }
  return prepared;
}

void PointRunner::simulate(const scenario::PreparedScenario& prepared, PointAnswer& answer) const {
  const scenario::PreparedScenario alone = reference_scenario(prepared);
  const std::shared_ptr<Reference> reference = reference_of(alone.identity);
  std::call_once(reference->is_made,
                 [&] { answer.reference = simulate_row(alone, nullptr, true, &reference->trace); });
  answer.row = simulate_row(prepared, reference->trace,
                            grid_.is_first_repeat(grid_.point(answer.index)), nullptr);
  answer.row->reference = reference->identity;
}

std::shared_ptr<PointRunner::Reference> PointRunner::reference_of(
    const std::string& identity) const {
  const std::lock_guard lock(mutex_);
  for (auto each = references_.begin(); each != references_.end(); ++each) {
    if ((*each)->identity == identity) {
      references_.splice(references_.begin(), references_, each);
      return references_.front();
    }
  }
  references_.push_front(std::make_shared<Reference>());
  references_.front()->identity = identity;
  if (references_.size() > kMostReferences) {
    references_.pop_back();
  }
  return references_.front();
}

}  // namespace longarm::study
