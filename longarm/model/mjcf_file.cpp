// SPDX-License-Identifier: Apache-2.0
// From MuJoCo's compiled model to ours; MuJoCo has resolved defaults, frames and angles by then.
#include "longarm/model/mjcf_file.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <regex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longarm/model/mjcf_dialect.h"
#include "longarm/model/mujoco_loader.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

namespace fs = std::filesystem;

constexpr int kWorldBody = 0;

Vector3 vector_at(const mjtNum* numbers, int index) {
  return {numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]};
}

Pose pose_at(const mjtNum* positions, const mjtNum* quaternions, int index) {
  const mjtNum* q = quaternions + 4 * index;
  Pose X = Pose::Identity();
  X.translation() = vector_at(positions, index);
  X.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  return X;
}

/// MuJoCo says "… line 12, column 3" where it knows; every element has a line of its own.
SourceLocation place_in(const std::string& words, const RewrittenXml& text,
                        const std::string& path) {
  static const std::regex pattern("line (?:= )?(\\d+)");
  std::smatch found;
  if (!std::regex_search(words, found, pattern)) {
    return {path, 0, 0};
  }
  return text.origin({path, std::stoi(found[1]), std::numeric_limits<int>::max()});
}

std::string one_line(std::string words) {
  // which are those of the text that it was given
  static const std::regex places(",? *line[ =]*\\d+|,? *column[ =]*-?\\d+");
  words = std::regex_replace(words, places, "");
  for (char& letter : words) {
    letter = letter == '\n' ? ' ' : letter;
  }
  return trimmed(words);
}

class MjcfReader {
 public:
  MjcfReader(const mjModel& in, const XmlSource& source, std::string path, Diagnostics& diagnostics)
      : in_(in), source_(source), path_(std::move(path)), diagnostics_(diagnostics) {}

  Model read() {
    model_.name = source_.root().attribute("model").value();
    model_.name = model_.name.empty() ? fs::path(path_).stem().string() : model_.name;
    model_.where = source_.where(source_.root());
    model_.self_collides = (in_.opt.disableflags & mjDSBL_CONTACT) == 0;
    for (int body = 0; body < in_.nbody; ++body) {
      add_link(body);
      if (body != kWorldBody) {
        add_joint(body);
      }
    }
    for (int geom = 0; geom < in_.ngeom; ++geom) {
      add_shape(geom);
    }
    add_mimics();
    add_ignored_contacts();
    warn_about_the_rest();
    return std::move(model_);
  }

 private:
  std::string name_of(mjtObj type, const char* otherwise, int number) const {
    const char* name = mj_id2name(&in_, type, number);
    return name == nullptr || *name == '\0' ? fmt::format("{}{}", otherwise, number) : name;
  }
  std::string body_name(int body) const { return name_of(mjOBJ_BODY, "body", body); }
  std::string joint_name(int joint) const { return name_of(mjOBJ_JOINT, "joint", joint); }

  /// The element of that name in the file itself; what is included has the file only.
  SourceLocation where(const char* tag, const std::string& name) const {
    const pugi::xml_node found = source_.document().find_node([&](pugi::xml_node node) {
      return node.name() == std::string(tag) && node.attribute("name").value() == name;
    });
    return found ? source_.where(found) : SourceLocation{path_, 0, 0};
  }

  void add_link(int body) {
    Link link{body_name(body), std::nullopt, {}, {}, where("body", body_name(body))};
    if (in_.body_mass[body] > 0.0) {
      Inertial inertial;
      inertial.mass_kg = in_.body_mass[body];
      inertial.X_LC = pose_at(in_.body_ipos, in_.body_iquat, body);
      inertial.inertia_kg_m2 = vector_at(in_.body_inertia, body).asDiagonal();
      link.inertial = inertial;
    }
    model_.links.push_back(std::move(link));
  }

  void add_joint(int body) {
    const std::string name = body_name(body);
    Joint joint;
    joint.name = name + "_fixed";
    joint.parent = body_name(in_.body_parentid[body]);
    joint.child = name;
    joint.X_PJ = pose_at(in_.body_pos, in_.body_quat, body);
    joint.where = where("body", name);
    const int number = in_.body_jntadr[body];
    if (in_.body_jntnum[body] > 1) {
      diagnostics_.error(joint.where,
                         fmt::format("body '{}' has {} joints", name, in_.body_jntnum[body]),
                         "at most one joint per body is supported: insert bodies with a mass");
    } else if (in_.body_jntnum[body] == 1 && in_.jnt_type[number] == mjJNT_BALL) {
      diagnostics_.error(joint.where, fmt::format("body '{}' has a ball joint", name),
                         "supported are hinge and slide");
    } else if (in_.body_jntnum[body] == 1 && in_.jnt_type[number] == mjJNT_FREE) {
      diagnostics_.warning(joint.where, fmt::format("the free joint of body '{}' is ignored", name),
                           "the body is fixed at its position");
    } else if (in_.body_jntnum[body] == 1) {
      make_movable(number, joint);
    }
    model_.joints.push_back(std::move(joint));
  }

