// SPDX-License-Identifier: Apache-2.0
// `longarm new`: writes a first scenario for a robot, after it has tried it.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/robot_argument.h"
#include "apps/longarm/scenario_sketch.h"
#include "apps/longarm/scenario_trial.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"
#include "longarm/model/inertia_estimate.h"
#include "longarm/model/lint.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct NewArguments {
  RobotArgument robot;
  std::string out;
  bool overwrites = false;
};

/// A scenario, and what came of trying it.
struct Attempt {
  ScenarioSketch sketch;
  Trial trial;
};

/// From the motion one would like to the one that any robot can do.
std::vector<SketchEffort> efforts(bool is_kinematic) {
  return {{1.0, 1.0, false, is_kinematic}, {1.0, 1.0, true, is_kinematic},
          {0.3, 1.0, false, is_kinematic}, {0.3, 0.3, true, is_kinematic},
          {0.3, 0.3, false, is_kinematic}, {0.1, 0.3, false, is_kinematic},
          {0.1, 0.3, true, is_kinematic}};
}

std::string file_name(const RobotArgument& robot) {
  fs::path name = fs::path(robot.target).filename();
  for (const char* ending : {".xacro", ".urdf", ".sdf", ".xml"}) {
    if (name.extension() == ending) {
      name.replace_extension();
    }
  }
  return name.string() + ".yaml";
}

/// As the scenario beside it names the robot's file.
std::string name_beside(const ReadRobot& robot, const RobotArgument& argument,
                        const fs::path& scenario) {
  if (robot.is_ready) {
    return argument.target;
  }
  const fs::path folder = fs::absolute(scenario).parent_path();
  const fs::path relative = fs::absolute(robot.path).lexically_relative(folder);
  return (relative.empty() ? fs::absolute(robot.path) : relative).string();
}

/// How many bodies have a mass or an inertia that no engine can simulate.
std::size_t bodies_to_estimate(const model::BodyTree& tree) {
  const std::vector<std::string>& estimable = model::estimable_findings();
  std::size_t count = 0;
  for (int body = 1; body < static_cast<int>(tree.bodies.size()); ++body) {
    const std::vector<model::LintFinding> findings = model::lint_body(tree, body, true);
    count += std::any_of(findings.begin(), findings.end(), [&](const model::LintFinding& finding) {
      return finding.diagnostic.severity == Severity::kError &&
             std::find(estimable.begin(), estimable.end(), finding.name) != estimable.end();
    });
  }
  return count;
}

/// What a reader of the file should know first.
std::vector<std::string> head_of(const NewArguments& arguments, const fs::path& path,
                                 const ScenarioSketch& sketch) {
  return {
      fmt::format("A first scenario for {}, written by `longarm new {}`.", sketch.title,
                  arguments.robot.text()),
      fmt::format("Run it: longarm run {}   All keys: longarm keys   The robot: longarm inspect {}",
                  path.string(), arguments.robot.target)};
}

std::string quoted_names(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    words.push_back("'" + names[i] + "'");
  }
  return join(words) + (names.size() > most ? ", …" : "");
}

/// Tries scenarios of one robot.
class Trials {
 public:
  Trials(const NewArguments& arguments, const ReadRobot& robot, fs::path path)
      : arguments_(arguments),
        robot_(robot),
        path_(std::move(path)),
        estimated_(bodies_to_estimate(robot.tree)) {}

  /// The first good one in which the robot does not touch itself; else the first good one; else
  /// the one that came nearest.
  Attempt find() {
    for (const bool is_kinematic : {false, true}) {
      for (const SketchEffort& effort : efforts(is_kinematic)) {
        // a second motion with contacts would not be taken
        Attempt attempt = try_out(effort, best_ && best_->trial.is_good());
        const bool is_clean = attempt.trial.is_good() && attempt.trial.contact_steps == 0;
        note(attempt.trial, effort);
        if (!best_ || is_better(attempt.trial, best_->trial)) {
          best_ = std::move(attempt);
        }
        if (is_clean) {
          return *best_;
        }
      }
      // rather with forces and a contact than without either
      if (best_->trial.is_good()) {
        break;
      }
    }
    return *best_;
  }

