// SPDX-License-Identifier: Apache-2.0
// Each rule with its message.
#include "longarm/scenario/validate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/control/watchdog.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/motion/dynamics.h"

namespace longarm::scenario {
namespace {

/// The two periods around `period` that would be right.
std::string multiples_hint(Duration period, Duration step) {
  const Duration below = period - period % step;
  const std::string above = format_duration(below + step);
  return "use " + (below > Duration(0) ? format_duration(below) + " or " : "") + above;
}

void check_period(const std::string& key, Duration period, Duration step,
                  const ConfigSource& source, Diagnostics& diagnostics) {
  if (period <= Duration(0)) {
    diagnostics.error(source.where(key), key + " must be positive", "for example: 1ms");
  } else if (step > Duration(0) && period % step != Duration(0)) {
    diagnostics.error(source.where(key),
                      fmt::format("{} {} is not a whole multiple of physics.period {}", key,
                                  format_duration(period), format_duration(step)),
                      multiples_hint(period, step));
  }
}

void check_periods(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  check_period("physics.period", s.physics_period, Duration(0), source, diagnostics);
  if (s.physics_period <= Duration(0)) {
    return;  // the others follow from it
  }
  check_period("control.period", s.control.period, s.physics_period, source, diagnostics);
  check_period("states.period", *s.states_period, s.physics_period, source, diagnostics);

  // where nothing else can come earlier, silence is certain; the key may stand for both directions
  if (*s.link.silence_after < s.control.period) {
    const ConfigNode* link = source.root.find("link");
    const bool is_short = link != nullptr && link->find("silence_after") != nullptr;
    diagnostics.error(
        source.where(is_short ? "link.silence_after" : "link.commands.silence_after"),
        fmt::format("link.commands.silence_after {} is shorter than control.period {}",
                    format_duration(*s.link.silence_after), format_duration(s.control.period)),
        "commands come once per control.period; use at least that");
  }
}

/// What the controller's host does with time.
void check_clock(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  const auto within_period = [&](const std::string& key, Duration value) {
    if (value != Duration(0) && (value < Duration(0) || value >= s.control.period)) {
      diagnostics.error(source.where(key),
                        fmt::format("{} {} must be at least 0s and less than control.period {}",
                                    key, format_duration(value), format_duration(s.control.period)),
                        "ticks keep their order and their number");
    }
  };
  within_period("control.phase", s.control.phase);
  within_period("control.jitter", s.control.jitter);
  constexpr double kBroken_ppm = 1e5;
  if (std::abs(s.control.clock_drift_ppm) >= kBroken_ppm) {
    diagnostics.error(source.where("control.clock_drift_ppm"),
                      "control.clock_drift_ppm must be between -100000 and 100000",
                      "clocks of computers are off by less than 100 parts per million");
  }
}

/// A watchdog with a rule of its own.
void check_watchdog(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  if (s.link.watchdog == "generic") {
    return;
  }
  // resolved scenarios write the defaults down
  const ConfigNode* link = source.root.find("link");
  for (const auto& [key, is_default] :
       {std::pair{std::string("on_silence"), s.link.on_silence == LinkConfig().on_silence},
        std::pair{std::string("silence_after"), s.link.silence_after == s.control.period}}) {
    if (!is_default) {
      const bool is_short = link != nullptr && link->find(key) != nullptr;
      diagnostics.error(source.where((is_short ? "link." : "link.commands.") + key),
                        "watchdog '" + s.link.watchdog + "' ignores '" + key + "'",
                        "remove it, or use watchdog generic");
    }
  }
  if (s.link.watchdog == "ur" && s.control.period >= control::CommandWatchdog::kUrTimeout) {
    diagnostics.error(source.where("control.period"),
                      "watchdog 'ur' stops a robot that gets a command every " +
                          format_duration(s.control.period),
                      "use a control.period below its time-out of 20ms");
  }
}

/// A position loop that says nothing would look like a perfect run of an arm that holds still.
void check_gain(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  if (!s.gain && s.gains.p.empty()) {
    diagnostics.error(source.where("gains"), "the position loop has no gain",
                      "set gain, for example gain: 10 (1/s), or gains.p per joint");
  }
}

/// One joint's number of a list that may be empty or stand for all.
double at(const std::vector<double>& values, std::size_t joint) {
  const std::size_t index = values.size() == 1 ? 0 : joint;
  return index < values.size() ? values[index] : 0.0;
}

bool has_idle_integral(const control::GainsConfig& gains) {
  const std::size_t joints = std::max(gains.i.size(), gains.i_clamp.size());
  for (std::size_t joint = 0; joint < joints; ++joint) {
    if (at(gains.i, joint) != 0.0 && at(gains.i_clamp, joint) == 0.0) {
      return true;
    }
  }
  return false;
}

/// What counts as wrong already when it is below zero.
void check_signs(const Scenario& s, const ConfigSource& source, Diagnostics& diagnostics) {
  const auto not_negative = [&](const std::string& key, bool is_negative, const char* hint) {
    if (is_negative) {
      diagnostics.error(source.where(key), key + " cannot be negative", hint);
    }
  };
  const auto numbers = [&](const std::string& key, const std::vector<double>& values) {
    not_negative(key, std::any_of(values.begin(), values.end(), [](double x) { return x < 0.0; }),
                 "use 0 or more");
  };
  const auto time = [&](const std::string& key, const std::optional<Duration>& value) {
    not_negative(key, value && *value < Duration(0), "use 0s or more");
  };
  numbers("gain", s.gain ? std::vector<double>{*s.gain} : std::vector<double>{});
  numbers("gains.p", s.gains.p);
  numbers("gains.i", s.gains.i);
  numbers("gains.d", s.gains.d);
  numbers("servo.p", s.servo.gains.p);
  numbers("servo.i", s.servo.gains.i);
  numbers("servo.d", s.servo.gains.d);
  numbers("gains.i_clamp", s.gains.i_clamp);
  numbers("servo.i_clamp", s.servo.gains.i_clamp);
  numbers("servo.rotor_inertia_kg_m2", s.servo.rotor_inertia_kg_m2);
  numbers("tolerances.path_rad", s.tolerances.path_rad);
  numbers("tolerances.goal_rad", s.tolerances.goal_rad);
  numbers("tolerances.stopped_velocity_rad_s", {s.tolerances.stopped_velocity_rad_s});
  time("task.hold", s.task.hold);
  time("tolerances.goal_time", s.tolerances.goal_time);
  time("estop.at", s.estop_at);
}

void check_count(const std::string& key, std::size_t found, std::size_t joints,
                 const ConfigSource& source, Diagnostics& diagnostics) {
  if (found > 1 && found != joints) {
    diagnostics.error(source.where(key),
                      fmt::format("{} has {} numbers, but the robot has {} joint{}", key, found,
                                  joints, joints == 1 ? "" : "s"),
                      joints == 1 ? "give one number" : "give one per joint, or one for all");
  }
}

/// A configuration that the joints' limits allow?
void check_limits(const std::string& what, const std::vector<double>& positions,
                  const model::BodyTree& tree, const SourceLocation& where,
                  Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const model::TreeJoint& joint = tree.joints[i];
    if (positions[i] < joint.limits.lower || positions[i] > joint.limits.upper) {
      diagnostics.error(
          where,
          fmt::format("{} puts joint '{}' at {} rad, beyond its limits", what, joint.name,
                      format_number(positions[i])),
          fmt::format("stay between {:.6g} and {:.6g}", joint.limits.lower, joint.limits.upper));
    }
  }
}

/// Follows dotted keys as far as they go; what is not there stays in `rest`.
const ConfigNode& nearest(const ConfigNode& root, std::string& rest) {
  const ConfigNode* node = &root;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const ConfigNode* child = node->find(rest.substr(0, dot));
    if (child == nullptr) {
      break;
    }
    node = child;
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  return *node;
}

}  // namespace

