// SPDX-License-Identifier: Apache-2.0
// A link that changes at known instants: its phases, and how long sending takes across their edges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::network {

/// What the link is like for some time.
struct Phase {
  Duration length{0};
  std::optional<std::int64_t> rate_bps;  ///< none: sending takes no time; 0: nothing leaves
  Duration delay{0};
  double loss_percent = 0.0;
  std::optional<std::int64_t> limit_packets;  ///< waiting at most; none: any number
  bool operator==(const Phase&) const = default;
};

/// "60s rate 1mbit delay 50ms loss 1% limit 100"
Result<Phase> parse_phase(std::string_view text);
std::string format_phase(const Phase& phase);

/// Phases one after the other from time zero, over and over, or with the last one going on for
/// ever.
class Schedule {
 public:
  /// At least one phase, each longer than nothing, and the rates such that all packets leave.
  Schedule(std::vector<Phase> phases, bool repeat);

  /// The phase at an instant; an edge belongs to the phase that begins.
  const Phase& at(Time when) const;

  /// Bits still to be sent, in units of 1e-9 bit: what a rate of 1 bit/s sends in a nanosecond.
  using Work = std::int64_t;
  /// When `work` that begins at `start` is done, in whole nanoseconds, rounded up; `spare` receives
  /// what could still be sent within the last of them.
  Time finish(Time start, Work work, Work& spare) const;

 private:
  struct Place {
    std::size_t phase;
    Duration left;  ///< of this phase; Duration::max() where it never ends
  };
  Place place(Time when) const;

  std::vector<Phase> phases_;
  bool repeat_;
  Duration cycle_{0};
  Work cycle_work_ = 0;  ///< what one cycle sends, as far as it can be counted
};

}  // namespace longarm::network
