// SPDX-License-Identifier: Apache-2.0
// Takes random shortcuts along a polyline.
#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/core/random.h"
#include "longarm/motion/planner.h"

namespace longarm::motion {
namespace {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (b[i] - a[i]) * (b[i] - a[i]);
  }
  return std::sqrt(sum);
}

/// A place on a polyline: on the segment that ends at number `next`.
struct LinePlace {
  std::size_t next = 1;
  std::vector<double> q;
};

LinePlace place_at(const Polyline& line, double length) {
  std::size_t next = 1;
  for (; next + 1 < line.size(); ++next) {
    const double segment = distance(line[next - 1], line[next]);
    if (length <= segment) {
      break;
    }
    length -= segment;
  }
  const double segment = distance(line[next - 1], line[next]);
  const double fraction = segment > 0.0 ? std::clamp(length / segment, 0.0, 1.0) : 0.0;
  LinePlace place{next, line[next - 1]};
  for (std::size_t j = 0; j < place.q.size(); ++j) {
    place.q[j] += fraction * (line[next][j] - line[next - 1][j]);
  }
  return place;
}

double length_of(const Polyline& line) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    sum += distance(line[i], line[i + 1]);
  }
  return sum;
}

/// Drops vertices whose neighbours see each other, until none is left.
void drop_needless(Polyline& line, const FreeMotion& motion) {
  bool is_shorter = true;
  while (is_shorter) {
    is_shorter = false;
    for (std::size_t i = 1; i + 1 < line.size();) {
      if (motion.is_free(line[i - 1], line[i + 1])) {
        line.erase(line.begin() + static_cast<std::ptrdiff_t>(i));
        is_shorter = true;
      } else {
        ++i;
      }
    }
  }
}

}  // namespace

void shorten(Polyline& line, const FreeMotion& motion, std::uint64_t seed, int rounds) {
  RandomStream random(seed, "shortcut");
  drop_needless(line, motion);
  for (int round = 0; round < rounds && line.size() > 2; ++round) {
    const double length = length_of(line);
    const double one = random.uniform(0.0, length);
    const double other = random.uniform(0.0, length);
    LinePlace from = place_at(line, std::min(one, other));
    LinePlace to = place_at(line, std::max(one, other));
    // the part of the old line that comes before `from` is known to be free
    if (from.next == to.next || !motion.is_free(from.q, to.q)) {
      continue;
    }
    Polyline shorter(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(from.next));
    shorter.push_back(std::move(from.q));
    shorter.push_back(std::move(to.q));
    shorter.insert(shorter.end(), line.begin() + static_cast<std::ptrdiff_t>(to.next), line.end());
    line = std::move(shorter);
  }
  drop_needless(line, motion);
}

}  // namespace longarm::motion
