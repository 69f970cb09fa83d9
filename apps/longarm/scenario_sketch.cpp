// SPDX-License-Identifier: Apache-2.0
// Chooses a motion within the joints' limits and writes it down with comments.
#include "apps/longarm/scenario_sketch.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/mimic_limits.h"

namespace longarm::app {
namespace {

// A gentle motion that every industrial arm can do.
constexpr double kSwing_rad = 0.6;
constexpr double kSwing_m = 0.1;
constexpr double kSpeed_rad_s = 1.0;
constexpr double kSpeed_m_s = 0.2;
constexpr double kAcceleration_rad_s2 = 2.0;
constexpr double kAcceleration_m_s2 = 0.5;
// Of the way to a limit, and of a velocity limit.
constexpr double kShare = 0.8;
constexpr std::size_t kFewestArmJoints = 3;
// A finger is not longer than the arm that carries it, and has not many more joints.
constexpr double kLongestFinger = 1.05;
constexpr std::size_t kMoreFingerJoints = 2;

const model::TreeJoint& joint_at(const model::BodyTree& tree, int joint) {
  return tree.joints[static_cast<std::size_t>(joint)];
}

bool turns(const model::TreeJoint& joint) {
  return joint.type == model::JointType::kRevolute;
}

bool has_range(const model::JointLimits& limits) {
  return limits.upper - limits.lower > model::kLeastTravel && limits.velocity != 0.0;
}

/// Whether a controller can move it, and what follows it.
bool can_move(const model::BodyTree& tree, int joint) {
  return !joint_at(tree, joint).mimic && has_range(model::limits_with_followers(tree, joint));
}

/// Whether only the limits of what follows it keep a joint from moving.
bool is_held_back(const model::BodyTree& tree, int joint) {
  return !joint_at(tree, joint).mimic && has_range(joint_at(tree, joint).limits) &&
         !can_move(tree, joint);
}

/// The joints from the root to a body, root first.
std::vector<int> chain_to(const model::BodyTree& tree, int body) {
  std::vector<int> chain;
  for (int at = body; at != 0; at = joint_at(tree, at - 1).parent_body) {
    chain.insert(chain.begin(), at - 1);
  }
  return chain;
}

std::size_t movers_in(const model::BodyTree& tree, const std::vector<int>& chain) {
  return static_cast<std::size_t>(
      std::count_if(chain.begin(), chain.end(), [&](int joint) { return can_move(tree, joint); }));
}

int children_of(const model::BodyTree& tree, int body) {
  return static_cast<int>(
      std::count_if(tree.joints.begin(), tree.joints.end(),
                    [&](const model::TreeJoint& joint) { return joint.parent_body == body; }));
}

/// From joint to joint along a part of a chain, m.
double length_of(const model::BodyTree& tree, std::span<const int> chain) {
  double length_m = 0.0;
  for (const int joint : chain) {
    length_m += joint_at(tree, joint).X_PJ.translation().norm();
  }
  return length_m;
}

/// Whether several branches leave the body before chain[first] and the one of the chain is a
/// finger: a palm's are not longer than the arm before it, those of a torso are.
bool is_palm_before(const model::BodyTree& tree, const std::vector<int>& chain, std::size_t first) {
  if (children_of(tree, joint_at(tree, chain[first]).parent_body) < 2) {
    return false;
  }
  const std::span<const int> all(chain);
  const std::vector<int> arm(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(first));
  const std::vector<int> finger(chain.begin() + static_cast<std::ptrdiff_t>(first), chain.end());
  const std::size_t arm_movers = movers_in(tree, arm);
  return arm_movers >= kFewestArmJoints &&
         movers_in(tree, finger) <= arm_movers + kMoreFingerJoints &&
         length_of(tree, all.subspan(first)) <=
             kLongestFinger * length_of(tree, all.subspan(0, first));
}

/// The body at the end of the longest chain.
int farthest_body(const model::BodyTree& tree) {
  int best = 0;
  std::size_t most = 0;
  for (int body = 1; body < static_cast<int>(tree.bodies.size()); ++body) {
    const std::size_t movers = movers_in(tree, chain_to(tree, body));
    if (movers > most) {
      most = movers;
      best = body;
    }
  }
  return best;
}

/// Back from a finger to the palm that carries it, if an arm carries that.
int before_fingers(const model::BodyTree& tree, int body) {
  const std::vector<int> chain = chain_to(tree, body);
  for (std::size_t i = kFewestArmJoints; i < chain.size(); ++i) {
    if (is_palm_before(tree, chain, i)) {
      return joint_at(tree, chain[i]).parent_body;
    }
  }
  // one finger without a sibling: a slide behind turning joints
  if (chain.size() > kFewestArmJoints && !turns(joint_at(tree, chain.back())) &&
      turns(joint_at(tree, chain[chain.size() - 2]))) {
    return joint_at(tree, chain.back()).parent_body;
  }
  return body;
}

std::vector<std::string> frames_on(const model::BodyTree& tree, int body) {
  std::vector<std::string> names;
  for (const model::Frame& frame : tree.frames) {
    if (frame.body == body) {
      names.push_back(frame.name);
    }
  }
  return names;
}

/// The ends of all chains that can move but the one to `body` and those that it is part of.
std::vector<std::string> other_ends(const model::BodyTree& tree, int body) {
  std::vector<int> ends;
  for (int leaf = 1; leaf < static_cast<int>(tree.bodies.size()); ++leaf) {
    const int end = before_fingers(tree, leaf);
    const std::vector<int> chain = chain_to(tree, end);
    // a finger's chain goes through its palm
    const bool is_beyond =
        body == 0 || std::find(chain.begin(), chain.end(), body - 1) != chain.end();
    if (children_of(tree, leaf) == 0 && !is_beyond && movers_in(tree, chain) > 0 &&
        std::find(ends.begin(), ends.end(), end) == ends.end()) {
      ends.push_back(end);
    }
  }
  std::vector<std::string> names;
  for (const int end : ends) {
    names.push_back(tree.bodies[static_cast<std::size_t>(end)].name);
  }
  return names;
}

/// Four significant digits, as a person would write it.
std::string brief(double number) {
  return format_number(*parse_number(fmt::format("{:.4g}", number)));
}

std::string list_text(const std::vector<double>& numbers) {
  std::vector<std::string> words;
  for (const double number : numbers) {
    words.push_back(brief(number));
  }
  return "[" + join(words) + "]";
}

/// In quotes, whatever characters it has.
std::string yaml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return result + "\"";
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) {
    words.push_back(yaml_text(name));
  }
  return "[" + join(words) + "]";
}

