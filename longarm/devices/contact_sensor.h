// SPDX-License-Identifier: Apache-2.0
// A contact sensor on named collision shapes: who touches whom, how hard, where, how deep.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/devices/device_link.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::devices {

/// One collision shape of a cell.
struct CollisionRef {
  physics::BodyId body{};
  int geometry = 0;  ///< of the body's collisions
};

/// One point at which a watched shape was touched during the last step.
struct Touch {
  int own = 0;  ///< number of the watched shape
  physics::BodyId other{};
  int other_geometry = 0;
  model::Vector3 force_on_own_W = model::Vector3::Zero();
  model::Vector3 p_W = model::Vector3::Zero();
  double depth_m = 0.0;
};

struct TouchReport {
  Time stamp{};
  std::vector<Touch> touches;
};

class ContactSensor {
 public:
  /// Borrows the engine, which was made of `cell`. A name is that of a collision, of a body or of a
  /// placement, or several of these joined by `::` from the outside in (`gripper::finger::pad`); it
  /// stands for every shape it fits. Throws InputError for one that fits nothing.
  ContactSensor(const physics::Engine& engine, const model::Cell& cell,
                const std::vector<std::string>& names);

  /// Reads the contacts of the last step.
  void update();

  /// In the order of the engine's contacts; a shape that lies flat is touched at several points.
  std::span<const Touch> touches() const { return touches_; }
  std::span<const CollisionRef> watched() const { return watched_; }
  /// Sum over a watched shape.
  model::Vector3 force_on_own_W(int own) const;
  bool is_touched(int own) const;

  /// From now on looks every `step` and reports through `send` while there is something to tell.
  void connect(sim::Kernel& kernel, Duration step, Send<TouchReport> send);

 private:
  int number_of(physics::BodyId body, int geometry) const;
  void note(int own, const physics::Contact& contact, bool is_a);

  const physics::Engine& engine_;
  std::vector<CollisionRef> watched_;
  std::vector<std::vector<int>> numbers_;  ///< by body and collision: watched shape or -1
  std::vector<Touch> touches_;
};

}  // namespace longarm::devices
