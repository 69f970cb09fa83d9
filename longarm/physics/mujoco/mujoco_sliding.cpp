// SPDX-License-Identifier: Apache-2.0
// Guesses how fast contacts slide, solves, and solves again where the guess was wrong.
#include "longarm/physics/mujoco/mujoco_sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longarm::physics {
namespace {

// An error of the normal acceleration that nobody notices (m/s²), and how often to try for it.
constexpr double kGoodEnough = 0.02;
constexpr int kMostCorrections = 5;
// Parts that wedge between others may have no such solution: an error that hardly shrinks is left
// to the next step, as further corrections would only shake them.
constexpr double kShrinks = 0.8;

// With more friction than this nothing slides; a correction would only multiply the noise.
constexpr double kMostFriction = 10.0;

bool may_slide(const mjContact& contact) {
  return contact.efc_address >= 0 && contact.dim == 3 && contact.friction[0] < kMostFriction;
}

}  // namespace

MujocoSliding::MujocoSliding(const mjModel& model, const MujocoNumbers& numbers)
    : numbers_(numbers) {
  const auto contacts = static_cast<std::size_t>(model.nconmax);
  last_step_.reserve(contacts);
  is_used_.reserve(contacts);
  excess_.resize(contacts, 0.0);
  reference_.resize(contacts, 0.0);
  acceleration_.resize(static_cast<std::size_t>(model.njmax), 0.0);
}

void MujocoSliding::solve(const mjModel& model, mjData& data) {
  if (data.ncon == 0 || data.nefc == 0) {
    last_step_.clear();
    mj_fwdConstraint(&model, &data);
    return;
  }
  guess(data);
  apply(data);
  mj_fwdConstraint(&model, &data);
  double last_error = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostCorrections; ++i) {
    const double error = correct(model, data);
    if (error <= kGoodEnough || error > kShrinks * last_error) {
      break;
    }
    last_error = error;
    apply(data);
    std::copy_n(data.qacc, model.nv, data.qacc_warmstart);
    mj_fwdConstraint(&model, &data);
  }
  remember(data);
}

/// Contacts of a pair of shapes come in the same order in every step.
void MujocoSliding::guess(const mjData& data) {
  is_used_.assign(last_step_.size(), 0);
  for (int i = 0; i < data.ncon; ++i) {
    const mjContact& contact = data.contact[i];
    const auto number = static_cast<std::size_t>(i);
    excess_[number] = 0.0;
    if (!may_slide(contact)) {
      continue;
    }
    reference_[number] = data.efc_aref[contact.efc_address];
    for (std::size_t k = 0; k < last_step_.size(); ++k) {
      if (is_used_[k] == 0 && last_step_[k].geom1 == compiled(contact.geom1) &&
          last_step_[k].geom2 == compiled(contact.geom2)) {
        is_used_[k] = 1;
        excess_[number] = last_step_[k].excess;
        break;
      }
    }
  }
}

void MujocoSliding::apply(mjData& data) const {
  for (int i = 0; i < data.ncon; ++i) {
    const auto number = static_cast<std::size_t>(i);
    if (const mjContact& contact = data.contact[i]; may_slide(contact)) {
      data.efc_aref[contact.efc_address] =
          reference_[number] - contact.friction[0] * excess_[number];
    }
  }
}

/// Takes the excess out of the present solution. Returns how far that is from what the solution was
/// made with.
double MujocoSliding::correct(const mjModel& model, mjData& data) {
  bool has_accelerations = false;
  double error = 0.0;
  for (int i = 0; i < data.ncon; ++i) {
    const mjContact& contact = data.contact[i];
    const int row = contact.efc_address;
    double& excess = excess_[static_cast<std::size_t>(i)];
    const bool slides = may_slide(contact) && data.efc_state[row] == mjCNSTRSTATE_CONE;
    if (!slides && excess == 0.0) {
      continue;
    }
    double found = 0.0;
    if (slides || data.efc_state[row] == mjCNSTRSTATE_SATISFIED) {
      if (!has_accelerations) {
        mj_mulJacVec(&model, &data, acceleration_.data(), data.qacc);
        has_accelerations = true;
      }
      const auto first = static_cast<std::size_t>(row) + 1;
      found = std::hypot(acceleration_[first] - data.efc_aref[row + 1],
                         acceleration_[first + 1] - data.efc_aref[row + 2]);
    }
    error = std::max(error, contact.friction[0] * std::abs(found - excess));
    excess = found;
  }
  return error;
}

void MujocoSliding::remember(const mjData& data) {
  last_step_.clear();
  for (int i = 0; i < data.ncon; ++i) {
    if (excess_[static_cast<std::size_t>(i)] > 0.0) {
      last_step_.push_back({compiled(data.contact[i].geom1), compiled(data.contact[i].geom2),
                            excess_[static_cast<std::size_t>(i)]});
    }
  }
}

void MujocoSliding::save(SnapshotWriter& writer) const {
  writer.write(static_cast<double>(last_step_.size()));
  for (const Slide& slide : last_step_) {
    writer.write(static_cast<double>(slide.geom1));
    writer.write(static_cast<double>(slide.geom2));
    writer.write(slide.excess);
  }
}

void MujocoSliding::restore(SnapshotReader& reader) {
  last_step_.resize(static_cast<std::size_t>(reader.read()));
  for (Slide& slide : last_step_) {
    slide.geom1 = static_cast<int>(reader.read());
    slide.geom2 = static_cast<int>(reader.read());
    slide.excess = reader.read();
  }
}

}  // namespace longarm::physics
