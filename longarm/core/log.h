// SPDX-License-Identifier: Apache-2.0
// Log lines that carry simulated time and component; where they go is the caller's choice.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/core/time.h"

namespace longarm {

/// kError: the run fails. kWarning: look before trusting results. kInfo: a handful per run.
enum class LogLevel { kError, kWarning, kInfo };

/// Formats lines like "warning    1.250000 s  edge: …" and hands them to a sink.
class Log {
 public:
  using Sink = std::function<void(LogLevel, const std::string& line)>;

  /// A log without a sink is silent.
  explicit Log(Sink sink = {}) : sink_(std::move(sink)) {}

  void error(Time now, std::string_view component, std::string_view message) const;
  void warning(Time now, std::string_view component, std::string_view message) const;
  void info(Time now, std::string_view component, std::string_view message) const;

 private:
  void write(LogLevel level, Time now, std::string_view component, std::string_view message) const;

  Sink sink_;
};

}  // namespace longarm
