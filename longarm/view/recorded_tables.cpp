// SPDX-License-Identifier: Apache-2.0
// Rows come straight out of the file's chunks; extremes of blocks of rows are kept of all tables
// once somebody wants to see a whole curve, as that opens every chunk.
#include "longarm/view/recorded_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace longarm::view {
namespace {

constexpr std::size_t kBlockRows = 16;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

void widen(double value, double& least, double& most) {
  // a NaN is neither smaller nor larger
  least = std::isnan(least) || value < least ? value : least;
  most = std::isnan(most) || value > most ? value : most;
}

}  // namespace

Result<std::unique_ptr<RecordedTables>> RecordedTables::open(const std::string& path) {
  auto file = record::McapFile::open(path);
  if (!file) {
    return file.error();
  }
  std::unique_ptr<RecordedTables> tables(new RecordedTables());
  tables->file_ = std::move(file).value();
  tables->add_tables();
  return tables;
}

void RecordedTables::add_tables() {
  for (const record::McapChannel& channel : file_->channels()) {
    std::unique_ptr<MessageColumns> reader;
    const auto look = [&](std::size_t, Time, std::span<const std::byte> data) {
      reader = columns_of(channel, file_->schema_of(channel), data);
    };
    // a first message that cannot be read leaves the table out
    if (!file_->read(channel.id, 0, 1, look) || reader == nullptr) {
      continue;
    }
    Table table{channel.topic, file_->schema_of(channel).name, file_->rows(channel.id)};
    table.columns = reader->columns();
    table.has_texts = reader->has_texts();
    note_times(table, channel.id);
    tables_.push_back(std::move(table));
    channels_.push_back(channel.id);
    readers_.push_back(std::move(reader));
  }
}

void RecordedTables::note_times(Table& table, std::uint16_t channel) const {
  const std::vector<Time> times = file_->times(channel, 0, table.rows);
  table.first_s = to_seconds(times.front());
  table.last_s = to_seconds(times.back());
  if (times.size() < 2) {
    return;
  }
  const Duration period = times[1] - times[0];
  for (std::size_t i = 2; i < times.size(); ++i) {
    if (times[i] - times[i - 1] != period) {
      return;
    }
  }
  if (period > Duration::zero()) {
    table.period_s = to_seconds(period);
  }
}

std::optional<std::size_t> RecordedTables::find(const std::string& topic) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].topic == topic) {
      return i;
    }
  }
  return std::nullopt;
}

void RecordedTables::note(const Result<bool>& read) const {
  const std::lock_guard lock(damage_mutex_);
  if (!read && damage_.empty()) {
    damage_ = read.error().message;
  }
}

std::string RecordedTables::damage() const {
  const std::lock_guard lock(damage_mutex_);
  return damage_;
}

std::vector<double> RecordedTables::columns(std::size_t table,
                                            const std::vector<std::size_t>& columns,
                                            std::size_t from, std::size_t to) const {
  to = std::min(to, tables_[table].rows);
  const std::size_t rows = to > from ? to - from : 0;
  std::vector<double> out(columns.size() * rows, kNoValue);
  // the index knows times: no chunk has to be opened for them, and none can be damaged
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == 0) {
      const std::vector<Time> times = file_->times(channels_[table], from, to);
      std::transform(times.begin(), times.end(),
                     out.begin() + static_cast<std::ptrdiff_t>(c * rows),
                     [](Time t) { return to_seconds(t); });
    }
  }
  if (columns == std::vector<std::size_t>{0}) {
    return out;
  }
  std::vector<double> row_values(tables_[table].columns.size());
  note(file_->read(channels_[table], from, to,
                   [&](std::size_t row, Time time, std::span<const std::byte> data) {
                     readers_[table]->decode(time, data, row_values);
                     for (std::size_t c = 0; c < columns.size(); ++c) {
                       out[c * rows + row - from] = row_values[columns[c]];
                     }
                   }));
  return out;
}

