// SPDX-License-Identifier: Apache-2.0
// Each rule with its message.
#include "longarm/actors/arm_judge.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "longarm/actors/joint_lists.h"
#include "longarm/cell/cell_config.h"
#include "longarm/control/watchdog.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/motion/dynamics.h"

namespace longarm::actors {
namespace {

using Remarks = std::vector<cell::KeyRemark>;

void say(Remarks& remarks, const std::string& key, std::string message, std::string hint) {
  remarks.push_back({key, std::move(message), std::move(hint)});
}

void warn(Remarks& remarks, const std::string& key, std::string message, std::string hint) {
  remarks.push_back({key, std::move(message), std::move(hint), Severity::kWarning});
}

/// The two periods around `period` that would be right.
std::string multiples_hint(Duration period, Duration step) {
  const Duration below = period - period % step;
  const std::string above = format_duration(below + step);
  return "use " + (below > Duration(0) ? format_duration(below) + " or " : "") + above;
}

void check_period(const std::string& key, Duration period, Duration step, Remarks& remarks) {
  if (period <= Duration(0)) {
    say(remarks, key, key + " must be positive", "for example: 1ms");
  } else if (period % step != Duration(0)) {
    say(remarks, key,
        fmt::format("{} {} is not a whole multiple of physics.period {}", key,
                    format_duration(period), format_duration(step)),
        multiples_hint(period, step));
  }
}

void check_periods(const ArmConfig& c, Duration step, Remarks& remarks) {
  check_period("control.period", c.control.period, step, remarks);
  check_period("states.period", *c.states_period, step, remarks);

  // where nothing else can come earlier, silence is certain
  if (*c.link.silence_after < c.control.period) {
    say(remarks, "link.commands.silence_after",
        fmt::format("link.commands.silence_after {} is shorter than control.period {}",
                    format_duration(*c.link.silence_after), format_duration(c.control.period)),
        "commands arrive once per control.period; use at least that");
  }
}

/// What the controller's host does with time.
void check_clock(const ArmConfig& c, Remarks& remarks) {
  const auto within_period = [&](const std::string& key, Duration value) {
    if (value != Duration(0) && (value < Duration(0) || value >= c.control.period)) {
      say(remarks, key,
          fmt::format("{} {} must be at least 0s and less than control.period {}", key,
                      format_duration(value), format_duration(c.control.period)),
          "otherwise ticks would be reordered or lost");
    }
  };
  within_period("control.phase", c.control.phase);
  within_period("control.jitter", c.control.jitter);
  constexpr double kBroken_ppm = 1e5;
  if (std::abs(c.control.clock_drift_ppm) >= kBroken_ppm) {
    say(remarks, "control.clock_drift_ppm",
        "control.clock_drift_ppm must be between -100000 and 100000",
        "real clocks are off by less than 100 parts per million");
  }
}

/// A watchdog with a rule of its own.
void check_watchdog(const ArmConfig& c, Remarks& remarks) {
  if (c.link.watchdog == "generic") {
    return;
  }
  // resolved scenarios write the defaults down
  for (const auto& [key, is_default] :
       {std::pair{std::string("on_silence"), c.link.on_silence == config::LinkConfig().on_silence},
        std::pair{std::string("silence_after"), c.link.silence_after == c.control.period}}) {
    if (!is_default) {
      say(remarks, "link.commands." + key,
          "watchdog '" + c.link.watchdog + "' ignores '" + key + "'",
          "remove it, or use watchdog generic");
    }
  }
  if (c.link.watchdog == "ur" && c.control.period >= control::CommandWatchdog::kUrTimeout) {
    say(remarks, "control.period",
        "watchdog 'ur' stops a robot that gets a command every " +
            format_duration(c.control.period),
        "use a control.period below its time-out of 20ms");
  }
}

/// A position loop that says nothing would look like a perfect run of an arm that holds still.
void check_gain(const ArmConfig& c, Remarks& remarks) {
  if (!c.gain && c.gains.p.empty()) {
    say(remarks, "gains", "the position loop has no gain",
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
void check_signs(const ArmConfig& c, Remarks& remarks) {
  const auto not_negative = [&](const std::string& key, bool is_negative, const char* hint) {
    if (is_negative) {
      say(remarks, key, key + " must not be negative", hint);
    }
  };
  const auto numbers = [&](const std::string& key, const std::vector<double>& values) {
    not_negative(key, std::any_of(values.begin(), values.end(), [](double x) { return x < 0.0; }),
                 "use 0 or more");
  };
  const auto time = [&](const std::string& key, const std::optional<Duration>& value) {
    not_negative(key, value && *value < Duration(0), "use 0s or more");
  };
  numbers("gain", c.gain ? std::vector<double>{*c.gain} : std::vector<double>{});
  numbers("gains.p", c.gains.p);
  numbers("gains.i", c.gains.i);
  numbers("gains.d", c.gains.d);
  numbers("servo.p", c.servo.gains.p);
  numbers("servo.i", c.servo.gains.i);
  numbers("servo.d", c.servo.gains.d);
  numbers("gains.i_clamp", c.gains.i_clamp);
  numbers("servo.i_clamp", c.servo.gains.i_clamp);
  numbers("servo.rotor_inertia_kg_m2", c.servo.rotor_inertia_kg_m2);
  numbers("tolerances.path_rad", c.tolerances.path_rad);
  numbers("tolerances.goal_rad", c.tolerances.goal_rad);
  numbers("tolerances.stopped_velocity_rad_s", {c.tolerances.stopped_velocity_rad_s});
  time("task.hold", c.task.hold);
  time("tolerances.goal_time", c.tolerances.goal_time);
  time("estop.at", c.estop_at);
}

/// Keys that need, or exclude, each other.
void check_together(const ArmConfig& c, const std::string& engine, Remarks& remarks) {
  if (c.cut == "position" && c.controller.name != "pid") {
    say(remarks, "controller", "cut 'position' does not use controller '" + c.controller.name + "'",
        "positions go straight to a servo at the joints; use another cut");
  }
  if (c.estop_release && (!c.estop_at || *c.estop_release <= *c.estop_at)) {
    say(remarks, "estop.release", "estop.release must come after estop.at",
        c.estop_at ? "release later, or stop earlier" : "set estop.at as well");
  }
  if (c.servo.model == "pid" && c.servo.gains.p.empty()) {
    const bool is_implied = c.has_implied_servo;
    say(remarks, is_implied ? "cut" : "servo",
        is_implied ? "cut '" + c.cut + "' uses servo 'pid', which needs its gains"
                   : "servo 'pid' needs its gains",
        "set servo.p (N·m·s/rad), one per joint or one for all");
  }
  const bool needs_efforts = c.servo.model == "pid" || c.cut == "effort" || c.cut == "stale-servo";
  if (engine == "kinematic" && needs_efforts) {
    say(remarks, "engine",
        "engine 'kinematic' has no dynamics, which cut '" + c.cut + "' with servo '" +
            c.servo.model + "' needs",
        "use engine mujoco or ode");
  }
}

/// Where the controller is, and what is between it and the joints.
void check_hosts(const ArmConfig& c, const cell::LoadContext& context, const ArmKeys& keys,
                 Remarks& remarks) {
  const bool has_link = c.link.states.model != "none" || c.link.commands.model != "none";
  if (!c.control.host.empty() && context.host.empty()) {
    say(remarks, "control.host",
        context.cell.network.is_empty() ? "control.host has no effect without a network"
                                        : "the controller has a host but the joints have none",
        context.cell.network.is_empty() ? "name hosts and links under network, or remove it"
                                        : fmt::format("set {}", keys("host")));
  }
  if (context.cell.is_short && context.cell.network.is_empty() && !context.host.empty()) {
    say(remarks, "host", keys("host") + " has no effect without a network",
        "name hosts and links under network, or remove it");
  }
  if (!c.control.host.empty() && has_link) {
    say(remarks, "link",
        "'link' and 'network' both describe the connection between controller and robot",
        "set the link model on a link of the network instead: network.links.NAME.…");
  }
}

void warn_of_values(const ArmConfig& c, Remarks& remarks) {
  for (const auto& [group, gains] :
       {std::pair<std::string, const control::GainsConfig*>{"gains", &c.gains},
        std::pair<std::string, const control::GainsConfig*>{"servo", &c.servo.gains}}) {
    if (has_idle_integral(*gains)) {
      warn(remarks, group + ".i", fmt::format("{0}.i has no effect without {0}.i_clamp", group),
           fmt::format("set {}.i_clamp, the limit of the integral term", group));
    }
  }
  if (c.cut == "none" && (c.link.states.model != "none" || c.link.commands.model != "none")) {
    warn(remarks, "link", "with cut 'none' nothing crosses the link",
         "choose another cut, or remove the link");
  }
  const bool is_watched = c.link.watchdog != "generic" || c.link.on_silence != "hold";
  if (c.cut == "trajectory" && is_watched) {
    warn(remarks, "link",
         "with cut 'trajectory' commands do not cross the link, so the watchdog never triggers",
         "choose another cut");
  }
}

/// What a joint is told where nobody says anything else.
std::string usual_command(const ArmConfig& c) {
  const bool is_effort = c.servo.model == "pid" || c.cut == "effort" || c.cut == "stale-servo";
  return is_effort ? "effort" : "velocity";
}

bool has_rates(const control::GainsConfig& gains) {
  const auto is_any = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return x != 0.0; });
  };
  return is_any(gains.i) || is_any(gains.d);
}

/// Why no joint can be told this; without a message: it can.
cell::KeyRemark why_not(const ArmConfig& c, const std::string& word, const std::string& engine) {
  if (word != "effort" && (c.cut == "effort" || c.cut == "stale-servo")) {
    return {"command", fmt::format("cut '{}' produces efforts, not command '{}'", c.cut, word),
            "remove it, or use another cut"};
  }
  if (word == "effort" && engine == "kinematic") {
    return {"command", "engine 'kinematic' has no dynamics, which command 'effort' needs",
            "use engine mujoco or ode"};
  }
  if (word != "position") {
    return {"command", "", ""};
  }
  if (c.cut == "velocity") {
    return {"command", "cut 'velocity' sends velocities, but command 'position' needs positions",
            "use cut position, trajectory or none"};
  }
  if (c.controller.name != "pid" || has_rates(c.gains)) {
    return {"command",
            fmt::format("command 'position' does not use {}",
                        c.controller.name != "pid" ? "controller '" + c.controller.name + "'"
                                                   : "gains.i and gains.d"),
            "the arm's controller passes positions on; gains.p is for its other joints"};
  }
  return {"command", "", ""};
}

/// Home as the user has it, with what nobody said.
std::vector<double> home_of(const ArmConfig& c, const model::BodyTree& tree,
                            const std::vector<int>& driven, const ArmKeys& keys, Remarks& remarks) {
  std::vector<double> home;
  for (const model::TreeJoint& joint : tree.joints) {
    home.push_back(model::usual_position(joint.limits));
  }
  // joints that are held are no part of the tree any more
  JointPositions given = c.home_rad;
  for (std::size_t i = given.names.size(); i-- > 0;) {
    if (!tree.find_joint(given.names[i])) {
      given.names.erase(given.names.begin() + static_cast<std::ptrdiff_t>(i));
      given.values.erase(given.values.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const bool is_named = !c.home_rad.names.empty();
  if (is_named && given.names.empty()) {
    given.values.clear();
  }
  std::vector<model::JointFlaw> flaws;
  home = model::put_positions(given, tree, driven, std::move(home), flaws);
  for (const model::JointFlaw& flaw : flaws) {
    say(remarks, "home_rad", is_named ? flaw.message : keys("home_rad") + " has " + flaw.message,
        is_named || driven.size() == 1 ? flaw.hint : "give one per joint, or one for all");
  }
  for (std::size_t i = 0; i < home.size() && flaws.empty(); ++i) {
    const model::TreeJoint& joint = tree.joints[i];
    if (home[i] < joint.limits.lower || home[i] > joint.limits.upper) {
      say(remarks, "home_rad",
          fmt::format("{} puts joint '{}' at {} {}, beyond its limits", keys("home_rad"),
                      joint.name, format_number(home[i]),
                      joint.type == model::JointType::kPrismatic ? "m" : "rad"),
          fmt::format("stay between {:.6g} and {:.6g}", joint.limits.lower, joint.limits.upper));
    }
  }
  return home;
}

}  // namespace

Remarks judge_arm_values(const ArmConfig& c, const cell::LoadContext& context) {
  Remarks remarks;
  check_periods(c, context.options.period, remarks);
  check_signs(c, remarks);
  check_gain(c, remarks);
  check_clock(c, remarks);
  check_watchdog(c, remarks);
  for (const tasks::TaskFlaw& flaw : tasks::find_flaws(c.task)) {
    say(remarks, flaw.key, flaw.message, flaw.hint);
  }
  const ArmKeys keys(context.cell.is_short);
  if (c.robot.model.empty()) {
    say(remarks, "model", keys("model") + " is missing",
        "give a built-in model such as ur5, or a URDF or SDF file");
  }
  check_together(c, context.engine, remarks);
  check_hosts(c, context, keys, remarks);
  warn_of_values(c, remarks);
  return remarks;
}

ArmStart judge_arm_model(const ArmConfig& c, const model::BodyTree& tree,
                         const std::vector<int>& driven, const ArmKeys& keys) {
  ArmStart start;
  Remarks& remarks = start.remarks;
  const std::size_t joints = driven.size();
  if (joints == 0) {
    say(remarks, tree.joints.empty() ? "model" : "joints", "the robot has no joint that moves",
        tree.joints.empty() ? "all of its joints are fixed: make one revolute or prismatic"
                            : "all of its joints are free: name the driven ones");
    return start;
  }
  const auto count = [&](const std::string& key, const std::vector<double>& values) {
    if (values.size() > 1 && values.size() != joints) {
      say(remarks, key,
          fmt::format("{} has {} numbers, but the robot has {} joint{}", keys(key), values.size(),
                      joints, joints == 1 ? "" : "s"),
          joints == 1 ? "give one number" : "give one per joint, or one for all");
    }
  };
  start.home = home_of(c, tree, driven, keys, remarks);
  count("gains.p", c.gains.p);
  count("gains.i", c.gains.i);
  count("gains.d", c.gains.d);
  count("gains.i_clamp", c.gains.i_clamp);
  count("servo.p", c.servo.gains.p);
  count("servo.i", c.servo.gains.i);
  count("servo.d", c.servo.gains.d);
  count("servo.i_clamp", c.servo.gains.i_clamp);
  count("servo.rotor_inertia_kg_m2", c.servo.rotor_inertia_kg_m2);
  count("tolerances.path_rad", c.tolerances.path_rad);
  count("tolerances.goal_rad", c.tolerances.goal_rad);
  count("task.velocity_limit_rad_s", c.task.velocity_limit_rad_s);
  count("task.acceleration_limit_rad_s2", c.task.acceleration_limit_rad_s2);
  whole_waypoints(c.task, tree, driven, start.home, remarks);
  whole_points(c.task, tree, driven, start.home, remarks);
  if (!tree.find_frame(c.end_effector)) {
    std::vector<std::string> names;
    for (const model::Frame& frame : tree.frames) {
      names.push_back(frame.name);
    }
    const bool is_missing = c.end_effector.empty();
    say(remarks, "end_effector",
        is_missing ? keys("end_effector") + " is missing"
                   : "the robot has no link '" + c.end_effector + "'",
        is_missing ? "name one of its links: " + join(names) : suggest(c.end_effector, names));
  }
  return start;
}

Remarks settle_commands(ArmConfig& c, const model::BodyTree& tree, const std::vector<int>& driven,
                        const std::string& engine,
                        const std::map<std::string, std::string>& transmissions) {
  const std::size_t joints = driven.size();
  Remarks remarks;
  if (c.command.empty()) {
    // what files say is a wish, while a servo that the user chose is an order
    std::vector<std::string> words;
    for (const int joint : driven) {
      const auto said = transmissions.find(tree.joints[static_cast<std::size_t>(joint)].name);
      const bool is_taken = said != transmissions.end() && c.has_implied_servo &&
                            why_not(c, said->second, engine).message.empty();
      words.push_back(is_taken ? said->second : usual_command(c));
    }
    const bool is_usual = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == usual_command(c);
    });
    c.command = is_usual ? std::vector<std::string>{} : words;
    return remarks;
  }
  if (c.command.size() != 1 && c.command.size() != joints) {
    say(remarks, "command",
        fmt::format("command has {} entries, but the robot has {} joint{}", c.command.size(),
                    joints, joints == 1 ? "" : "s"),
        "give one per joint, or one for all");
    return remarks;
  }
  const std::vector<std::string>& known = control::command_names();
  for (const std::string& word : std::set<std::string>(c.command.begin(), c.command.end())) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      say(remarks, "command", "unknown command '" + word + "'", suggest(word, known));
    } else if (cell::KeyRemark reason = why_not(c, word, engine); !reason.message.empty()) {
      remarks.push_back(std::move(reason));
    }
  }
  c.command.resize(joints, c.command.front());
  const bool has_efforts =
      std::find(c.command.begin(), c.command.end(), "effort") != c.command.end();
  if (c.servo.model == "pid" && !has_efforts && !network::has_errors(remarks)) {
    say(remarks, "command", "no joint accepts the efforts of servo 'pid'",
        "remove the servo, or use command effort for a joint");
  }
  return remarks;
}

std::vector<model::LintFinding> lint_servo_of(const ArmConfig& c, Duration physics_period,
                                              const model::BodyTree& tree,
                                              const tasks::Plan& plan) {
  if (c.servo.model != "pid") {
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
  const Duration period = c.cut == "effort" ? c.control.period : physics_period;
  std::vector<double> gains =
      control::per_joint(c.servo.gains.p, static_cast<int>(tree.joints.size()));
  for (std::size_t i = 0; i < c.command.size(); ++i) {
    gains[i] = c.command[i] == "effort" ? gains[i] : 0.0;
  }
  return model::lint_servo(tree, gains, to_seconds(period), smallest);
}

}  // namespace longarm::actors
