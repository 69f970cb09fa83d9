// SPDX-License-Identifier: Apache-2.0
// The JSON of iperf3 -J: the round trip of each interval, as the sender's TCP measured it.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/network/trace/delay_trace.h"

namespace longarm::network {
namespace {

using Json = nlohmann::json;

double number_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_number() ? found->get<double>()
                                                                           : NAN;
}

const Json& list_of(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_array() ? *found : nothing;
}

/// Of those streams of an interval that send; NaN if there are none.
double mean_round_trip_us(const Json& interval) {
  double sum = 0.0;
  int count = 0;
  for (const Json& stream : list_of(interval, "streams")) {
    const double round_trip = number_of(stream, "rtt");
    if (round_trip > 0.0) {
      sum += round_trip;
      ++count;
    }
  }
  return count > 0 ? sum / count : NAN;
}

double start_of(const Json& interval) {
  const Json& streams = list_of(interval, "streams");
  return streams.empty() ? NAN : number_of(streams.front(), "start");
}

/// What to do with a measurement that has no round trips.
std::string advice(const Json& root) {
  const Json& end = root.contains("end") ? root["end"] : root;
  const Json& sum = end.is_object() && end.contains("sum") ? end["sum"] : end;
  const double lost = number_of(sum, "lost_percent");
  if (std::isnan(lost)) {
    return "use the JSON of the side that sends TCP";
  }
  return fmt::format(
      "it reports {:.3g}% loss and {:.3g} ms of jitter: write that as netem, for example \"delay "
      "10ms {:.3g}ms loss {:.3g}%\"",
      lost, number_of(sum, "jitter_ms"), number_of(sum, "jitter_ms"), lost);
}

}  // namespace

Result<DelayTrace> read_iperf_trace(std::string_view content) {
  const Json root = Json::parse(content, nullptr, false);
  if (root.is_discarded()) {
    return Error{"this JSON is incomplete or invalid; let iperf3 -J run to its end"};
  }
  const Json& intervals = list_of(root, "intervals");
  if (intervals.empty()) {
    const auto error = root.is_object() ? root.find("error") : root.end();
    const bool says_why = root.is_object() && error != root.end() && error->is_string();
    return Error{says_why ? "iperf3 failed: " + error->get<std::string>()
                          : "this JSON has no 'intervals', as that of iperf3 -J has"};
  }
  DelayTrace trace;
  trace.is_of_pings = true;
  double origin_s = NAN;
  double retransmitted = 0.0;
  for (const Json& interval : intervals) {
    const double start_s = start_of(interval);
    const double round_trip_us = mean_round_trip_us(interval);
    if (std::isnan(start_s) || std::isnan(round_trip_us)) {
      continue;
    }
    origin_s = std::isnan(origin_s) ? start_s : origin_s;
    DelaySample sample;
    sample.at = Duration(std::llround((start_s - origin_s) * 1e9));
    sample.delay = Duration(std::llround(round_trip_us * 500.0));
    if (!trace.samples.empty() && sample.at <= trace.samples.back().at) {
      return Error{"the intervals of this JSON do not follow one another"};
    }
    trace.samples.push_back(sample);
    const Json& sum = interval.contains("sum") ? interval["sum"] : interval;
    const double count = number_of(sum, "retransmits");
    retransmitted += std::isnan(count) ? 0.0 : count;
  }
  if (trace.samples.empty()) {
    return Error{"this measurement of iperf3 has no round trips; " + advice(root)};
  }
  trace.remarks.push_back(
      "iperf3 reports the round trips of a link that it fills: each way is taken as half of them");
  if (retransmitted > 0.0) {
    trace.remarks.push_back(
        fmt::format("{:.0f} segments were retransmitted; which packets were lost is unknown, so no "
                    "losses are simulated",
                    retransmitted));
  }
  return trace;
}

}  // namespace longarm::network
