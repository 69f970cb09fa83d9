// SPDX-License-Identifier: Apache-2.0
// Writing and reading of CSV traces.
#include "longarm/record/trace_csv.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::record {
namespace {

void append_number(std::string& row, double number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  row.append(buffer.data(), end);
}

}  // namespace

Result<std::unique_ptr<CsvTraceWriter>> CsvTraceWriter::open(const std::string& path,
                                                             const sim::Probes& probes) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<CsvTraceWriter>(new CsvTraceWriter(path, file, probes));
}

CsvTraceWriter::CsvTraceWriter(std::string path, std::FILE* file, const sim::Probes& probes)
    : path_(std::move(path)), file_(file), probes_(probes) {
  row_ = "time_s";
  std::size_t widest = 0;
  for (const sim::Probe& probe : probes_.all()) {
    for (const std::string& column : probe.columns) {
      row_ += "," + probe.name + "." + column;
    }
    widest = std::max(widest, probe.columns.size());
  }
  row_ += "\n";
  values_.resize(widest);
  std::fwrite(row_.data(), 1, row_.size(), file_.get());
}

void CsvTraceWriter::record(Time stamp) {
  row_.clear();
  append_number(row_, to_seconds(stamp.time_since_epoch()));
  for (const sim::Probe& probe : probes_.all()) {
    const std::span<double> values(values_.data(), probe.columns.size());
    probe.read(values);
    for (const double value : values) {
      row_ += ',';
      append_number(row_, value);
    }
  }
  row_ += '\n';
  std::fwrite(row_.data(), 1, row_.size(), file_.get());
}

Result<bool> CsvTraceWriter::close() {
  const bool had_error = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || had_error) {
    return Error{fmt::format("cannot write {}: {}", path_, std::strerror(errno))};
  }
  return true;
}

Result<std::unique_ptr<CsvTraceReader>> CsvTraceReader::open(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return Error{"cannot read " + path};
  }
  std::unique_ptr<CsvTraceReader> reader(new CsvTraceReader(std::move(file)));
  std::string header;
  std::getline(reader->file_, header);
  std::stringstream words(header);
  for (std::string word; std::getline(words, word, ',');) {
    reader->columns_.push_back(word);
  }
  if (reader->columns_.empty() || reader->columns_.front() != "time_s") {
    return Error{path + " is not a trace: its first column is not time_s"};
  }
  reader->row_.resize(reader->columns_.size());
  return reader;
}

std::optional<std::size_t> CsvTraceReader::find_column(const std::string& name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == name) {
      return i;
    }
  }
  return std::nullopt;
}

const std::vector<double>* CsvTraceReader::next() {
  if (!std::getline(file_, line_)) {
    return nullptr;
  }
  const char* at = line_.data();
  const char* end = at + line_.size();
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const auto [after, problem] = std::from_chars(at, end, row_[i]);
    const bool is_last = i + 1 == row_.size();
    if (problem != std::errc() || (is_last ? after != end : after == end || *after != ',')) {
      return nullptr;
    }
    at = after + 1;
  }
  return &row_;
}

}  // namespace longarm::record
