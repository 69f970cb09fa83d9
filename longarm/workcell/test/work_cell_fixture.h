// SPDX-License-Identifier: Apache-2.0
// For tests of whole cells: the world `aprs`, read once, and cells made of it with other keys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/protocols/crcl/client.h"
#include "longarm/scenario/config_reader.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/network_section.h"
#include "longarm/workcell/cell_network.h"
#include "longarm/workcell/load_work_cell.h"
#include "longarm/workcell/upstream.h"

namespace longarm::workcell {

using namespace std::chrono_literals;

inline constexpr const char* kAprs = R"(world: aprs
length: 1min
simplify: {mode: merge}
robots:
  fanuc: {home: [-0.2573, 0.1033, -0.4108, 0, -1.0568, 0.2573], crcl: {port: 64444}}
  motoman:
    home: [-0.8164, 0.2287, 0.3823, -1.5735, 0.0867, -1.3562, 0.4246]
    crcl: {port: 64445}
plc: {is_on: true}
belt: {joint: "conveyor::drive"}
curtain:
  poles: [[2.604690, 1.460951, 0.21184, 2.607221, -2.265362, 0.21184]]
safety: {is_on: true}
camera_1: {is_on: true, position_m: [0.031, -0.690, 2.005], noise: none}
camera_2: {is_on: true, position_m: [0.359, -1.157, 1.963], noise: none}
)";

/// Reads keys as the program does.
inline WorkCellConfig config_of(const std::string& text) {
  Diagnostics diagnostics;
  scenario::ConfigNode root = scenario::parse_config(text, "cell.yaml", diagnostics);
  scenario::normalise_network(root, network::built_in_link_models(), diagnostics);
  WorkCellConfig config;
  scenario::ConfigReader reader(root, diagnostics);
  list_fields(reader, config);
  reader.finish();
  diagnostics.throw_if_errors();
  return config;
}

class AprsCells : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    engines_ = std::make_unique<physics::EngineRegistry>(physics::built_in_engines());
    base_ = std::make_unique<WorkCellConfig>(config_of(kAprs));
    cell_ = std::make_unique<model::Cell>();
    InputFiles files = scenario::files_of("cell.yaml", {});
    for (const network::KeyRemark& remark : load_work_cell(*base_, *cell_, files, context())) {
      EXPECT_NE(remark.severity, Severity::kError) << remark.key << ": " << remark.message;
    }
  }
  static void TearDownTestSuite() {
    base_.reset();
    cell_.reset();
    engines_.reset();
  }

  static WorkCellContext context() { return {*engines_, "mujoco", {}, 1, {}}; }
  static WorkCellConfig base() { return *base_; }
  static const model::Cell& cell() { return *cell_; }

  /// A cell in which that happens.
  static std::unique_ptr<WorkCell> make(WorkCellConfig config, std::vector<std::string> failures) {
    model::Cell world = *cell_;
    config.failures = std::move(failures);
    for (const std::string& failure : config.failures) {
      if (failure.find("curtain") != std::string::npos) {
        world.placements.push_back(make_visitor(config.curtain.curtain, model::Vector3::Zero()));
      }
    }
    return std::make_unique<WorkCell>(config, std::move(world), context());
  }
  static void run_until(WorkCell& work, Duration until) {
    while (work.kernel().now() < Time(until)) {
      work.step();
      ASSERT_FALSE(work.failure().has_value()) << *work.failure();
    }
  }
  static physics::BodyId body_of(const std::string& name) {
    for (std::size_t p = 0; p < cell_->placements.size(); ++p) {
      if (cell_->placements[p].name == name) {
        return static_cast<physics::BodyId>(cell_->first_body(static_cast<int>(p)));
      }
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }
  static model::Vector3 place_of(const WorkCell& work, const std::string& name) {
    return work.engine().pose(body_of(name)).translation();
  }

 private:
  static inline std::unique_ptr<physics::EngineRegistry> engines_;
  static inline std::unique_ptr<WorkCellConfig> base_;
  static inline std::unique_ptr<model::Cell> cell_;
};

}  // namespace longarm::workcell
