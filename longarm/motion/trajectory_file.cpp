// SPDX-License-Identifier: Apache-2.0
// Reads and writes the columns of a trajectory.
#include "longarm/motion/trajectory_file.h"

#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::motion {
namespace {

constexpr std::string_view kTimeColumn = "time_s";
constexpr std::array<std::string_view, 3> kGroups{"position.", "velocity.", "acceleration."};
constexpr double kLongest_s = 1e6;
constexpr std::int64_t kBillion_ns = 1'000'000'000;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t end = 0; end != std::string_view::npos; line.remove_prefix(end + 1)) {
    end = line.find(',');
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
  }
  return cells;
}

/// One line after another, without its end.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::optional<std::string_view> next() {
    if (rest_.empty()) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// Where each number is: by group, and then by joint; groups may be missing.
struct TrajectoryColumns {
  std::size_t time = 0;
  std::array<std::vector<std::size_t>, kGroups.size()> groups;
  std::size_t count = 0;
};

Result<TrajectoryColumns> columns_of(std::string_view header, std::vector<std::string>& joints) {
  const std::vector<std::string_view> names = cells_of(header);
  const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) {
        return i;
      }
    }
    return std::nullopt;
  };
  TrajectoryColumns columns;
  columns.count = names.size();
  const std::optional<std::size_t> time = find(std::string(kTimeColumn));
  for (const std::string_view name : names) {
    if (name.starts_with(kGroups[0])) {
      joints.emplace_back(name.substr(kGroups[0].size()));
    }
  }
  if (!time || joints.empty()) {
    return Error{"line 1: columns time_s and position.JOINT are expected"};
  }
  columns.time = *time;
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    for (const std::string& joint : joints) {
      if (const std::optional<std::size_t> at = find(std::string(kGroups[group]) + joint)) {
        columns.groups[group].push_back(*at);
      }
    }
    const std::size_t found = columns.groups[group].size();
    if (found != 0 && found != joints.size()) {
      return Error{fmt::format("line 1: {} of {} joints have a column {}JOINT; give all or none",
                               found, joints.size(), kGroups[group])};
    }
  }
  return columns;
}

Result<TrajectoryPoint> point_of(std::string_view line, const TrajectoryColumns& columns) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != columns.count) {
    return Error{fmt::format("{} columns instead of {}", cells.size(), columns.count)};
  }
  const std::optional<double> time = parse_number(cells[columns.time]);
  if (!time || !(*time >= 0.0) || *time > kLongest_s) {
    return Error{fmt::format("'{}' is not a time", cells[columns.time])};
  }
  TrajectoryPoint point;
  point.time = Duration(std::llround(*time * 1e9));
  const std::array<std::vector<double>*, kGroups.size()> lists{&point.positions, &point.velocities,
                                                               &point.accelerations};
  for (std::size_t group = 0; group < lists.size(); ++group) {
    for (const std::size_t column : columns.groups[group]) {
      const std::optional<double> number = parse_number(cells[column]);
      if (!number || !std::isfinite(*number)) {
        return Error{fmt::format("'{}' is not a number", cells[column])};
      }
      lists[group]->push_back(*number);
    }
  }
  return point;
}

}  // namespace

Result<NamedTrajectory> read_trajectory_csv(std::string_view content) {
  NamedTrajectory trajectory;
  Lines lines(content);
  const Result<TrajectoryColumns> columns =
      columns_of(lines.next().value_or(""), trajectory.joints);
  if (!columns) {
    return columns.error();
  }
  while (const std::optional<std::string_view> line = lines.next()) {
    if (line->empty()) {
      continue;
    }
    Result<TrajectoryPoint> point = point_of(*line, *columns);
    if (!point) {
      return Error{fmt::format("line {}: {}", lines.number(), point.error().message)};
    }
    if (!trajectory.points.empty() && point->time <= trajectory.points.back().time) {
      return Error{fmt::format("line {}: this time is not after the one above", lines.number())};
    }
    trajectory.points.push_back(std::move(point).value());
  }
  if (trajectory.points.empty()) {
    return Error{"it has a header but no points"};
  }
  return trajectory;
}

std::string trajectory_csv(const NamedTrajectory& trajectory) {
  std::string text(kTimeColumn);
  const TrajectoryPoint none;
  const TrajectoryPoint& first = trajectory.points.empty() ? none : trajectory.points.front();
  const std::array<bool, kGroups.size()> has{true, !first.velocities.empty(),
                                             !first.accelerations.empty()};
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    for (const std::string& joint : trajectory.joints) {
      text += has[group] ? fmt::format(",{}{}", kGroups[group], joint) : "";
    }
  }
  text += '\n';
  for (const TrajectoryPoint& point : trajectory.points) {
    fmt::format_to(std::back_inserter(text), "{}.{:09d}", point.time.count() / kBillion_ns,
                   point.time.count() % kBillion_ns);
    for (const std::vector<double>* list :
         {&point.positions, &point.velocities, &point.accelerations}) {
      for (const double number : *list) {
        fmt::format_to(std::back_inserter(text), ",{}", number);
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace longarm::motion
