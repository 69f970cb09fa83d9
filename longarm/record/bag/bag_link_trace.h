// SPDX-License-Identifier: Apache-2.0
// What a recorded topic says of the link that it came over: the delay of each message, and which
// ones are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::record {

struct LinkTraceOptions {
  std::string topic;
  /// Between two messages of the sender. Needed for intervals; with stamps, what is missing between
  /// two of them was lost.
  std::optional<Duration> period;
  /// Messages have no stamps: they were sent once per period, and delays are told from when they
  /// were received.
  bool by_intervals = false;
  /// The clocks of sender and recorder differ: all delays are shifted so that this is the least.
  std::optional<Duration> least_delay;
};

struct LinkTraceSample {
  Duration sent{0};               ///< since the first message
  std::optional<Duration> delay;  ///< none: lost
};

struct BagLinkTrace {
  std::vector<LinkTraceSample> samples;  ///< in the order of sending
  std::uint64_t lost = 0;
  std::vector<std::string> remarks;  ///< what to know before trusting it
};

/// By stamps: the delay is from header.stamp to reception; with a period, gaps between stamps are
/// losses, otherwise gaps in the sequence numbers of ROS 1. By intervals: message i, with l lost
/// before it, was sent at (i + l) periods; l is the number of whole periods by which all later
/// messages stay late. Fails if the recording cannot be read or the topic does not allow it.
Result<BagLinkTrace> link_trace_of(const std::string& path, const LinkTraceOptions& options);

/// As link model `trace` reads it: time_s,delay_s, to the nanosecond.
std::string link_trace_csv(const BagLinkTrace& trace);

}  // namespace longarm::record
