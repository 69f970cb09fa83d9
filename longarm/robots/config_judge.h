// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with a robot's keys.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"

namespace longarm::robots {

class ConfigJudge {
 public:
  /// `prefix` stands before each key, e.g. "robots.fanuc.".
  explicit ConfigJudge(std::string prefix) : prefix_(std::move(prefix)) {}

  void refuse(const std::string& key, std::string message, std::string hint) {
    remarks_.push_back({prefix_ + key, std::move(message), std::move(hint)});
  }
  void refuse(const std::string& key, const InputError& error) {
    for (const Diagnostic& each : error.diagnostics()) {
      refuse(key, each.message, each.hint);
    }
  }
  void positive(const std::string& key, double value, const char* usual) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      refuse(key, fmt::format("{}{} is {}: it must be greater than zero", prefix_, key, value),
             fmt::format("{} is usual", usual));
    }
  }
  void span(const std::string& key, Duration value) {
    if (value < Duration::zero()) {
      refuse(key, fmt::format("{}{} must not be negative", prefix_, key), "e.g. 5s");
    }
  }
  void add(network::KeyRemark remark) { remarks_.push_back(std::move(remark)); }
  void add(const std::vector<network::KeyRemark>& remarks) {
    remarks_.insert(remarks_.end(), remarks.begin(), remarks.end());
  }
  bool is_content() const { return remarks_.empty(); }
  std::vector<network::KeyRemark> remarks() && { return std::move(remarks_); }

 private:
  std::string prefix_;
  std::vector<network::KeyRemark> remarks_;
};

}  // namespace longarm::robots
