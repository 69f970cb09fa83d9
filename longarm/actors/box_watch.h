// SPDX-License-Identifier: Apache-2.0
// Which parts have come to rest in a box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"

namespace longarm::actors {

/// What is wrong with the names of a box and of loose parts; nothing: they are there.
std::optional<cell::KeyRemark> judge_box(const std::string& box, const model::Cell& cell);
std::optional<cell::KeyRemark> judge_parts(const std::vector<std::string>& parts,
                                           const model::Cell& cell);

class BoxWatch {
 public:
  /// `box` is a placement: all within its shapes counts. A part is at rest when it has lain there
  /// for `settle`, at the first look without that.
  BoxWatch(const cell::World& world, const std::string& box, Duration settle);

  /// Parts are counted in the order in which they were added.
  void add(int placement);
  /// After each step.
  void look(Time now);
  bool has(std::size_t part) const { return parts_[part].is_at_rest; }
  /// Within the box, at rest or not.
  bool contains(std::size_t part) const { return parts_[part].since.has_value(); }
  /// When the part that came to rest last did so.
  std::optional<Time> newest() const { return newest_; }

 private:
  struct Part {
    physics::BodyId body{};
    model::Vector3 p_LC;  ///< centre of mass
    std::optional<Time> since{};
    model::Vector3 p_B = model::Vector3::Zero();  ///< in the box, where it came to rest
    bool is_at_rest = false;
  };

  const cell::World& world_;
  Duration settle_;
  physics::BodyId box_{};
  Eigen::AlignedBox3d bounds_;
  std::vector<Part> parts_;
  std::optional<Time> newest_;
  bool is_first_ = true;
};

}  // namespace longarm::actors
