// SPDX-License-Identifier: Apache-2.0
// What is known of the world, from camera frames and robots' statuses alone, kept in SQLite.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labs/kitting/ontology.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/devices/overhead_camera.h"

namespace longarm::kitting {

struct WorldModelConfig {
  std::int64_t frames = 20;  ///< averaged at most
  double moved_m = 0.002;    ///< farther from the average than this, or than noise: it has moved
  double moved_deg = 3.0;
  double seated_m = 0.0025;             ///< beside the middle of its slot, noise aside: in its seat
  double seated_height_m = 0.0015;      ///< above or below it
  double seated_deg = 2.0;              ///< tilt
  double slot_radius_m = 0.025;         ///< a part nearer than this is in the slot's way
  double upright_deg = 20.0;            ///< more tilt than this: fallen over
  double lying_height_m = 0.04;         ///< higher above its zone's surface than this: in the air
  std::int64_t missing_frames = 5;      ///< in view and not reported so often: not there any more
  Duration stale_after{3'000'000'000};  ///< nothing heard of it for longer: not known any more
  double least_confidence = 0.9;        ///< detections with less are left out
};
void list_fields(Fields& fields, WorldModelConfig& config);

enum class PartState {
  kSeated,   ///< upright in its slot, a slot for its kind
  kCrooked,  ///< in a slot but not in its seat, or in another kind's; can be picked if it is
             ///< upright
  kLoose,    ///< upright on a surface
  kFallen,   ///< tilted too far to be picked
  kInAir,    ///< above every surface: held, or falling
  kMissing,  ///< in view of a camera that does not report it
  kStale,    ///< not seen for long
};
std::string_view name_of(PartState state);

struct SeenObject {
  std::string name;
  std::string kind;
  Pose X_WO = Pose::Identity();  ///< average since it last moved
  std::int64_t frames = 0;       ///< that it is the average of; 0: of none since look_afresh()
  Time seen{};                   ///< stamp of the last frame with it
  Time moved{};                  ///< stamp of the first frame at this place
  Time heard{};                  ///< when the last frame with it arrived
  std::string camera;            ///< that saw it last
  double confidence = 0.0;
  bool is_missing = false;
  bool is_stale = false;
};

struct PartView {
  SeenObject object;
  PartState state = PartState::kStale;
  std::string slot;  ///< "m2l1_kit_1_slot_2" where it is in one
  std::string zone;  ///< empty: in none
};

struct SlotView {
  std::string name;   ///< "m2l1_kit_1_slot_2"
  std::string tray;   ///< "m2l1_kit_1"
  std::string slot;   ///< "slot_2"
  std::string takes;  ///< kind of part
  std::string zone;
  bool is_kit = false;
  Pose X_WS = Pose::Identity();  ///< of a seated part
  std::string part;              ///< that is in it or in its way; empty: it is free
  bool is_filled = false;        ///< by a seated part of its kind
  bool is_known = true;          ///< its tray is neither missing nor stale
  std::int64_t frames = 0;       ///< that its tray's place is the average of
};

/// What there is to say of a camera itself.
struct CameraRow {
  std::optional<Time> stamp{};  ///< of the newest frame that showed something
  std::optional<Time> shown{};  ///< when the last such frame arrived
  Time arrived{};               ///< when the last frame arrived, whatever it showed
};

/// As the executor learns it from statuses.
struct RobotRow {
  std::string name;
  bool works = true;
  std::string holds{};  ///< a part; empty: nothing
  std::string words{};  ///< e.g. why it does not work
};

class WorldModel {
 public:
  /// `file` is made anew; empty: in memory. Throws InputError if it cannot be written.
  WorldModel(const Ontology& ontology, const WorldModelConfig& config,
             const std::string& file = {});
  ~WorldModel();

  /// What a camera says, when it arrives; frames older than what is known change nothing.
  void update(const std::string& camera, const devices::CameraFrame& frame, Time now);
  /// Lets what was not seen for long become stale.
  void age(Time now);
  /// Averages only what is stamped `since` or later: something was done to the object, and with
  /// noisy cameras a small move does not show.
  void look_afresh(const std::string& object, Time since);
  void set_robot(const RobotRow& robot, Time now);
  void note(Time now, const std::string& who, const std::string& what);

  /// All in the order of their names.
  std::vector<PartView> parts() const;
  std::vector<SlotView> slots() const;
  std::vector<SeenObject> trays() const;
  std::vector<RobotRow> robots() const;
  std::optional<PartView> part(const std::string& name) const;
  std::optional<SlotView> slot(const std::string& name) const;
  std::optional<SeenObject> tray(const std::string& name) const;

  /// Stamp of the newest frame of a camera that showed something; nothing: there was none.
  std::optional<Time> last_frame(const std::string& camera) const;
  /// Nothing: it never sent a frame.
  std::optional<CameraRow> camera(const std::string& name) const;

  /// How far detections of what rests lie from each other, along one axis: the cameras' noise.
  double scatter_m() const { return scatter_m_; }
  /// Noise hides moves that matter.
  bool is_noisy() const;
  /// An average of so many frames can be relied on, given the noise.
  std::int64_t frames_to_trust() const;
  /// How far the belt has to carry its trays until they are at the station; nothing: it has none.
  /// Positive: along the belt's direction.
  std::optional<double> distance_to_station_m() const;

  const Ontology& ontology() const { return ontology_; }
  const WorldModelConfig& config() const { return config_; }

 private:
  struct Tables;

  void take(const std::string& camera, const devices::Detection& detection, Time stamp, Time now);
  void measure_scatter(const std::map<std::string, const devices::Detection*>& detections);
  void put_slots();
  std::vector<SlotView> empty_slots() const;
  PartView judged(const SeenObject& object, const std::vector<SlotView>& slots) const;

  const Ontology& ontology_;
  WorldModelConfig config_;
  std::unique_ptr<Tables> tables_;
  std::map<std::string, Vector3> last_p_W_;  ///< of objects, as last reported
  double scatter_m_ = 0.0;
};

}  // namespace longarm::kitting
