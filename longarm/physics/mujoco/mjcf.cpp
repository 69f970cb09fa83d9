// SPDX-License-Identifier: Apache-2.0
// The translation of bodies, joints and shapes into MJCF elements, every number to its last bit.
#include "longarm/physics/mujoco/mjcf.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

#include <fmt/format.h>

namespace longarm::physics {
namespace {

// Contacts a little softer than joint stops and welds: stiffer ones eject grasped parts.
constexpr double kContactTime_s = 0.004;
constexpr double kHardTime_s = 0.002;
constexpr std::size_t kFewShapes = 100;
constexpr double kMostBytes = 1.6e9;
// A side without a stop, when the other side has one.
constexpr double kFarAway = 1e8;
constexpr double kLeastRange = 1e-9;

template <typename... Shapes>
struct Overloaded : Shapes... {
  using Shapes::operator()...;
};
template <typename... Shapes>
Overloaded(Shapes...) -> Overloaded<Shapes...>;

/// MuJoCo answers nothing faster than two steps.
double reachable_time(double time_s, double period_s) {
  return std::max(time_s, 2.0 * period_s);
}

/// Rows for which MuJoCo's buffer, which has 12 bytes for each pair of rows and 24 for each row and
/// degree of freedom, stays within the 2 GB that MuJoCo can count. Contacts for which none are left
/// push nothing.
std::size_t most_rows(std::size_t dofs) {
  const double n = static_cast<double>(dofs);
  return static_cast<std::size_t>(std::sqrt(n * n + kMostBytes / 12.0) - n);
}

class MjcfWriter {
 public:
  MjcfWriter(const FlatCell& cell, const MjcfOptions& options, const MjcfSlots& slots)
      : cell_(cell), options_(options), slots_(slots), children_(cell.body_count()) {
    for (std::size_t b = 0; b < cell.body_count(); ++b) {
      if (const int parent = cell.bodies()[b].parent; parent >= 0) {
        children_[static_cast<std::size_t>(parent)].push_back(b);
      }
    }
  }

  std::string write() {
    add("<mujoco model=\"cell\">\n");
    // moments that no solid has are averaged; other models keep every bit
    add("<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"true\" "
        "boundmass=\"0\" boundinertia=\"0\"/>\n");
    write_sizes();
    write_options();
    write_meshes();
    add("<worldbody>\n");
    for (const bool is_single : {false, true}) {
      for (std::size_t b = 0; b < cell_.body_count(); ++b) {
        if (cell_.bodies()[b].parent < 0 && cell_.bodies()[b].is_single == is_single) {
          write_body(b);
        }
      }
    }
    add("</worldbody>\n");
    write_equalities();
    write_excludes();
    add("</mujoco>\n");
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void write_sizes() {
    // Buffers are allocated once. A shape at rest on another makes four to five contacts, each of
    // three rows; of many shapes not all touch at a time.
    std::size_t shapes = 0;
    std::size_t dofs = cell_.joint_count();
    for (const FlatBody& body : cell_.bodies()) {
      shapes += body.is_static ? 0 : body.body->collisions.size();
      dofs += !body.is_static && body.parent < 0 ? 6 : 0;
    }
    const std::size_t few = std::min(shapes, kFewShapes);
    const std::size_t contacts = shapes == 0 ? 1 : 40 + 6 * few + 3 * (shapes - few);
    const std::size_t rows =
        3 * contacts + 3 * cell_.joint_count() + 6 * static_cast<std::size_t>(slots_.welds);
    add("<size njmax=\"{}\" nconmax=\"{}\"/>\n", std::min(rows, most_rows(dofs)), contacts);
  }

  void write_options() {
    const model::Vector3& gravity = cell_.cell().gravity_m_s2;
    add("<option timestep=\"{}\" gravity=\"{} {} {}\" integrator=\"Euler\" cone=\"elliptic\" "
        "jacobian=\"auto\" solver=\"{}\" iterations=\"100\" tolerance=\"1e-12\" impratio=\"10\" "
        "noslip_iterations=\"{}\">",
        options_.period_s, gravity.x(), gravity.y(), gravity.z(),
        options_.solver == "cg" ? "CG" : "Newton", options_.solver == "noslip" ? 10 : 0);
    // One contact per pair lets cylinders wander; neighbours are excluded one by one below.
    add("<flag multiccd=\"enable\" filterparent=\"disable\"/></option>\n");
    add("<default><geom condim=\"3\" solref=\"{} 1\" solimp=\"0.95 0.99 0.001\"/></default>\n",
        reachable_time(kContactTime_s, options_.period_s));
  }

  /// Each mesh once, however often it is used, as a cloud of corners: MuJoCo finds their hull.
  void write_meshes() {
    for (const FlatBody& body : cell_.bodies()) {
      for (const model::Geometry& geometry : body.body->collisions) {
        if (const auto* mesh = std::get_if<model::Mesh>(&geometry.shape)) {
          const model::MeshData* data = mesh->data.get();
          if (std::find(meshes_.begin(), meshes_.end(), data) == meshes_.end()) {
            meshes_.push_back(data);
          }
        }
      }
    }
    add("<asset>\n");
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      text_ += mjcf_mesh(fmt::format("m{}", i), *meshes_[i]);
    }
    add("</asset>\n");
  }

