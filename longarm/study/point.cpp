// SPDX-License-Identifier: Apache-2.0
// One point after another, in any thread.
#include "longarm/study/point.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"
#include "longarm/core/hash.h"

namespace longarm::study {

namespace fs = std::filesystem;

PointRunner::PointRunner(const StudySource& source, const Grid& grid, cell::LoadOptions load,
                         const cell::Plugins& plugins)
    : source_(source), grid_(grid), load_(std::move(load)), points_(source.scenario, plugins) {
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

cell::LoadOptions PointRunner::options_at(const Point& point) const {
  cell::LoadOptions options = load_;
  const std::vector<std::string> texts = grid_.assignments(point);
  const std::vector<SourceLocation> places = grid_.places(point);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    options.varied.push_back({texts[i], places[i]});
  }
  return options;
}

std::unique_ptr<LoadedPoint> PointRunner::load(const Point& point) const {
  return points_.load(options_at(point));
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
  for (std::size_t axis = 0; axis < grid_.axes().size(); ++axis) {
    for (std::size_t step = 0; step < grid_.axes()[axis].values.size(); ++step) {
      check_value(axis, step);
    }
  }
}

/// Some values make sense only with some of another axis: one such combination is enough.
void PointRunner::check_value(std::size_t axis, std::size_t step) const {
  const auto check_beside = [&](Point others) {
    others[axis] = step;
    points_.check_values(options_at(others));
  };
  try {
    check_beside(grid_.point(0));
  } catch (const InputError&) {
    const std::exception_ptr problem = std::current_exception();
    try {
      check_beside(grid_.point(grid_.size() - 1));
    } catch (const InputError&) {
      std::rethrow_exception(problem);
    }
  }
}

/// One impossible point does not spoil the others, wherever in the grid it is.
std::unique_ptr<LoadedPoint> PointRunner::load_first() const {
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
  const fs::path folder = fs::path(config::find_scenario_file(source_.scenario)).parent_path();
  for (const Axis& axis : grid_.axes()) {
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      const std::string& key = axis.keys[k];
      // keys of actors may name robots, worlds and more by words that are no files
      if (key.starts_with("robot.") || key == "world" || key == "plugins" ||
          key.starts_with("actors.")) {
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
    return points_.load(load_)->prepared().identity;
  } catch (const InputError&) {
    Hash hash;
    const std::string file = config::find_scenario_file(source_.scenario);
    hash.add(std::string_view(config::read_text_file(file)));
    for (const std::string& each : load_.overrides) {
      hash.add(std::string_view(each));
    }
    hash.add(std::string_view(first_->prepared().files_hash));
    hash.add(static_cast<std::uint64_t>(cell::kResultFormat));
    return hash.text();
  }
}

std::string PointRunner::key(const Point& point) const {
  std::vector<std::string> assignments = grid_.assignments(point);
  std::sort(assignments.begin(), assignments.end());
  Hash hash;
  if (changes_files_) {
    try {
      return load(point)->prepared().identity;
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
    const Point point = grid_.point(index);
    const std::unique_ptr<LoadedPoint> loaded = load(point);
    for (const Diagnostic& warning : loaded->prepared().warnings) {
      answer.warnings.push_back(warning.format());
    }
    loaded->simulate(grid_.is_first_repeat(point), answer);
  } catch (const InputError& problem) {
    answer.error = problem.what();
  }
  return answer;
}

}  // namespace longarm::study
