// SPDX-License-Identifier: Apache-2.0
// Copies bodies and shapes from the compiled model to their present places, and adds loads to their
// roots.
#include "longarm/physics/mujoco/mujoco_layout.h"

#include <algorithm>
#include <string_view>

#include <Eigen/Eigenvalues>
#include <mujoco/mjxmacro.h>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Matrix3;
using model::Pose;
using model::Vector3;

// MuJoCo does not look at the pose of shapes that it found at the principal axes of their body, and
// puts them where those are. Meshes have axes like that of their own: they often are.
constexpr int kSameAsPrincipalAxes = 2;

template <typename Number>
void copy_row(const Number* from, int row_from, Number* to, int row_to, int columns) {
  std::copy_n(from + row_from * columns, columns, to + row_to * columns);
}

/// All that MuJoCo knows about a shape.
void copy_geom(const mjModel& from, int geom_from, mjModel& to, int geom_to) {
  MJMODEL_POINTERS_PREAMBLE((&from))
#define X(type, name, rows, columns)                           \
  if constexpr (std::string_view(#rows) == "ngeom") {          \
    copy_row(from.name, geom_from, to.name, geom_to, columns); \
  }
  MJMODEL_POINTERS
#undef X
}

void write_quaternion(const Matrix3& R, double* quaternion) {
  const Eigen::Quaterniond q(R);
  quaternion[0] = q.w();
  Map<Vector3>(quaternion + 1) = q.vec();
}

}  // namespace

MujocoLayout::MujocoLayout(const FlatCell& cell, mjModel& model, MujocoNumbers& numbers)
    : model_(model),
      numbers_(numbers),
      original_(mj_copyModel(nullptr, &model)),
      original_numbers_(numbers),
      places_(cell.body_count(), -1),
      first_body_(model.nbody),
      first_position_(model.nq),
      first_dof_(model.nv) {
  for (std::size_t b = 0; b < cell.body_count(); ++b) {
    is_static_.push_back(cell.bodies()[b].is_static ? 1 : 0);
    if (cell.bodies()[b].is_single) {
      const int number = numbers.body[b];
      const int joint = model.body_jntadr[number];
      places_[b] = static_cast<int>(free_bodies_.size());
      free_bodies_.push_back(static_cast<BodyId>(b));
      first_body_ = std::min(first_body_, number);
      first_position_ = std::min(first_position_, model.jnt_qposadr[joint]);
      first_dof_ = std::min(first_dof_, model.jnt_dofadr[joint]);
      check(number == first_body_ + places_[b] &&
                joint == model.njnt - 1 - (model.nbody - 1 - number),
            "free bodies are not the last of the model");
    }
  }
  placed_count_ = free_bodies_.size();
  is_taken_.assign(placed_count_, 1);
}

void MujocoLayout::take_place(BodyId body) {
  const auto unused = std::find(is_taken_.begin(), is_taken_.end(), 0);
  *unused = 1;
  places_[static_cast<std::size_t>(body)] = static_cast<int>(unused - is_taken_.begin());
}

void MujocoLayout::give_up_place(BodyId body) {
  is_taken_[static_cast<std::size_t>(place(body))] = 0;
  places_[static_cast<std::size_t>(body)] = -1;
}

void MujocoLayout::assign_places(const MergedBodies& merged) {
  placed_count_ = 0;
  for (const BodyId body : free_bodies_) {
    places_[static_cast<std::size_t>(body)] =
        merged.is_merged(body) ? -1 : static_cast<int>(placed_count_++);
  }
  std::fill(is_taken_.begin(), is_taken_.end(), 0);
  std::fill_n(is_taken_.begin(), placed_count_, 1);
}

void MujocoLayout::arrange(const MergedBodies& merged) {
  set_counts(placed_count_);
  number_bodies(merged);
  for (int body = 0; body < first_body_; ++body) {
    write_body(body, body);
  }
  for (const BodyId body : free_bodies_) {
    if (has_place(body)) {
      write_body(original_body(body), first_body_ + place(body));
    }
  }
  for (std::size_t b = 0; b < places_.size(); ++b) {
    const auto body = static_cast<BodyId>(b);
    if (is_static_[b] == 0 && !merged.is_merged(body) && merged.has_load(body)) {
      write_load(merged, body);
    }
  }
  write_sums();
  write_shapes(merged);
}

/// Everything beyond the counts is out of MuJoCo's sight.
void MujocoLayout::set_counts(std::size_t places) {
  const int missing = static_cast<int>(free_bodies_.size() - places);
  model_.nbody = original_->nbody - missing;
  model_.njnt = original_->njnt - missing;
  model_.nq = original_->nq - 7 * missing;
  model_.nv = original_->nv - 6 * missing;
  model_.nM = missing == 0 ? original_->nM : original_->dof_Madr[model_.nv];
}

/// A merged body has the number of its root.
void MujocoLayout::number_bodies(const MergedBodies& merged) {
  for (const BodyId body : free_bodies_) {
    numbers_.body[static_cast<std::size_t>(body)] = first_body_ + place(body);
  }
  for (const BodyId body : merged.merged()) {
    numbers_.body[static_cast<std::size_t>(body)] =
        numbers_.body[static_cast<std::size_t>(merged.root(body))];
  }
}

