// SPDX-License-Identifier: Apache-2.0
// Adds up what a program is charged.
#include "longarm/programs/kernel/computing.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace longarm::programs {
namespace {

bool has_in_order(std::string_view text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
    at = text.find(part, at);
    if (at == std::string_view::npos) {
      return false;
    }
    at += part.size();
    return true;
  });
}

}  // namespace

Computing::Computing(std::vector<Charge> charges, double cpu_factor, std::uint64_t seed,
                     const std::string& name)
    : charges_(std::move(charges)),
      sums_(charges_.size()),
      cpu_factor_(cpu_factor),
      random_(seed, "computing of " + name) {}

Duration Computing::sum_of(Charge::On on, std::int64_t number, std::span<const std::byte> bytes) {
  Duration sum{0};
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const Charge& charge = charges_[i];
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (charge.on != on || (charge.call && *charge.call != number) ||
        !has_in_order(text, charge.contains)) {
      continue;
    }
    const double draw = charge.time.sorted_s ? random_.uniform() : 0.0;
    const Duration time = charge.time.at(bytes.size(), draw);
    ++sums_[i].count;
    sums_[i].time += time;
    sum += time;
  }
  return sum;
}

Duration Computing::on_measured(Duration processor) {
  const Duration time(std::llround(cpu_factor_ * static_cast<double>(processor.count())));
  ++measured_.count;
  measured_.time += time;
  return time;
}

}  // namespace longarm::programs
