// SPDX-License-Identifier: Apache-2.0
// What a physics engine does for us; one conformance suite holds every engine to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/physics/joint_command.h"

namespace longarm::physics {

/// Numbers of bodies and joints as model::Cell counts them.
enum class BodyId : int {};
enum class JointId : int {};
enum class AttachmentId : int {};

/// What an engine can do beyond moving joints; the conformance suite skips by these, scenarios are
/// refused by them.
struct Capabilities {
  bool has_dynamics = false;  ///< masses, gravity and efforts act
  bool has_contacts = false;  ///< bodies collide, with forces
  bool has_constraint_motors =
      false;  ///< a blocked velocity motor presses with its limit from the first step
  bool has_attachments = false;  ///< attach() works and reports its reaction
  bool has_merging = false;      ///< attach() can make one rigid body of two
  bool has_rays = false;
  bool has_collision_query = false;      ///< collisions_at() works
  bool restores_exactly = false;         ///< save/restore repeats bit by bit
  bool is_thread_deterministic = false;  ///< same bits in any number of threads
  bool has_exact_rotor_inertia =
      false;  ///< reflected rotor inertia acts on the joint alone, also on a moving parent
  bool has_true_meshes =
      false;  ///< meshes touch as they are, notches and all; otherwise as their convex hulls
  bool has_exact_surfaces = false;  ///< contacts obey model::Surface to the letter, not only nearly
};

/// How attach() joins two bodies. Both hold equally and report the same reaction.
enum class Joining {
  kConstraint,  ///< six equations more for the solver
  kMerged,      ///< the second body's mass and shapes become part of the first: fewer of everything
};

/// One touching pair of collision shapes during the last step.
struct Contact {
  BodyId a{};
  BodyId b{};
  int geometry_a = 0;  ///< index into the body's collisions
  int geometry_b = 0;
  model::Vector3 p_W = model::Vector3::Zero();        ///< contact point
  model::Vector3 normal_W = model::Vector3::UnitZ();  ///< from a towards b
  double depth_m = 0.0;                               ///< > 0 when overlapping
  model::Vector3 force_on_b_W = model::Vector3::Zero();
};

struct Wrench {
  model::Vector3 force_W = model::Vector3::Zero();
  model::Vector3 torque_W = model::Vector3::Zero();  ///< about the body's centre of mass
};

struct Twist {
  model::Vector3 linear_W = model::Vector3::Zero();  ///< of the body frame's origin
  model::Vector3 angular_W = model::Vector3::Zero();
};

struct RayHit {
  BodyId body{};
  double distance_m = 0.0;
};

/// An engine's whole state at one instant, opaque to everyone else.
struct Snapshot {
  std::vector<double> numbers;
};

struct EngineOptions {
  Duration period{1'000'000};
  std::string solver{};                     ///< engine specific; empty means its default
  std::string integrator{};                 ///< likewise
  std::optional<double> error_reduction{};  ///< of ODE; absent: what suits joints and contacts
};

/// One simulated cell. Loading happens in the factory; everything after that neither throws nor
/// allocates. All poses, velocities and joint states are those of the present instant, i.e. of the
/// end of the last step. Joint commands persist until changed; the one given last wins, whatever
/// its mode.
class Engine {
 public:
  virtual ~Engine() = default;

  const Capabilities& capabilities() const { return do_capabilities(); }
  int joint_count() const { return static_cast<int>(positions().size()); }

  /// Advances by one period under the present commands.
  void step() { do_step(); }

  /// Per joint, in JointId order; the spans stay valid and follow the state.
  std::span<const double> positions() const { return do_positions(); }
  std::span<const double> velocities() const { return do_velocities(); }
  /// What each joint's actuator exerted during the last step.
  std::span<const double> efforts() const { return do_efforts(); }

  /// Exerts `effort` (N or N·m). The joint's effort limit is the caller's business.
  void set_effort(JointId joint, double effort);
  /// A motor that changes velocity by clamp(target - v, ±max_effort·h/m) per step. max_effort 0
  /// turns it off.
  void set_velocity(JointId joint, double velocity, double max_effort);
  /// Moves to `position` as far as one step and `max_effort` allow; infinite effort is a kinematic
  /// joint.
  void set_position(JointId joint, double position, double max_effort);
  /// Puts a joint somewhere at once, with a velocity.
  void reset_joint(JointId joint, double position, double velocity);
  /// Puts the root of a free placement somewhere at once.
  void reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist);

