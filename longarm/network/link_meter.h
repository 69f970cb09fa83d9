// SPDX-License-Identifier: Apache-2.0
// What one direction of a link did to a stream of messages, in the figures that control engineers
// ask for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/histogram.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// What the receiver needs of a stream; what is absent is one sending period.
struct LinkRequirements {
  std::optional<Duration> deadline{};       ///< from sending to arrival
  std::optional<Duration> survival_time{};  ///< how long it does without a message that is due
};
void list_fields(Fields& fields, LinkRequirements& requirements);

/// "Newer" is a message sent later than all that arrived before it: neither a second copy nor one
/// that was overtaken. Delays and ages mean something once a message was delivered, and are zero
/// until then.
struct LinkReport {
  std::uint64_t sent = 0;  ///< = delivered + dropped() + in_flight
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  std::uint64_t queue_full = 0;
  std::uint64_t corrupt = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t duplicated = 0;  ///< second and further copies that arrived
  std::uint64_t reordered = 0;   ///< delivered after one that was sent later

  // from sending to the arrival of the first copy; quantiles to 0.1 %
  Duration delay_min{0};
  Duration delay_p50{0};
  Duration delay_p90{0};
  Duration delay_p99{0};
  Duration delay_p999{0};
  Duration delay_max{0};
  double delay_mean_s = 0.0;
  std::vector<DurationHistogram::Bin> delay_histogram{};

  // of the newest message, from the first arrival to the end
  double age_mean_s = 0.0;       ///< over time
  double age_peak_mean_s = 0.0;  ///< over the instants just before a newer message arrives
  Duration age_max{0};

  // judged are all messages but those that are on their way and not late yet
  std::uint64_t deadline_judged = 0;
  std::uint64_t deadline_missed = 0;  ///< late, dropped, or on their way and late already

  /// The longest time without a newer message, from the first arrival to the end.
  Duration longest_outage{0};
  /// How many of those times were longer than a sending period and the survival time together:
  /// a message was due, and the receiver had to do without for longer than it can (the survival
  /// time of 3GPP TS 22.104).
  std::uint64_t survival_violations = 0;

  std::uint64_t dropped() const { return lost + queue_full + corrupt; }
  /// Zero if none was judged.
  double deadline_miss_ratio() const;
};

/// Counts what it is told; memory does not grow with the number of messages.
class LinkMeter {
 public:
  /// A `period` of zero is a stream without one: nothing in it is ever due.
  explicit LinkMeter(Duration period = Duration(0), const LinkRequirements& requirements = {});

  Duration deadline() const { return deadline_; }

  void sent() { ++sent_; }
  /// The first copy of message `index` (counted from zero) is here.
  void arrived(std::uint64_t index, Time sent_at, Time now);
  void arrived_again() { ++duplicated_; }
  void dropped(DropReason reason);

  /// At `end`, not before the last arrival. `overdue` messages are still on their way although
  /// their deadline has passed: their sender knows.
  LinkReport report(Time end, std::uint64_t overdue) const;

 private:
  void close_gap(Time now);
  bool is_violation(Duration gap) const;

  bool is_periodic_;
  Duration deadline_;
  Duration longest_allowed_gap_;

  std::uint64_t sent_ = 0;
  std::array<std::uint64_t, 3> drops_{};  // by reason
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t late_ = 0;
  DurationHistogram delays_;
  Duration delay_sum_{0};

  // the newest message, and what went before it
  std::uint64_t newest_index_ = 0;
  Time newest_sent_at_{};
  Time newest_arrived_at_{};
  Time first_arrival_{};
  double age_integral_ns2_ = 0.0;
  std::uint64_t peaks_ = 0;
  Duration peak_sum_{0};
  Duration peak_max_{0};
  Duration longest_gap_{0};
  std::uint64_t violations_ = 0;
};

}  // namespace longarm::network
