// SPDX-License-Identifier: Apache-2.0
// One place for every table and column.
#include "longarm/study/store_tables.h"

#include <fmt/format.h>

namespace longarm::study {
namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return out + "\"";
}

std::string quoted_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return out + "'";
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

std::string results_view(const StudyQuestion& question) {
  std::string columns;
  for (std::size_t i = 0; i < question.axes.size(); ++i) {
    const nlohmann::ordered_json& axis = question.axes[i];
    columns +=
        fmt::format("json_extract({}, '$[' || json_extract(grid.steps, '$[{}]') || ']') AS {}, ",
                    quoted_text(axis["values"].dump()), i, quoted(axis["key"].get<std::string>()));
  }
  return fmt::format(
      "DROP VIEW IF EXISTS results; CREATE VIEW results AS SELECT {}runs.* FROM grid "
      "JOIN points USING(key) JOIN runs USING(identity) ORDER BY grid.ordinal;",
      columns);
}

}  // namespace longarm::study
