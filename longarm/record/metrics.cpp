// SPDX-License-Identifier: Apache-2.0
// Sums over the run, the reference comparison, and what the final hold shows.
#include "longarm/record/metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/core/check.h"

namespace longarm::record {
namespace {

constexpr double kSettled_rad = 1e-3;
// a joint that swings through the band has not settled in it
constexpr double kDwell_s = 0.1;
// a joint that never left its start by more than this stood still
constexpr double kMoved_rad = 1e-6;

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(Verdict verdict) {
  if (verdict == Verdict::kUndecided) {
    return "undecided";
  }
  return verdict == Verdict::kStable;
}

void put_growth(Json& out, const std::optional<Growth>& growth) {
  out["growth_per_s"] = growth ? Json(growth->per_s) : Json(nullptr);
  out["growth_standard_error_per_s"] =
      growth ? or_null(growth->standard_error_per_s) : Json(nullptr);
}

}  // namespace

Metrics::Metrics(const sim::Probes& probes, const MetricsConfig& config,
                 std::unique_ptr<TraceSource> reference)
    : config_(config),
      period_s_(to_seconds(config.period)),
      position_(input(probes, "position")),
      plan_(input(probes, "plan")),
      pid_error_(input(probes, "pid_error")),
      velocity_command_(input(probes, "velocity_command")),
      limited_(input(probes, "limited")),
      reference_at_rest_(input(probes, "reference_at_rest")),
      end_effector_(input(probes, "end_effector")),
      path_deviation_(input(probes, "path_deviation")),
      reference_(std::move(reference)) {
  for (const std::string& name : position_.probe->columns) {
    joints_.emplace_back().name = name;
  }
  if (reference_) {
    open_reference();
  }
}

Metrics::Input Metrics::input(const sim::Probes& probes, const std::string& name) const {
  const sim::Probe* probe = probes.find(name);
  check(probe != nullptr, "metrics need a probe that nobody offers: " + name);
  return {probe, std::vector<double>(probe->columns.size())};
}

void Metrics::open_reference() {
  const auto columns = [&](const sim::Probe& probe) {
    std::vector<std::size_t> found;
    for (const std::string& column : probe.columns) {
      if (const auto index = reference_->find_column(probe.name + "." + column)) {
        found.push_back(*index);
      }
    }
    return found;
  };
  reference_command_columns_ = columns(*velocity_command_.probe);
  reference_end_effector_columns_ = columns(*end_effector_.probe);
  has_reference_ = reference_command_columns_.size() == joints_.size() &&
                   reference_end_effector_columns_.size() == 3;
}

void Metrics::record(Time stamp) {
  const double time_s = to_seconds(stamp.time_since_epoch());
  for (Input* each : {&position_, &plan_, &pid_error_, &velocity_command_, &limited_,
                      &reference_at_rest_, &path_deviation_}) {
    each->read();
  }
  ++records_;
  end_s_ = time_s;
  const double deviation = path_deviation_.values[0];
  if (deviation > path_deviation_max_m_) {
    path_deviation_max_m_ = deviation;
    path_deviation_max_at_s_ = time_s;
  }
  path_deviation_square_ += deviation * deviation;

  const bool is_holding = stamp.time_since_epoch() >= config_.hold_start;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    record_joint(i, time_s, is_holding);
  }
  if (reference_) {
    record_reference(time_s);
  }
}

