// SPDX-License-Identifier: Apache-2.0
// What a set of contacts with friction can exert on a body, and whether some wrench is among it.
#pragma once

#include <span>

#include <Eigen/Core>

#include "longarm/model/shape.h"

namespace longarm::mechanisms {

/// A contact, seen from the body that it holds.
struct HoldingContact {
  model::Vector3 p = model::Vector3::Zero();        ///< from the body's centre of mass
  model::Vector3 normal = model::Vector3::UnitZ();  ///< into the body
  double friction = 0.0;
};

/// All wrenches that the contacts can exert: forces within each one's cone of friction, summed up.
/// Walls of a pocket or of a conical slot hold by their normals, a flat bottom by its friction, and
/// a body tips where no point of the bottom is left to push from.
class FrictionCone {
 public:
  using Wrench6 = Eigen::Matrix<double, 6, 1>;  ///< force, then torque about the centre of mass

  FrictionCone() = default;
  /// Of more contacts than it takes it uses those farthest apart.
  explicit FrictionCone(std::span<const HoldingContact> contacts);

  /// Whether contacts exert `wrench`, give or take `tolerance_N` of force, or of torque over the
  /// distance of the farthest contact. Starts from what it found the last time.
  bool contains(const Wrench6& wrench, double tolerance_N);

 private:
  using Generators = Eigen::Matrix<double, 6, Eigen::Dynamic>;

  /// A few rounds of going to the nearest solution and cutting off what pulls: finds all but the
  /// closest calls.
  bool accepts_quickly(const Wrench6& target, double tolerance_N);

  double length_m_ = 1.0;    ///< makes forces of torques
  Generators generators_;    ///< edges of all cones
  Generators inverse_;       ///< transposed pseudo-inverse of those
  Eigen::VectorXd amounts_;  ///< of each generator in the last solution
  Wrench6 accepted_ = Wrench6::Zero();
  bool has_accepted_ = false;
};

/// The smallest distance of `target` from sums of the columns with amounts of zero and more.
double distance_to_cone(const Eigen::Matrix<double, 6, Eigen::Dynamic>& columns,
                        const Eigen::Matrix<double, 6, 1>& target);

}  // namespace longarm::mechanisms
