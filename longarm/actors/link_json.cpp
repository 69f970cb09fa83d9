// SPDX-License-Identifier: Apache-2.0
// Names and units of the link's figures; docs/reference/metrics.md explains them.
#include "longarm/actors/link_json.h"

#include <nlohmann/json.hpp>

namespace longarm::actors {

using Json = nlohmann::ordered_json;

Json link_json(const network::LinkReport& report, const network::LinkRequirements& requirements,
               Duration sending_period) {
  Json out;
  out["sent"] = report.sent;
  out["delivered"] = report.delivered;
  out["dropped"] = report.dropped();
  out["lost"] = report.lost;
  out["queue_full"] = report.queue_full;
  out["corrupt"] = report.corrupt;
  out["in_flight"] = report.in_flight;
  out["duplicated"] = report.duplicated;
  out["reordered"] = report.reordered;
  out["deadline_s"] = to_seconds(requirements.deadline.value_or(sending_period));
  out["deadline_given"] = requirements.deadline.has_value();
  out["deadline_miss_ratio"] = report.deadline_miss_ratio();
  out["survival_violations"] = report.survival_violations;
  if (report.delivered == 0) {
    return out;
  }
  out["delay_min_s"] = to_seconds(report.delay_min);
  out["delay_mean_s"] = report.delay_mean_s;
  out["delay_p50_s"] = to_seconds(report.delay_p50);
  out["delay_p90_s"] = to_seconds(report.delay_p90);
  out["delay_p99_s"] = to_seconds(report.delay_p99);
  out["delay_p99_9_s"] = to_seconds(report.delay_p999);
  out["delay_max_s"] = to_seconds(report.delay_max);
  for (const network::DurationHistogram::Bin& bin : report.delay_histogram) {
    out["delay_histogram"].push_back({to_seconds(bin.low), to_seconds(bin.high), bin.count});
  }
  if (report.sent == 1) {
    return out;  // a single goal does not grow old
  }
  out["longest_outage_s"] = to_seconds(report.longest_outage);
  out["age_mean_s"] = report.age_mean_s;
  out["age_peak_mean_s"] = report.age_peak_mean_s;
  out["age_max_s"] = to_seconds(report.age_max);
  return out;
}

Json watchdog_json(const control::CommandWatchdog& watchdog) {
  Json out;
  out["tripped"] = watchdog.has_tripped();
  if (watchdog.has_tripped()) {
    out["tripped_at_s"] = to_seconds(watchdog.tripped_at().time_since_epoch());
  }
  out["missed_cycles"] = watchdog.missed_cycles();
  out["longest_run_of_missed_cycles"] = watchdog.longest_run_of_missed_cycles();
  return out;
}

}  // namespace longarm::actors
