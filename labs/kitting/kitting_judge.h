// SPDX-License-Identifier: Apache-2.0
// Whether kits are made, judged on the world's truth alone. Internal to the folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::kitting {

/// What is asked for, in names of the cell.
struct JudgedKits {
  std::string kind;                ///< e.g. m2l1
  std::int64_t wanted = 0;         ///< how many trays are to be full
  std::vector<std::string> trays;  ///< placements that can become one
  /// How many gears of each size; empty: every slot is to be filled.
  std::map<std::string, std::int64_t> contents{};
};

struct JudgeLimits {
  double offset_m = 0.001;  ///< of a gear's frame from the slot's
  double tilt_rad = 0.0174532925;
  Duration stillness{1'000'000'000};
  double speed_m_s = 0.001;  ///< below it a gear is still
};

/// A slot holds its gear when one of its size sits in it, within the limits, without a finger that
/// touches it, and has been so and still for a second. A kit is complete when all its slots hold
/// theirs, or so many of them as were asked for.
class KittingJudge {
 public:
  /// `sizes` says of each part which slots it is for: those whose frame's name ends in `_SIZE`.
  /// Borrows the engine, which was made of `cell`. Throws InputError for a placement that is not
  /// there.
  KittingJudge(const physics::Engine& engine, const model::Cell& cell, std::vector<JudgedKits> kits,
               const std::map<std::string, std::string>& sizes, JudgeLimits limits = {});

  /// Between two steps, at least some times in a second.
  void look(Time now);

  std::int64_t kits_completed() const;
  std::int64_t kits_requested() const;
  std::int64_t slots_filled() const;
  /// The farthest that a gear lies from the middle of its slot; nothing if no slot is filled.
  std::optional<double> seat_error_m() const;
  /// When the last of the complete kits became so; nothing if none is.
  std::optional<Time> completed_at() const;
  /// Whether nothing but the second of stillness is missing.
  bool is_about_to_be_complete() const;
  nlohmann::ordered_json report() const;

 private:
  struct Slot {
    std::string name;
    std::string size;
    physics::BodyId tray{};
    model::Pose X_TS = model::Pose::Identity();
    int gear = -1;  ///< that sits in it; -1 for none
    std::optional<Time> since;
    double offset_m = 0.0;
    double tilt_rad = 0.0;
    bool is_done = false;  ///< right, let go and still for long enough
  };
  struct Tray {
    std::string name;
    std::size_t kind = 0;
    std::vector<Slot> slots;
  };
  struct Gear {
    std::string name;
    std::string size;
    physics::BodyId body{};
  };
  void judge(Slot& slot, Time now) const;
  bool is_touched_by_finger(physics::BodyId body) const;
  template <typename IsGood>
  bool is_complete(const Tray& tray, const IsGood& is_good) const;
  template <typename IsGood>
  std::int64_t count(const IsGood& is_good) const;

  const physics::Engine& engine_;
  std::vector<JudgedKits> kits_;
  JudgeLimits limits_;
  std::vector<Tray> trays_;
  std::vector<Gear> gears_;
  std::vector<bool> is_finger_;  ///< by body
};

}  // namespace longarm::kitting
