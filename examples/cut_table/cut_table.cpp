// SPDX-License-Identifier: Apache-2.0
// What a latency does to a UR5, by where the control loop is cut; and when the velocity loop
// becomes unstable.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/control/config.h"
#include "longarm/motion/dynamics.h"
#include "longarm/record/trace_csv.h"
#include "longarm/study/margin/linear_loop.h"

namespace {

using namespace longarm;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

const cell::Plugins& plugins() {
  static const cell::Plugins all = labs::built_in_plugins();
  return all;
}

cell::PreparedScenario prepare(const std::string& cut, int delay_ms, bool has_feed_forward) {
  return cell::load_scenario("ur5-waypoints",
                             {{"cut=" + cut, "link.delay=" + std::to_string(delay_ms) + "ms",
                               has_feed_forward ? "feed_forward=1" : "feed_forward=0"},
                              {}},
                             plugins());
}

/// `trace` is a folder for trace.csv, `reference` one that has it; either may be empty.
Json simulate(const cell::PreparedScenario& prepared, const std::string& trace,
              const std::string& reference) {
  cell::RunSetup options;
  options.folder = trace;
  options.writes_csv = !trace.empty();
  if (!reference.empty()) {
    auto reader = record::CsvTraceReader::open(reference + "/trace.csv");
    if (!reader) {
      throw std::runtime_error(reader.error().message);
    }
    options.references[cell::kShortName] = std::move(reader).value();
  }
  cell::Run simulation(prepared, std::move(options));
  simulation.run_until(simulation.end());
  if (simulation.failure() || !simulation.close_files()) {
    throw std::runtime_error("the run did not end well");
  }
  return simulation.results();
}

const char* verdict(const Json& metrics) {
  if (metrics["stable"].is_string()) {
    return "undecided";
  }
  return metrics["stable"].get<bool>() ? "stable" : "UNSTABLE";
}

void print_cut(const std::string& cut, const std::vector<int>& delays_ms, bool has_feed_forward,
               const std::string& folder) {
  const std::string reference = folder + "/reference";
  std::filesystem::create_directories(reference);
  simulate(prepare(cut, 0, has_feed_forward), reference, "");
  for (const int delay_ms : delays_ms) {
    const Json m = simulate(prepare(cut, delay_ms, has_feed_forward), "", reference);
    std::printf("%-12s %4d ms %16.3f %16.4f %16.3f %12s\n", cut.c_str(), delay_ms,
                m["reference_path_deviation_max_m"].get<double>() * 1e3,
                m["cumulated_velocity_command_difference_rad"].get<double>(),
                m["path_deviation_max_m"].get<double>() * 1e3, verdict(m));
    std::fflush(stdout);
  }
}

/// The largest eigenvalue of M(q)⁻¹·Kv along the plan, 1/s.
double largest_rate(const cell::PreparedScenario& prepared) {
  const model::BodyTree& tree = prepared.model.placements.front().tree;
  const std::vector<double> gains = control::per_joint(
      actors::arm_of(prepared).config().servo.gains.p, static_cast<int>(tree.joints.size()));
  motion::Dynamics dynamics(tree);
  return study::fastest_mode_along(dynamics, actors::arm_of(prepared).plan().trajectory,
                                   actors::arm_of(prepared).plan().hold_start, gains)
      .rate_per_s;
}

/// The fewest ticks of loop delay at which v⁺ = v − rate·h·v(delayed) is unstable.
int first_unstable_ticks(double rate, Duration period) {
  int ticks = 0;
  while (study::is_loop_stable(rate, ticks * period, period)) {
    ++ticks;
  }
  return ticks;
}

/// The smallest whole millisecond each way that is not stable, by bisection.
int first_unstable_ms(const std::string& cut) {
  int stable = 0;
  int unstable = 64;
  while (unstable - stable > 1) {
    const int middle = (stable + unstable) / 2;
    const bool is_stable = simulate(prepare(cut, middle, false), "", "")["stable"] == true;
    (is_stable ? stable : unstable) = middle;
  }
  return unstable;
}

/// Whether simulation and closed form agree to a millisecond.
bool print_critical(const std::string& cut, int directions_in_loop) {
  const cell::PreparedScenario prepared = prepare(cut, 0, false);
  const double rate = largest_rate(prepared);
  const int ticks = first_unstable_ticks(rate, 1ms);
  const int expected_ms = (ticks + directions_in_loop - 1) / directions_in_loop;
  const int found_ms = first_unstable_ms(cut);
  std::printf("%-12s %12.1f %16d %22d ms %18d ms\n", cut.c_str(), rate, ticks, expected_ms,
              found_ms);
  return std::abs(expected_ms - found_ms) <= 1;
}

std::string list_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    char word[32];
    std::snprintf(word, sizeof word, "%s%g", text.empty() ? "" : ", ", value);
    text += word;
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_short = argc > 1 && std::strcmp(argv[1], "--short") == 0;
  const std::vector<int> delays_ms =
      is_short ? std::vector<int>{2, 20} : std::vector<int>{0, 2, 5, 7, 10, 20, 40};
  const std::string folder =
      std::filesystem::temp_directory_path() / ("longarm-cut-table-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const bool has_feed_forward : {false, true}) {
    std::printf("ur5-waypoints, feed-forward %d, latency each way\n\n", has_feed_forward ? 1 : 0);
    std::printf("%-12s %7s %16s %16s %16s %12s\n", "cut", "latency", "to zero-latency",
                "command diff.", "to plan", "verdict");
    std::printf("%-12s %7s %16s %16s %16s\n", "", "", "run, max mm", "rad", "max mm");
    for (const char* cut : {"position", "velocity", "effort", "stale-servo"}) {
      print_cut(cut, delays_ms, has_feed_forward, folder);
    }
    std::printf("\n");
    if (is_short) {
      break;
    }
  }
  std::filesystem::remove_all(folder);

  const control::ServoConfig servo = actors::arm_of(prepare("effort", 0, false)).config().servo;
  std::printf("velocity loop: gains %s N·m·s/rad, rotor inertias %s kg·m²\n\n",
              list_text(servo.gains.p).c_str(), list_text(servo.rotor_inertia_kg_m2).c_str());
  std::printf("%-12s %12s %16s %25s %21s\n", "cut", "lambda 1/s", "ticks in loop",
              "closed form, each way", "simulated, each way");
  const bool effort_agrees = print_critical("effort", 2);
  const bool stale_agrees = print_critical("stale-servo", 1);
  std::printf("\n%s\n", effort_agrees && stale_agrees ? "all critical latencies within 1 ms"
                                                      : "closed form and simulation DISAGREE");
  return effort_agrees && stale_agrees ? 0 : 1;
}
