// SPDX-License-Identifier: Apache-2.0
// Log-linear bins: the leading bit chooses the power of two, the nine bits after it the bin.
#include "longarm/network/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace longarm::network {
namespace {

constexpr int kBits = 9;
constexpr std::uint64_t kPerPower = 1U << kBits;

/// How many times a number has to be halved to have kBits bits after its leading one.
int halvings_of(std::uint64_t number) {
  return std::max(static_cast<int>(std::bit_width(number)) - 1 - kBits, 0);
}

std::size_t bin_of(std::uint64_t number) {
  const int halvings = halvings_of(number);
  return (static_cast<std::uint64_t>(halvings) << kBits) + (number >> halvings);
}

/// The middle of a bin; exact where a bin holds one number only.
std::uint64_t middle_of(std::size_t bin) {
  const std::uint64_t power = bin >> kBits;
  const std::uint64_t halvings = power > 0 ? power - 1 : 0;
  const std::uint64_t lowest = (bin - (halvings << kBits)) << halvings;
  return lowest + ((std::uint64_t{1} << halvings) - 1) / 2;
}

}  // namespace

void DurationHistogram::add(Duration duration) {
  duration = std::max(duration, Duration(0));
  min_ = count_ == 0 ? duration : std::min(min_, duration);
  max_ = std::max(max_, duration);
  ++count_;
  const std::size_t bin = bin_of(static_cast<std::uint64_t>(duration.count()));
  if (bin >= bins_.size()) {
    bins_.resize(bin + 1);
  }
  ++bins_[bin];
}

Duration DurationHistogram::quantile(double fraction) const {
  if (count_ == 0) {
    return Duration(0);
  }
  // the rounding of fraction * count must not push a rank such as 0.9 * 10 over the edge
  const double exact = fraction * static_cast<double>(count_);
  const auto wanted = static_cast<std::uint64_t>(std::max(std::ceil(exact * (1.0 - 1e-12)), 1.0));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= wanted) {
      return std::clamp(Duration(static_cast<std::int64_t>(middle_of(bin))), min_, max_);
    }
  }
  return max_;
}

std::vector<DurationHistogram::Bin> DurationHistogram::summary(int bins) const {
  if (count_ == 0) {
    return {};
  }
  if (min_ == max_) {
    return {{min_, max_, count_}};
  }
  const auto edge = [&](int i) { return min_ + (max_ - min_) * i / bins; };
  std::vector<Bin> wide;
  for (int i = 0; i < bins; ++i) {
    wide.push_back({edge(i), edge(i + 1), 0});
  }
  std::size_t at = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    const Duration middle(static_cast<std::int64_t>(middle_of(bin)));
    while (at + 1 < wide.size() && middle >= wide[at].high) {
      ++at;
    }
    wide[at].count += bins_[bin];
  }
  std::erase_if(wide, [](const Bin& bin) { return bin.count == 0; });
  return wide;
}

}  // namespace longarm::network
