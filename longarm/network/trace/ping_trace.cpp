// SPDX-License-Identifier: Apache-2.0
// The output of ping (Linux, macOS, BSD, busybox): one line per answer, gaps in the numbers are
// losses.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/network/trace/delay_trace.h"

namespace longarm::network {
namespace {

// beyond these it is no ping, and numbers would overflow
constexpr double kLargestNumber = 1e9;
constexpr double kLongestInterval = 100.0;
constexpr const char* kMakeIt =
    "make the file with LC_ALL=C ping HOST, on Linux (with -D), macOS, BSD or busybox";
constexpr std::int64_t kMostSamples = 10'000'000;

/// The number that follows `word` in `line`, with `=`, `<` or a blank in between.
std::optional<double> number_after(std::string_view line, std::string_view word) {
  for (std::size_t found = line.find(word); found != std::string_view::npos;
       found = line.find(word, found + 1)) {
    const std::size_t begin = found + word.size() + 1;
    if (begin >= line.size() ||
        std::string_view("=< ").find(line[begin - 1]) == std::string_view::npos) {
      continue;  // part of another word, such as a host's name
    }
    const std::size_t end = std::min(line.find_first_not_of("0123456789.", begin), line.size());
    const std::optional<double> number = parse_number(line.substr(begin, end - begin));
    const bool is_cut = end < line.size() && line[end] == ',' && end + 1 < line.size() &&
                        line[end + 1] >= '0' && line[end + 1] <= '9';
    if (number && !is_cut) {  // "10,5" is a decimal comma
      return number;
    }
  }
  return std::nullopt;
}

class PingReader {
 public:
  Result<DelayTrace> read(std::string_view content) {
    const std::vector<std::string_view> lines = split_lines(content);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (const std::optional<Error> error = read_line(lines[i])) {
        return Error{fmt::format("line {}: {}", i + 1, error->message)};
      }
    }
    if (answers_ == 0 && content.find("TTL=") != std::string_view::npos) {
      return Error{std::string("these replies have no icmp_seq, as on Windows; ") + kMakeIt};
    }
    if (answers_ == 0) {
      return Error{"this output of ping has no answer with icmp_seq and time"};
    }
    return trace();
  }

 private:
  std::optional<Error> read_line(std::string_view line) {
    has_heading_ = has_heading_ || line.starts_with("PING ");
    read_summary(line);
    const std::optional<double> number = number_after(line, "seq");
    if (!number) {
      return std::nullopt;  // headings, statistics
    }
    if (*number > kLargestNumber) {
      return Error{"implausible sequence number"};
    }
    const std::int64_t sequence = unwrap(static_cast<std::int64_t>(*number));
    const bool is_answer = line.find("bytes from") != std::string_view::npos;
    if (!is_answer && line.find("ttl=") != std::string_view::npos) {
      return Error{std::string("this reply is not in English; ") + kMakeIt};
    }
    if (!is_answer) {
      round_trips_.try_emplace(sequence, std::nullopt);  // "no answer yet", "unreachable"
      return std::nullopt;
    }
    std::optional<double> milliseconds = number_after(line, "time");
    if (!milliseconds || *milliseconds > kLargestNumber) {
      return Error{"an answer without 'time=… ms'"};
    }
    if (line.find("time<") != std::string_view::npos) {
      *milliseconds /= 2.0;  // somewhere between 0 and that
      ++below_;
    }
    std::optional<double>& known = round_trips_[sequence];
    if (!known) {  // otherwise a duplicate
      known = milliseconds;
      ++answers_;
      read_stamp(line, sequence);
    }
    return std::nullopt;
  }

  /// With -D each line begins with the time in brackets.
  void read_stamp(std::string_view line, std::int64_t sequence) {
    const std::size_t end = line.find(']');
    if (!line.starts_with('[') || end == std::string_view::npos) {
      return;
    }
    const std::optional<double> stamp = parse_number(line.substr(1, end - 1));
    if (stamp) {
      const double sent = *stamp - *round_trips_[sequence] * 1e-3;
      first_stamp_ = first_stamp_.value_or(std::pair(sequence, sent));
      last_stamp_ = {sequence, sent};
    }
  }

  /// "5 packets transmitted, 5 received, 0% packet loss, time 4005ms"
  void read_summary(std::string_view line) {
    const std::size_t found = line.find(" packets transmitted");
    if (found == std::string_view::npos) {
      return;
    }
    const std::optional<double> count = parse_number(line.substr(0, found));
    if (count && *count >= 1.0 && *count < 1e9) {
      transmitted_ = static_cast<std::int64_t>(*count);
      total_milliseconds_ = number_after(line.substr(found), "time");
    }
  }

  /// Numbers have 16 bits.
  std::int64_t unwrap(std::int64_t sequence) {
    if (!round_trips_.empty()) {
      const std::int64_t last = round_trips_.rbegin()->first;
      while (sequence < last - 32768) {
        sequence += 65536;
      }
    }
    return sequence;
  }

  double interval_s(std::vector<std::string>& remarks) const {
    if (first_stamp_ && last_stamp_.first > first_stamp_->first) {
      return (last_stamp_.second - first_stamp_->second) /
             static_cast<double>(last_stamp_.first - first_stamp_->first);
    }
    if (total_milliseconds_ && transmitted_ > 1) {
      return *total_milliseconds_ * 1e-3 / static_cast<double>(transmitted_ - 1);
    }
    remarks.push_back("the output has no send times; one ping per second is assumed");
    return 1.0;
  }

  Result<DelayTrace> trace() const {
    DelayTrace trace;
    trace.is_of_pings = true;
    trace.remarks.push_back("ping measures round trips: each way is taken as half of them");
    if (below_ > 0) {
      trace.remarks.push_back(fmt::format(
          "{} answers say 'time<' only: half of that time is taken for the round trip", below_));
    }
    const double interval = interval_s(trace.remarks);
    if (!(interval >= 0.0) || interval > kLongestInterval) {
      return Error{"the times in this ping output are implausible"};
    }
    // from the start, if this is the start; otherwise from what is there
    const std::int64_t begin = round_trips_.begin()->first;
    const std::int64_t first = has_heading_ ? std::min<std::int64_t>(begin, 1) : begin;
    const std::int64_t last = std::max(round_trips_.rbegin()->first, first + transmitted_ - 1);
    if (last - first > kMostSamples) {
      return Error{"the sequence numbers in this ping output are implausible"};
    }
    for (std::int64_t sequence = first; sequence <= last; ++sequence) {
      DelaySample sample;
      sample.at = Duration(std::llround(static_cast<double>(sequence - first) * interval * 1e9));
      const auto found = round_trips_.find(sequence);
      if (found != round_trips_.end() && found->second) {
        sample.delay = Duration(std::llround(*found->second * 0.5e6));
      }
      trace.samples.push_back(sample);
    }
    return trace;
  }

  std::map<std::int64_t, std::optional<double>> round_trips_;  // milliseconds by number
  bool has_heading_ = false;
  std::int64_t answers_ = 0;
  std::int64_t below_ = 0;  // answers that give but a bound
  std::optional<std::pair<std::int64_t, double>> first_stamp_;
  std::pair<std::int64_t, double> last_stamp_{0, 0.0};
  std::int64_t transmitted_ = 0;
  std::optional<double> total_milliseconds_;
};

}  // namespace

Result<DelayTrace> read_ping_trace(std::string_view content) {
  return PingReader().read(content);
}

}  // namespace longarm::network
