// SPDX-License-Identifier: Apache-2.0
// Small things the tests of this folder share: loading, running, and a folder that goes away.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "longarm/actors/arm.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"
#include "longarm/cell/run_folder.h"
#include "longarm/core/text.h"

namespace longarm::actors {

using cell::load_scenario;
using cell::load_scenario_text;
using cell::LoadOptions;
using cell::Plugins;
using cell::PreparedScenario;
using cell::run_scenario;
using cell::RunOptions;
using cell::RunResult;
using Json = nlohmann::ordered_json;

/// "key=value" texts, as --set takes them.
using Changes = std::vector<std::string>;

inline Changes operator+(Changes a, const Changes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string set(const std::string& key, double value) {
  return key + "=" + format_number(value);
}

inline PreparedScenario prepare(const std::string& ready_scenario, const Changes& changes = {}) {
  return load_scenario(ready_scenario, {changes, {}}, built_in_plugins());
}

using SimulationOptions = cell::RunSetup;

/// A run of an arm by itself.
class Simulation {
 public:
  explicit Simulation(const PreparedScenario& prepared, SimulationOptions options = {})
      : run_(prepared, std::move(options)) {}

  Time end() const { return run_.end(); }
  Time now() const { return run_.now(); }
  bool is_over() const { return run_.is_over(); }
  Result<Time> run_until(Time until) {
    run_.run_until(until);
    return run_.failure() ? Result<Time>(Error{*run_.failure()}) : Result<Time>(run_.now());
  }
  Result<bool> close_trace() { return run_.close_files(); }
  Json results() const { return run_.results(); }
  std::string world_hash() const { return run_.world_hash(); }
  const sim::Probes& probes() const { return *arm_of(run_).probes(); }
  const record::Metrics& metrics() const { return arm_of(run_).metrics(); }
  const control::ArmLoop& loop() const { return arm_of(run_).loop(); }
  void set_observer(std::function<void(Time)> observer) { run_.set_observer(std::move(observer)); }

 private:
  cell::Run run_;
};

/// Runs to the end (or until the arm runs away) without writing anything.
inline Json run_to_end(const PreparedScenario& prepared, SimulationOptions options = {}) {
  Simulation simulation(prepared, std::move(options));
  EXPECT_TRUE(simulation.run_until(simulation.end()).has_value());
  EXPECT_TRUE(simulation.close_trace().has_value());
  return simulation.results();
}

inline std::string state_hash(const std::string& ready_scenario, const Changes& changes) {
  return run_to_end(prepare(ready_scenario, changes)).at("state_hash");
}

/// Position of the joint of one-joint after each step of 1 ms: [0] is at 1 ms.
inline std::vector<double> one_joint_positions(const Changes& changes) {
  Simulation simulation(prepare("one-joint", changes), {});
  std::vector<double> all;
  simulation.set_observer([&](Time) { all.push_back(simulation.loop().positions()[0]); });
  EXPECT_TRUE(simulation.run_until(simulation.end()));
  return all;
}

/// A new folder, removed with everything in it at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = std::filesystem::temp_directory_path() / "longarm-test-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace longarm::actors
