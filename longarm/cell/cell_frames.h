// SPDX-License-Identifier: Apache-2.0
// A cell as viewers see it: its frames, where they are, and the shapes on them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"
#include "longarm/record/frame_pose.h"
#include "longarm/record/shape_markers.h"

namespace longarm::cell {

/// The frame of a body.
struct BodyFrame {
  std::string frame;
  int placement = 0;
  int body = 0;  ///< of that placement
  bool is_moving = false;
};

class CellFrames {
 public:
  /// Frames of placement `arm` keep their names, those of others get the placement's in front; -1
  /// if there is none.
  CellFrames(const model::Cell& cell, int arm);

  /// Those that stay where they are, and those of bodies that move.
  const std::vector<record::FramePlace>& fixed() const { return fixed_; }
  const std::vector<record::FramePlace>& moving() const { return moving_; }
  /// Of all bodies, in the order of the cell.
  const std::vector<BodyFrame>& bodies() const { return bodies_; }
  /// What bodies of that cell look like: their visuals, or their collision shapes where none can be
  /// drawn. Reads files of meshes.
  std::vector<record::ShapeMarker> shapes(const model::Cell& cell) const;

  /// Present poses of the moving ones, in that order; good until the next call.
  std::span<const record::FramePose> poses(const physics::Engine& engine);

 private:
  /// How to find the pose of a frame that moves.
  struct Mover {
    int body = 0;    ///< in the cell
    int parent = 0;  ///< in the cell; -1 for the world
  };

  void add_placement(const model::Cell& cell, int number, bool is_arm);

  std::vector<record::FramePlace> fixed_;
  std::vector<record::FramePlace> moving_;
  std::vector<BodyFrame> bodies_;
  std::vector<Mover> movers_;
  std::vector<record::FramePose> poses_;
};

}  // namespace longarm::cell
