// SPDX-License-Identifier: Apache-2.0
// One place for every table and column.
#include "longarm/study/store_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "longarm/core/text.h"
#include "longarm/study/axis.h"

namespace longarm::study {
namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return out + "\"";
}

std::vector<Axis> axes_of(const StudyQuestion& question) {
  std::vector<Axis> axes;
  for (const nlohmann::ordered_json& axis : question.axes) {
    axes.push_back(make_axis(axis["key"], axis["values"], {}));
  }
  return axes;
}

/// Whether all values of an axis's key are durations.
bool is_duration(const Axis& axis, std::size_t key) {
  return std::all_of(axis.values.begin(), axis.values.end(), [&](const auto& step) {
    return !parse_number(step[key]) && parse_duration(step[key]).has_value();
  });
}

bool is_column(const std::string& metric) {
  return std::find(metric_columns().begin(), metric_columns().end(), metric) !=
         metric_columns().end();
}

/// What there is of a run under names that no axis has taken.
std::string other_columns(std::set<std::string> taken, const std::vector<std::string>& metrics) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name, const std::string& expression) {
    if (taken.insert(name).second) {
      columns.push_back(expression);
    }
  };
  for (const char* name :
       {"identity", "reference", "engine", "cut", "seed", "verdict", "unstable_joint", "ended"}) {
    add(name, std::string("runs.") + name);
  }
  for (const std::string& name : metrics) {
    add(name, metric_expression(name) + (is_column(name) ? "" : " AS " + quoted(name)));
  }
  for (const char* name : {"state_hash", "longarm_version"}) {
    add(name, std::string("runs.") + name);
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

/// A name as a path into JSON within a text of SQL.
std::string json_path(const std::string& name) {
  std::string path = "'$.\"";
  for (const char c : name) {
    // "picker.parts" is a value of its own inside the picker's results
    path += c == '\'' ? "''" : c == '.' ? "\".\"" : std::string(1, c);
  }
  return path + "\"'";
}

}  // namespace

const std::vector<std::string>& metric_columns() {
  static const std::vector<std::string> names{"path_deviation_max_m",
                                              "path_deviation_rms_m",
                                              "reference_path_deviation_max_m",
                                              "cumulated_velocity_command_difference_rad",
                                              "cumulated_pid_error_rad_s",
                                              "cumulated_joint_difference_rad_s",
                                              "overshoot_rad",
                                              "settling_time_s",
                                              "unstable_at_s",
                                              "growth_per_s",
                                              "growth_standard_error_per_s"};
  return names;
}

std::string table_definitions() {
  std::string columns;
  for (const std::string& name : metric_columns()) {
    columns += name + " REAL, ";
  }
  return fmt::format(R"sql(
    CREATE TABLE study(name TEXT, scenario TEXT, command TEXT, title TEXT, axes TEXT);
    CREATE TABLE axes(axis INTEGER, step INTEGER, key TEXT, value, seconds REAL,
                      PRIMARY KEY(axis, step, key)) WITHOUT ROWID;
    CREATE TABLE grid(ordinal INTEGER PRIMARY KEY, key TEXT, steps TEXT);
    CREATE TABLE points(key TEXT PRIMARY KEY, identity TEXT) WITHOUT ROWID;
    CREATE TABLE runs(identity TEXT PRIMARY KEY, reference TEXT, engine TEXT, cut TEXT, seed INTEGER,
                      verdict TEXT, unstable_joint TEXT, ended TEXT, {}state_hash TEXT,
                      longarm_version TEXT) WITHOUT ROWID;
    CREATE TABLE details(identity TEXT PRIMARY KEY, scenario TEXT, metrics TEXT);
    CREATE TABLE curves(identity TEXT PRIMARY KEY, data BLOB);
    CREATE TABLE machine(identity TEXT PRIMARY KEY, wall_s REAL);
    CREATE TABLE documents(name TEXT PRIMARY KEY, json TEXT);
    PRAGMA application_id = {};
    PRAGMA user_version = {};)sql",
                     columns, kApplication, kStoreFormat);
}

std::string metric_expression(const std::string& name) {
  if (is_column(name)) {
    return "runs." + name;
  }
  if (name == kRealTimeFactor) {
    return "json_extract(details.metrics, '$.simulated_s') / nullif(machine.wall_s, 0.0)";
  }
  // a word is no number, though SQL would make one of it
  const std::string path = json_path(name);
  return fmt::format(
      "CASE WHEN json_type(details.metrics, {}) IN ('true', 'false', 'integer', 'real') THEN "
      "json_extract(details.metrics, {}) END",
      path, path);
}

std::string joined_for(const std::vector<std::string>& metrics) {
  return std::all_of(metrics.begin(), metrics.end(), is_column)
             ? ""
             : " JOIN details USING(identity) LEFT JOIN machine USING(identity)";
}

std::string results_view(const StudyQuestion& question, const std::vector<std::string>& metrics) {
  std::string columns;
  std::set<std::string> taken;
  const std::vector<Axis> axes = axes_of(question);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < axes[i].keys.size(); ++k) {
      const std::string& key = axes[i].keys[k];
      taken.insert(key);
      const auto column = [&](const char* of, const std::string& called) {
        columns += fmt::format(
            "(SELECT {} FROM axes WHERE axis = {} AND step = json_extract(grid.steps, '$[{}]') AND "
            "key = '{}') AS {}, ",
            of, i, i, key, quoted(called));
      };
      column("value", key);
      if (is_duration(axes[i], k)) {
        column("seconds", key + "_s");
      }
    }
  }
  return fmt::format(
      "DROP VIEW IF EXISTS results; CREATE VIEW results AS SELECT {}{} FROM grid "
      "JOIN points USING(key) JOIN runs USING(identity){} ORDER BY grid.ordinal;",
      columns, other_columns(taken, metrics), joined_for(metrics));
}

std::vector<AxisValue> axis_values(const StudyQuestion& question) {
  std::vector<AxisValue> all;
  const std::vector<Axis> axes = axes_of(question);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t step = 0; step < axes[i].values.size(); ++step) {
      for (std::size_t k = 0; k < axes[i].keys.size(); ++k) {
        AxisValue value{i, step, axes[i].keys[k], axes[i].values[step][k], {}, {}};
        value.number = parse_number(value.text);
        if (const Result<Duration> duration = parse_duration(value.text);
            !value.number && duration) {
          value.seconds = to_seconds(*duration);
        }
        all.push_back(std::move(value));
      }
    }
  }
  return all;
}

std::string hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "if the disk is full, free some space and run the same command again: finished runs "
             "are kept";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has it open for writing: wait for it";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "this is not a valid SQLite file: move it away, or choose another --out";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return "check that you may write to its folder, or choose another with --out";
    default:
      return "choose another --out";
  }
}

}  // namespace longarm::study
