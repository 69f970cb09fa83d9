// SPDX-License-Identifier: Apache-2.0
// What comparing runs is worth when each has a plan of its own, and what latency does to straight
// lines in space and in the joints.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/record/trace_csv.h"

namespace {

using namespace longarm;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<std::string>;

/// What is compared between runs.
struct Outcome {
  double path_length_m = 0.0;
  double duration_s = 0.0;
  double off_plan_mm = 0.0;       ///< largest distance from the planned curve
  double off_reference_mm = 0.0;  ///< largest distance from the zero-latency run at equal time
  double off_shape_mm = 0.0;  ///< largest distance from the zero-latency run's path, at any time
};

double path_length_m(const cell::PreparedScenario& prepared) {
  const motion::Kinematics arm(prepared.model.placements.front().tree);
  const std::vector<motion::Vector3> points =
      motion::planned_curve(actors::arm_of(prepared).plan().trajectory, arm,
                            actors::arm_of(prepared).end_effector_frame())
          .points();
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    sum += (points[i + 1] - points[i]).norm();
  }
  return sum;
}

std::unique_ptr<record::CsvTraceReader> open_trace(const std::string& file) {
  auto reader = record::CsvTraceReader::open(file);
  if (!reader) {
    throw std::runtime_error(reader.error().message);
  }
  return std::move(reader).value();
}

/// Where the end effector was, step by step.
std::vector<motion::Vector3> path_in(const std::string& trace) {
  const auto reader = open_trace(trace);
  const std::size_t x = reader->find_column("end_effector.x").value();
  std::vector<motion::Vector3> path;
  while (const std::vector<double>* row = reader->next()) {
    path.emplace_back((*row)[x], (*row)[x + 1], (*row)[x + 2]);
  }
  return path;
}

/// Runs of one scenario, compared with the one without latency; traces are kept in `folder`.
class Experiment {
 public:
  Experiment(std::string name, Overrides overrides, const std::string& folder)
      : name_(std::move(name)),
        overrides_(std::move(overrides)),
        reference_(folder + "/reference"),
        trace_(folder + "/trace") {
    std::filesystem::create_directories(reference_);
    std::filesystem::create_directories(trace_);
    simulate(prepare(0, 1), reference_, "");
  }

  Outcome run(int delay_ms, int seed) const {
    const cell::PreparedScenario prepared = prepare(delay_ms, seed);
    const Json metrics = simulate(prepared, trace_, reference_);
    Outcome outcome{path_length_m(prepared), to_seconds(actors::arm_of(prepared).plan().hold_start),
                    metrics["path_deviation_max_m"].get<double>() * 1e3,
                    metrics["reference_path_deviation_max_m"].get<double>() * 1e3, 0.0};
    const motion::PlannedCurve reference(path_in(reference_ + "/trace.csv"));
    motion::PlannedCurve::Cursor cursor;
    for (const motion::Vector3& p : path_in(trace_ + "/trace.csv")) {
      outcome.off_shape_mm = std::max(outcome.off_shape_mm, 1e3 * reference.distance(p, cursor));
    }
    return outcome;
  }

 private:
  cell::PreparedScenario prepare(int delay_ms, int seed) const {
    Overrides all = overrides_;
    all.push_back("link.delay=" + std::to_string(delay_ms) + "ms");
    all.push_back("seed=" + std::to_string(seed));
    return cell::load_scenario(name_, {all, {}}, labs::built_in_plugins());
  }

  /// `reference` is compared with unless it is empty.
  static Json simulate(const cell::PreparedScenario& prepared, const std::string& trace,
                       const std::string& reference) {
    cell::RunSetup options;
    options.folder = trace;
    options.writes_csv = !trace.empty();
    if (!reference.empty()) {
      options.references[cell::kShortName] = open_trace(reference + "/trace.csv");
    }
    cell::Run simulation(prepared, std::move(options));
    simulation.run_until(simulation.end());
    if (simulation.failure() || !simulation.close_files()) {
      throw std::runtime_error("the run did not end well");
    }
    return simulation.results();
  }

  std::string name_;
  Overrides overrides_;
  std::string reference_;
  std::string trace_;
};

/// Smallest and largest of one number among several outcomes.
struct Spread {
  double low = INFINITY;
  double high = -INFINITY;

  Spread(const std::vector<Outcome>& outcomes, double Outcome::*number) {
    for (const Outcome& each : outcomes) {
      low = std::min(low, each.*number);
      high = std::max(high, each.*number);
    }
  }
  double width() const { return high - low; }
};

std::vector<Outcome> print_replanning(const std::string& replan, int runs,
                                      const std::string& folder) {
  const Experiment experiment("ur5-obstacles", {"task.replan=" + replan}, folder);
  std::vector<Outcome> outcomes;
  for (int seed = 1; seed <= runs; ++seed) {
    outcomes.push_back(experiment.run(10, seed));
  }
  const Spread length(outcomes, &Outcome::path_length_m);
  const Spread duration(outcomes, &Outcome::duration_s);
  const Spread plan(outcomes, &Outcome::off_plan_mm);
  const Spread reference(outcomes, &Outcome::off_reference_mm);
  std::printf("%-9s %8.3f … %5.3f %8.2f … %5.2f %8.2f … %5.2f %10.2f … %7.2f\n", replan.c_str(),
              length.low, length.high, duration.low, duration.high, plan.low, plan.high,
              reference.low, reference.high);
  std::fflush(stdout);
  return outcomes;
}

