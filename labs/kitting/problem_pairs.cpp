// SPDX-License-Identifier: Apache-2.0
// Kuhn's method with prices: each row in turn finds the cheapest chain of exchanges to a free
// column.
#include "labs/kitting/problem_pairs.h"

#include <algorithm>
#include <cstdint>

#include "longarm/core/check.h"

namespace longarm::kitting {
namespace {

constexpr pddl::Cost kFar = INT64_MAX / 4;
constexpr std::size_t kNobody = SIZE_MAX;

class Exchange {
 public:
  explicit Exchange(const std::vector<std::vector<pddl::Cost>>& costs)
      : costs_(costs),
        columns_(costs.empty() ? 0 : costs[0].size()),
        row_price_(costs.size(), 0),
        column_price_(columns_, 0),
        owner_(columns_, kNobody) {}

  std::vector<std::size_t> run() {
    check(costs_.size() <= columns_, "more rows than columns cannot be paired");
    for (std::size_t row = 0; row < costs_.size(); ++row) {
      give(row);
    }
    std::vector<std::size_t> out(costs_.size(), 0);
    for (std::size_t column = 0; column < columns_; ++column) {
      if (owner_[column] != kNobody) {
        out[owner_[column]] = column;
      }
    }
    return out;
  }

 private:
  /// Grows a tree of rows and columns at the least price until it meets a free column.
  void give(std::size_t first) {
    std::vector<pddl::Cost> slack(columns_, kFar);
    std::vector<std::size_t> from(columns_, kNobody);  // column through whose owner it was reached
    std::vector<bool> is_in(columns_, false);
    std::size_t row = first;
    std::size_t at = kNobody;
    for (;;) {
      for (std::size_t c = 0; c < columns_; ++c) {
        const pddl::Cost left = costs_[row][c] - row_price_[row] - column_price_[c];
        if (!is_in[c] && left < slack[c]) {
          slack[c] = left;
          from[c] = at;
        }
      }
      std::size_t nearest = kNobody;
      for (std::size_t c = 0; c < columns_; ++c) {
        if (!is_in[c] && (nearest == kNobody || slack[c] < slack[nearest])) {
          nearest = c;
        }
      }
      const pddl::Cost step = slack[nearest];
      row_price_[first] += step;
      for (std::size_t c = 0; c < columns_; ++c) {
        if (is_in[c]) {
          row_price_[owner_[c]] += step;
          column_price_[c] -= step;
        } else {
          slack[c] -= step;
        }
      }
      is_in[nearest] = true;
      at = nearest;
      if (owner_[nearest] == kNobody) {
        break;
      }
      row = owner_[nearest];
    }
    // along the chain each column goes to the owner of the one before
    for (std::size_t c = at; c != kNobody;) {
      const std::size_t before = from[c];
      owner_[c] = before == kNobody ? first : owner_[before];
      c = before;
    }
  }

  const std::vector<std::vector<pddl::Cost>>& costs_;
  std::size_t columns_;
  std::vector<pddl::Cost> row_price_;
  std::vector<pddl::Cost> column_price_;
  std::vector<std::size_t> owner_;
};

}  // namespace

std::vector<std::size_t> cheapest_pairs(const std::vector<std::vector<pddl::Cost>>& costs) {
  return costs.empty() ? std::vector<std::size_t>{} : Exchange(costs).run();
}

}  // namespace longarm::kitting
