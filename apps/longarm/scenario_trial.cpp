// SPDX-License-Identifier: Apache-2.0
// Compares joints and tool with their plan after every step.
#include "apps/longarm/scenario_trial.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/cell/run.h"
#include "longarm/core/check.h"

namespace longarm::app {
namespace {

// What is good, in one place; scenario_trial.h and models/README.md say the same in words.
constexpr double kToolOff_m = 0.005;
constexpr double kShareBehind = 0.05;
constexpr double kShareBehindAtEnd = 0.01;
constexpr double kLeastTravelJudged = 0.002;  // rad or m; less is judged as if it were this
// A joint that is at its effort limit for longer lacks strength.
constexpr double kShareAtLimit = 0.02;
constexpr double kAtLimit = 0.999;
// How often a trial looks whether it may end early.
constexpr Duration kSlice = std::chrono::milliseconds(100);

std::size_t contact_steps_of(const nlohmann::ordered_json& results) {
  return results.at("contact_steps").get<std::size_t>();
}

/// Watches an arm step by step.
class Watcher {
 public:
  Watcher(const cell::PreparedScenario& prepared, const cell::Run& run)
      : model_(actors::arm_of(prepared)),
        arm_(actors::arm_of(run)),
        effort_(*arm_.probes()->find("effort")),
        kinematics_(model_.tree()),
        planned_(model_.tree().joints.size()),
        low_(model_.driven().size(), INFINITY),
        high_(model_.driven().size(), -INFINITY),
        efforts_(effort_.columns.size()),
        steps_at_limit_(model_.driven().size(), 0) {
    check(efforts_.size() == model_.driven().size(), "one effort per driven joint");
    for (const int number : model_.driven()) {
      const model::TreeJoint& joint = model_.tree().joints[static_cast<std::size_t>(number)];
      JointTrial trial;
      trial.name = joint.name;
      trial.turns = joint.type == model::JointType::kRevolute;
      trial.effort_limit = joint.limits.effort;
      joints_.push_back(trial);
    }
  }

  void look(Time stamp) {
    const std::span<const double> positions = arm_.loop().positions();
    model_.plan().trajectory.sample(stamp.time_since_epoch(), planned_, {}, {}, cursor_);
    effort_.read(efforts_);
    ++steps_;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto number = static_cast<std::size_t>(model_.driven()[i]);
      JointTrial& joint = joints_[i];
      joint.behind_at_end = std::abs(planned_[number] - positions[number]);
      joint.most_behind = std::max(joint.most_behind, joint.behind_at_end);
      low_[i] = std::min(low_[i], planned_[number]);
      high_[i] = std::max(high_[i], planned_[number]);
      joint.travel = high_[i] - low_[i];
      const bool is_at_limit = std::abs(efforts_[i]) >= kAtLimit * joint.effort_limit;
      steps_at_limit_[i] += is_at_limit ? 1U : 0U;
      joint.share_at_effort_limit =
          static_cast<double>(steps_at_limit_[i]) / static_cast<double>(steps_);
    }
    const int tool = model_.end_effector_frame();
    tool_off_m_ = std::max(tool_off_m_, (kinematics_.position_of(tool, positions) -
                                         kinematics_.position_of(tool, planned_))
                                            .norm());
  }

  const std::vector<JointTrial>& joints() const { return joints_; }
  double tool_off_m() const { return tool_off_m_; }

 private:
  const actors::ArmModel& model_;
  const actors::ArmActor& arm_;
  const sim::Probe& effort_;
  motion::Kinematics kinematics_;
  motion::Trajectory::Cursor cursor_;
  std::vector<double> planned_;  ///< per joint of the tree
  std::vector<double> low_;      ///< per driven joint
  std::vector<double> high_;
  std::vector<double> efforts_;
  std::vector<std::size_t> steps_at_limit_;
  std::vector<JointTrial> joints_;
  std::size_t steps_ = 0;
  double tool_off_m_ = 0.0;
};

std::string travel_text(double value, bool turns) {
  return turns ? fmt::format("{:.3g}°", value * 180.0 / M_PI)
               : fmt::format("{:.3g} mm", 1e3 * value);
}

/// Against what is just good enough: 1.
double badness_of(const JointTrial& joint) {
  return std::max(joint.most_behind / kShareBehind, joint.behind_at_end / kShareBehindAtEnd) /
         std::max(joint.travel, kLeastTravelJudged);
}

}  // namespace