bool compare_own_plans(int runs, const std::string& folder) {
  std::printf("ur5-obstacles, 10 ms each way, %d runs that differ in their seed only\n\n", runs);
  std::printf("%-9s %16s %16s %16s %20s\n", "plan", "path length m", "duration s", "to plan mm",
              "to zero latency mm");
  const std::vector<Outcome> shared = print_replanning("shared", runs, folder);
  const std::vector<Outcome> own = print_replanning("per-run", runs, folder);
  const bool is_shared_alike = Spread(shared, &Outcome::off_reference_mm).width() == 0.0 &&
                               Spread(shared, &Outcome::path_length_m).width() == 0.0;
  const bool is_drowned = Spread(own, &Outcome::off_reference_mm).low >
                          10.0 * Spread(shared, &Outcome::off_reference_mm).high;
  const bool holds = is_shared_alike && is_drowned;
  std::printf("\na plan of its own hides the latency: %s\n\n", holds ? "holds" : "does NOT hold");
  return holds;
}

std::vector<Outcome> print_straight(const char* title, const Overrides& overrides,
                                    const std::vector<int>& delays_ms, const std::string& folder) {
  const Experiment experiment("ur5-waypoints", overrides, folder);
  std::vector<Outcome> all;
  for (const int delay_ms : delays_ms) {
    const Outcome outcome = experiment.run(delay_ms, 1);
    std::printf("%-34s %7.2f %5d ms %10.2f %12.2f %14.3f\n", title, outcome.duration_s, delay_ms,
                outcome.off_plan_mm, outcome.off_reference_mm, outcome.off_shape_mm);
    std::fflush(stdout);
    all.push_back(outcome);
  }
  return all;
}

bool is_rising(const std::vector<Outcome>& outcomes) {
  return std::is_sorted(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) {
    return a.off_reference_mm < b.off_reference_mm;
  });
}

/// The acceleration limit at which the plan straight in the joints lasts as long as the other:
/// times go with the inverse root of accelerations where no velocity limit is met.
std::string slowed(double cartesian_s, double joint_s) {
  constexpr double kAcceleration = 1.2;
  return "task.acceleration_limit_rad_s2=" +
         std::to_string(kAcceleration * std::pow(joint_s / cartesian_s, 2));
}

const char* verdict(bool holds) {
  return holds ? "holds" : "does NOT hold";
}

bool compare_straight_lines(const std::vector<int>& delays_ms, const std::string& folder) {
  std::printf("the points of ur5-waypoints, latency each way; max mm\n\n");
  std::printf("%-34s %7s %8s %10s %12s %14s\n", "straight in", "takes s", "latency", "to plan",
              "to zero-lat.", "to zero-lat.");
  std::printf("%-34s %7s %8s %10s %12s %14s\n", "", "", "", "", "at that time", "path");
  const auto run = [&](const char* title, const Overrides& overrides) {
    return print_straight(title, overrides, delays_ms, folder);
  };
  const std::string joint = "task.path=joint";
  const std::vector<Outcome> space = run("space; gains 10 and 5", {});
  const std::vector<Outcome> joints = run("joints; gains 10 and 5", {joint});
  const std::string slow = slowed(space.front().duration_s, joints.front().duration_s);
  const std::vector<Outcome> slow_joints = run("joints, as slow; gains 10 and 5", {joint, slow});
  const std::vector<Outcome> even_space = run("space; gain 10", {"gain=10"});
  const std::vector<Outcome> even_joints =
      run("joints, as slow; gain 10", {joint, slow, "gain=10"});
  const std::string one = "task.poses_m_deg=[[0.50, -0.40, 0.20, 180, 0, -90]]";
  const std::vector<Outcome> line_in_space = run("space; gain 10; one line", {one, "gain=10"});
  const std::vector<Outcome> line_in_joints =
      run("joints; gain 10; one line", {one, joint, "gain=10"});

  // the smallest latency tells the shape of a line apart from overshoot at its end
  const bool grows = is_rising(space) && is_rising(joints) && is_rising(even_space) &&
                     is_rising(even_joints) && is_rising(line_in_joints);
  const bool bends = line_in_space.front().off_shape_mm > 0.1;
  const bool spares_one_line =
      line_in_joints.front().off_shape_mm < 0.01 * line_in_space.front().off_shape_mm;
  const bool spares_five_points = slow_joints.back().off_shape_mm < 0.9 * space.back().off_shape_mm;
  std::printf(
      "\ndeviation grows with latency: %s\nlatency bends what is straight in space: %s\nless so "
      "what is straight in the joints: "
      "%s for one line with equal gains, %s through five points\n",
      verdict(grows), verdict(bends), verdict(spares_one_line), verdict(spares_five_points));
  return grows && bends && spares_one_line;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_short = argc > 1 && std::strcmp(argv[1], "--short") == 0;
  const std::string folder =
      std::filesystem::temp_directory_path() / ("longarm-plan-table-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const bool have_own_plans = compare_own_plans(is_short ? 3 : 10, folder);
  const bool have_lines = compare_straight_lines(
      is_short ? std::vector<int>{5, 40} : std::vector<int>{2, 5, 10, 20, 40}, folder);
  std::filesystem::remove_all(folder);
  return have_own_plans && have_lines ? 0 : 1;
}
