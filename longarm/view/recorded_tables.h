// SPDX-License-Identifier: Apache-2.0
// The messages of a recorded run as tables, read from the file as they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/record/mcap_file.h"
#include "longarm/view/message_columns.h"
#include "longarm/view/table.h"

namespace longarm::view {

/// The smallest and the largest value of columns in bins of equal width; NaN where there is none.
struct Overview {
  std::vector<double> least;
  std::vector<double> most;
};

/// Calls may come from several threads.
class RecordedTables {
 public:
  /// Of a trace.mcap. Fails if it cannot be read at all.
  static Result<std::unique_ptr<RecordedTables>> open(const std::string& path);

  const std::vector<Table>& tables() const { return tables_; }
  /// Number of the table of a topic.
  std::optional<std::size_t> find(const std::string& topic) const;
  /// Why the file does not go on to its end; empty if it does.
  const std::string& problem() const { return file_->problem(); }

  /// Where a part of it is damaged that was wanted so far, e.g. "damaged at byte 70"; empty if none
  /// is. Its rows have their times; their values are NaN, their texts empty.
  std::string damage() const;

  /// Rows from ≤ row < to of these columns, one column after another.
  std::vector<double> columns(std::size_t table, const std::vector<std::size_t>& columns,
                              std::size_t from, std::size_t to) const;
  std::vector<std::string> texts(std::size_t table, std::size_t from, std::size_t to) const;
  /// Of `bins` bins between two instants. The first call for many rows reads the whole file, while
  /// others are answered.
  Overview overview(std::size_t table, std::size_t column, double from_s, double to_s,
                    std::size_t bins) const;
  /// The newest row at or before an instant; nothing: there is none so early.
  std::optional<std::size_t> row_at(std::size_t table, double time_s) const;

 private:
  /// Extremes of blocks of rows, of all columns: block by block, column by column.
  struct Blocks {
    std::vector<double> least;
    std::vector<double> most;
  };

  RecordedTables() = default;
  void add_tables();
  void note_times(Table& table, std::uint16_t channel) const;
  const std::vector<Blocks>& blocks() const;
  void note(const Result<bool>& read) const;

  std::unique_ptr<record::McapFile> file_;
  std::vector<Table> tables_;
  std::vector<std::uint16_t> channels_;  ///< of the tables
  std::vector<std::unique_ptr<MessageColumns>> readers_;
  mutable std::once_flag blocks_once_;
  mutable std::mutex damage_mutex_;
  mutable std::string damage_;
  mutable std::vector<Blocks> blocks_;  ///< by table; empty until somebody needs them
};

}  // namespace longarm::view
