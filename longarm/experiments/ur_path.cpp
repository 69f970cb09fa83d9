// SPDX-License-Identifier: Apache-2.0
// Offers what the metrics of arms read.
#include "longarm/experiments/ur_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace longarm::experiments {
namespace {

// of a limit: from here on it is reached
constexpr double kAtLimit = 1.0 - 1e-9;
// there is no controller whose error could be told from this one's for all kinds of drivers
constexpr const char* kNoMetric = "cumulated_pid_error_rad_s";

}  // namespace

UrPath::UrPath(const physics::Engine& engine, const model::BodyTree& tree, int first_joint,
               int frame, tasks::Plan plan, Duration start, Duration period)
    : engine_(engine),
      tree_(tree),
      first_joint_(static_cast<std::size_t>(first_joint)),
      frame_(frame),
      plan_(std::move(plan)),
      kinematics_(tree),
      curve_(motion::planned_curve(plan_.trajectory, kinematics_, frame)) {
  offer_probes();
  metrics_ = std::make_unique<record::Metrics>(
      probes_, record::MetricsConfig{period, start + plan_.hold_start, plan_.goal}, nullptr);
}

std::span<const double> UrPath::positions() const {
  return engine_.positions().subspan(first_joint_, tree_.joints.size());
}

void UrPath::offer_probes() {
  std::vector<std::string> names;
  for (const model::TreeJoint& joint : tree_.joints) {
    names.push_back(joint.name);
  }
  probes_.add({"position", names, [this](std::span<double> out) {
                 std::copy(positions().begin(), positions().end(), out.begin());
               }});
  probes_.add({"plan", names, [this](std::span<double> out) {
                 plan_.trajectory.sample(into_plan_, out, {}, {}, plan_cursor_);
               }});
  const auto nothing = [](std::span<double> out) { std::fill(out.begin(), out.end(), 0.0); };
  probes_.add({"pid_error", names, nothing});
  probes_.add({"velocity_command", names, nothing});
  probes_.add({"limited", names, [this](std::span<double> out) { read_limited(out); }});
  probes_.add({"reference_at_rest", {"arm"}, [this](std::span<double> out) {
                 out[0] = into_plan_ >= plan_.hold_start ? 1.0 : 0.0;
               }});
  probes_.add({"end_effector", {"x", "y", "z"}, [this](std::span<double> out) {
                 const model::Vector3 p = kinematics_.position_of(frame_, positions());
                 std::copy(p.data(), p.data() + 3, out.begin());
               }});
  probes_.add({"path_deviation", {"m"}, [this](std::span<double> out) { out[0] = deviation_m_; }});
}

void UrPath::read_limited(std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const model::JointLimits& limits = tree_.joints[i].limits;
    const bool is_limited =
        is_limited_ || std::abs(engine_.efforts()[first_joint_ + i]) >= limits.effort * kAtLimit ||
        std::abs(engine_.velocities()[first_joint_ + i]) >= limits.velocity * kAtLimit;
    out[i] = is_limited ? 1.0 : 0.0;
  }
}

void UrPath::record(Time now, std::optional<Time> begun, bool is_limited) {
  is_limited_ = is_limited;
  // a plan that has not begun holds its first point
  into_plan_ = begun ? now - *begun : Duration(0);
  deviation_m_ = curve_.distance(kinematics_.position_of(frame_, positions()), curve_cursor_);
  metrics_->record(now);
}

double UrPath::goal_error_rad() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < plan_.goal.size(); ++i) {
    largest = std::max(largest, std::abs(plan_.goal[i] - positions()[i]));
  }
  return largest;
}

nlohmann::ordered_json UrPath::result(const std::string& inconclusive) {
  metrics_->set_inconclusive(inconclusive);
  nlohmann::ordered_json out = metrics_->result();
  out.erase(kNoMetric);
  for (auto& [name, joint] : out["joints"].items()) {
    joint.erase(kNoMetric);
  }
  out["goal_error_rad"] = goal_error_rad();
  return out;
}

}  // namespace longarm::experiments