  /// What a user should know about a choice; one line each.
  std::vector<std::string> notes(const Attempt& attempt) const {
    std::vector<std::string> lines;
    const auto add = [&](std::string line) {
      if (!line.empty()) {
        lines.push_back(std::move(line));
      }
    };
    add(chain_note(attempt.sketch));
    for (const int joint : attempt.sketch.held_back) {
      add(
          fmt::format("Left out: joint '{}'; the limits of the joints that mimic it keep it from "
                      "moving (see longarm lint).",
                      robot_.tree.joints[static_cast<std::size_t>(joint)].name));
    }
    add(motion_note(attempt.sketch.effort));
    if (attempt.trial.contact_steps > 0) {
      add(fmt::format("Contacts: {} touch; the robot touches itself for {:.2f} s of the motion.",
                      attempt.trial.first_contact,
                      1e-3 * static_cast<double>(attempt.trial.contact_steps)));
    }
    if (estimated_ > 0) {
      add(
          fmt::format("Masses: estimated from shapes for {} {} without a usable <inertial>; "
                      "efforts are rough estimates.",
                      estimated_, estimated_ == 1 ? "body" : "bodies"));
    }
    add(engine_note(attempt.sketch.effort));
    return lines;
  }

 private:
  Attempt try_out(const SketchEffort& effort, bool stops_at_contact) const {
    Attempt attempt{sketch_scenario(robot_.tree, effort), {}};
    ScenarioSketch& sketch = attempt.sketch;
    sketch.title = robot_.model.name;
    sketch.model = name_beside(robot_, arguments_.robot, path_);
    sketch.xacro_args = arguments_.robot.xacro_args;
    sketch.estimates_inertia = estimated_ > 0;
    sketch.remarks = head_of(arguments_, path_, sketch);
    attempt.trial = try_scenario(scenario_text(sketch, robot_.tree), path_, stops_at_contact);
    return attempt;
  }

  static bool is_better(const Trial& a, const Trial& b) {
    if (a.problem.empty() != b.problem.empty()) {
      return a.problem.empty();
    }
    // of two good ones the larger motion, which is tried first, unless contacts decide
    if (a.is_good() && b.is_good()) {
      return a.contact_steps == 0 && b.contact_steps > 0;
    }
    return a.badness() < b.badness();
  }

  /// Remembers why the usual motion did not do, and why none does with forces.
  void note(const Trial& trial, const SketchEffort& effort) {
    if (effort.is_kinematic) {
      return;
    }
    if (first_shortcoming_.empty()) {
      first_shortcoming_ = trial.shortcoming();
    }
    last_with_forces_ = trial;
  }

  std::string chain_note(const ScenarioSketch& sketch) const {
    if (sketch.drives_all) {
      return "";
    }
    std::string line = fmt::format(
        "Drives: {} joint{} from '{}' to '{}'; all other joints are held.", sketch.joints.size(),
        sketch.joints.size() == 1 ? "" : "s", robot_.tree.bodies.front().name, sketch.end_effector);
    if (!sketch.other_chains.empty()) {
      line.pop_back();
      line += fmt::format(", among them {} to {}.",
                          sketch.other_chains.size() == 1 ? "the chain" : "the chains",
                          quoted_names(sketch.other_chains, 3));
    }
    return line;
  }

  std::string motion_note(const SketchEffort& effort) const {
    std::vector<std::string> words;
    if (effort.amplitude < 1.0) {
      words.push_back(fmt::format("{:.0f} % of the usual range", 100.0 * effort.amplitude));
    }
    if (effort.speed < 1.0) {
      words.push_back(fmt::format("{:.0f} % of the usual speed", 100.0 * effort.speed));
    }
    if (effort.from_middle) {
      words.push_back("it starts in the middle of its limits");
    }
    if (words.empty()) {
      return "";
    }
    return fmt::format("Motion: {}, because with the usual motion {}.", join(words),
                       first_shortcoming_);
  }