  void make_movable(int number, Joint& joint) const {
    const bool turns = in_.jnt_type[number] == mjJNT_HINGE;
    joint.name = joint_name(number);
    joint.where = where("joint", joint.name);
    joint.type = turns ? JointType::kRevolute : JointType::kPrismatic;
    joint.axis = vector_at(in_.jnt_axis, number).normalized();
    // ours moves about its own frame, and q = 0 is where MuJoCo has q = ref
    const Eigen::Translation3d anchor(vector_at(in_.jnt_pos, number));
    const double ref = in_.qpos0[in_.jnt_qposadr[number]];
    const Pose back = turns ? Pose(Eigen::AngleAxisd(-ref, joint.axis))
                            : Pose(Eigen::Translation3d(-ref * joint.axis));
    joint.X_PJ = joint.X_PJ * anchor * back;
    joint.X_JL = Pose(anchor.inverse());
    if (in_.jnt_limited[number] != 0) {
      joint.limits.lower = in_.jnt_range[2 * number];
      joint.limits.upper = in_.jnt_range[2 * number + 1];
    }
    joint.limits.effort = effort_of(number);
    const int dof = in_.jnt_dofadr[number];
    joint.dynamics.damping = in_.dof_damping[dof];
    joint.dynamics.friction = in_.dof_frictionloss[dof];
    joint.dynamics.rotor_inertia_kg_m2 = in_.dof_armature[dof];
  }

  /// What its motor can do; infinite where nothing limits it.
  double effort_of(int joint) const {
    // what a file of MuJoCo 3 says of the joint itself
    const double of_joint = in_.nuser_jnt > 0 ? in_.jnt_user[in_.nuser_jnt * joint] : 0.0;
    if (of_joint > 0.0) {
      return of_joint;
    }
    for (int i = 0; i < in_.nu; ++i) {
      const bool is_its =
          in_.actuator_trntype[i] == mjTRN_JOINT && in_.actuator_trnid[2 * i] == joint;
      if (!is_its) {
        continue;
      }
      const double gear = std::abs(in_.actuator_gear[6 * i]);
      const auto largest = [](const mjtNum* range) {
        return std::max(std::abs(range[0]), std::abs(range[1]));
      };
      if (in_.actuator_forcelimited[i] != 0) {
        return gear * largest(in_.actuator_forcerange + 2 * i);
      }
      const bool is_motor =
          in_.actuator_gaintype[i] == mjGAIN_FIXED && in_.actuator_biastype[i] == mjBIAS_NONE;
      if (is_motor && in_.actuator_ctrllimited[i] != 0) {
        return gear * std::abs(in_.actuator_gainprm[mjNGAIN * i]) *
               largest(in_.actuator_ctrlrange + 2 * i);
      }
    }
    return JointLimits{}.effort;
  }

  void add_shape(int geom) {
    const int body = in_.geom_bodyid[geom];
    const std::optional<Shape> shape = shape_of(geom);
    const bool is_visual = in_.geom_contype[geom] == 0 && in_.geom_conaffinity[geom] == 0;
    Link& link = model_.links[static_cast<std::size_t>(body)];
    if (!shape) {
      if (!is_visual) {
        diagnostics_.warning(link.where,
                             fmt::format("body '{}': a shape that is not a plane, sphere, capsule, "
                                         "cylinder, box or mesh is ignored",
                                         link.name),
                             "it touches nothing");
      }
      return;
    }
    if (std::holds_alternative<HalfSpace>(*shape) && body != kWorldBody) {
      return;
    }
    Surface surface;
    surface.friction = in_.geom_friction[3 * geom];
    Geometry geometry{name_of(mjOBJ_GEOM, "geom", geom), pose_at(in_.geom_pos, in_.geom_quat, geom),
                      *shape, surface};
    const float* const rgba = in_.geom_rgba + 4 * geom;
    geometry.colour = Colour{rgba[0], rgba[1], rgba[2], rgba[3]};
    (is_visual ? link.visuals : link.collisions).push_back(std::move(geometry));
  }

  std::optional<Shape> shape_of(int geom) const {
    const Vector3 size = vector_at(in_.geom_size, geom);
    switch (in_.geom_type[geom]) {
      case mjGEOM_PLANE:
        return HalfSpace{};
      case mjGEOM_SPHERE:
        return Sphere{size.x()};
      case mjGEOM_CAPSULE:
        return Capsule{size.x(), 2.0 * size.y()};
      case mjGEOM_CYLINDER:
        return Cylinder{size.x(), 2.0 * size.y()};
      case mjGEOM_BOX:
        return Box{2.0 * size};
      case mjGEOM_MESH:
        return mesh_of(in_.geom_dataid[geom]);
      default:
        return std::nullopt;
    }
  }

