// SPDX-License-Identifier: Apache-2.0
// Builds the grasp scene out of primitives and steps it.
#include "labs/benches/grasp_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "labs/benches/scene.h"

namespace longarm::benches {
namespace {

using model::Vector3;

constexpr double kDiscRadius_m = 0.030;
constexpr double kDiscHeight_m = 0.008;
constexpr double kGraspedPegRadius_m = 0.004;
constexpr double kPegHeight_m = 0.020;

constexpr double kFingerMass_kg = 0.1;
constexpr double kCarriageMass_kg = 1.0;
// A pad touches with two ribs. A smooth one would do on MuJoCo; ODE gives all points between a
// cylinder and a box the same depth, so that nothing keeps a peg upright between two boxes.
const Vector3 kPadSize_m(0.008, 0.016, 0.012);
const Vector3 kRibSize_m(0.008, 0.016, 0.003);
// of each finger: from open until it meets the other, and, where that has given way, beyond
constexpr double kStroke_m = 0.016;
constexpr double kWholeStroke_m = 0.030;
// the pads' middle over the table; they reach the peg's upper part and stay clear of the disc
constexpr double kGripHeight_m = 0.020;
// the pads meet here, and the part must fit between them when they are open
constexpr double kMostOffset_m = kStroke_m - kGraspedPegRadius_m - 0.001;

// a table does not hold a part back as pads do
constexpr double kTableFriction = 0.5;

// A finger's drive. With more it would pass the peg's 4 mm radius within a step of 1 ms; no more
// than that speed comes of it: √(2·100 N/0.1 kg·30 mm) = 7.7 m/s
constexpr double kMostForce_N = 100.0;
constexpr double kMostSpeed_m_s = 8.0;

constexpr double kFree = std::numeric_limits<double>::infinity();

/// Disc and peg of one density; the frame is their common centre of mass.
model::Body make_gear(double mass_kg, const model::Surface& surface) {
  const double disc_volume = kDiscRadius_m * kDiscRadius_m * kDiscHeight_m;
  const double peg_volume = kGraspedPegRadius_m * kGraspedPegRadius_m * kPegHeight_m;
  const double peg_share = peg_volume / (disc_volume + peg_volume);
  const double distance_m = (kDiscHeight_m + kPegHeight_m) / 2.0;
  const double disc_z = -peg_share * distance_m;
  const double peg_z = (1.0 - peg_share) * distance_m;

  const double peg_kg = peg_share * mass_kg;
  const double disc_kg = mass_kg - peg_kg;
  model::Body gear;
  gear.inertial.mass_kg = mass_kg;
  gear.inertial.inertia_kg_m2 =
      solid_cylinder(disc_kg, kDiscRadius_m, kDiscHeight_m).inertia_kg_m2 +
      solid_cylinder(peg_kg, kGraspedPegRadius_m, kPegHeight_m).inertia_kg_m2;
  // parallel axes
  const double steiner = disc_kg * disc_z * disc_z + peg_kg * peg_z * peg_z;
  gear.inertial.inertia_kg_m2 += Vector3(steiner, steiner, 0.0).asDiagonal();

  gear.collisions.push_back(shape_at(model::Cylinder{kDiscRadius_m, kDiscHeight_m},
                                     at(0.0, 0.0, disc_z), surface.friction));
  gear.collisions.push_back(shape_at(model::Cylinder{kGraspedPegRadius_m, kPegHeight_m},
                                     at(0.0, 0.0, peg_z), surface.friction));
  // the disc stands on the table whatever the pads do to the peg
  gear.collisions.back().surface = surface;
  return gear;
}

double gear_centre_over_table() {
  const double disc_volume = kDiscRadius_m * kDiscRadius_m * kDiscHeight_m;
  const double peg_volume = kGraspedPegRadius_m * kGraspedPegRadius_m * kPegHeight_m;
  const double peg_share = peg_volume / (disc_volume + peg_volume);
  return kDiscHeight_m / 2.0 + peg_share * (kDiscHeight_m + kPegHeight_m) / 2.0;
}

void add_joint(model::BodyTree& tree, const char* name, int parent, const Vector3& axis,
               model::Body body) {
  model::TreeJoint joint;
  joint.name = name;
  joint.type = model::JointType::kPrismatic;
  joint.parent_body = parent;
  joint.axis = axis;
  body.name = name;
  tree.joints.push_back(std::move(joint));
  tree.bodies.push_back(std::move(body));
}

/// The fingers' joints grow while they close; the left one comes from -x.
void add_finger(model::BodyTree& tree, const char* name, double side, const GraspSceneConfig& c) {
  const double from_centre = kStroke_m + kPadSize_m.x() / 2.0;
  model::Body finger;
  finger.inertial = solid_box(kFingerMass_kg, kPadSize_m);
  for (const double end : {-1.0, 1.0}) {
    const double height = end * (kPadSize_m.z() - kRibSize_m.z()) / 2.0;
    finger.collisions.push_back(
        shape_at(model::Box{kRibSize_m}, at(0.0, 0.0, height), c.surface.friction));
    finger.collisions.back().surface = c.surface;
  }
  add_joint(tree, name, 3, Vector3(-side, 0.0, 0.0), std::move(finger));
  model::TreeJoint& joint = tree.joints.back();
  joint.X_PJ = at(side * from_centre, 0.0, 0.0);
  joint.limits.lower = 0.0;
  joint.limits.upper = kWholeStroke_m;
  joint.limits.velocity = kMostSpeed_m_s;
  joint.limits.effort = kMostForce_N;
  joint.dynamics.damping = c.finger_damping_N_s_m;
}

model::Placement make_gripper(const GraspSceneConfig& config) {
  model::Body base;
  model::Placement gripper = single_body("gripper", base, at(0.0, 0.0, kGripHeight_m), true);
  model::Body carriage;
  carriage.inertial = solid_box(kCarriageMass_kg, Vector3::Constant(0.1));
  add_joint(gripper.tree, "palm_x", 0, Vector3::UnitX(), carriage);
  add_joint(gripper.tree, "palm_y", 1, Vector3::UnitY(), carriage);
  add_joint(gripper.tree, "palm", 2, Vector3::UnitZ(), carriage);
  add_finger(gripper.tree, "left_finger", -1.0, config);
  add_finger(gripper.tree, "right_finger", 1.0, config);
  return gripper;
}

std::vector<control::Finger> make_fingers() {
  return {{.joint = physics::JointId{3}, .body = physics::BodyId{5}},
          {.joint = physics::JointId{4}, .body = physics::BodyId{6}}};
}

}  // namespace

void list_fields(Fields& fields, GraspSceneConfig& c) {
  fields.section("gripper", "how the fingers are driven",
                 [&](Fields& f) { list_fields(f, c.gripper); });
  fields.section("part", "the gear", [&](Fields& f) {
    f.field("mass_kg", c.part_mass_kg, "mass of disc and peg together");
    f.field("offset_m", c.part_offset_m,
            "offset along the closing axis from the middle between the fingers");
  });
  fields.field("friction", c.surface.friction, "friction between pads and peg; 1e9: no slip");
  fields.field("finger_damping_N_s_m", c.finger_damping_N_s_m, "damping of each finger's guide");
}

Judge judge_scene(const GraspSceneConfig& c) {
  // written so that a NaN is wrong, too
  const auto is_positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  const auto is_at_least_0 = [](double value) { return value >= 0.0 && std::isfinite(value); };
  Judge judge{judge_gripper(c.gripper, "gripper.")};
  judge.require(!(c.gripper.force_N > kMostForce_N), "gripper.force_N",
                fmt::format("gripper.force_N is {:g}: a finger's drive gives at most {:g} N",
                            c.gripper.force_N, kMostForce_N),
                "20 is usual");
  judge.require(is_positive(c.part_mass_kg), "part.mass_kg", "the part needs a mass",
                "0.05 is the gear's");
  judge.require(std::abs(c.part_offset_m) <= kMostOffset_m, "part.offset_m",
                fmt::format("the part would overlap a finger: open fingers leave {} m to each side",
                            kMostOffset_m),
                "0.005 is usual");
  judge.require(c.surface.friction >= 0.0, "friction", "friction must not be negative",
                "0.8 is usual; inf: no slip");
  judge.require(is_at_least_0(c.finger_damping_N_s_m), "finger_damping_N_s_m",
                "a damping must not be negative", "20 is usual");
  return judge;
}

model::Cell make_grasp_scene(const GraspSceneConfig& config) {
  const Vector3 size(0.4, 0.4, 0.02);
  model::Body table;
  table.collisions.push_back(shape_at(model::Box{size}, model::Pose::Identity(), kTableFriction));
  model::Cell cell;
  cell.placements.push_back(single_body("table", table, at(0.0, 0.0, -size.z() / 2.0), true));
  cell.placements.push_back(make_gripper(config));
  cell.placements.push_back(single_body("gear", make_gear(config.part_mass_kg, config.surface),
                                        at(config.part_offset_m, 0.0, gear_centre_over_table()),
                                        false));
  return cell;
}

GraspScene::GraspScene(const GraspSceneConfig& config, cell::World& world)
    : engine_(world.engine()),
      gripper_(world.engine(), make_fingers(), {.open = 0.0, .closed = kStroke_m}, config.gripper,
               world.period()) {
  require_contacts(world, "nothing is ever grasped");
  // nobody holds the fingers before they close
  for (const control::Finger& finger : gripper_.fingers()) {
    engine_.set_effort(finger.joint, 0.0);
  }
}

void GraspScene::move_palm(const Vector3& p) {
  for (int axis = 0; axis < 3; ++axis) {
    engine_.set_position(static_cast<physics::JointId>(axis), p[axis], kFree);
  }
}

void GraspScene::pull_part(const Vector3& force_W) {
  const Vector3 arm = engine_.pose(kPalm).translation() - X_WPart().translation();
  engine_.apply_wrench(kPart, {force_W, arm.cross(force_W)});
}

void GraspScene::before_step(Time now) {
  if (!is_closing_ && to_seconds(now) >= kSettle_s) {
    gripper_.close();
    is_closing_ = true;
  }
  gripper_.before_step();
}

void GraspScene::after_step() {
  const std::array<physics::BodyId, kFingers> own{gripper_.fingers()[0].body,
                                                  gripper_.fingers()[1].body};
  control::find_touched(engine_, gripper_.fingers(), own, is_touched_);
  gripper_.after_step(is_touched_);
}

model::Pose GraspScene::X_PalmPart() const {
  return engine_.pose(kPalm).inverse() * X_WPart();
}

double smooth_rise(double t) {
  const double s = std::clamp(t, 0.0, 1.0);
  return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

}  // namespace longarm::benches
