// SPDX-License-Identifier: Apache-2.0
// Sums over arrivals; what is still open is added when somebody asks.
#include "longarm/network/link_meter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace longarm::network {
namespace {

constexpr int kHistogramBins = 40;

/// Area under an age that starts with `age` and grows for `span`, in ns².
double age_area_ns2(Duration age, Duration span) {
  return static_cast<double>(span.count()) * static_cast<double>((2 * age + span).count()) * 0.5;
}

}  // namespace

void list_fields(Fields& fields, LinkRequirements& requirements) {
  fields.field(
      "deadline", requirements.deadline,
      "messages that take longer or do not arrive count as missed; default: one sending period");
  fields.field(
      "survival_time", requirements.survival_time,
      "how long the receiver can work without a message that is due; default: one sending period");
  for (const auto& [key, value] : {std::pair{"deadline", requirements.deadline},
                                   std::pair{"survival_time", requirements.survival_time}}) {
    if (value && *value < Duration(0)) {
      fields.reject(key, std::string(key) + " must not be negative", "use 0s or more");
    }
  }
}

double LinkReport::deadline_miss_ratio() const {
  return deadline_judged == 0
             ? 0.0
             : static_cast<double>(deadline_missed) / static_cast<double>(deadline_judged);
}

LinkMeter::LinkMeter(Duration period, const LinkRequirements& requirements)
    : is_periodic_(period > Duration(0)),
      deadline_(requirements.deadline.value_or(period)),
      longest_allowed_gap_(period + requirements.survival_time.value_or(period)) {}

void LinkMeter::arrived(std::uint64_t index, Time sent_at, Time now) {
  const Duration delay = now - sent_at;
  const bool is_first = delays_.count() == 0;
  delays_.add(delay);
  delay_sum_ += delay;
  late_ += delay > deadline_ ? 1 : 0;
  if (is_first) {
    first_arrival_ = now;
  } else if (index < newest_index_) {
    ++reordered_;
    return;
  } else {
    close_gap(now);
  }
  newest_index_ = index;
  newest_sent_at_ = sent_at;
  newest_arrived_at_ = now;
}

void LinkMeter::close_gap(Time now) {
  const Duration gap = now - newest_arrived_at_;
  const Duration peak = now - newest_sent_at_;
  age_integral_ns2_ += age_area_ns2(newest_arrived_at_ - newest_sent_at_, gap);
  ++peaks_;
  peak_sum_ += peak;
  peak_max_ = std::max(peak_max_, peak);
  longest_gap_ = std::max(longest_gap_, gap);
  violations_ += is_violation(gap) ? 1 : 0;
}

void LinkMeter::dropped(DropReason reason) {
  ++drops_[static_cast<std::size_t>(reason)];
}

bool LinkMeter::is_violation(Duration gap) const {
  return is_periodic_ && gap > longest_allowed_gap_;
}

LinkReport LinkMeter::report(Time end, std::uint64_t overdue) const {
  LinkReport report;
  report.sent = sent_;
  report.delivered = delays_.count();
  report.lost = drops_[static_cast<std::size_t>(DropReason::kLoss)];
  report.queue_full = drops_[static_cast<std::size_t>(DropReason::kQueueFull)];
  report.corrupt = drops_[static_cast<std::size_t>(DropReason::kCorrupt)];
  report.in_flight = sent_ - report.delivered - report.dropped();
  report.duplicated = duplicated_;
  report.reordered = reordered_;
  if (is_periodic_) {
    report.deadline_missed = late_ + report.dropped() + overdue;
    report.deadline_judged = report.delivered + report.dropped() + overdue;
  }
  if (report.delivered == 0) {
    return report;
  }

  report.delay_min = delays_.min();
  report.delay_p50 = delays_.quantile(0.5);
  report.delay_p90 = delays_.quantile(0.9);
  report.delay_p99 = delays_.quantile(0.99);
  report.delay_p999 = delays_.quantile(0.999);
  report.delay_max = delays_.max();
  report.delay_histogram = delays_.summary(kHistogramBins);
  report.delay_mean_s = to_seconds(delay_sum_) / static_cast<double>(report.delivered);

  // the newest message ages until the end, and that gap is one like the others
  const Duration tail = end - newest_arrived_at_;
  const Duration last_delay = newest_arrived_at_ - newest_sent_at_;
  const Duration span = end - first_arrival_;
  const double area_ns2 = age_integral_ns2_ + age_area_ns2(last_delay, tail);
  report.age_mean_s = span > Duration(0) ? area_ns2 / static_cast<double>(span.count()) * 1e-9
                                         : to_seconds(last_delay);
  report.age_peak_mean_s = peaks_ > 0 ? to_seconds(peak_sum_) / static_cast<double>(peaks_) : 0.0;
  report.age_max = std::max(peak_max_, end - newest_sent_at_);
  report.longest_outage = std::max(longest_gap_, tail);
  report.survival_violations = violations_ + (is_violation(tail) ? 1 : 0);
  return report;
}

}  // namespace longarm::network
