// SPDX-License-Identifier: Apache-2.0
// A run's trace as comma-separated values: one row per step, every probe's columns, numbers that
// read back exactly.
#pragma once

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/trace_source.h"
#include "longarm/sim/probe.h"

namespace longarm::record {

/// Writes rows as the simulation goes; what is written survives a run that is cut short.
class CsvTraceWriter {
 public:
  /// Creates the file and writes the header: time_s, then "probe.column" for each column.
  static Result<std::unique_ptr<CsvTraceWriter>> open(const std::string& path,
                                                      const sim::Probes& probes);
  void record(Time stamp);
  /// Fails if the disk was full or the file went away.
  Result<bool> close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  CsvTraceWriter(std::string path, std::FILE* file, const sim::Probes& probes);

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  const sim::Probes& probes_;
  std::vector<double> values_;
  std::string row_;
};

/// Reads such a file row by row.
class CsvTraceReader final : public TraceSource {
 public:
  static Result<std::unique_ptr<CsvTraceReader>> open(const std::string& path);

  std::optional<std::size_t> find_column(const std::string& name) const override;
  const std::vector<double>* next() override;

 private:
  explicit CsvTraceReader(std::ifstream file) : file_(std::move(file)) {}

  std::ifstream file_;
  std::vector<std::string> columns_;
  std::string line_;
  std::vector<double> row_;
};

}  // namespace longarm::record