void Metrics::record_joint(std::size_t index, double time_s, bool is_holding) {
  Joint& joint = joints_[index];
  const double difference = plan_.values[index] - position_.values[index];
  joint.pid_error_rad_s += std::abs(pid_error_.values[index]) * period_s_;
  joint.difference_rad_s += std::abs(difference) * period_s_;
  joint.difference_square += difference * difference;
  joint.start_position = joint.start_position.value_or(position_.values[index]);
  joint.has_moved =
      joint.has_moved || std::abs(position_.values[index] - *joint.start_position) > kMoved_rad;
  const bool is_limited = limited_.values[index] != 0.0;
  if (is_limited && !joint.first_limited_s) {
    joint.first_limited_s = time_s;
  }
  if (!is_holding) {
    const double step = plan_.values[index] - joint.last_plan.value_or(plan_.values[index]);
    joint.approach = step == 0.0 ? joint.approach : step < 0.0 ? -1.0 : 1.0;
    joint.last_plan = plan_.values[index];
    return;
  }
  const double to_goal = config_.goal[index] - position_.values[index];
  record_hold(joint, to_goal, time_s);
  // what still moves on purpose, because the plan came late, neither overshoots nor swings
  if (reference_at_rest_.values[0] != 0.0) {
    joint.overshoot_rad = std::max(joint.overshoot_rad, -joint.approach * to_goal);
    joint.envelope.add(time_s, to_goal, is_limited);
  }
}

/// How a joint comes to rest, if it does.
void Metrics::record_hold(Joint& joint, double to_goal, double time_s) {
  if (joint.approach == 0.0) {
    joint.approach = to_goal < 0.0 ? -1.0 : 1.0;
  }
  if (std::abs(to_goal) > kSettled_rad) {
    joint.inside_since_s.reset();
  } else if (!joint.inside_since_s) {
    joint.inside_since_s = time_s;
  }
  if (!joint.start_error) {
    joint.start_error = std::abs(to_goal);
  } else if (!joint.first_beyond_s && std::abs(to_goal) > *joint.start_error) {
    joint.first_beyond_s = time_s;
  }
}

void Metrics::record_reference(double time_s) {
  const std::vector<double>* row = reference_->next();
  if (row == nullptr || !has_reference_ || std::abs(row->front() - time_s) > 1e-9) {
    reference_.reset();  // it ended before we did; what was compared stands
    return;
  }
  reference_compared_s_ = time_s;
  end_effector_.read();
  double square = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double d = end_effector_.values[i] - (*row)[reference_end_effector_columns_[i]];
    square += d * d;
  }
  if (const double distance = std::sqrt(square); distance > reference_path_deviation_max_m_) {
    reference_path_deviation_max_m_ = distance;
    reference_path_deviation_max_at_s_ = time_s;
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const double d = velocity_command_.values[i] - (*row)[reference_command_columns_[i]];
    joints_[i].command_difference_rad += std::abs(d) * period_s_;
  }
}

double Metrics::command_difference_rad() const {
  double sum = 0.0;
  for (const Joint& joint : joints_) {
    sum += joint.command_difference_rad;
  }
  return sum;
}

Judgement Metrics::judge(const Joint& joint) const {
  if (diverged_at_) {
    const std::optional<Growth> growth = joint.envelope.growth();
    return growth && growth->per_s < 0.0 ? Judgement{Verdict::kStable, "its error decays"}
                                         : Judgement{Verdict::kUnstable, "the arm diverged"};
  }
  if (!inconclusive_.empty()) {
    return {Verdict::kUndecided, inconclusive_.c_str()};
  }
  // what was to move it is still on its way
  if (!joint.has_moved && joint.start_error && *joint.start_error > kSettled_rad) {
    return {Verdict::kUndecided, "it has not moved yet"};
  }
  return joint.envelope.judge();
}

std::optional<double> Metrics::settling_s(const Joint& joint) const {
  const bool has_stayed = joint.inside_since_s && end_s_ - *joint.inside_since_s >= kDwell_s;
  if (!has_stayed || judge(joint).verdict == Verdict::kUnstable) {
    return std::nullopt;
  }
  return *joint.inside_since_s - to_seconds(config_.hold_start);
}

