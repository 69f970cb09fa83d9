// SPDX-License-Identifier: Apache-2.0
// The bodies of a cell and their shapes in ODE, some of them merged into others.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/ode/ode_contacts.h"
#include "longarm/physics/ode/ode_world.h"

namespace longarm::physics {

/// ODE's bodies sit at their centres of mass; everything here speaks of our body frames instead. A
/// body that is merged into another lends it its shapes and its mass, and sleeps.
class OdeBodies {
 public:
  OdeBodies(const FlatCell& cell, OdeWorld& world, std::span<const model::Pose> X_WB);

  /// What moves a body: its own ODE body, or that of the root it is merged into. Null for a body
  /// that does not move.
  dBodyID mover(BodyId body) const { return ids_[static_cast<std::size_t>(merged_.root(body))]; }
  model::Pose pose(BodyId body) const;
  Twist twist(BodyId body) const;
  /// Centre of mass of a body alone.
  model::Vector3 centre_of_mass(BodyId body) const;
  /// Does nothing for a body that is merged into another.
  void put(BodyId body, const model::Pose& X_WB, const Twist& twist);
  /// Acts during the coming step, torque about the body's own centre of mass.
  void push(BodyId body, const Wrench& wrench);

  const MergedBodies& merged() const { return merged_; }
  /// Also whether ODE's joints allow it: a root with joints must be one slider on a fixed base, for
  /// which only the mass counts.
  bool can_merge(BodyId a, BodyId b) const;
  /// Two free bodies keep their common momentum; a base or a slider keeps its velocity.
  void merge(BodyId a, BodyId b);
  void split(BodyId b);
  /// Around a step: what holds the merged bodies follows from how the roots moved.
  void before_step();
  /// What else acted during the step on a body, known only afterwards.
  void add_load(BodyId body, const Wrench& wrench) { merged_.add_load(body, wrench); }
  void after_step(std::span<const Contact> contacts, double period_s);
  /// Lets merged bodies follow their roots in a list of poses.
  void follow_roots(std::span<model::Pose> X_WB) const;

  /// Holds up what rotor inertia added to sliding bodies: it has inertia but no weight.
  void carry_rotors() const;
  /// Puts the shapes that only answer questions where bodies at `X_WB` would have them.
  void place_query_shapes(std::span<const model::Pose> X_WB) const;
  /// Whether every body moves at a speed that ODE can go on with.
  bool are_sane() const;

 private:
  struct BodyShape {
    dGeomID id;
    dGeomID query;  ///< its twin for questions
    model::Pose X_BG;
  };
  struct Rotor {
    dBodyID body;
    model::Vector3 lift;  ///< N
  };

  void make_body(std::size_t number, dWorldID world);
  void make_shapes(std::size_t number, OdeWorld& world, const model::Pose& X_WB);
  BodyMotion motion(BodyId body) const { return {pose(body), twist(body), {}}; }
  bool is_loaded_root(BodyId body) const {
    return merged_.has_load(body) && !merged_.is_merged(body);
  }
  /// Gives a root the mass of its whole tree, and puts it where it is.
  void weigh(BodyId root, const model::Pose& X_WB, const Twist& twist);
  /// Hangs the shapes of a body on what moves it.
  void hang_shapes(BodyId body);
  void hang_tree(BodyId root);

  const FlatCell& cell_;
  MergedBodies merged_;
  std::vector<dBodyID> ids_;             ///< null for a body that never moves
  std::vector<model::Vector3> centres_;  ///< where ODE's body is in ours
  std::vector<dMass> own_masses_;        ///< with rotors
  std::vector<model::Pose> static_poses_;
  std::vector<std::vector<BodyShape>> shapes_;        ///< by body
  std::vector<std::unique_ptr<OdeShape>> user_data_;  ///< of the shapes
  std::vector<Rotor> rotors_;
  std::vector<BodyMotion> motions_;  ///< of roots with a load
};

}  // namespace longarm::physics