  std::size_t mesh_number(const model::Mesh& mesh) const {
    return static_cast<std::size_t>(std::find(meshes_.begin(), meshes_.end(), mesh.data.get()) -
                                    meshes_.begin());
  }

  std::string hard(std::string_view reference, std::string_view impedance) const {
    return fmt::format("{}=\"{} 1\" {}=\"0.99 0.999 0.0001\"", reference,
                       reachable_time(kHardTime_s, options_.period_s), impedance);
  }

  void write_pose(const model::Pose& X) {
    const Eigen::Quaterniond q(X.linear());
    add(" pos=\"{} {} {}\" quat=\"{} {} {} {}\"", X.translation().x(), X.translation().y(),
        X.translation().z(), q.w(), q.x(), q.y(), q.z());
  }

  void write_body(std::size_t b) {
    const FlatBody& flat = cell_.bodies()[b];
    add("<body name=\"b{}\"", b);
    write_pose(pose_in_parent(flat));
    add(">\n");
    if (flat.joint >= 0) {
      write_joint(flat.joint);
    } else if (!flat.is_static) {
      add("<freejoint name=\"r{}\"/>\n", b);
    }
    if (!flat.is_static) {
      write_inertial(flat.body->inertial);
    }
    for (std::size_t g = 0; g < flat.body->collisions.size(); ++g) {
      write_shape(b, g, flat.body->collisions[g]);
    }
    for (const std::size_t child : children_[b]) {
      write_body(child);
    }
    add("</body>\n");
  }

  model::Pose pose_in_parent(const FlatBody& flat) const {
    if (flat.joint < 0) {
      return cell_.root_pose(flat.placement);
    }
    const FlatJoint& joint = cell_.joints()[static_cast<std::size_t>(flat.joint)];
    if (!joint.is_locked) {
      return joint.joint->X_PJ;
    }
    return joint.joint->X_PJ * joint_motion(*joint.joint, joint.initial_position);
  }

  void write_joint(int number) {
    const FlatJoint& flat = cell_.joints()[static_cast<std::size_t>(number)];
    if (flat.is_locked) {
      return;
    }
    const model::TreeJoint& joint = *flat.joint;
    // Damping counts as inertia h·d as well: that is what makes its integration by Euler implicit.
    const double armature =
        joint.dynamics.rotor_inertia_kg_m2 +
        (options_.integrator == "euler" ? options_.period_s * joint.dynamics.damping : 0.0);
    add("<joint name=\"j{}\" type=\"{}\" axis=\"{} {} {}\" damping=\"{}\" armature=\"{}\" {}",
        number, joint.type == model::JointType::kPrismatic ? "slide" : "hinge", joint.axis.x(),
        joint.axis.y(), joint.axis.z(), joint.dynamics.damping, armature,
        hard("solreffriction", "solimpfriction"));
    if (std::isfinite(joint.limits.lower) || std::isfinite(joint.limits.upper)) {
      const double lower = std::max(joint.limits.lower, -kFarAway);
      // a range of nothing is no range to MuJoCo
      const double upper = std::max(std::min(joint.limits.upper, kFarAway), lower + kLeastRange);
      add(" limited=\"true\" range=\"{} {}\" {}", lower, upper, hard("solreflimit", "solimplimit"));
    }
    add("/>\n");
  }

