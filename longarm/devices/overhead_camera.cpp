// SPDX-License-Identifier: Apache-2.0
// Ground truth, then everything that a real camera makes of it.
#include "longarm/devices/overhead_camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::devices {
namespace {

using model::Vector3;

// what the lab's feed says of everything it sees
constexpr double kConfidence = 0.95;
constexpr double kLeastConfidence = 0.5;
// stamp, number and count; name, pose and confidence of each
constexpr std::size_t kFrameBytes = 24;
constexpr std::size_t kDetectionBytes = 96;

/// Draws of one object in one frame. Numbers, not an order: leaving one out moves no other.
enum Draw : std::uint64_t {
  kDropout,
  kMistake,
  kOther,
  kDoubt,
  kModeX,
  kModeY,
  kNormalX,
  kNormalY = kNormalX + 2,
  kNormalAngle = kNormalY + 2,
  kDraws = kNormalAngle + 2,
};

/// A mode of the jitter that the lab's cameras show at rest.
struct Mode {
  double centre_m;
  double sigma_m;
};
// Modes at 416.8, 416.45, 416.25 mm along x and 342.7, 342.35, 341.7 mm along y, the first in four
// frames of six; less their means 416.65 and 342.475, so that nothing is off on average.
constexpr std::array<Mode, 3> kModesX{{{0.15e-3, 0.1e-3}, {-0.2e-3, 0.05e-3}, {-0.4e-3, 0.05e-3}}};
constexpr std::array<Mode, 3> kModesY{
    {{0.225e-3, 0.1e-3}, {-0.125e-3, 0.05e-3}, {-0.775e-3, 0.2e-3}}};

const Mode& choose(const std::array<Mode, 3>& modes, double uniform) {
  return uniform < 4.0 / 6.0 ? modes[0] : uniform < 5.0 / 6.0 ? modes[1] : modes[2];
}

/// Standard normal out of draws `index` and `index + 1`, after Box and Muller.
double normal_at(const RandomStream& stream, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - stream.uniform_at(index)));
  return radius * std::cos(2.0 * M_PI * stream.uniform_at(index + 1));
}

void check_probability(Fields& fields, std::string_view key, double value) {
  if (!(value >= 0.0 && value <= 1.0)) {
    fields.reject(key, std::string(key) + " must be a probability", "use a number from 0 to 1");
  }
}

void check_noise(Fields& fields, std::string_view key, double value) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    fields.reject(key, std::string(key) + " must not be negative", "use 0 for none");
  }
}

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

void list_fields(Fields& fields, CameraConfig& config) {
  fields.field("position_m", config.position_m,
               "x, y, z of the camera, which points straight down");
  fields.field("view_deg", config.view_deg, "full angles of view along x and y");
  fields.field("watch", config.watch, "models to report; default: all loose ones");
  fields.field("period", config.period, "time between frames");
  fields.choice(
      "noise", config.noise, {"none", "gaussian", "tri-modal"},
      "distribution of the noise of x and y; tri-modal: as measured for the lab's cameras");
  fields.field("noise_m", config.noise_m, "standard deviation of gaussian noise");
  fields.field("angle_noise_deg", config.angle_noise_deg,
               "standard deviation of the angle about the vertical axis");
  fields.field("dropout", config.dropout, "probability that an object is missing in a frame");
  fields.field("mis_detection", config.mis_detection,
               "probability that an object is mistaken for another");
  fields.field("occlusion", config.occlusion,
               "whether objects that are mostly hidden are not reported");
  if (config.position_m.size() != 3 || !are_finite(config.position_m)) {
    fields.reject("position_m", "a position is three numbers", "for example: [0, 0, 2]");
  }
  const bool is_view =
      config.view_deg.size() == 2 && std::all_of(config.view_deg.begin(), config.view_deg.end(),
                                                 [](double x) { return x > 0.0 && x < 180.0; });
  if (!is_view) {
    fields.reject("view_deg", "a view is two angles between 0 and 180", "for example: [60, 45]");
  }
  if (config.period <= Duration::zero()) {
    fields.reject("period", "a camera's period must be longer than zero", "100ms is usual");
  }
  check_noise(fields, "noise_m", config.noise_m);
  check_noise(fields, "angle_noise_deg", config.angle_noise_deg);
  check_probability(fields, "dropout", config.dropout);
  check_probability(fields, "mis_detection", config.mis_detection);
}

Vector3 camera_noise(const CameraConfig& config, const RandomStream& stream, std::uint64_t index) {
  const std::uint64_t first = index * kDraws;
  if (config.noise == "none") {
    return Vector3::Zero();
  }
  Mode x{0.0, config.noise_m};
  Mode y = x;
  if (config.noise == "tri-modal") {
    x = choose(kModesX, stream.uniform_at(first + kModeX));
    y = choose(kModesY, stream.uniform_at(first + kModeY));
  }
  return {x.centre_m + x.sigma_m * normal_at(stream, first + kNormalX),
          y.centre_m + y.sigma_m * normal_at(stream, first + kNormalY), 0.0};
}