std::vector<std::string> RecordedTables::texts(std::size_t table, std::size_t from,
                                               std::size_t to) const {
  to = std::min(to, tables_[table].rows);
  std::vector<std::string> out(to > from ? to - from : 0);
  note(file_->read(channels_[table], from, to,
                   [&](std::size_t row, Time, std::span<const std::byte> data) {
                     out[row - from] = readers_[table]->text(data);
                   }));
  return out;
}

const std::vector<RecordedTables::Blocks>& RecordedTables::blocks() const {
  std::call_once(blocks_once_, [this] {
    std::map<std::uint16_t, std::size_t> table_of;
    std::size_t widest = 0;
    blocks_.resize(tables_.size());
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      const std::size_t width = tables_[table].columns.size();
      const std::size_t count = (tables_[table].rows + kBlockRows - 1) / kBlockRows;
      blocks_[table].least.assign(count * width, kNoValue);
      blocks_[table].most.assign(count * width, kNoValue);
      table_of[channels_[table]] = table;
      widest = std::max(widest, width);
    }
    std::vector<double> values(widest);
    note(file_->read_all(
        [&](std::uint16_t channel, std::size_t row, Time time, std::span<const std::byte> data) {
          const auto table = table_of.find(channel);
          if (table == table_of.end()) {
            return;
          }
          const std::size_t width = tables_[table->second].columns.size();
          readers_[table->second]->decode(time, data, std::span(values).first(width));
          Blocks& blocks = blocks_[table->second];
          const std::size_t start = row / kBlockRows * width;
          for (std::size_t c = 0; c < width; ++c) {
            widen(values[c], blocks.least[start + c], blocks.most[start + c]);
          }
        }));
  });
  return blocks_;
}

Overview RecordedTables::overview(std::size_t table, std::size_t column, double from_s, double to_s,
                                  std::size_t bins) const {
  Overview out{std::vector<double>(bins, kNoValue), std::vector<double>(bins, kNoValue)};
  const auto bin_of = [&](double time_s) {
    const double place = (time_s - from_s) / (to_s - from_s) * static_cast<double>(bins);
    return std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, place)));
  };
  const auto rows_until = [&](double time_s, Duration more) {
    const Time time(to_duration(std::clamp(time_s, -1.0, 9e9)) + more);
    return time < Time{} ? 0 : file_->row_after(channels_[table], time);
  };
  const std::size_t first = rows_until(from_s, Duration(-1));
  const std::size_t last = rows_until(to_s, Duration(0));
  if (last <= first) {
    return out;
  }
  if (last - first < 2 * bins * kBlockRows) {
    const std::vector<double> rows = columns(table, {0, column}, first, last);
    const std::size_t count = rows.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bin = bin_of(rows[i]);
      widen(rows[count + i], out.least[bin], out.most[bin]);
    }
    return out;
  }
  const Blocks& of_table = blocks()[table];
  const std::size_t width = tables_[table].columns.size();
  for (std::size_t block = first / kBlockRows; block * kBlockRows < last; ++block) {
    const std::size_t at = block * width;
    if (std::isnan(of_table.least[at])) {
      continue;  // damaged
    }
    const std::size_t bin = bin_of(of_table.least[at]);
    widen(of_table.least[at + column], out.least[bin], out.most[bin]);
    widen(of_table.most[at + column], out.least[bin], out.most[bin]);
  }
  return out;
}

std::optional<std::size_t> RecordedTables::row_at(std::size_t table, double time_s) const {
  // an instant that was written as seconds may have lost a fraction of its last nanosecond
  if (time_s < 0.0) {
    return std::nullopt;
  }
  const std::size_t after =
      file_->row_after(channels_[table], Time(to_duration(std::clamp(time_s, -1.0, 9e9))));
  return after == 0 ? std::nullopt : std::optional(after - 1);
}

}  // namespace longarm::view
