// SPDX-License-Identifier: Apache-2.0
// Bounding spheres against planes first, then shapes against the beams that their spheres cover.
#include "longarm/devices/light_curtain.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/devices/beam_shape.h"

namespace longarm::devices {
namespace {

using model::Vector3;

constexpr std::int64_t kMostBeams = 10'000;
// poles stand upright to within a degree
constexpr double kMostSlope = 0.0175;
// stamp, output, latch, count; then a bit per beam
constexpr std::size_t kCurtainReportBytes = 16;

/// What is wrong with a row of `poles`, if anything.
std::string mistake_in(const std::vector<double>& row, const CurtainConfig& config) {
  if (row.size() != 6 || !std::all_of(row.begin(), row.end(), [](double x) {
        return std::isfinite(x) && std::abs(x) <= model::kMostLength_m;
      })) {
    return "a pair of poles is six numbers: x, y, z of the emitter and of the receiver";
  }
  const Vector3 between(row[3] - row[0], row[4] - row[1], row[5] - row[2]);
  if (between.norm() <= config.near_m + config.far_m) {
    return fmt::format("with poles {:g} m apart no beam is left between near_m and far_m",
                       between.norm());
  }
  if (std::abs(between.z()) > kMostSlope * between.norm()) {
    return "beams must be level: emitter and receiver of the first one at the same height";
  }
  return "";
}

}  // namespace

void list_fields(Fields& fields, CurtainConfig& config) {
  fields.field("poles", config.poles,
               "pairs of poles: x, y, z of the first beam's emitter, then of its receiver");
  fields.field("beams", config.beams, "number of beams per pair of poles");
  fields.field("pitch_m", config.pitch_m, "vertical distance between beams");
  fields.field("near_m", config.near_m,
               "length of the beam at the emitter in which nothing is detected");
  fields.field("far_m", config.far_m,
               "length of the beam at the receiver in which nothing is detected");
  fields.field("report_every", config.report_every,
               "period of reports; changes are reported at once");
  if (config.beams < 1 || config.beams > kMostBeams) {
    fields.reject("beams", fmt::format("beams must be from 1 to {}", kMostBeams),
                  "the lab has 43 on each pair of poles");
  }
  if (!(config.pitch_m > 0.0 && config.pitch_m < model::kMostLength_m)) {
    fields.reject("pitch_m", "the pitch must be above zero", "0.04 is the lab's");
  }
  if (!(config.near_m >= 0.0) || !(config.far_m >= 0.0)) {
    fields.reject("near_m", "near_m and far_m must not be negative",
                  "0.08 and 0.026 are the lab's");
  }
  if (config.report_every <= Duration::zero()) {
    fields.reject("report_every", "report_every must be longer than zero", "33ms is the lab's");
  }
  for (const std::vector<double>& row : config.poles) {
    if (std::string mistake = mistake_in(row, config); !mistake.empty()) {
      fields.reject("poles", std::move(mistake),
                    "for example: [[2.6, 1.46, 0.21, 2.6, -2.27, 0.21]]");
    }
  }
}

LightCurtain::LightCurtain(const physics::Engine& engine, const model::Cell& cell,
                           const CurtainConfig& config)
    : engine_(engine),
      config_(config),
      moving_(moving_bodies(cell)),
      can_move_(static_cast<std::size_t>(cell.body_count()), false) {
  if (!engine.capabilities().has_rays) {
    throw InputError(Diagnostic{{},
                                "this engine has no rays: a light curtain would see nothing",
                                "use engine mujoco or ode, or leave the curtain's poles out"});
  }
  const int count = static_cast<int>(config.beams);
  for (const std::vector<double>& row : config.poles) {
    if (std::string mistake = mistake_in(row, config); !mistake.empty()) {
      throw InputError(Diagnostic{{}, std::move(mistake), ""});
    }
    const Vector3 emitter(row[0], row[1], row[2]);
    const Vector3 between = Vector3(row[3], row[4], row[5]) - emitter;
    Plane plane;
    plane.along_W = between.normalized();
    plane.origin_W = emitter + config.near_m * plane.along_W;
    plane.normal_W = plane.along_W.cross(Vector3::UnitZ()).normalized();
    plane.up_W = plane.normal_W.cross(plane.along_W);
    plane.range_m = between.norm() - config.near_m - config.far_m;
    plane.first_beam = count * static_cast<int>(planes_.size());
    planes_.push_back(plane);
  }
  for (const MovingBody& body : moving_) {
    can_move_[static_cast<std::size_t>(body.body)] = true;
  }
  const std::size_t beams = planes_.size() * static_cast<std::size_t>(count);
  background_.assign(beams, Background::kUnknown);
  is_wanted_.assign(beams, 1);
  is_met_.assign(beams, 0);
  beams_.assign(beams, 0);
}

void LightCurtain::update(Time now) {
  std::fill(is_met_.begin(), is_met_.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < is_wanted_.size(); ++i) {
    is_wanted_[i] = background_[i] == Background::kUnknown ? 1 : 0;
  }
  for (const MovingBody& body : moving_) {
    const model::Pose X_WB = engine_.pose(body.body);
    for (const Plane& plane : planes_) {
      mark_near(plane, body, X_WB);
    }
  }
  const bool was_broken = is_broken();
  broken_ = 0;
  for (const Plane& plane : planes_) {
    look_along(plane);
  }
  if (is_broken()) {
    is_latched_ = true;
    interruptions_ += was_broken ? 0 : 1;
    first_broken_ = first_broken_.value_or(now);
  }
}

void LightCurtain::reset() {
  is_latched_ = is_broken();
}

void LightCurtain::mark_near(const Plane& plane, const MovingBody& body, const model::Pose& X_WB) {
  const Vector3 from_origin = X_WB * body.whole.centre_B - plane.origin_W;
  if (std::abs(plane.normal_W.dot(from_origin)) > body.whole.radius_m) {
    return;
  }
  for (const MovingShape& shape : body.shapes) {
    mark(plane, shape, X_WB);
  }
}

void LightCurtain::mark(const Plane& plane, const MovingShape& shape, const model::Pose& X_WB) {
  const BoundingSphere& sphere = shape.around;
  const Vector3 from_origin = X_WB * sphere.centre_B - plane.origin_W;
  const double off = plane.normal_W.dot(from_origin);
  const double along = plane.along_W.dot(from_origin);
  if (std::abs(off) > sphere.radius_m || along < -sphere.radius_m ||
      along > plane.range_m + sphere.radius_m) {
    return;
  }
  // the plane cuts a disc out of the sphere
  const double reach = std::sqrt(sphere.radius_m * sphere.radius_m - off * off);
  const double up = plane.up_W.dot(from_origin);
  const auto most = static_cast<double>(config_.beams - 1);
  const double low = std::max(0.0, std::ceil((up - reach) / config_.pitch_m));
  const double high = std::min(most, std::floor((up + reach) / config_.pitch_m));
  if (low > high) {
    return;
  }
  // the beams as the shape sees them
  const model::Pose X_GW = (X_WB * shape.geometry.X_LG).inverse();
  const Vector3 origin = X_GW * plane.origin_W;
  const Vector3 along_G = X_GW.linear() * plane.along_W;
  const Vector3 step = config_.pitch_m * (X_GW.linear() * plane.up_W);
  for (int i = static_cast<int>(low); i <= high; ++i) {
    const std::optional<bool> meets =
        beam_meets(shape.geometry.shape, origin + i * step, along_G, plane.range_m);
    const auto beam = static_cast<std::size_t>(plane.first_beam + i);
    is_wanted_[beam] = meets ? is_wanted_[beam] : 1;
    is_met_[beam] = meets.value_or(false) ? 1 : is_met_[beam];
  }
}

void LightCurtain::look_along(const Plane& plane) {
  for (int i = 0; i < config_.beams; ++i) {
    const auto beam = static_cast<std::size_t>(plane.first_beam + i);
    if (is_met_[beam] != 0) {
      beams_[beam] = 1;  // whatever else there is
    } else if (is_wanted_[beam] != 0) {
      const Vector3 start = plane.origin_W + i * config_.pitch_m * plane.up_W;
      const auto hit = engine_.ray(start, plane.along_W, plane.range_m);
      ++rays_cast_;
      beams_[beam] = hit ? 1 : 0;
      // behind what moves there may be something that does not: then we look again
      if (!hit) {
        background_[beam] = Background::kClear;
      } else if (!can_move_[static_cast<std::size_t>(hit->body)]) {
        background_[beam] = Background::kBlocked;
      }
    } else {
      beams_[beam] = background_[beam] == Background::kBlocked ? 1 : 0;
    }
    broken_ += beams_[beam];
  }
}

void LightCurtain::connect(sim::Kernel& kernel, Duration step, Send<CurtainReport> send) {
  const sim::SourceId source = kernel.add_source("light curtain");
  auto report = std::make_shared<CurtainReport>();  // shared: std::function wants to be copied
  kernel.every(step, kernel.now(), sim::Phase::kSample, source,
               [this, send = std::move(send), report, is_first = true,
                due = kernel.now()](Time now) mutable {
                 update(now);
                 const bool has_changed =
                     report->is_latched != is_latched_ || report->beams != beams_;
                 if (!has_changed && now < due && !is_first) {
                   return;
                 }
                 is_first = false;
                 due = now + config_.report_every;
                 *report = {now, is_broken(), is_latched_, beams_};
                 send(*report, kCurtainReportBytes + beams_.size() / 8);
               });
}

}  // namespace longarm::devices