OverheadCamera::OverheadCamera(const physics::Engine& engine, const model::Cell& cell,
                               std::string name, const CameraConfig& config, std::uint64_t seed)
    : engine_(engine), name_(std::move(name)), config_(config) {
  if (config.occlusion && !engine.capabilities().has_rays) {
    throw InputError(Diagnostic{{},
                                "this engine has no rays, which occlusion needs",
                                "use another engine, or remove occlusion"});
  }
  const auto watch = [&](std::size_t p) {
    const std::string& object = cell.placements[p].name;
    watched_.push_back({object, static_cast<physics::BodyId>(cell.first_body(static_cast<int>(p))),
                        RandomStream(seed, name_ + "." + object),
                        bounding_sphere(cell.placements[p].tree.bodies.front())});
  };
  std::vector<std::string> known;
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    known.push_back(cell.placements[p].name);
    if (config.watch.empty() && !cell.placements[p].is_fixed &&
        !cell.placements[p].tree.is_static) {
      watch(p);
    }
  }
  Diagnostics diagnostics;
  for (const std::string& object : config.watch) {
    const auto found = std::find(known.begin(), known.end(), object);
    if (found == known.end()) {
      diagnostics.error({},
                        fmt::format("{} cannot watch '{}': there is no such model", name_, object),
                        suggest(object, known));
      continue;
    }
    watch(static_cast<std::size_t>(found - known.begin()));
  }
  diagnostics.throw_if_errors();
}

bool OverheadCamera::is_in_view(const Vector3& p_W) const {
  const double depth = config_.position_m[2] - p_W.z();
  const auto is_within = [&](double off, double view_deg) {
    return std::abs(off) <= depth * std::tan(view_deg * M_PI / 360.0);
  };
  return depth > 0.0 && is_within(p_W.x() - config_.position_m[0], config_.view_deg[0]) &&
         is_within(p_W.y() - config_.position_m[1], config_.view_deg[1]);
}

/// Looks at its middle and at four points around it; what is met as near as the object is large
/// belongs to it, or lies in it.
bool OverheadCamera::is_hidden(const Watched& object, const model::Pose& X_WP) const {
  constexpr double kTowardsRim = 0.7;
  constexpr int kMostHidden = 2;
  const Vector3 eye(config_.position_m[0], config_.position_m[1], config_.position_m[2]);
  const Vector3 middle = X_WP * object.around.centre_B;
  const double rim_m = kTowardsRim * object.around.radius_m;
  int hidden = 0;
  for (const Vector3& off : {Vector3(0, 0, 0), Vector3(rim_m, 0, 0), Vector3(-rim_m, 0, 0),
                             Vector3(0, rim_m, 0), Vector3(0, -rim_m, 0)}) {
    const Vector3 way = middle + off - eye;
    const auto hit = engine_.ray(eye, way.normalized(), way.norm());
    const bool is_before = hit && hit->distance_m < way.norm() - object.around.radius_m;
    hidden += is_before && hit->body != object.root ? 1 : 0;
  }
  return hidden > kMostHidden;
}

CameraFrame OverheadCamera::frame(Time now, std::uint64_t number) const {
  CameraFrame frame{now, number, {}};
  if (is_blind_) {
    return frame;
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Watched& object = watched_[i];
    const std::uint64_t first = number * kDraws;
    model::Pose X_WP = engine_.pose(object.root);
    const bool is_missed = object.stream.uniform_at(first + kDropout) < config_.dropout;
    if (is_missed || !is_in_view(X_WP.translation()) ||
        (config_.occlusion && is_hidden(object, X_WP))) {
      continue;
    }
    X_WP.translation() += camera_noise(config_, object.stream, number);
    if (config_.angle_noise_deg > 0.0) {
      const double angle =
          config_.angle_noise_deg * M_PI / 180.0 * normal_at(object.stream, first + kNormalAngle);
      X_WP.linear() = Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix() * X_WP.linear();
    }
    Detection detection{object.name, X_WP, kConfidence};
    if (object.stream.uniform_at(first + kMistake) < config_.mis_detection) {
      // any of the others, with less confidence; alone, it is at least not known for what it is
      const auto others = watched_.size() - 1;
      const auto step = static_cast<std::size_t>(object.stream.uniform_at(first + kOther) *
                                                 static_cast<double>(others));
      detection.name = others == 0 ? "unknown" : watched_[(i + 1 + step) % watched_.size()].name;
      detection.confidence = kLeastConfidence + (kConfidence - kLeastConfidence) *
                                                    object.stream.uniform_at(first + kDoubt);
    }
    frame.detections.push_back(std::move(detection));
  }
  return frame;
}

void OverheadCamera::connect(sim::Kernel& kernel, Send<CameraFrame> send) {
  const sim::SourceId source = kernel.add_source(name_);
  kernel.every(config_.period, kernel.now(), sim::Phase::kSample, source,
               [this, send = std::move(send), number = std::uint64_t{0}](Time now) mutable {
                 if (is_silent_) {
                   ++number;
                   return;
                 }
                 const CameraFrame next = frame(now, number++);
                 send(next, kFrameBytes + kDetectionBytes * next.detections.size());
               });
}

}  // namespace longarm::devices
