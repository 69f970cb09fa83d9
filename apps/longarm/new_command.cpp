// SPDX-License-Identifier: Apache-2.0
// `longarm new`: writes a first scenario for a robot, after it has tried it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/robot_argument.h"
#include "apps/longarm/scenario_sketch.h"
#include "labs/labs.h"
#include "longarm/cell/run.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

// What a motion without a link should stay within of its plan.
constexpr double kGood_m = 0.005;

struct NewArguments {
  RobotArgument robot;
  std::string out;
  bool overwrites = false;
};

/// What came of trying a scenario.
struct Trial {
  std::string text;
  double deviation_m = INFINITY;
  double length_s = 0.0;
  std::string problem;  ///< why it does not run; empty if it does
  SketchEffort effort;

  bool is_good() const { return problem.empty() && deviation_m <= kGood_m; }
};

/// From the motion one would like to the one that any robot can do.
std::vector<SketchEffort> efforts() {
  std::vector<SketchEffort> all;
  for (const bool is_kinematic : {false, true}) {
    all.push_back({1.0, 1.0, false, is_kinematic});
    all.push_back({1.0, 1.0, true, is_kinematic});
    all.push_back({0.3, 1.0, false, is_kinematic});
    all.push_back({0.3, 0.3, true, is_kinematic});
    all.push_back({0.1, 0.3, false, is_kinematic});
  }
  return all;
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

Trial try_out(const ScenarioSketch& sketch, const model::BodyTree& tree, const fs::path& path) {
  Trial trial;
  trial.effort = sketch.effort;
  trial.text = scenario_text(sketch, tree);
  try {
    const cell::PreparedScenario prepared =
        cell::load_scenario_text(trial.text, path.string(), {}, labs::built_in_plugins());
    cell::Run run(prepared);
    run.run_until(run.end());
    const nlohmann::ordered_json results = run.results();
    trial.length_s = to_seconds(prepared.length);
    if (run.is_diverged()) {
      trial.problem = "the robot runs away";
    } else if (run.failure()) {
      trial.problem = *run.failure();
    }
    trial.deviation_m = results.at("path_deviation_max_m").get<double>();
  } catch (const InputError& problem) {
    trial.problem = problem.what();
  }
  return trial;
}

/// Whether lint finds a mass or an inertia that no engine can simulate.
bool needs_inertia(const model::BodyTree& tree) {
  const std::vector<model::LintFinding> findings = model::lint(tree);
  return std::any_of(findings.begin(), findings.end(), [](const model::LintFinding& finding) {
    return finding.diagnostic.severity == Severity::kError &&
           (finding.name == "mass" || finding.name.starts_with("inertia"));
  });
}

/// What a reader of the file should know first.
std::vector<std::string> head_of(const NewArguments& arguments, const fs::path& path,
                                 const ScenarioSketch& sketch) {
  std::vector<std::string> lines{
      fmt::format("A first scenario for {}, written by `longarm new {}`.", sketch.title,
                  join({arguments.robot.target, join(arguments.robot.xacro_args, " ")}, " ")),
      fmt::format("Run it: longarm run {}   All keys: longarm keys   The robot: longarm inspect {}",
                  path.string(), arguments.robot.target)};
  if (sketch.effort.is_kinematic) {
    lines.push_back(
        "The engine is kinematic because with forces the robot did not follow this motion: check "
        "masses, inertias and effort limits.");
  }
  return lines;
}

/// The first good one of the efforts; otherwise the one that came nearest.
Trial find_scenario(const NewArguments& arguments, const ReadRobot& robot, const fs::path& path) {
  std::optional<Trial> best;
  for (const SketchEffort& effort : efforts()) {
    ScenarioSketch sketch = sketch_scenario(robot.tree, effort);
    sketch.title = robot.model.name;
    sketch.model = name_beside(robot, arguments.robot, path);
    sketch.xacro_args = arguments.robot.xacro_args;
    sketch.estimates_inertia = needs_inertia(robot.tree);
    sketch.remarks = head_of(arguments, path, sketch);
    Trial trial = try_out(sketch, robot.tree, path);
    const bool is_better =
        !best || (trial.problem.empty() &&
                  (!best->problem.empty() || trial.deviation_m < best->deviation_m));
    if (is_better) {
      best = std::move(trial);
    }
    if (best->is_good()) {
      break;
    }
  }
  return *best;
}

int write_new(const NewArguments& arguments) {
  const fs::path path = arguments.out.empty() ? file_name(arguments.robot) : arguments.out;
  if (fs::exists(path) && !arguments.overwrites) {
    refuse({"--out"}, fmt::format("'{}' is there already", path.string()),
           "choose another name with --out, or give --force");
  }
  const ReadRobot robot = read_robot_argument(arguments.robot);
  if (sketch_scenario(robot.tree, {}).joints.empty()) {
    refuse({robot.path}, fmt::format("robot '{}' has no joint that can move", robot.model.name),
           "longarm inspect shows its joints");
  }
  const Trial trial = find_scenario(arguments, robot, path);
  config::write_text_file(path, trial.text);
  if (!trial.problem.empty()) {
    fmt::print(stderr, "longarm: error: {} does not run yet:\n{}\n", path.string(), trial.problem);
    return kCheckFailed;
  }
  fmt::print("{}: runs {:.1f} s, stays within {:.3f} mm of its plan without a link{}\n",
             path.string(), trial.length_s, 1e3 * trial.deviation_m,
             trial.effort.is_kinematic ? " (engine kinematic: with forces it did not)" : "");
  fmt::print("Next: longarm run {} --set link.delay=10ms --reference ideal\n", path.string());
  return kDone;
}

}  // namespace

Command add_new_command(CLI::App& word) {
  const auto arguments = std::make_shared<NewArguments>();
  add_robot_argument(word, arguments->robot);
  word.add_option("--out", arguments->out, "the scenario to write; default: the robot's name")
      ->type_name("FILE");
  word.add_flag("--force", arguments->overwrites, "overwrite it if it is there");
  word.footer(
      "Tries the scenario before it writes it: smaller and slower motions until the tool stays\n"
      "within 5 mm of its plan. Exit code 1: none of them runs; the file says what was tried "
      "last.\n"
      "  longarm new arm.urdf\n"
      "  longarm new ur.urdf.xacro ur_type:=ur5e name:=ur --out ur5e.yaml");
  return [arguments] { return write_new(*arguments); };
}

}  // namespace longarm::app