SourceLocation ConfigSource::where(const std::string& dotted_key) const {
  std::string rest = dotted_key;
  const ConfigNode& node = nearest(root, rest);
  return &node == &root ? SourceLocation{path} : node.where;
}

bool ConfigSource::has(const std::string& dotted_key) const {
  std::string rest = dotted_key;
  nearest(root, rest);
  return rest.empty();
}

void validate_values(const Scenario& s, const ConfigSource& source) {
  Diagnostics diagnostics;
  check_periods(s, source, diagnostics);
  check_signs(s, source, diagnostics);
  check_gain(s, source, diagnostics);
  check_clock(s, source, diagnostics);
  check_watchdog(s, source, diagnostics);
  for (const tasks::TaskFlaw& flaw : tasks::find_flaws(s.task)) {
    diagnostics.error(source.where(flaw.key), flaw.message, flaw.hint);
  }
  if (s.robot.model.empty()) {
    diagnostics.error(source.where("robot"), "robot.model is missing",
                      "name a ready model such as ur5, or a URDF or SDF file");
  }
  if (!s.robot.pose_m_deg.empty() && s.robot.pose_m_deg.size() != 6) {
    diagnostics.error(
        source.where("robot.pose_m_deg"),
        fmt::format("robot.pose_m_deg has {} numbers instead of 6", s.robot.pose_m_deg.size()),
        "a pose is [x, y, z, roll, pitch, yaw] in metres and degrees");
  }
  if (s.cut == "position" && s.controller.name != "pid") {
    diagnostics.error(source.where("controller"),
                      "cut 'position' has no use for controller '" + s.controller.name + "'",
                      "positions go to a servo beside the joints; use another cut");
  }
  if (s.estop_release && (!s.estop_at || *s.estop_release <= *s.estop_at)) {
    diagnostics.error(source.where("estop.release"), "estop.release must come after estop.at",
                      s.estop_at ? "release later, or stop earlier" : "set estop.at as well");
  }
  if (s.servo.model == "pid" && s.servo.gains.p.empty()) {
    const bool is_implied = source.root.find("servo") == nullptr;
    diagnostics.error(source.where(is_implied ? "cut" : "servo"),
                      is_implied ? "cut '" + s.cut + "' uses servo 'pid', which needs its gains"
                                 : "servo 'pid' needs its gains",
                      "set servo.p (N·m·s/rad), one per joint or one for all");
  }
  const bool needs_efforts = s.servo.model == "pid" || s.cut == "effort" || s.cut == "stale-servo";
  if (s.engine == "kinematic" && needs_efforts) {
    diagnostics.error(source.where("engine"),
                      "engine 'kinematic' has no dynamics, which cut '" + s.cut + "' with servo '" +
                          s.servo.model + "' needs",
                      "use engine mujoco or ode");
  }
  diagnostics.throw_if_errors();
}