  void write_inertial(const model::Inertial& inertial) {
    const model::Matrix3 R = inertial.X_LC.linear();
    const model::Matrix3 I = R * inertial.inertia_kg_m2 * R.transpose();
    const model::Vector3 p = inertial.X_LC.translation();
    add("<inertial pos=\"{} {} {}\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>\n", p.x(),
        p.y(), p.z(), inertial.mass_kg, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  }

  void write_shape(std::size_t body, std::size_t index, const model::Geometry& geometry) {
    add("<geom name=\"g{}_{}\"", body, index);
    write_pose(geometry.X_LG);
    std::visit(
        Overloaded{
            [&](const model::Box& box) {
              add(" type=\"box\" size=\"{} {} {}\"", box.size_m.x() / 2, box.size_m.y() / 2,
                  box.size_m.z() / 2);
            },
            [&](const model::Sphere& sphere) {
              add(" type=\"sphere\" size=\"{}\"", sphere.radius_m);
            },
            [&](const model::Cylinder& cylinder) {
              add(" type=\"cylinder\" size=\"{} {}\"", cylinder.radius_m, cylinder.length_m / 2);
            },
            [&](const model::Capsule& capsule) {
              add(" type=\"capsule\" size=\"{} {}\"", capsule.radius_m, capsule.length_m / 2);
            },
            [&](const model::HalfSpace&) { add(" type=\"plane\" size=\"0 0 1\""); },
            [&](const model::Mesh& mesh) { add(" type=\"mesh\" mesh=\"m{}\"", mesh_number(mesh)); },
        },
        geometry.shape);
    add("/>\n");
  }

  void write_equalities() {
    add("<equality>\n");
    for (int i = 0; i < slots_.welds; ++i) {
      add("<weld body1=\"b0\" active=\"false\" {}/>\n", hard("solref", "solimp"));
    }
    for (std::size_t j = 0; j < cell_.joint_count(); ++j) {
      const FlatJoint& joint = cell_.joints()[j];
      if (joint.leader >= 0 && !joint.is_locked) {
        add("<joint joint1=\"j{}\" joint2=\"j{}\" polycoef=\"{} {} 0 0 0\" {}/>\n", j, joint.leader,
            joint.joint->mimic->offset, joint.joint->mimic->multiplier, hard("solref", "solimp"));
      }
    }
    add("</equality>\n");
  }

  void write_excludes() {
    add("<contact>\n");
    for (int i = 0; i < slots_.excludes; ++i) {
      add("<exclude body1=\"world\" body2=\"b0\"/>\n");
    }
    add("</contact>\n");
  }

  const FlatCell& cell_;
  const MjcfOptions& options_;
  const MjcfSlots& slots_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<const model::MeshData*> meshes_;  ///< in the order of the bodies
  std::string text_;
};

}  // namespace

MjcfSlots count_slots(const FlatCell& cell) {
  MjcfSlots slots;
  if (cell.body_count() == 0) {
    return slots;
  }
  const PairFilter filter(cell);
  int moving = 0;
  for (std::size_t a = 0; a < cell.body_count(); ++a) {
    moving += cell.bodies()[a].is_static ? 0 : 1;
    for (std::size_t b = 0; b < a; ++b) {
      // MuJoCo itself leaves out pairs that cannot move
      const bool can_move = !cell.bodies()[a].is_static || !cell.bodies()[b].is_static;
      slots.excludes +=
          can_move && !filter.may_touch(static_cast<int>(a), static_cast<int>(b)) ? 1 : 0;
    }
  }
  slots.excludes += 64 + 8 * moving;
  slots.welds = moving == 0 ? 0 : std::min(2 * moving, 4 + moving);
  return slots;
}

std::string mjcf_mesh(const std::string& name, const model::MeshData& mesh) {
  std::string text = fmt::format("<mesh name=\"{}\" vertex=\"", name);
  for (const model::Vector3& vertex : mesh.vertices_m) {
    fmt::format_to(std::back_inserter(text), "{} {} {} ", vertex.x(), vertex.y(), vertex.z());
  }
  return text + "\"/>\n";
}

std::string write_mjcf(const FlatCell& cell, const MjcfOptions& options, const MjcfSlots& slots) {
  return MjcfWriter(cell, options, slots).write();
}

}  // namespace longarm::physics
