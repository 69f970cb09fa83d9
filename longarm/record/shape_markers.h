// SPDX-License-Identifier: Apache-2.0
// The shapes of a cell as RViz and Foxglove draw them: visualization_msgs/msg/MarkerArray.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "longarm/record/byte_buffer.h"
#include "longarm/record/frame_pose.h"

namespace longarm::record {

/// One shape that moves with a frame.
struct ShapeMarker {
  /// As the message numbers them.
  enum class Kind : int { kBox = 1, kSphere = 2, kCylinder = 3, kTriangles = 11 };

  std::string frame;
  std::string name;
  Kind kind = Kind::kBox;
  FramePose X_FS;
  Eigen::Vector3d size_m = Eigen::Vector3d::Ones();  ///< whole extents; of triangles: their scale
  std::array<float, 4> colour{0.6F, 0.6F, 0.6F, 1.0F};  ///< red, green, blue, opacity
  std::vector<Eigen::Vector3d> corners_m{};             ///< of triangles, three each
};

/// All at time zero, for ever, locked to their frames. Fills `out` from its start.
void encode_shape_markers(ByteBuffer& out, std::span<const ShapeMarker> markers);

}  // namespace longarm::record
