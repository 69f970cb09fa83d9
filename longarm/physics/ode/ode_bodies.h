// SPDX-License-Identifier: Apache-2.0
// The bodies of a cell and their shapes in ODE.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/ode/ode_contacts.h"
#include "longarm/physics/ode/ode_world.h"

namespace longarm::physics {

/// ODE's bodies sit at their centres of mass; everything here speaks of our body frames instead.
class OdeBodies {
 public:
  OdeBodies(const FlatCell& cell, OdeWorld& world, std::span<const model::Pose> X_WB);

  /// Null for a body that never moves.
  dBodyID id(BodyId body) const { return ids_[static_cast<std::size_t>(body)]; }
  model::Pose pose(BodyId body) const;
  Twist twist(BodyId body) const;
  void put(BodyId body, const model::Pose& X_WB, const Twist& twist);

  /// Holds up what rotor inertia added to sliding bodies: it has inertia but no weight.
  void carry_rotors() const;
  /// Puts the shapes that only answer questions where bodies at `X_WB` would have them.
  void place_query_shapes(std::span<const model::Pose> X_WB) const;
  /// Whether every body moves at a speed that ODE can go on with.
  bool are_sane() const;

 private:
  struct QueryShape {
    dGeomID id;
    std::size_t body;
    model::Pose X_BG;
  };
  struct Rotor {
    dBodyID body;
    model::Vector3 lift;  ///< N
  };

  void make_body(std::size_t number, dWorldID world);
  void make_shapes(std::size_t number, OdeWorld& world, const model::Pose& X_WB);

  const FlatCell& cell_;
  std::vector<dBodyID> ids_;
  std::vector<model::Pose> static_poses_;
  std::vector<std::unique_ptr<OdeShape>> shapes_;
  std::vector<QueryShape> query_shapes_;  ///< of bodies that move
  std::vector<Rotor> rotors_;
};

}  // namespace longarm::physics
