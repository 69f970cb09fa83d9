// SPDX-License-Identifier: Apache-2.0
// Parts that move along with fingers, belts and other parts, where nothing has mass.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/convex_shape.h"
#include "longarm/physics/engine.h"
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

/// Geometry instead of forces. Two gripping bodies that close on a part hold it: they come no
/// nearer to each other, and the part moves with them until they part again; then it drops straight
/// down, at once, onto the first thing in its way. A part on a belt, or on a part that is carried,
/// moves along. Nothing slides, nothing is shoved, and nothing else stops anything.
///
/// Parts are bodies that float freely and carry no joints. They lie on other parts, on what never
/// moves, and on belts: sliders that are fixed to the world and have no other joint.
class CarriedParts {
 public:
  explicit CarriedParts(const FlatCell& cell);

  bool has_parts() const { return !parts_.empty(); }
  void set_gripping(BodyId body);
  /// Whether something else than its own twist moves the body.
  bool is_carried(std::size_t body) const { return carriers_[body] >= 0; }
  /// Somebody put it elsewhere.
  void forget(BodyId body);

  /// Marks the joints that would press fingers further into what they hold, by joint. `X_WB` are
  /// poses before the step, `X_WN` after it. False: none.
  bool find_blocked(std::span<const model::Pose> X_WB, std::span<const model::Pose> X_WN,
                    std::span<char> is_blocked) const;
  /// Moves what is carried from the poses before the step, `X_WB`, into those after it.
  void carry(std::span<const model::Pose> X_WB, std::span<model::Pose> X_WN,
             std::span<Twist> twists, double period_s);

  /// What is between fingers touches them, and what lies on something touches that; without force.
  std::span<const Contact> contacts() const { return contacts_; }

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  struct Form {
    model::Pose X_BG;
    ConvexShape shape;
  };
  struct Body {
    std::vector<Form> forms;
    model::Vector3 middle_B = model::Vector3::Zero();
    double reach_m = 0.0;     ///< of a sphere about the middle around everything
    bool is_endless = false;  ///< has a half space
    bool is_part = false;
    bool carries = false;    ///< parts may lie on it
    bool is_moving = false;  ///< a belt or a part
  };
  struct Fingers {
    int a = 0;
    int b = 0;
    std::vector<int> joints;  ///< that move one against the other, with their leaders
  };
  struct Grasp {
    int part = 0;
    std::size_t fingers = 0;
    double gap_m = 0.0;  ///< between the fingers' middles when they took it
    model::Pose X_AP;
  };

  bool is_held(int part) const;
  double gap(const Fingers& fingers, std::span<const model::Pose> X_WB) const;
  bool do_touch(int a, const model::Pose& X_WA, int b, const model::Pose& X_WB) const;
  /// The body that is touched first within `way_m` below, and how far below; -1: none is.
  struct Below {
    int body = -1;
    double way_m = 0.0;
  };
  Below look_below(int part, double way_m, std::span<const model::Pose> X_WB) const;

  void let_go(std::span<model::Pose> X_WB, std::span<Twist> twists);
  void take(std::span<const model::Pose> X_WB, std::span<const model::Pose> X_WN);
  void drop(int part, std::span<model::Pose> X_WB);
  void move_held(std::span<const model::Pose> X_WB, std::span<model::Pose> X_WN,
                 std::span<Twist> twists, double period_s);
  void move_along(int part, std::span<const model::Pose> X_WB, std::span<model::Pose> X_WN,
                  std::span<Twist> twists, double period_s);
  void tell_contacts(std::span<const model::Pose> X_WB);

  const FlatCell& cell_;
  std::vector<Body> bodies_;
  std::vector<int> parts_;
  std::vector<int> gripping_;
  std::vector<Fingers> fingers_;
  std::vector<Grasp> grasps_;
  // by body
  std::vector<int> supports_;    ///< what it lies on; -1: nothing, -2: not known
  std::vector<double> came_m_;   ///< with its support, since that was looked for
  std::vector<int> carriers_;    ///< what moved it in the last step; -1: nothing
  std::vector<char> has_moved_;  ///< in this step
  std::vector<Contact> contacts_;
};

}  // namespace longarm::physics
