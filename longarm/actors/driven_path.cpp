// SPDX-License-Identifier: Apache-2.0
// Offers what the metrics of arms read.
#include "longarm/actors/driven_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/core/suggest.h"

namespace longarm::actors {
namespace {

// there is no controller whose error could be told from this one's for all kinds of drivers
constexpr const char* kNoMetric = "cumulated_pid_error_rad_s";
// between places of the plan that the tool must have come by, and how far it moves to be noted
constexpr Duration kPlaces{2'000'000};
constexpr double kMoved_m = 1e-5;
// a quarter of an hour of motion without a rest; memory stays bounded
constexpr std::size_t kMostPlaces = 1'000'000;
// who is nearer to the goal has reached it, unless less than this share of the way was gone
constexpr double kAtGoal_rad = 0.02;
constexpr double kLeastWay = 0.5;

double way_between(std::span<const double> a, std::span<const double> b) {
  double way = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    way += std::abs(a[i] - b[i]);
  }
  return way;
}

}  // namespace

DrivenPath::DrivenPath(const physics::Engine& engine, const model::BodyTree& tree, int first_joint,
                       int frame, tasks::Plan plan, Duration start, Duration period)
    : engine_(engine),
      tree_(tree),
      first_joint_(static_cast<std::size_t>(first_joint)),
      frame_(frame),
      plan_(std::move(plan)),
      kinematics_(tree),
      curve_(motion::planned_curve(plan_.trajectory, kinematics_, frame)),
      start_(start) {
  survey_plan();
  offer_probes();
  metrics_ = std::make_unique<record::Metrics>(
      probes_, record::MetricsConfig{period, start + plan_.hold_start, plan_.goal}, nullptr);
}

std::span<const double> DrivenPath::positions() const {
  return engine_.positions().subspan(first_joint_, tree_.joints.size());
}

void DrivenPath::offer_probes() {
  const std::vector<std::string> names = names_of(tree_.joints);
  probes_.add({"position", names, [this](std::span<double> out) {
                 std::copy(positions().begin(), positions().end(), out.begin());
               }});
  probes_.add({"plan", names, [this](std::span<double> out) {
                 plan_.trajectory.sample(into_plan_, out, {}, {}, plan_cursor_);
               }});
  probes_.add({"velocity", names, [this](std::span<double> out) {
                 const auto v = engine_.velocities().subspan(first_joint_, tree_.joints.size());
                 std::copy(v.begin(), v.end(), out.begin());
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

void DrivenPath::read_limited(std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const model::JointLimits& limits = tree_.joints[i].limits;
    const bool is_limited =
        is_limited_ || std::abs(engine_.efforts()[first_joint_ + i]) >= limits.effort * kAtLimit ||
        std::abs(engine_.velocities()[first_joint_ + i]) >= limits.velocity * kAtLimit;
    out[i] = is_limited ? 1.0 : 0.0;
  }
}

void DrivenPath::survey_plan() {
  std::vector<double> q(tree_.joints.size());
  std::vector<double> before;
  motion::Trajectory::Cursor cursor;
  for (Duration at{0}; at < plan_.hold_start + kPlaces; at += kPlaces) {
    plan_.trajectory.sample(std::min(at, plan_.hold_start), q, {}, {}, cursor);
    plan_places_m_.push_back(kinematics_.position_of(frame_, q));
    plan_way_rad_ += before.empty() ? 0.0 : way_between(q, before);
    before = q;
  }
}

void DrivenPath::note_way(Time now) {
  const model::Vector3 place = kinematics_.position_of(frame_, positions());
  const bool has_moved = places_m_.empty() || (place - places_m_.back()).norm() >= kMoved_m;
  if (has_moved && places_m_.size() < kMostPlaces) {
    places_m_.push_back(place);
  }
  way_rad_ += last_rad_.empty() ? 0.0 : way_between(positions(), last_rad_);
  last_rad_.assign(positions().begin(), positions().end());
  // a plan that begins later than it was asked to is late
  const Duration due = std::clamp(now.time_since_epoch() - start_, Duration(0), plan_.hold_start);
  const auto before = static_cast<std::size_t>(due / kPlaces);
  const std::size_t after = std::min(before + 1, plan_places_m_.size() - 1);
  const double share = to_seconds(due % kPlaces) / to_seconds(kPlaces);
  const model::Vector3 planned =
      (1.0 - share) * plan_places_m_[before] + share * plan_places_m_[after];
  const double lag = (place - planned).norm();
  lag_square_m2_ += lag * lag;
  lag_max_m_ = std::max(lag_max_m_, lag);
  ++steps_;
}

double DrivenPath::missed_m() const {
  if (places_m_.empty()) {
    return 0.0;
  }
  const motion::PlannedCurve way(places_m_);
  motion::PlannedCurve::Cursor cursor;
  double farthest = 0.0;
  for (const model::Vector3& place : plan_places_m_) {
    farthest = std::max(farthest, way.distance(place, cursor));
  }
  return farthest;
}

void DrivenPath::record(Time now, std::optional<Time> begun, bool is_limited) {
  is_limited_ = is_limited;
  // a plan that has not begun holds its first point
  into_plan_ = begun ? now - *begun : Duration(0);
  deviation_m_ = curve_.distance(kinematics_.position_of(frame_, positions()), curve_cursor_);
  note_way(now);
  metrics_->record(now);
}

DrivenPath::GoalError DrivenPath::goal_error() const {
  GoalError largest;
  for (std::size_t i = 0; i < plan_.goal.size(); ++i) {
    const double error = std::abs(plan_.goal[i] - positions()[i]);
    if (error > largest.error_rad) {
      largest = {i, error};
    }
  }
  return largest;
}

bool DrivenPath::is_completed() const {
  // where a plan ends as it began, standing still is not enough
  return into_plan_ >= plan_.hold_start && goal_error().error_rad <= kAtGoal_rad &&
         way_rad_ >= kLeastWay * plan_way_rad_;
}

nlohmann::ordered_json DrivenPath::result(const std::string& inconclusive) {
  metrics_->set_inconclusive(inconclusive);
  nlohmann::ordered_json out = metrics_->result();
  out.erase(kNoMetric);
  for (auto& [name, joint] : out["joints"].items()) {
    joint.erase(kNoMetric);
  }
  if (!inconclusive.empty()) {
    out["overshoot_rad"] = nullptr;  // of a motion that was not made
  }
  out["path_missed_max_m"] = missed_m();
  out["path_error_max_m"] =
      std::max(out["path_deviation_max_m"].get<double>(), out["path_missed_max_m"].get<double>());
  out["tracking_error_rms_m"] =
      steps_ == 0 ? 0.0 : std::sqrt(lag_square_m2_ / static_cast<double>(steps_));
  out["tracking_error_max_m"] = lag_max_m_;
  out["plan_completed"] = is_completed();
  out["goal_error_rad"] = goal_error().error_rad;
  return out;
}

}  // namespace longarm::actors
