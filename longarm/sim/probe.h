// SPDX-License-Identifier: Apache-2.0
// What may be recorded. Parts of the cell offer probes; sinks elsewhere read them after each step,
// or nobody does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace longarm::sim {

/// A named group of numbers, e.g. "joint_states" with columns "elbow_joint.position", …
struct Probe {
  std::string name;
  std::vector<std::string> columns;
  /// Writes one value per column.
  std::function<void(std::span<double>)> read;
};

/// All probes of one cell, in the order they were offered. A probe that is not read costs nothing.
class Probes {
 public:
  void add(Probe probe) { probes_.push_back(std::move(probe)); }
  const std::vector<Probe>& all() const { return probes_; }
  const Probe* find(const std::string& name) const;

 private:
  std::vector<Probe> probes_;
};

}  // namespace longarm::sim
