// SPDX-License-Identifier: Apache-2.0
// One long array; a row is as wide as the columns are many.
#include "longarm/record/memory_trace.h"

#include <algorithm>
#include <span>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::record {
namespace {

class MemoryReader final : public TraceSource {
 public:
  explicit MemoryReader(std::shared_ptr<const MemoryTrace> trace) : trace_(std::move(trace)) {}

  std::optional<std::size_t> find_column(const std::string& name) const override {
    const std::vector<std::string>& columns = trace_->columns();
    const auto found = std::find(columns.begin(), columns.end(), name);
    return found == columns.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - columns.begin()));
  }

  const std::vector<double>* next() override {
    if (next_ == trace_->rows()) {
      return nullptr;
    }
    const double* row = trace_->row(next_++);
    row_.assign(row, row + trace_->columns().size());
    return &row_;
  }

 private:
  std::shared_ptr<const MemoryTrace> trace_;
  std::size_t next_ = 0;
  std::vector<double> row_;
};

}  // namespace

MemoryTrace::MemoryTrace(const sim::Probes& probes, const std::vector<std::string>& names)
    : columns_{"time_s"} {
  for (const std::string& name : names) {
    const sim::Probe* probe = probes.find(name);
    check(probe != nullptr, "a trace needs a probe that nobody offers: " + name);
    probes_.push_back(probe);
    for (const std::string& column : probe->columns) {
      columns_.push_back(name + "." + column);
    }
  }
}

void MemoryTrace::record(Time stamp) {
  std::size_t at = values_.size();
  values_.resize(at + columns_.size());
  values_[at++] = to_seconds(stamp.time_since_epoch());
  for (const sim::Probe* probe : probes_) {
    probe->read(std::span(values_).subspan(at, probe->columns.size()));
    at += probe->columns.size();
  }
}

std::unique_ptr<TraceSource> MemoryTrace::reader(std::shared_ptr<const MemoryTrace> trace) {
  return std::make_unique<MemoryReader>(std::move(trace));
}

}  // namespace longarm::record