bool JointTrial::follows() const {
  return badness_of(*this) <= 1.0;  // false for what is not a number
}

bool Trial::is_good() const {
  return problem.empty() && badness() <= 1.0;
}

double Trial::badness() const {
  double worst = tool_off_m / kToolOff_m;
  for (const JointTrial& joint : joints) {
    worst = std::max(worst, badness_of(joint));
  }
  return worst;
}

std::string Trial::shortcoming() const {
  if (!problem.empty()) {
    return problem.find('\n') == std::string::npos ? problem : "the scenario was refused";
  }
  const auto worst = std::max_element(
      joints.begin(), joints.end(),
      [](const JointTrial& a, const JointTrial& b) { return badness_of(a) < badness_of(b); });
  if (worst != joints.end() && !worst->follows()) {
    const std::string of = travel_text(worst->travel, worst->turns);
    const bool arrives = worst->behind_at_end <= kShareBehindAtEnd * worst->travel;
    const std::string how =
        arrives ? fmt::format("joint '{}' was up to {} off its plan (travel {})", worst->name,
                              travel_text(worst->most_behind, worst->turns), of)
                : fmt::format("joint '{}' ended {} from its goal (travel {})", worst->name,
                              travel_text(worst->behind_at_end, worst->turns), of);
    return contact_steps == 0 ? how : how + fmt::format(" ({} touched)", first_contact);
  }
  if (tool_off_m > kToolOff_m) {
    return fmt::format("the tool was up to {:.3g} mm off its plan", 1e3 * tool_off_m);
  }
  return contact_steps == 0 ? "" : first_contact + " touched";
}

const JointTrial* Trial::weakest() const {
  const auto weakest =
      std::max_element(joints.begin(), joints.end(), [](const JointTrial& a, const JointTrial& b) {
        return a.share_at_effort_limit < b.share_at_effort_limit;
      });
  return weakest != joints.end() && weakest->share_at_effort_limit > kShareAtLimit ? &*weakest
                                                                                   : nullptr;
}

Trial try_scenario(const std::string& text, const std::filesystem::path& path,
                   bool stops_at_contact) {
  Trial trial;
  try {
    const cell::PreparedScenario prepared =
        cell::load_scenario_text(text, path.string(), {}, labs::built_in_plugins());
    cell::Run run(prepared);
    Watcher watcher(prepared, run);
    run.set_observer([&](Time stamp) { watcher.look(stamp); });
    const auto has_touched = [&] { return contact_steps_of(run.results()) > 0; };
    while (!run.is_over() && !(stops_at_contact && has_touched())) {
      run.run_until(std::min(run.now() + kSlice, run.end()));
    }
    const nlohmann::ordered_json results = run.results();
    trial.length_s = to_seconds(prepared.length);
    trial.joints = watcher.joints();
    trial.tool_off_m = watcher.tool_off_m();
    trial.contact_steps = contact_steps_of(results);
    trial.first_contact = results.value("first_contact", "");
    const auto outcome = results.at("trajectory").get<std::string>();
    if (run.is_diverged()) {
      trial.problem = "the robot diverged";
    } else if (run.failure()) {
      trial.problem = *run.failure();
    } else if (outcome != "succeeded") {
      trial.problem = "the trajectory did not end: " + outcome;
    }
  } catch (const InputError& problem) {
    trial.problem = problem.what();
  }
  return trial;
}

}  // namespace longarm::app