Json Metrics::joint_result(const Joint& joint) const {
  const double records = static_cast<double>(std::max<std::uint64_t>(1, records_));
  const Judgement judgement = judge(joint);
  Json out;
  out["cumulated_pid_error_rad_s"] = joint.pid_error_rad_s;
  out["cumulated_joint_difference_rad_s"] = joint.difference_rad_s;
  out["joint_difference_rms_rad"] = std::sqrt(joint.difference_square / records);
  if (has_reference_) {
    out["cumulated_velocity_command_difference_rad"] = joint.command_difference_rad;
  }
  out["overshoot_rad"] = joint.overshoot_rad;
  out["settling_time_s"] = or_null(settling_s(joint));
  out["stable"] = to_json(judgement.verdict);
  out["verdict_reason"] = judgement.reason;
  put_growth(out, joint.envelope.growth());
  return out;
}

void Metrics::add_stability(Json& out) const {
  // the joint that decides: an unstable one before an undecided one, then the one that grows
  // fastest
  const auto severity = [&](const Joint& joint) {
    const Verdict v = judge(joint).verdict;
    return v == Verdict::kUnstable ? 2 : v == Verdict::kUndecided ? 1 : 0;
  };
  const auto rate = [](const Joint& joint) {
    const std::optional<Growth> growth = joint.envelope.growth();
    return growth ? growth->per_s : -INFINITY;
  };
  const auto worst =
      std::max_element(joints_.begin(), joints_.end(), [&](const Joint& a, const Joint& b) {
        return std::pair(severity(a), rate(a)) < std::pair(severity(b), rate(b));
      });
  const Judgement overall = judge(*worst);
  const bool is_unstable = overall.verdict == Verdict::kUnstable;
  const std::optional<double> since =
      worst->first_limited_s ? worst->first_limited_s : worst->first_beyond_s;
  out["stable"] = to_json(overall.verdict);
  out["verdict_reason"] = overall.reason;
  out["unstable_joint"] = is_unstable ? Json(worst->name) : Json(nullptr);
  out["unstable_at_s"] = is_unstable ? or_null(since) : Json(nullptr);
  put_growth(out, worst->envelope.growth());
}

Json Metrics::result() const {
  const double records = static_cast<double>(std::max<std::uint64_t>(1, records_));
  Json joints;
  Json out;
  for (const Joint& joint : joints_) {
    joints[joint.name] = joint_result(joint);
  }
  const auto sum = [&](const char* key) {
    double total = 0.0;
    for (const auto& [name, joint] : joints.items()) {
      total += joint[key].get<double>();
    }
    return total;
  };
  out["path_deviation_max_m"] = path_deviation_max_m_;
  out["path_deviation_max_at_s"] = path_deviation_max_at_s_;
  out["path_deviation_rms_m"] = std::sqrt(path_deviation_square_ / records);
  if (has_reference_) {
    out["reference_path_deviation_max_m"] = reference_path_deviation_max_m_;
    out["reference_path_deviation_max_at_s"] = reference_path_deviation_max_at_s_;
    out["reference_compared_s"] = reference_compared_s_;
  }
  out["cumulated_pid_error_rad_s"] = sum("cumulated_pid_error_rad_s");
  out["cumulated_joint_difference_rad_s"] = sum("cumulated_joint_difference_rad_s");
  if (has_reference_) {
    out["cumulated_velocity_command_difference_rad"] =
        sum("cumulated_velocity_command_difference_rad");
  }

  // of the arm: the worst joint's
  double overshoot = 0.0;
  Json settling = 0.0;
  for (const auto& [name, joint] : joints.items()) {
    overshoot = std::max(overshoot, joint["overshoot_rad"].get<double>());
    if (joint["settling_time_s"].is_null() || settling.is_null()) {
      settling = nullptr;
    } else {
      settling = std::max(settling.get<double>(), joint["settling_time_s"].get<double>());
    }
  }
  out["overshoot_rad"] = overshoot;
  out["settling_time_s"] = settling;
  add_stability(out);
  out["joints"] = joints;
  return out;
}

}  // namespace longarm::record
