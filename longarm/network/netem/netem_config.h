// SPDX-License-Identifier: Apache-2.0
// What a line of `tc netem` says, as data; reading and printing of such lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::network {

enum class NetemDistribution : std::uint8_t { kUniform, kNormal, kPareto, kParetoNormal };

/// Percentages are kept as the user writes them: 0.3 is 0.3 %.
struct NetemConfig {
  struct Delay {
    Duration mean{0};
    Duration jitter{0};
    double correlation_percent = 0.0;
    NetemDistribution distribution = NetemDistribution::kUniform;
    bool operator==(const Delay&) const = default;
  };

  enum class LossModel : std::uint8_t { kNone, kRandom, kState, kGilbertElliott };
  struct Loss {
    LossModel model = LossModel::kNone;
    // random
    double percent = 0.0;
    double correlation_percent = 0.0;
    // state: 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 lost alone
    double p13_percent = 0.0;
    double p31_percent = 0.0;
    double p32_percent = 0.0;
    double p23_percent = 0.0;
    double p14_percent = 0.0;
    // gemodel: good to bad, bad to good, loss when bad (1-h), loss when good (1-k)
    double p_percent = 0.0;
    double r_percent = 0.0;
    double bad_loss_percent = 0.0;
    double good_loss_percent = 0.0;
    bool operator==(const Loss&) const = default;
  };

  struct Chance {
    double percent = 0.0;
    double correlation_percent = 0.0;
    bool operator==(const Chance&) const = default;
  };

  struct Rate {
    std::int64_t bits_per_second = 0;  ///< 0: as fast as you like
    std::int64_t packet_overhead_bytes = 0;
    std::int64_t cell_bytes = 0;
    std::int64_t cell_overhead_bytes = 0;
    bool operator==(const Rate&) const = default;
  };

  struct Slot {
    // either a range …
    Duration minimum{0};
    Duration maximum{0};
    // … or a distribution
    std::optional<NetemDistribution> distribution;
    Duration delay{0};
    Duration jitter{0};
    std::int64_t packets = 0;  ///< 0: no limit
    std::int64_t bytes = 0;    ///< 0: no limit
    bool operator==(const Slot&) const = default;
  };

  std::int64_t limit_packets = 1000;
  Delay delay;
  Loss loss;
  Chance corrupt;
  Chance duplicate;
  Chance reorder;
  std::int64_t reorder_gap = 0;  ///< 0: no reordering
  Rate rate;
  std::optional<Slot> slot;
  bool has_seed = false;  ///< the line names a seed; it counts for nothing here
  /// Not of the line: whether correlated jitter is what the manual page promises, or what the
  /// kernel does.
  bool keeps_jitter_correlation = false;
  bool operator==(const NetemConfig&) const = default;
};

/// What is wrong with a line, and what would be right.
struct NetemMistake {
  std::string message;
  std::string hint;
};

/// Reads the options of netem, with or without `tc qdisc add dev eth0 root netem` before them,
/// or as `tc qdisc show` prints them.
/// Nothing comes back if the line is good; `config` is then complete.
std::optional<NetemMistake> read_netem(std::string_view line, NetemConfig& config);

/// The same with message and hint in one.
Result<NetemConfig> parse_netem(std::string_view line);

/// The shortest complete line; reads back as the same config.
std::string format_netem(const NetemConfig& config);

/// "uniform", "normal", "pareto" or "paretonormal".
std::string_view distribution_name(NetemDistribution distribution);

}  // namespace longarm::network
