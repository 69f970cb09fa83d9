// SPDX-License-Identifier: Apache-2.0
// Names the pairs of shapes that are near each other, where there are too many to compare them all.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <vector>

#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

/// MuJoCo compares each shape of a body with each of another as soon as the bodies are near, and in
/// a cell the world is one body with hundreds of shapes, near everything. Boxes around the shapes,
/// sorted along an axis, leave the few pairs worth a closer look, which MuJoCo takes as if they had
/// been written into the model.
class MujocoSweep {
 public:
  /// Whether two shapes, of which only the boxes overlap, deserve a closer look.
  using MayTouch = std::function<bool(int geom1, int geom2)>;

  /// To be called again when bodies are merged or split.
  void list_shapes(const mjModel& model);

  /// Fills data.contact for the poses in `data`; the model is left as it was.
  void detect(mjModel& model, mjData& data, const MayTouch& may_touch);

 private:
  using Three = std::array<double, 3>;
  struct Box {
    Three low_m{};
    Three high_m{};
  };
  /// Shapes of the lower body first. The order of pairs, and so the result, depends on the poses
  /// alone.
  struct Pair {
    int body1 = 0;
    int body2 = 0;
    int geom1 = 0;
    int geom2 = 0;
    auto operator<=>(const Pair&) const = default;
  };

  static Three half_sizes(const mjModel& model, int geom);
  void move_boxes(const mjModel& model, const mjData& data);
  void sort();
  void find_pairs(const mjModel& model, const mjData& data);
  void add_pair(const mjModel& model, int geom1, int geom2);
  void give_pairs(mjModel& model);

  std::vector<Three> half_sizes_m_;  ///< by shape
  std::vector<Box> boxes_;           ///< by shape
  std::vector<int> order_;           ///< shapes but planes, by the low x of their boxes
  std::vector<int> planes_;
  bool has_fixed_boxes_ = false;  ///< those of shapes that do not move
  std::vector<Pair> pairs_;

  // what MuJoCo reads, by pair
  std::vector<int> dimensions_, geoms1_, geoms2_, signatures_;
  std::vector<mjtNum> references_, impedances_, zeros_, frictions_;
};

}  // namespace longarm::physics