  model::Pose pose(BodyId body) const;
  Twist twist(BodyId body) const;
  /// Adds a force and a torque about the centre of mass for the next step only.
  void apply_wrench(BodyId body, const Wrench& wrench);

  /// Contacts of the last step, with the forces they carried.
  std::span<const Contact> contacts() const { return do_contacts(); }
  /// How many contacts went without a force so far because an engine had no room for more. Anything
  /// but zero is a warning: results are not to be trusted.
  std::uint64_t dropped_contacts() const { return do_dropped_contacts(); }
  /// Tells that this body holds others by friction, as a finger does: what it touches then does not
  /// creep along it, however long it is held. The limit of friction stays what it is. Engines whose
  /// contacts do not creep, or that have none, need not know.
  void set_gripping(BodyId body, bool is_gripping = true);
  /// Whether two bodies may touch. On by default except between neighbours in a tree.
  void set_pair_collision(BodyId a, BodyId b, bool enabled);

  /// Joins two bodies rigidly as they are now. Needs has_attachments. Their own contact is the
  /// caller's business. Merging needs can_merge(); a merged body keeps its number, its pose, its
  /// contacts and wrenches, and may carry others that are merged into it.
  AttachmentId attach(BodyId a, BodyId b, Joining joining = Joining::kConstraint);
  /// Lets a constraint hold b at `X_AB` from now on, e.g. where it is after `a` was put elsewhere.
  /// Joining anew would keep as a displacement by how much the joint gives under its load.
  void move_attachment(AttachmentId attachment, const model::Pose& X_AB);
  /// A body that was merged moves on with the velocity that it had as part of the other.
  void detach(AttachmentId attachment);
  /// Whether b can become part of a: it floats freely, carries no joints, and is not merged yet.
  bool can_merge(BodyId a, BodyId b) const;
  /// What the joint exerted on b during the last step, torque about b's centre of mass.
  Wrench attachment_reaction(AttachmentId attachment) const;

  /// First thing a ray meets; `direction_W` is a unit vector. Needs has_rays.
  std::optional<RayHit> ray(const model::Vector3& origin_W, const model::Vector3& direction_W,
                            double max_distance_m) const;
  /// Which pairs would overlap with the joints at `positions`; the simulated state does not change.
  std::vector<std::pair<BodyId, BodyId>> collisions_at(std::span<const double> positions) const;

  /// Need restores_exactly.
  Snapshot save() const;
  void restore(const Snapshot& snapshot);

 private:
  virtual const Capabilities& do_capabilities() const = 0;
  virtual void do_step() = 0;
  virtual std::span<const double> do_positions() const = 0;
  virtual std::span<const double> do_velocities() const = 0;
  virtual std::span<const double> do_efforts() const = 0;
  virtual void do_set_command(JointId joint, const JointCommand& command) = 0;
  virtual void do_reset_joint(JointId joint, double position, double velocity) = 0;
  virtual void do_reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) = 0;
  virtual model::Pose do_pose(BodyId body) const = 0;
  virtual Twist do_twist(BodyId body) const = 0;
  virtual void do_apply_wrench(BodyId body, const Wrench& wrench) = 0;
  virtual std::span<const Contact> do_contacts() const = 0;
  virtual std::uint64_t do_dropped_contacts() const { return 0; }
  virtual void do_set_gripping(BodyId, bool) {}
  virtual void do_set_pair_collision(BodyId a, BodyId b, bool enabled) = 0;
  virtual AttachmentId do_attach(BodyId a, BodyId b, Joining joining) = 0;
  virtual void do_move_attachment(AttachmentId, const model::Pose&) {}
  virtual void do_detach(AttachmentId attachment) = 0;
  virtual bool do_can_merge(BodyId, BodyId) const { return false; }
  virtual Wrench do_attachment_reaction(AttachmentId attachment) const = 0;
  virtual std::optional<RayHit> do_ray(const model::Vector3& origin_W,
                                       const model::Vector3& direction_W,
                                       double max_distance_m) const = 0;
  virtual std::vector<std::pair<BodyId, BodyId>> do_collisions_at(
      std::span<const double> positions) const = 0;
  virtual Snapshot do_save() const = 0;
  virtual void do_restore(const Snapshot& snapshot) = 0;
};

/// What to tell the user if dropped_contacts() is not zero.
std::string dropped_contacts_warning(const Engine& engine);

using EngineRegistry = Registry<Engine, const model::Cell&, const EngineOptions&>;

/// mujoco, ode and kinematic.
EngineRegistry built_in_engines();

}  // namespace longarm::physics
