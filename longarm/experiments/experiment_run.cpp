// SPDX-License-Identifier: Apache-2.0
// Steps, and looks whether the numbers still are some.
#include "longarm/experiments/experiment_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

// nothing in a cell is farther away or faster, unless the numbers went wrong
constexpr double kFarthest_m = 1e3;
constexpr double kFastest_m_s = 1e3;
// looking costs as much as a part of a step
constexpr Duration kLookEvery = 10ms;

/// Fixed roots and the bodies of static models stay where they are.
std::vector<int> moving_bodies(const model::Cell& cell) {
  std::vector<int> moving;
  int body = 0;
  for (const model::Placement& placement : cell.placements) {
    for (std::size_t i = 0; i < placement.tree.bodies.size(); ++i, ++body) {
      const bool is_still = placement.tree.is_static || (i == 0 && placement.is_fixed);
      if (!is_still) {
        moving.push_back(body);
      }
    }
  }
  return moving;
}

bool is_sane(const model::Pose& X, const physics::Twist& twist) {
  // written so that a NaN counts
  return X.translation().norm() < kFarthest_m && twist.linear_W.norm() < kFastest_m_s &&
         std::isfinite(twist.angular_W.norm());
}

Json pose_json(const model::Pose& X) {
  const model::Vector3 p = X.translation();
  const Eigen::Quaterniond q(X.linear());
  return {{"position_m", {p.x(), p.y(), p.z()}}, {"quaternion_wxyz", {q.w(), q.x(), q.y(), q.z()}}};
}

ExperimentContext in_folder(ExperimentContext context, const std::string& folder) {
  context.folder = folder;
  return context;
}

}  // namespace

ExperimentRun::ExperimentRun(const PreparedExperiment& prepared, const std::string& folder)
    : prepared_(prepared),
      experiment_(prepared_.scenario.model->make(in_folder(prepared_.context(), folder))),
      period_(prepared_.scenario.physics_period),
      moving_(moving_bodies(experiment_->cell())) {
  last_good_.resize(moving_.size());
  look_for_divergence();
}

void ExperimentRun::run_until(Time until) {
  until = std::min(until, end());
  while (!is_over() && now_ < until) {
    experiment_->step();
    failure_ = experiment_->failure();
    if (failure_) {
      return;
    }
    now_ += period_;
    note_state();
    if (now_.time_since_epoch() % kLookEvery < period_ || now_ >= end()) {
      look_for_divergence();
    }
    if (observer_) {
      observer_(now_);
    }
  }
}

void ExperimentRun::note_state() {
  const physics::Engine& engine = experiment_->engine();
  state_hash_.add(engine.positions());
  state_hash_.add(engine.velocities());
  for (const int body : moving_) {
    const model::Vector3 p = engine.pose(static_cast<physics::BodyId>(body)).translation();
    state_hash_.add(std::span<const double>(p.data(), 3));
  }
}

void ExperimentRun::look_for_divergence() {
  const physics::Engine& engine = experiment_->engine();
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const auto body = static_cast<physics::BodyId>(moving_[i]);
    if (!is_sane(engine.pose(body), engine.twist(body))) {
      const std::vector<std::string> names = experiment_->cell().body_names(-1);
      divergence_ = Divergence{now_, names[static_cast<std::size_t>(moving_[i])], last_good_at_,
                               last_good_[i]};
      return;
    }
  }
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    last_good_[i] = engine.pose(static_cast<physics::BodyId>(moving_[i]));
  }
  last_good_at_ = now_;
}

std::vector<std::string> ExperimentRun::warnings() const {
  std::vector<std::string> warnings = experiment_->warnings();
  if (experiment_->engine().dropped_contacts() > 0) {
    warnings.insert(warnings.begin(), physics::dropped_contacts_warning(experiment_->engine()));
  }
  return warnings;
}

Json ExperimentRun::results() const {
  const ExperimentScenario& s = prepared_.scenario;
  Json out;
  out["format"] = scenario::kResultFormat;
  out["scenario"] = prepared_.name;
  out["experiment"] = s.kind;
  out["identity"] = prepared_.identity;
  out["files_hash"] = prepared_.files_hash;
  out["engine"] = s.engine;
  out["seed"] = s.seed;
  out["simulated_s"] = to_seconds(now_);
  out["ended"] = divergence_ ? "diverged"
                 : failure_  ? "failed"
                 : is_over() ? "completed"
                             : "interrupted";
  if (failure_) {
    out["failure"] = *failure_;
  }
  if (divergence_) {
    out["diverged"] = {{"at_s", to_seconds(divergence_->at)},
                       {"body", divergence_->body},
                       {"last_good_s", to_seconds(divergence_->last_good)},
                       {"last_good_pose", pose_json(divergence_->X_WB)}};
  }
  Json warnings = Json::array();
  for (const Diagnostic& warning : prepared_.warnings) {
    warnings.push_back(warning.message);
  }
  for (std::string& warning : this->warnings()) {
    warnings.push_back(std::move(warning));
  }
  out["warnings"] = std::move(warnings);
  out.update(experiment_->results());
  if (divergence_) {
    // what was measured on the way says nothing
    for (const MetricInfo& metric : s.model->figures().metrics) {
      if (Json* value = cell::find_metric(out, metric.name)) {
        *value = nullptr;
      } else if (metric.name.find('.') == std::string::npos) {
        out[metric.name] = nullptr;
      }
    }
  }
  Hash hash = state_hash_;
  // what was said, and what actors know, belong to the state as well
  for (const char* more : {"traffic_hash", "actors_hash"}) {
    if (const auto found = out.find(more); found != out.end()) {
      hash.add(found->get<std::string>());
    }
  }
  out["state_hash"] = hash.text();
  return out;
}

}  // namespace longarm::experiments
