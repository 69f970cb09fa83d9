// SPDX-License-Identifier: Apache-2.0
// What each variable of a Robotiq gripper does.
#include "longarm/robots/ur/robotiq.h"

#include <algorithm>
#include <cmath>

namespace longarm::robots {
namespace {

// those that can be set; the auto-release's direction has two spellings among clients
enum Variable : std::size_t { kAct, kGto, kAtr, kArd, kFor, kSpe, kPos };
constexpr std::array<std::string_view, 7> kNames{"ACT", "GTO", "ATR", "ARD", "FOR", "SPE", "POS"};
constexpr int kFull = 255;
// half the force, as descriptions of the gripper have it
constexpr int kUsualForce = 128;
// an auto-release is slow
constexpr int kReleaseSpeed = 0;

std::optional<std::size_t> number_of(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name == "ADR" ? "ARD" : name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - kNames.begin()));
}

bool is_switch(std::size_t variable) {
  return variable <= kArd;
}

double share(int value) {
  return static_cast<double>(value) / kFull;
}

}  // namespace

Robotiq::Robotiq(LinkageGripper& gripper, bool is_active) : gripper_(gripper) {
  wanted_[kSpe] = kFull;
  wanted_[kFor] = kUsualForce;
  if (is_active) {
    wanted_[kAct] = wanted_[kGto] = 1;
    wanted_[kPos] = position();
    phase_ = Phase::kActive;
  }
}

std::optional<int> Robotiq::get(std::string_view variable) const {
  if (variable == "POS") {
    return position();
  }
  if (variable == "PRE") {
    return wanted_[kPos];
  }
  if (variable == "STA") {
    return status();
  }
  if (variable == "OBJ") {
    return object();
  }
  if (variable == "FLT") {
    return fault();
  }
  const std::optional<std::size_t> number = number_of(variable);
  return number ? std::optional(wanted_[*number]) : std::nullopt;
}

bool Robotiq::set(std::span<const Setting> settings) {
  std::array<int, 7> next = wanted_;
  for (const auto& [name, value] : settings) {
    const std::optional<std::size_t> number = number_of(name);
    if (!number || value < 0 || value > (is_switch(*number) ? 1 : kFull)) {
      return false;
    }
    next[*number] = value;
  }
  std::swap(wanted_, next);
  act(next);
  return true;
}

void Robotiq::wire(bool is_on) {
  if (wire_ == is_on) {
    return;
  }
  // the level it starts with is no command
  if (std::exchange(wire_, is_on)) {
    const Setting settings[] = {{"POS", is_on ? kFull : 0}, {"GTO", 1}};
    set(settings);
  }
}

void Robotiq::act(const std::array<int, 7>& before) {
  if (wanted_[kAct] == 0) {
    if (phase_ != Phase::kReset) {
      gripper_.stop();
      phase_ = Phase::kReset;
      wanted_[kGto] = wanted_[kAtr] = 0;
    }
    return;
  }
  if (phase_ == Phase::kReset) {
    phase_ = Phase::kCalibrates;
    go_to(kFull, kFull, 0);
  } else if (phase_ != Phase::kReleases && phase_ != Phase::kReleased && wanted_[kAtr] == 1) {
    phase_ = Phase::kReleases;
    go_to(wanted_[kArd] == 1 ? 0 : kFull, kReleaseSpeed, 0);
  } else if (phase_ == Phase::kActive && wanted_[kGto] == 0 && before[kGto] == 1) {
    gripper_.stop();
  } else if (phase_ == Phase::kActive && wanted_[kGto] == 1 && wanted_ != before) {
    go();
  }
}

void Robotiq::go() {
  go_to(wanted_[kPos], wanted_[kSpe], wanted_[kFor]);
}

void Robotiq::go_to(int position, int speed, int force) {
  const Linkage& linkage = gripper_.linkage();
  gripper_.go_to({std::lerp(linkage.open_rad(), linkage.closed_rad(), share(position)),
                  std::lerp(range_.least_speed_m_s, range_.most_speed_m_s, share(speed)),
                  std::lerp(range_.least_force_N, range_.most_force_N, share(force))});
}

void Robotiq::after_step() {
  if (gripper_.state() == LinkageState::kMoving) {
    return;
  }
  switch (phase_) {
    case Phase::kCalibrates:
      phase_ = Phase::kCalibratesBack;
      return go_to(0, kFull, 0);
    case Phase::kCalibratesBack:
      phase_ = Phase::kActive;
      // what was asked for meanwhile was only delayed
      return wanted_[kGto] == 1 ? go() : void(wanted_[kPos] = 0);
    case Phase::kReleases:
      phase_ = Phase::kReleased;
      return;
    case Phase::kReset:
    case Phase::kActive:
    case Phase::kReleased:
      return;
  }
}

int Robotiq::position() const {
  const Linkage& linkage = gripper_.linkage();
  const double turned =
      (gripper_.angle_rad() - linkage.open_rad()) / (linkage.closed_rad() - linkage.open_rad());
  return static_cast<int>(std::lround(kFull * std::clamp(turned, 0.0, 1.0)));
}

int Robotiq::status() const {
  const bool calibrates = phase_ == Phase::kCalibrates || phase_ == Phase::kCalibratesBack;
  return phase_ == Phase::kReset ? 0 : calibrates ? 1 : 3;
}

int Robotiq::object() const {
  if (phase_ != Phase::kActive) {
    return 0;
  }
  // the order of the enumeration is that of the numbers
  return static_cast<int>(gripper_.state());
}

/// 5: delayed by the activation; 7: not activated; 11 and 15: auto-release under way, and done.
int Robotiq::fault() const {
  switch (phase_) {
    case Phase::kReset:
      return wanted_[kGto] == 1 ? 7 : 0;
    case Phase::kCalibrates:
    case Phase::kCalibratesBack:
      return wanted_[kGto] == 1 ? 5 : 0;
    case Phase::kActive:
      return 0;
    case Phase::kReleases:
      return 11;
    case Phase::kReleased:
      break;
  }
  return 15;
}

}  // namespace longarm::robots
