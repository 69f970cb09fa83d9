// SPDX-License-Identifier: Apache-2.0
// From frames to averages, and from averages to what is where.
#include "labs/kitting/world_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "labs/kitting/world_model_tables.h"
#include "longarm/core/diagnostic.h"

namespace longarm::kitting {
namespace {

/// Nearer to the edge of a camera's view than this, noise may keep it out of a frame.
constexpr double kEdge_m = 0.02;
/// A part is in a slot's way only if it is about as high.
constexpr double kSlotHeight_m = 0.03;
/// So many standard deviations off, it is not noise: one draw of two axes in 25 000.
constexpr double kNotNoise = 4.5;
/// And so many for an average: one in 3000.
constexpr double kNotNoiseOfMean = 4.0;
/// An average that is to be relied on is this good, and one over long time becomes this good.
constexpr double kTrusted_m = 0.001;
constexpr double kBest_m = 0.0003;
constexpr std::int64_t kLeastToTrust = 4;
constexpr std::int64_t kMostToTrust = 20;
constexpr std::int64_t kMostFrames = 200;

/// How many frames bring the mean's deviation down to `wanted_m`.
std::int64_t frames_for(double scatter_m, double wanted_m) {
  return std::llround(std::ceil(std::pow(std::min(scatter_m, 0.1) / wanted_m, 2.0)));
}

double angle_between(const Pose& a, const Pose& b) {
  return Eigen::Quaterniond(a.linear()).angularDistance(Eigen::Quaterniond(b.linear()));
}

/// Between the vertical axes of two frames.
double tilt_between(const Pose& a, const Pose& b) {
  return std::acos(std::clamp(a.linear().col(2).dot(b.linear().col(2)), -1.0, 1.0));
}

constexpr double kDegree = M_PI / 180.0;

/// Moves the average by 1/n of the way.
Pose averaged(const Pose& mean, const Pose& next, std::int64_t n) {
  const double share = 1.0 / static_cast<double>(n);
  Pose out = mean;
  out.translation() += share * (next.translation() - mean.translation());
  out.linear() = Eigen::Quaterniond(mean.linear())
                     .slerp(share, Eigen::Quaterniond(next.linear()))
                     .normalized()
                     .toRotationMatrix();
  return out;
}

/// The surest of those that go by one name, in the order of names.
std::map<std::string, const devices::Detection*> surest(const devices::CameraFrame& frame,
                                                        double least_confidence) {
  std::map<std::string, const devices::Detection*> out;
  for (const devices::Detection& each : frame.detections) {
    if (each.confidence < least_confidence || !each.X_WP.matrix().allFinite()) {
      continue;
    }
    const devices::Detection*& place = out[each.name];
    if (place == nullptr || place->confidence < each.confidence) {
      place = &each;
    }
  }
  return out;
}

}  // namespace

std::string_view name_of(PartState state) {
  switch (state) {
    case PartState::kSeated:
      return "seated";
    case PartState::kCrooked:
      return "crooked";
    case PartState::kLoose:
      return "loose";
    case PartState::kFallen:
      return "fallen over";
    case PartState::kInAir:
      return "in the air";
    case PartState::kMissing:
      return "missing";
    case PartState::kStale:
      break;
  }
  return "not seen recently";
}

WorldModel::WorldModel(const Ontology& ontology, const WorldModelConfig& config,
                       const std::string& file)
    : ontology_(ontology), config_(config) {
  try {
    tables_ = std::make_unique<Tables>(file);
  } catch (const record::SqliteError& error) {
    throw InputError(Diagnostic{{file},
                                "cannot keep the world model: " + error.message,
                                "check that you may write to its folder"});
  }
}

WorldModel::~WorldModel() = default;

void WorldModel::update(const std::string& camera, const devices::CameraFrame& frame, Time now) {
  const auto detections = surest(frame, config_.least_confidence);
  if (detections.empty()) {
    tables_->put_frame(camera, std::nullopt, now);
    return;  // a camera that sees nothing says nothing: it may be blind
  }
  tables_->begin.run();
  tables_->put_frame(camera, frame.stamp, now);
  measure_scatter(detections);
  for (const auto& [name, detection] : detections) {
    take(camera, *detection, frame.stamp, now);
  }
  const auto view = std::find_if(ontology_.cameras.begin(), ontology_.cameras.end(),
                                 [&](const CameraView& each) { return each.name == camera; });
  for (ObjectRow& row : tables_->all()) {
    const bool is_expected = view != ontology_.cameras.end() && row.object.seen < frame.stamp &&
                             view->sees(row.object.X_WO.translation(), kEdge_m);
    if (!is_expected || detections.contains(row.object.name)) {
      continue;
    }
    ++row.missed;
    row.object.is_missing = row.missed >= config_.missing_frames;
    tables_->put(row);
  }
  age(now);
  put_slots();
  tables_->commit.run();
}

/// Most of what is in view rests, even while the belt runs, so that the lower quarter of all
/// differences between a report and the one before is noise alone.
void WorldModel::measure_scatter(
    const std::map<std::string, const devices::Detection*>& detections) {
  std::vector<double> apart_m;
  for (const auto& [name, detection] : detections) {
    const Vector3 p_W = detection->X_WP.translation();
    const auto [last, is_new] = last_p_W_.try_emplace(name, p_W);
    if (!is_new) {
      apart_m.push_back((p_W - last->second).norm());
      last->second = p_W;
    }
  }
  constexpr std::size_t kEnough = 4;
  if (apart_m.size() < kEnough) {
    return;
  }
  const auto quarter = apart_m.begin() + static_cast<std::ptrdiff_t>(apart_m.size() / 4);
  std::nth_element(apart_m.begin(), quarter, apart_m.end());
  // a quarter of differences in the plane are below 0.759 deviations, and these are √2 of noise
  const double now_m = *quarter / (0.759 * std::sqrt(2.0));
  constexpr double kShare = 0.1;
  scatter_m_ = scatter_m_ == 0.0 ? now_m : scatter_m_ + kShare * (now_m - scatter_m_);
}

bool WorldModel::is_noisy() const {
  return kNotNoise * scatter_m_ > 2.0 * config_.moved_m;
}

std::int64_t WorldModel::frames_to_trust() const {
  return std::clamp(frames_for(scatter_m_, kTrusted_m), kLeastToTrust, kMostToTrust);
}

void WorldModel::take(const std::string& camera, const devices::Detection& detection, Time stamp,
                      Time now) {
  const PartKind* part = ontology_.part_of(detection.name);
  const TrayKind* tray = ontology_.tray_of(detection.name);
  if (part == nullptr && tray == nullptr) {
    return;
  }
  std::optional<ObjectRow> known = tables_->find(detection.name);
  ObjectRow row = known.value_or(ObjectRow{});
  SeenObject& object = row.object;
  if (known && stamp < object.moved) {
    object.heard = now;  // from before it moved, and late
    tables_->put(row);
    return;
  }
  const double noise_m =
      kNotNoise * scatter_m_ *
      std::sqrt(1.0 + 1.0 / static_cast<double>(std::max<std::int64_t>(object.frames, 1)));
  const bool has_moved = !known || object.is_missing || object.is_stale || object.frames == 0 ||
                         (detection.X_WP.translation() - object.X_WO.translation()).norm() >
                             std::max(config_.moved_m, noise_m) ||
                         angle_between(detection.X_WP, object.X_WO) > config_.moved_deg * kDegree;
  if (has_moved) {
    object.X_WO = detection.X_WP;
    object.frames = 1;
    object.moved = stamp;
  } else {
    const std::int64_t most = std::min(frames_for(scatter_m_, kBest_m), kMostFrames);
    object.frames = std::min(object.frames + 1, std::max(config_.frames, most));
    object.X_WO = averaged(object.X_WO, detection.X_WP, object.frames);
  }
  object.name = detection.name;
  object.kind = part != nullptr ? part->name : tray->name;
  object.seen = std::max(object.seen, stamp);
  object.heard = now;
  object.camera = camera;
  object.confidence = detection.confidence;
  object.is_missing = false;
  object.is_stale = false;
  row.is_tray = tray != nullptr;
  row.missed = 0;
  tables_->put(row);
}

void WorldModel::age(Time now) {
  for (ObjectRow& row : tables_->all()) {
    const bool is_stale = now - row.object.heard > config_.stale_after;
    if (is_stale != row.object.is_stale) {
      row.object.is_stale = is_stale;
      tables_->put(row);
    }
  }
}

void WorldModel::look_afresh(const std::string& object, Time since) {
  if (std::optional<ObjectRow> row = tables_->find(object)) {
    row->object.frames = 0;
    row->object.moved = since;
    tables_->put(*row);
  }
}

void WorldModel::put_slots() {
  for (const SlotView& slot : slots()) {
    tables_->put_slot(slot);
  }
}

void WorldModel::set_robot(const RobotRow& robot, Time now) {
  tables_->put_robot(robot, now);
}

void WorldModel::note(Time now, const std::string& who, const std::string& what) {
  tables_->put_event(now, who, what);
}

std::vector<SlotView> WorldModel::empty_slots() const {
  std::vector<SlotView> out;
  for (const ObjectRow& row : tables_->all()) {
    const TrayKind* kind = row.is_tray ? ontology_.tray_of(row.object.name) : nullptr;
    if (kind == nullptr) {
      continue;
    }
    for (const SlotKind& slot : kind->slots) {
      SlotView view;
      view.name = row.object.name + "_" + slot.name;
      view.tray = row.object.name;
      view.slot = slot.name;
      view.takes = slot.part;
      view.is_kit = kind->is_kit();
      view.X_WS = row.object.X_WO * Eigen::Translation3d(slot.seat());
      const Zone* zone = ontology_.zone_at(row.object.X_WO.translation());
      view.zone = zone == nullptr ? "" : zone->name;
      view.is_known = !row.object.is_missing && !row.object.is_stale;
      view.frames = row.object.frames;
      out.push_back(std::move(view));
    }
  }
  return out;
}

PartView WorldModel::judged(const SeenObject& object, const std::vector<SlotView>& slots) const {
  PartView view;
  view.object = object;
  const Zone* zone = ontology_.zone_at(object.X_WO.translation());
  view.zone = zone == nullptr ? "" : zone->name;
  if (object.is_missing || object.is_stale) {
    view.state = object.is_missing ? PartState::kMissing : PartState::kStale;
    return view;
  }
  const bool is_upright =
      tilt_between(object.X_WO, Pose::Identity()) < config_.upright_deg * kDegree;
  double nearest_m = config_.slot_radius_m;
  const SlotView* slot = nullptr;
  Vector3 p_SP = Vector3::Zero();
  for (const SlotView& each : slots) {
    const Vector3 p = each.X_WS.inverse() * object.X_WO.translation();
    const double beside_m = p.head<2>().norm();
    if (beside_m < nearest_m && std::abs(p.z()) < kSlotHeight_m) {
      nearest_m = beside_m;
      slot = &each;
      p_SP = p;
    }
  }
  if (slot == nullptr) {
    const bool is_high =
        zone != nullptr && object.X_WO.translation().z() - zone->surface_m > config_.lying_height_m;
    view.state = is_high ? PartState::kInAir : is_upright ? PartState::kLoose : PartState::kFallen;
    return view;
  }
  view.slot = slot->name;
  const auto share = [](std::int64_t frames) {
    return 1.0 / static_cast<double>(std::max<std::int64_t>(frames, 1));
  };
  const double noise_m =
      kNotNoiseOfMean * scatter_m_ * std::sqrt(share(object.frames) + share(slot->frames));
  const bool is_seated = slot->takes == object.kind &&
                         nearest_m <= std::max(config_.seated_m, is_noisy() ? noise_m : 0.0) &&
                         std::abs(p_SP.z()) <= config_.seated_height_m &&
                         tilt_between(object.X_WO, slot->X_WS) <= config_.seated_deg * kDegree;
  view.state = is_seated    ? PartState::kSeated
               : is_upright ? PartState::kCrooked
                            : PartState::kFallen;
  return view;
}

std::vector<PartView> WorldModel::parts() const {
  const std::vector<SlotView> slots = empty_slots();
  std::vector<PartView> out;
  for (const ObjectRow& row : tables_->all()) {
    if (!row.is_tray) {
      out.push_back(judged(row.object, slots));
    }
  }
  return out;
}

std::vector<SlotView> WorldModel::slots() const {
  std::vector<SlotView> out = empty_slots();
  for (const PartView& part : parts()) {
    for (SlotView& slot : out) {
      if (slot.name == part.slot && (slot.part.empty() || part.state == PartState::kSeated)) {
        slot.part = part.object.name;
        slot.is_filled = part.state == PartState::kSeated;
      }
    }
  }
  return out;
}

std::vector<SeenObject> WorldModel::trays() const {
  std::vector<SeenObject> out;
  for (const ObjectRow& row : tables_->all()) {
    if (row.is_tray) {
      out.push_back(row.object);
    }
  }
  return out;
}

std::vector<RobotRow> WorldModel::robots() const {
  return tables_->robots();
}

std::optional<PartView> WorldModel::part(const std::string& name) const {
  const std::optional<ObjectRow> row = tables_->find(name);
  return row && !row->is_tray ? std::optional(judged(row->object, empty_slots())) : std::nullopt;
}

std::optional<SlotView> WorldModel::slot(const std::string& name) const {
  const std::vector<SlotView> all = slots();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SlotView& each) { return each.name == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::optional<SeenObject> WorldModel::tray(const std::string& name) const {
  const std::optional<ObjectRow> row = tables_->find(name);
  return row && row->is_tray ? std::optional(row->object) : std::nullopt;
}

std::optional<Time> WorldModel::last_frame(const std::string& camera) const {
  const std::optional<CameraRow> row = tables_->camera(camera);
  return row ? row->stamp : std::nullopt;
}

std::optional<CameraRow> WorldModel::camera(const std::string& name) const {
  return tables_->camera(name);
}

std::optional<double> WorldModel::distance_to_station_m() const {
  const BeltAbility& belt = ontology_.belt;
  std::optional<double> foremost;
  for (const SeenObject& tray : trays()) {
    const Zone* zone = ontology_.zone_at(tray.X_WO.translation());
    if (zone == nullptr || !zone->is_belt || tray.is_missing) {
      continue;
    }
    const double along = belt.direction * tray.X_WO.translation().x();
    foremost = std::max(foremost.value_or(along), along);
  }
  if (!foremost) {
    return std::nullopt;
  }
  return belt.direction * belt.station_x_m - *foremost;
}

}  // namespace longarm::kitting
