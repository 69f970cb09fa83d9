// SPDX-License-Identifier: Apache-2.0
// Measured delays: what a CSV file, the output of ping or iperf3, or a pair of captures says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/trace/pcap_file.h"

namespace longarm::network {

struct DelaySample {
  Duration at{0};                 ///< since the first sample
  std::optional<Duration> delay;  ///< none: lost
  bool operator==(const DelaySample&) const = default;
};

struct DelayTrace {
  std::vector<DelaySample> samples;  ///< in the order of sending, at least one
  bool has_times = true;             ///< otherwise samples count, but say not when
  /// Played by time, a lost sample loses the first message until the next sample and no other: one
  /// ping lost is no outage.
  bool is_of_pings = false;
  std::vector<std::string> remarks;  ///< what to know before trusting it
};

enum class TraceFormat { kCsv, kPing, kPcap, kIperf };
TraceFormat recognise_trace(std::string_view content);

/// Separated by commas, semicolons or tabs. Errors name the line.
Result<DelayTrace> read_csv_trace(std::string_view content);

/// Halves round trips and says so. Errors name the line.
Result<DelayTrace> read_ping_trace(std::string_view content);

/// The same of what iperf3 -J prints.
Result<DelayTrace> read_iperf_trace(std::string_view content);

/// Matches packets seen at the sender with those seen at the receiver.
Result<DelayTrace> match_captures(const PcapFile& sent, const PcapFile& received);

/// The lines of a text, without line ends, also those of DOS.
std::vector<std::string_view> split_lines(std::string_view content);

}  // namespace longarm::network