double home_of(const model::JointLimits& limits, bool from_middle) {
  const double lower = limits.lower;
  const double upper = limits.upper;
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    return std::isfinite(lower) ? std::max(0.0, lower) : std::min(0.0, upper);
  }
  // zero, unless that is at or beyond a limit
  const double margin = 0.25 * (upper - lower);
  const bool is_inside = lower + 0.02 * margin < 0.0 && 0.0 < upper - 0.02 * margin;
  return from_middle ? (lower + upper) / 2.0
         : is_inside ? 0.0
                     : std::clamp(0.0, lower + margin, upper - margin);
}

}  // namespace

std::string choose_end_effector(const model::BodyTree& tree) {
  const int body = before_fingers(tree, farthest_body(tree));
  const std::vector<std::string> names = frames_on(tree, body);
  for (const char* usual : {"tool0", "tcp", "tool", "flange", "ee", "end_effector", "hand"}) {
    for (const std::string& name : names) {
      const std::string lower = to_lower(name);
      if (lower == usual || lower.ends_with(std::string("_") + usual) ||
          lower.ends_with(std::string(usual) + "_link")) {
        return name;
      }
    }
  }
  return names.empty() ? tree.bodies[static_cast<std::size_t>(body)].name : names.back();
}

ScenarioSketch sketch_scenario(const model::BodyTree& tree, const SketchEffort& effort) {
  ScenarioSketch sketch;
  sketch.effort = effort;
  sketch.end_effector = choose_end_effector(tree);
  const int frame = *tree.find_frame(sketch.end_effector);
  const int body = tree.frames[static_cast<std::size_t>(frame)].body;
  for (const std::string& name : frames_on(tree, body)) {
    if (name != sketch.end_effector) {
      sketch.other_frames.push_back(name);
    }
  }
  const std::vector<int> chain = chain_to(tree, body);
  for (const int joint : chain) {
    if (can_move(tree, joint)) {
      sketch.joints.push_back(joint);
    }
  }
  // what is not on the way to the end effector is held anyway, unless nothing is left to move
  for (int joint = 0; joint < static_cast<int>(tree.joints.size()); ++joint) {
    const bool is_wanted =
        sketch.joints.empty() || std::find(chain.begin(), chain.end(), joint) != chain.end();
    if (is_wanted && is_held_back(tree, joint)) {
      sketch.held_back.push_back(joint);
    }
  }
  sketch.other_chains = other_ends(tree, body);
  const auto own = std::count_if(tree.joints.begin(), tree.joints.end(),
                                 [](const model::TreeJoint& joint) { return !joint.mimic; });
  sketch.drives_all = own == std::ssize(sketch.joints);

  std::vector<double> forward;   // how far each may swing
  std::vector<double> backward;  // to either side
  for (const int number : sketch.joints) {
    const model::TreeJoint& joint = joint_at(tree, number);
    // what follows it has limits, too
    const model::JointLimits limits = model::limits_with_followers(tree, number);
    const double home = *parse_number(brief(home_of(limits, effort.from_middle)));
    const double swing = effort.amplitude * (turns(joint) ? kSwing_rad : kSwing_m);
    sketch.home.push_back(home);
    forward.push_back(std::min(swing, kShare * (limits.upper - home)));
    backward.push_back(std::min(swing, kShare * (home - limits.lower)));
    const double limit = limits.velocity > 0.0 ? kShare * limits.velocity : INFINITY;
    sketch.velocity_limits.push_back(effort.speed *
                                     std::min(turns(joint) ? kSpeed_rad_s : kSpeed_m_s, limit));
    sketch.acceleration_limits.push_back(
        effort.speed * effort.speed * (turns(joint) ? kAcceleration_rad_s2 : kAcceleration_m_s2));
  }
  // every other joint to one side, then the rest; the same to the other side; then back
  const std::size_t turns_taken = std::min<std::size_t>(sketch.joints.size(), 2);
  for (const bool is_forward : {true, false}) {
    for (std::size_t turn = 0; turn < turns_taken; ++turn) {
      std::vector<double> row = sketch.home;
      for (std::size_t i = turn; i < row.size(); i += 2) {
        row[i] += is_forward ? forward[i] : -backward[i];
      }
      sketch.waypoints.push_back(std::move(row));
    }
  }
  sketch.waypoints.push_back(sketch.home);
  return sketch;
}

