// SPDX-License-Identifier: Apache-2.0
// An overhead camera that reports poses of named parts and trays at a rate, without rendering.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/random.h"
#include "longarm/core/time.h"
#include "longarm/devices/device_link.h"
#include "longarm/devices/moving_shapes.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::devices {

struct CameraConfig {
  std::vector<double> position_m{0.0, 0.0, 2.0};  ///< it looks straight down
  std::vector<double> view_deg{60.0, 60.0};       ///< whole angles of view along x and y
  std::vector<std::string> watch{};               ///< placements; empty: all that are loose
  Duration period{100'000'000};
  std::string noise = "tri-modal";  ///< none, gaussian or tri-modal
  double noise_m = 0.003;           ///< standard deviation of the gaussian one
  double angle_noise_deg = 0.0;     ///< standard deviation, about the vertical
  double dropout = 0.0;             ///< probability that an object is left out of a frame
  double mis_detection = 0.0;       ///< probability that it is taken for another one
  bool occlusion = false;           ///< whether what stands in between hides an object
};
void list_fields(Fields& fields, CameraConfig& config);

struct Detection {
  std::string name;  ///< of the placement it is taken for
  model::Pose X_WP = model::Pose::Identity();
  double confidence = 0.0;
};

struct CameraFrame {
  Time stamp{};
  std::uint64_t number = 0;
  std::vector<Detection> detections;
};

/// The noise in the plane of the table; draw number `index` of a stream. The tri-modal one is the
/// shape that was measured on the lab's cameras, around zero.
model::Vector3 camera_noise(const CameraConfig& config, const RandomStream& stream,
                            std::uint64_t index);

class OverheadCamera {
 public:
  /// Borrows the engine, which was made of `cell`. `name` and `seed` choose the random streams, one
  /// per object. Throws InputError for a placement that is not there.
  OverheadCamera(const physics::Engine& engine, const model::Cell& cell, std::string name,
                 const CameraConfig& config, std::uint64_t seed);

  /// What it says of the present instant in its frame `number`; the same however often and in
  /// whatever order it is asked.
  CameraFrame frame(Time now, std::uint64_t number) const;

  /// A blind one sends frames that show nothing, a silent one none; numbers go on.
  void set_blind(bool is_blind) { is_blind_ = is_blind; }
  void set_silent(bool is_silent) { is_silent_ = is_silent; }

  /// From now on sends a frame through `send` every period.
  void connect(sim::Kernel& kernel, Send<CameraFrame> send);

 private:
  struct Watched {
    std::string name;
    physics::BodyId root{};
    RandomStream stream;
    BoundingSphere around{};
  };
  bool is_in_view(const model::Vector3& p_W) const;
  bool is_hidden(const Watched& object, const model::Pose& X_WP) const;

  const physics::Engine& engine_;
  std::string name_;
  CameraConfig config_;
  std::vector<Watched> watched_;
  bool is_blind_ = false;
  bool is_silent_ = false;
};

}  // namespace longarm::devices
