// SPDX-License-Identifier: Apache-2.0
// A stream of packets over one real link on the real kernel, and what became of each of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/channel.h"

namespace longarm::oracles {

struct Sending {
  Time at{};
  std::size_t size_bytes = 0;
};

struct LinkTrial {
  std::vector<Sending> sent;
  std::vector<std::optional<Duration>> delays;  ///< of the first copy; nothing if none arrived
  network::LinkReport report;

  /// Mean over those that arrived, s.
  double mean_delay_s() const;
};

/// Sends them all, in order, and waits until nothing is under way.
LinkTrial send_over(std::unique_ptr<network::Link> link, std::vector<Sending> sendings);

/// `count` packets of one size, one per period, from zero on.
std::vector<Sending> regular(int count, Duration period, std::size_t size_bytes);

/// A mean and its standard error.
struct Estimate {
  double mean = 0.0;
  double standard_error = 0.0;
};

/// From the means of a hundred batches: neighbours may depend on each other, batches hardly do.
Estimate batch_means(const std::vector<double>& values);

}  // namespace longarm::oracles
