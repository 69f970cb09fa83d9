// SPDX-License-Identifier: Apache-2.0
// Spells log lines.
#include "longarm/core/log.h"

#include <fmt/format.h>

namespace longarm {

void Log::error(Time now, std::string_view component, std::string_view message) const {
  write(LogLevel::kError, now, component, message);
}

void Log::warning(Time now, std::string_view component, std::string_view message) const {
  write(LogLevel::kWarning, now, component, message);
}

void Log::info(Time now, std::string_view component, std::string_view message) const {
  write(LogLevel::kInfo, now, component, message);
}

void Log::write(LogLevel level, Time now, std::string_view component,
                std::string_view message) const {
  if (!sink_) {
    return;
  }
  const char* name = level == LogLevel::kError     ? "error"
                     : level == LogLevel::kWarning ? "warning"
                                                   : "info";
  sink_(level, fmt::format("{:<7} {:>12.6f} s  {}: {}", name, to_seconds(now.time_since_epoch()),
                           component, message));
}

}  // namespace longarm