  std::string engine_note(const SketchEffort& effort) const {
    if (!effort.is_kinematic) {
      return "";
    }
    // what is jammed is at its limit as well, but needs no more strength
    const JointTrial* const weak = last_with_forces_.weakest();
    if (weak == nullptr || last_with_forces_.contact_steps > 0) {
      return fmt::format(
          "Engine: kinematic, because with dynamics {}; check masses, inertias, friction and "
          "effort limits.",
          last_with_forces_.shortcoming());
    }
    return fmt::format(
        "Engine: kinematic, because the effort limit of joint '{}' ({:.4g} {}) is too low even for "
        "a small motion.",
        weak->name, weak->effort_limit, weak->turns ? "N·m" : "N");
  }

  const NewArguments& arguments_;
  const ReadRobot& robot_;
  fs::path path_;
  std::size_t estimated_;
  std::optional<Attempt> best_;
  std::string first_shortcoming_;
  Trial last_with_forces_;
};

/// A robot that nothing can be written for.
void refuse_without_motion(const ReadRobot& robot) {
  const ScenarioSketch sketch = sketch_scenario(robot.tree, {});
  if (!sketch.joints.empty()) {
    return;
  }
  const std::string message =
      fmt::format("robot '{}' has no joint that can move", robot.model.name);
  if (sketch.held_back.empty()) {
    refuse({robot.path}, message, "longarm inspect shows its joints");
  }
  const auto first = static_cast<std::size_t>(sketch.held_back.front());
  refuse({robot.path},
         fmt::format("{}: the limits of the joints that mimic joint '{}' keep it from moving",
                     message, robot.tree.joints[first].name),
         "longarm lint shows the conflicting limits");
}

int write_new(const NewArguments& arguments) {
  const fs::path path = arguments.out.empty() ? file_name(arguments.robot) : arguments.out;
  if (fs::exists(path) && !arguments.overwrites) {
    refuse({"--out"}, fmt::format("'{}' already exists", path.string()),
           "choose another name with --out, or use --force to overwrite it");
  }
  const ReadRobot robot = read_robot_argument(arguments.robot);
  refuse_without_motion(robot);
  Trials trials(arguments, robot, path);
  Attempt attempt = trials.find();
  const std::vector<std::string> notes = trials.notes(attempt);
  attempt.sketch.remarks.insert(attempt.sketch.remarks.end(), notes.begin(), notes.end());
  config::write_text_file(path, scenario_text(attempt.sketch, robot.tree));
  const Trial& trial = attempt.trial;
  if (!trial.problem.empty()) {
    fmt::print(stderr, "longarm: error: {} does not run yet:\n{}\n", path.string(), trial.problem);
    return kCheckFailed;
  }
  if (!trial.is_good()) {
    fmt::print(stderr, "longarm: error: the robot cannot follow the motion of {}: {}\n",
               path.string(), trial.shortcoming());
    return kCheckFailed;
  }
  fmt::print("{}: runs for {:.1f} s and stays within {:.3f} mm of its plan without a link\n",
             path.string(), trial.length_s, 1e3 * trial.tool_off_m);
  for (const std::string& note : notes) {
    fmt::print("  {}\n", note);
  }
  fmt::print("Next: longarm run {} --set link.delay=10ms --reference ideal\n", path.string());
  return kDone;
}

}  // namespace

Command add_new_command(CLI::App& word) {
  const auto arguments = std::make_shared<NewArguments>();
  add_robot_argument(word, arguments->robot);
  word.add_option("--out", arguments->out, "scenario file to write; default: named after the robot")
      ->type_name("FILE");
  word.add_flag("--force", arguments->overwrites, "overwrite an existing file");
  word.footer(
      "Tries the scenario before writing it, with smaller and slower motions until every joint\n"
      "follows its plan (within 5 % of its travel, 1 % at the end), the tool stays within 5 mm of "
      "its\n"
      "planned position and, if possible, the robot does not touch itself. Exit code 1: no motion\n"
      "passed; the file contains the one that came closest.\n"
      "  longarm new arm.urdf\n"
      "  longarm new ur.urdf.xacro ur_type:=ur5e name:=ur --out ur5e.yaml");
  return [arguments] { return write_new(*arguments); };
}

}  // namespace longarm::app
