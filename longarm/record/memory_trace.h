// SPDX-License-Identifier: Apache-2.0
// A run's trace in memory, to compare other runs with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/record/trace_source.h"
#include "longarm/sim/probe.h"

namespace longarm::record {

/// Rows of some probes. Written by one run, then read by any number, each with a reader of its own.
class MemoryTrace {
 public:
  /// Keeps the probes of these names; `probes` must outlive the recording.
  MemoryTrace(const sim::Probes& probes, const std::vector<std::string>& names);

  void record(Time stamp);

  /// Reads from the start; shares the trace with other readers, which may outlive each other.
  static std::unique_ptr<TraceSource> reader(std::shared_ptr<const MemoryTrace> trace);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return values_.size() / columns_.size(); }
  const double* row(std::size_t index) const { return values_.data() + index * columns_.size(); }

 private:
  std::vector<const sim::Probe*> probes_;
  std::vector<std::string> columns_;  // time_s first
  std::vector<double> values_;
};

}  // namespace longarm::record