void MujocoLayout::write_body(int from, int to) {
  copy_row(original_->body_simple, from, model_.body_simple, to, 1);
  copy_row(original_->body_sameframe, from, model_.body_sameframe, to, 1);
  copy_row(original_->body_ipos, from, model_.body_ipos, to, 3);
  copy_row(original_->body_iquat, from, model_.body_iquat, to, 4);
  copy_row(original_->body_mass, from, model_.body_mass, to, 1);
  copy_row(original_->body_inertia, from, model_.body_inertia, to, 3);
  copy_row(original_->body_invweight0, from, model_.body_invweight0, to, 2);
  for (int i = 0; i < model_.body_dofnum[to]; ++i) {
    const int dof_from = original_->body_dofadr[from] + i;
    const int dof_to = model_.body_dofadr[to] + i;
    model_.dof_M0[dof_to] = original_->dof_M0[dof_from];
    model_.dof_invweight0[dof_to] = original_->dof_invweight0[dof_from];
  }
}

/// The mass of everything merged into a root. Inverse weights scale the softness of constraints;
/// those of joints further down the tree stay as they were.
void MujocoLayout::write_load(const MergedBodies& merged, BodyId root) {
  const int body = numbers_.body[static_cast<std::size_t>(root)];
  const MassProperties all = merged.lump(root);
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(all.inertia_kg_m2);
  Matrix3 axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) {
    axes.col(2) = -axes.col(2);
  }
  const double lighter = model_.body_mass[body] / all.mass_kg;
  model_.body_mass[body] = all.mass_kg;
  Map<Vector3>(model_.body_ipos + 3 * body) = all.p_BC;
  Map<Vector3>(model_.body_inertia + 3 * body) = principal.eigenvalues();
  write_quaternion(axes, model_.body_iquat + 4 * body);
  // simple bodies have a constant and diagonal inertia, and their centre of mass at their origin
  model_.body_simple[body] = 0;
  model_.body_sameframe[body] = 0;
  double* weight = model_.body_invweight0 + 2 * body;
  weight[0] *= lighter;
  weight[1] = has_place(root) ? principal.eigenvalues().cwiseInverse().mean() : weight[1] * lighter;
  for (int i = 0; i < model_.body_dofnum[body]; ++i) {
    double& inverse = model_.dof_invweight0[model_.body_dofadr[body] + i];
    inverse = has_place(root) ? weight[i / 3] : inverse * lighter;
  }
}

/// What MuJoCo's compiler adds up over the tree.
void MujocoLayout::write_sums() {
  std::copy_n(model_.body_mass, model_.nbody, model_.body_subtreemass);
  for (int body = model_.nbody - 1; body > 0; --body) {
    model_.body_subtreemass[model_.body_parentid[body]] += model_.body_subtreemass[body];
  }
  int simple = 0;
  for (int dof = model_.nv - 1; dof >= 0; --dof) {
    simple = model_.body_simple[model_.dof_bodyid[dof]] != 0 ? simple + 1 : 0;
    model_.dof_simplenum[dof] = simple;
  }
}

/// Each body's own shapes, then those of its load.
void MujocoLayout::write_shapes(const MergedBodies& merged) {
  std::fill_n(model_.body_geomnum, model_.nbody, 0);
  for (std::size_t b = 0; b < places_.size(); ++b) {
    model_.body_geomnum[numbers_.body[b]] +=
        original_->body_geomnum[original_body(static_cast<BodyId>(b))];
  }
  int next = 0;
  for (int body = 0; body < model_.nbody; ++body) {
    model_.body_geomadr[body] = next;
    next += model_.body_geomnum[body];
    model_.body_geomnum[body] = 0;
  }
  const auto write = [&](BodyId body) {
    const int carrier = numbers_.body[static_cast<std::size_t>(body)];
    const int from = original_body(body);
    for (int i = 0; i < original_->body_geomnum[from]; ++i) {
      write_shape(original_->body_geomadr[from] + i,
                  model_.body_geomadr[carrier] + model_.body_geomnum[carrier]++, body, merged);
    }
  };
  for (std::size_t b = 0; b < places_.size(); ++b) {
    if (!merged.is_merged(static_cast<BodyId>(b))) {
      write(static_cast<BodyId>(b));
    }
  }
  for (const BodyId body : merged.merged()) {
    write(body);
  }
}

void MujocoLayout::write_shape(int from, int to, BodyId body, const MergedBodies& merged) {
  copy_geom(*original_, from, model_, to);
  numbers_.shapes[static_cast<std::size_t>(to)] =
      original_numbers_.shapes[static_cast<std::size_t>(from)];
  model_.geom_bodyid[to] = numbers_.body[static_cast<std::size_t>(body)];
  if (!merged.is_merged(body)) {
    // a load moves the principal axes, and shapes must not follow them
    if (merged.has_load(body) && model_.geom_sameframe[to] == kSameAsPrincipalAxes) {
      model_.geom_sameframe[to] = 0;
    }
    return;
  }
  const double* q = original_->geom_quat + 4 * from;
  const Matrix3 R_BG = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  const Pose& X_RB = merged.X_RB(body);
  Map<Vector3>(model_.geom_pos + 3 * to) =
      X_RB * Vector3(Map<const Vector3>(original_->geom_pos + 3 * from));
  write_quaternion(X_RB.linear() * R_BG, model_.geom_quat + 4 * to);
  model_.geom_sameframe[to] = 0;
}

MujocoDataPtr MujocoLayout::make_data() {
  const auto here = static_cast<std::size_t>(static_cast<int>(free_bodies_.size()) -
                                             (original_->nbody - model_.nbody));
  set_counts(free_bodies_.size());
  MujocoDataPtr data = make_mujoco_data(model_);
  set_counts(here);
  return data;
}

}  // namespace longarm::physics
