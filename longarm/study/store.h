// SPDX-License-Identifier: Apache-2.0
// A study's SQLite file: every finished run, and what was asked.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/study/run_row.h"

namespace longarm::study {

/// Version of the tables. A file of another one is refused, not changed.
inline constexpr int kStoreFormat = 2;

/// Figures at the top of metrics.json that have a column of their own in table `runs`.
const std::vector<std::string>& metric_columns();

/// Simulated time over the machine's: asked for like a metric, but no part of any result.
inline constexpr const char* kRealTimeFactor = "real_time_factor";

/// What a study asks, as it was last asked.
struct StudyQuestion {
  std::string name;      ///< of the study, e.g. "ur5-latency"
  std::string scenario;  ///< its name or file
  std::string command;   ///< that asks it again
  std::string title;
  /// Names and labels of the axes: [{"key": "link.delay", "values": ["0ms", …]}, …]
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
};

/// A point of the grid that was asked.
struct GridPoint {
  std::string key;                  ///< names the point across asks: base scenario and assignments
  std::vector<std::size_t> values;  ///< step of each axis
};

/// One row of the results: a point and the main figures of its run.
struct ResultRow {
  std::vector<std::size_t> values;
  std::string identity;
  std::string reference;       ///< identity of the run it was compared with; empty: none
  std::string verdict;         ///< "stable", "unstable" or "undecided"; empty: an experiment
  std::string unstable_joint;  ///< empty: none
  std::string ended;
  std::string state_hash;
  std::string longarm_version;
  std::vector<std::optional<double>> metrics;  ///< in the order of their names
};

/// One connection. Writing and reading are for one thread at a time; several processes may read
/// while one writes. All functions throw InputError if the file cannot be used, with what to do.
class Store {
 public:
  enum class Mode { kRead, kWrite };
  /// kWrite makes the file if there is none, and keeps other writers away until it is closed.
  Store(const std::filesystem::path& file, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& file() const { return file_; }

  // --- what was asked
  /// `metrics` become columns of view `results`.
  void ask(const StudyQuestion& question, const std::vector<GridPoint>& grid,
           const std::vector<std::string>& metrics = metric_columns());
  std::optional<StudyQuestion> question() const;

  // --- runs
  /// Commits the run, and that `key` is answered by it. Rows are never changed afterwards.
  /// Without a key it is a run that others are compared with.
  void add(const std::string& key, const RunRow& row);
  bool has_curves(const std::string& identity) const;
  /// Those of the grid's points, by index, that no run answers yet.
  std::vector<std::size_t> open_points() const;
  std::size_t grid_size() const;

  /// The answered points of the grid in its order, with the numbers at the top of metrics.json that
  /// have these names (true is 1).
  void for_each_result(const std::vector<std::string>& metrics,
                       const std::function<void(const ResultRow&)>& visit) const;
  void for_each_result(const std::function<void(const ResultRow&)>& visit) const {
    for_each_result(metric_columns(), visit);
  }
  /// Metrics of a run, or nothing.
  std::optional<nlohmann::ordered_json> metrics(const std::string& identity) const;
  std::string scenario(const std::string& identity) const;
  std::string curves(const std::string& identity) const;  ///< packed; empty if not kept

  // --- documents beside the runs, e.g. "margin"
  void put_document(const std::string& name, const nlohmann::ordered_json& document);
  std::optional<nlohmann::ordered_json> document(const std::string& name) const;
  void drop_document(const std::string& name);

 private:
  struct Database;

  void open_to_read();
  void open_to_write();
  void check_format() const;
  void prepare_to_add();
  void add_run(const RunRow& row);
  std::string text_of(const char* column, const char* table, const std::string& identity) const;
  nlohmann::ordered_json parsed(std::string_view text, const std::string& what) const;
  template <typename Work>
  auto with_words(const std::string& doing, Work&& work) const;
  [[noreturn]] void fail(const std::string& doing, int code, const std::string& message) const;

  std::filesystem::path file_;
  std::unique_ptr<Database> database_;
};

}  // namespace longarm::study