  Mesh mesh_of(int mesh) const {
    MeshData data;
    data.file = name_of(mjOBJ_MESH, "mesh", mesh);
    for (int i = 0; i < in_.mesh_vertnum[mesh]; ++i) {
      const float* vertex = in_.mesh_vert + 3 * (in_.mesh_vertadr[mesh] + i);
      data.vertices_m.emplace_back(vertex[0], vertex[1], vertex[2]);
    }
    for (int i = 0; i < in_.mesh_facenum[mesh]; ++i) {
      const int* face = in_.mesh_face + 3 * (in_.mesh_faceadr[mesh] + i);
      data.triangles.push_back({face[0], face[1], face[2]});
    }
    const std::string name = data.file;
    return {name, "", Vector3::Ones(), std::make_shared<const MeshData>(std::move(data))};
  }

  void add_mimics() {
    for (int i = 0; i < in_.neq; ++i) {
      const mjtNum* data = in_.eq_data + mjNEQDATA * i;
      const bool is_line = data[2] == 0.0 && data[3] == 0.0 && data[4] == 0.0;
      if (in_.eq_type[i] != mjEQ_JOINT || in_.eq_obj2id[i] < 0 || !is_line) {
        diagnostics_.warning(
            {path_, 0, 0},
            fmt::format("equality constraint '{}' is ignored", name_of(mjOBJ_EQUALITY, "", i)),
            "only linear joint couplings are supported");
        continue;
      }
      // MuJoCo counts both from their references
      const double ref1 = in_.qpos0[in_.jnt_qposadr[in_.eq_obj1id[i]]];
      const double ref2 = in_.qpos0[in_.jnt_qposadr[in_.eq_obj2id[i]]];
      const std::string follower = joint_name(in_.eq_obj1id[i]);
      for (Joint& joint : model_.joints) {
        if (joint.name == follower) {
          joint.mimic =
              Mimic{joint_name(in_.eq_obj2id[i]), data[1], ref1 + data[0] - data[1] * ref2};
        }
      }
    }
  }

  bool may_touch(int a, int b) const {
    for (int i = 0; i < in_.ngeom; ++i) {
      for (int j = 0; j < in_.ngeom; ++j) {
        if (in_.geom_bodyid[i] == a && in_.geom_bodyid[j] == b &&
            ((in_.geom_contype[i] & in_.geom_conaffinity[j]) != 0 ||
             (in_.geom_contype[j] & in_.geom_conaffinity[i]) != 0)) {
          return true;
        }
      }
    }
    return false;
  }

  void add_ignored_contacts() {
    std::set<std::pair<int, int>> ignored;
    for (int i = 0; i < in_.nexclude; ++i) {
      const int signature = in_.exclude_signature[i];
      ignored.emplace((signature >> 16) - 1, (signature & 0xFFFF) - 1);
    }
    for (int a = 0; a < in_.nbody; ++a) {
      for (int b = a + 1; b < in_.nbody; ++b) {
        const bool have_shapes = !model_.links[static_cast<std::size_t>(a)].collisions.empty() &&
                                 !model_.links[static_cast<std::size_t>(b)].collisions.empty();
        if (have_shapes && !may_touch(a, b)) {
          ignored.emplace(a, b);
        }
      }
    }
    for (const auto& [a, b] : ignored) {
      model_.ignored_contacts.push_back({body_name(a), body_name(b), model_.where});
    }
  }

  void warn_about_the_rest() {
    if (in_.ntendon > 0) {
      diagnostics_.warning({path_, 0, 0}, fmt::format("{} tendons are ignored", in_.ntendon),
                           "joints that only a tendon drives are not driven");
    }
    for (int i = 0; i < in_.njnt; ++i) {
      if (in_.jnt_stiffness[i] != 0.0) {
        diagnostics_.warning(where("joint", joint_name(i)),
                             fmt::format("the spring of joint '{}' is ignored", joint_name(i)), "");
      }
    }
  }

  const mjModel& in_;
  const XmlSource& source_;
  std::string path_;
  Diagnostics& diagnostics_;
  Model model_;
};

}  // namespace

Model read_mjcf(const std::string& text, const std::string& path, ModelResources& resources,
                Diagnostics& diagnostics) {
  Diagnostics found;
  const XmlSource source(text, path, found);
  const RewrittenXml rewritten = rewrite_mjcf(text, path, resources, found);
  for (const Diagnostic& problem : found.all()) {
    diagnostics.add(problem);
  }
  if (found.has_errors()) {
    return {};
  }
  std::string words;
  const MujocoModelPtr compiled = load_mujoco_text(rewritten.text, words);
  if (compiled == nullptr) {
    diagnostics.error(
        place_in(words, rewritten, path), "MuJoCo cannot read the model: " + one_line(words),
        fmt::format("this is MuJoCo {}, which does not support features of later versions",
                    mj_versionString()));
    return {};
  }
  Model model = MjcfReader(*compiled, source, path, found).read();
  for (const Diagnostic& problem : found.all()) {
    diagnostics.add(problem);
  }
  return found.has_errors() ? Model{} : model;
}

}  // namespace longarm::model