std::string scenario_text(const ScenarioSketch& sketch, const model::BodyTree& tree) {
  std::vector<std::string> names;
  bool all_turn = true;
  for (const int joint : sketch.joints) {
    names.push_back(joint_at(tree, joint).name);
    all_turn = all_turn && turns(joint_at(tree, joint));
  }
  std::string text;
  const auto line = [&](const std::string& content, const std::string& comment = {}) {
    text += content;
    if (!comment.empty()) {
      text += std::string(content.size() < 34 ? 34 - content.size() : 2, ' ') + "# " + comment;
    }
    text += "\n";
  };
  for (const std::string& remark : sketch.remarks) {
    line("# " + remark);
  }
  line("title: " + yaml_text(sketch.title));
  line(sketch.effort.is_kinematic ? "engine: kinematic" : "engine: mujoco",
       "mujoco, ode, or kinematic: joints follow exactly, without forces");
  line("seed: 1", "random seed, e.g. for packet loss");
  line("physics: {period: 1ms}");
  line("control: {period: 1ms}");
  line("");
  line("robot:");
  line("  model: " + yaml_text(sketch.model));
  if (!sketch.xacro_args.empty()) {
    line("  xacro_args: " + names_text(sketch.xacro_args));
  }
  line("  end_effector: " + yaml_text(sketch.end_effector),
       sketch.other_frames.empty()
           ? "the link whose path is measured"
           : "the link whose path is measured; or " + join(sketch.other_frames));
  if (!sketch.drives_all) {
    line("  # what the controller drives; other joints are held, or follow the one they mimic");
    line("  joints: " + names_text(names));
  }
  if (sketch.estimates_inertia) {
    line("  inertia: estimate",
         "missing or impossible masses and inertias are estimated from shapes");
  }
  line("  ignore_start_overlaps: true", "links that overlap where the robot starts do not collide");
  line(fmt::format("  # where it starts: {}; {}", join(names),
                   all_turn ? "rad" : "rad, and m where a joint slides"));
  line("  home_rad: " + list_text(sketch.home));
  line("");
  line("task:");
  line("  path: joint", "straight lines in joint space; cartesian takes poses_m_deg");
  line("  joints_rad:",
       sketch.joints.size() == 1
           ? "to one side, to the other, and back"
           : "every other joint to one side, then the others; to the other side; back");
  for (const std::vector<double>& row : sketch.waypoints) {
    line("    - " + list_text(row));
  }
  line("  velocity_limit_rad_s: " + list_text(sketch.velocity_limits));
  line("  acceleration_limit_rad_s2: " + list_text(sketch.acceleration_limits));
  line("  hold: 1s", "at the end");
  line("");
  line("cut: velocity",
       "what crosses the link: velocities; also position, effort, trajectory, none");
  line("gain: 10", "gain of the position loop, 1/s");
  line("feed_forward: 1", "fraction of the planned velocity to add; 0 shows the lag of the loop");
  line("# link: {delay: 10ms}", "each way; or {preset: wifi}, {netem: \"delay 10ms 2ms loss 1%\"}");
  return text;
}

}  // namespace longarm::app
