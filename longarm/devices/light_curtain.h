// SPDX-License-Identifier: Apache-2.0
// A light curtain: pairs of poles with parallel beams between them, unified to one latched output.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/devices/device_link.h"
#include "longarm/devices/moving_shapes.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::devices {

struct CurtainConfig {
  /// A pair of poles each: emitter x, y, z and receiver x, y, z of the first beam, in metres.
  std::vector<std::vector<double>> poles{};
  std::int64_t beams = 43;  ///< per pair of poles
  double pitch_m = 0.04;    ///< from beam to beam, upwards
  double near_m = 0.08;     ///< before the emitter's axis nothing is seen, such as its own pole
  double far_m = 0.026;     ///< nor so close to the receiver's
  Duration report_every{33'000'000};  ///< besides every change
};
void list_fields(Fields& fields, CurtainConfig& config);

struct CurtainReport {
  Time stamp{};
  bool is_broken = false;
  bool is_latched = false;
  std::vector<std::uint8_t> beams;  ///< 1 where broken; pair after pair, upwards
};

/// Evaluated every step. What never moves is looked at once, with the engine's rays; of what moves
/// only what is near a pair's plane, and with rays only where it is a mesh.
class LightCurtain {
 public:
  /// Borrows the engine, which was made of `cell`. Throws InputError if the engine has no rays or
  /// the poles make no sense.
  LightCurtain(const physics::Engine& engine, const model::Cell& cell, const CurtainConfig& config);

  /// Looks at the present instant.
  void update(Time now);
  /// Clears the latch, unless something still stands in a beam.
  void reset();

  bool is_broken() const { return broken_ > 0; }
  bool is_latched() const { return is_latched_; }  ///< was broken since the last reset
  std::span<const std::uint8_t> beams() const { return beams_; }
  int broken_beams() const { return broken_; }
  std::uint64_t interruptions() const { return interruptions_; }  ///< from clear to broken
  std::optional<Time> first_broken() const { return first_broken_; }
  std::uint64_t rays_cast() const { return rays_cast_; }

  /// From now on looks every `step` and reports through `send`, at once when something changes.
  void connect(sim::Kernel& kernel, Duration step, Send<CurtainReport> send);

 private:
  /// The plane between two poles, with coordinates along its beams and upwards.
  struct Plane {
    model::Vector3 origin_W;  ///< where the first beam starts to see
    model::Vector3 along_W;
    model::Vector3 up_W;
    model::Vector3 normal_W;
    double range_m = 0.0;
    int first_beam = 0;
  };
  enum class Background : std::uint8_t { kUnknown, kClear, kBlocked };

  void mark_near(const Plane& plane, const MovingBody& body, const model::Pose& X_WB);
  void mark(const Plane& plane, const MovingShape& shape, const model::Pose& X_WB);
  void look_along(const Plane& plane);

  const physics::Engine& engine_;
  CurtainConfig config_;
  std::vector<Plane> planes_;
  std::vector<MovingBody> moving_;
  std::vector<bool> can_move_;           ///< by body
  std::vector<Background> background_;   ///< by beam: what never moves
  std::vector<std::uint8_t> is_wanted_;  ///< by beam: needs a ray now
  std::vector<std::uint8_t> is_met_;     ///< by beam: without a ray we know that it is broken
  std::vector<std::uint8_t> beams_;
  int broken_ = 0;
  bool is_latched_ = false;
  std::uint64_t interruptions_ = 0;
  std::uint64_t rays_cast_ = 0;
  std::optional<Time> first_broken_;
};

}  // namespace longarm::devices