std::vector<Diagnostic> warnings_about_values(const Scenario& s, const ConfigSource& source) {
  Diagnostics diagnostics;
  for (const auto& [group, gains] :
       {std::pair<std::string, const control::GainsConfig*>{"gains", &s.gains},
        std::pair<std::string, const control::GainsConfig*>{"servo", &s.servo.gains}}) {
    if (has_idle_integral(*gains)) {
      diagnostics.warning(source.where(group + ".i"),
                          fmt::format("{0}.i has no effect without {0}.i_clamp", group),
                          fmt::format("set {}.i_clamp, the most that the integral may add", group));
    }
  }
  if (s.cut == "none" && (s.link.states.model != "none" || s.link.commands.model != "none")) {
    diagnostics.warning(source.where("link"), "with cut 'none' nothing crosses the link",
                        "choose another cut, or remove the link");
  }
  const bool is_watched = s.link.watchdog != "generic" || s.link.on_silence != "hold";
  if (s.cut == "trajectory" && is_watched) {
    diagnostics.warning(source.where("link"),
                        "with cut 'trajectory' commands do not cross the link, so that the "
                        "watchdog never finds them missing",
                        "choose another cut");
  }
  return diagnostics.all();
}

void validate_against_model(const Scenario& s, const ConfigSource& source,
                            const model::BodyTree& tree) {
  Diagnostics diagnostics;
  const std::size_t joints = tree.joints.size();
  if (joints == 0) {
    throw InputError(Diagnostic{source.where("robot.model"), "the robot has no joint that moves",
                                "all of its joints are fixed: make one revolute or prismatic"});
  }
  for (const model::TreeJoint& joint : tree.joints) {
    if (joint.mimic) {
      diagnostics.error(
          source.where("robot.model"),
          fmt::format("joint '{}' mimics '{}', and arms with mimic joints cannot be run yet",
                      joint.name, tree.joints[static_cast<std::size_t>(joint.mimic->joint)].name),
          "leave the gripper out of the arm's model, or make its joints fixed");
    }
  }
  diagnostics.throw_if_errors();
  const auto count = [&](const std::string& key, const std::vector<double>& values) {
    check_count(key, values.size(), joints, source, diagnostics);
  };
  count("robot.home_rad", s.robot.home_rad);
  count("gains.p", s.gains.p);
  count("gains.i", s.gains.i);
  count("gains.d", s.gains.d);
  count("gains.i_clamp", s.gains.i_clamp);
  count("servo.p", s.servo.gains.p);
  count("servo.i", s.servo.gains.i);
  count("servo.d", s.servo.gains.d);
  count("servo.i_clamp", s.servo.gains.i_clamp);
  count("servo.rotor_inertia_kg_m2", s.servo.rotor_inertia_kg_m2);
  count("tolerances.path_rad", s.tolerances.path_rad);
  count("tolerances.goal_rad", s.tolerances.goal_rad);
  count("task.velocity_limit_rad_s", s.task.velocity_limit_rad_s);
  count("task.acceleration_limit_rad_s2", s.task.acceleration_limit_rad_s2);
  for (std::size_t i = 0; i < s.task.joints_rad.size(); ++i) {
    if (s.task.joints_rad[i].size() != joints) {
      diagnostics.error(
          source.where("task.joints_rad"),
          fmt::format("waypoint {} has {} number{}, but the robot has {} joint{}", i + 1,
                      s.task.joints_rad[i].size(), s.task.joints_rad[i].size() == 1 ? "" : "s",
                      joints, joints == 1 ? "" : "s"),
          "give one number per joint");
      continue;
    }
    check_limits(fmt::format("waypoint {}", i + 1), s.task.joints_rad[i], tree,
                 source.where("task.joints_rad"), diagnostics);
  }
  if (s.robot.home_rad.size() == joints) {
    check_limits("robot.home_rad", s.robot.home_rad, tree, source.where("robot.home_rad"),
                 diagnostics);
  }
  if (!tree.find_frame(s.robot.end_effector)) {
    std::vector<std::string> names;
    for (const model::Frame& frame : tree.frames) {
      names.push_back(frame.name);
    }
    const bool is_missing = s.robot.end_effector.empty();
    diagnostics.error(source.where("robot.end_effector"),
                      is_missing ? "robot.end_effector is missing"
                                 : "the robot has no link '" + s.robot.end_effector + "'",
                      is_missing ? "name one of its links: " + join(names)
                                 : suggest(s.robot.end_effector, names));
  }
  diagnostics.throw_if_errors();
}

std::vector<model::LintFinding> lint_servo_of(const Scenario& s, const model::BodyTree& tree,
                                              const tasks::Plan& plan) {
  if (s.servo.model != "pid") {
    return {};
  }

  // the smallest inertia each joint meets on its way, every 50 ms
  constexpr Duration kEvery{50'000'000};
  motion::Dynamics dynamics(tree);
  std::vector<double> smallest(tree.joints.size(), INFINITY);
  std::vector<double> q(tree.joints.size());
  for (Duration t{0}; t <= plan.hold_start; t += kEvery) {
    plan.trajectory.sample(t, q);
    const std::span<const motion::EffectiveInertia> inertias = dynamics.effective_inertias(q);
    for (std::size_t i = 0; i < smallest.size(); ++i) {
      smallest[i] = std::min(smallest[i], inertias[i].others_free);
    }
  }
  const Duration period = s.cut == "effort" ? s.control.period : s.physics_period;
  const std::vector<double> gains =
      control::per_joint(s.servo.gains.p, static_cast<int>(tree.joints.size()));
  return model::lint_servo(tree, gains, to_seconds(period), smallest);
}

}  // namespace longarm::scenario
