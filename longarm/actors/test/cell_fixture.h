// SPDX-License-Identifier: Apache-2.0
// For tests of actors at work: cells from their keys, and the cell `aprs` with all of its devices.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longarm/actors/belt.h"
#include "longarm/actors/crcl.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/run.h"
#include "longarm/core/check.h"
#include "longarm/core/suggest.h"

namespace longarm::actors {

using namespace std::chrono_literals;

/// Has a host from which tests talk, and nothing else.
class ClientModel final : public cell::ActorModel {
 public:
  void list_fields(Fields&) override {}
  std::unique_ptr<cell::Actor> make(cell::World&, const std::string&) const override {
    return std::make_unique<cell::Actor>();
  }
};

/// Cells as the program makes them. Changes are those of --set.
class CellTest : public ::testing::Test {
 protected:
  static const cell::Plugins& plugins() {
    static const cell::Plugins kPlugins = [] {
      cell::Plugins plugins = built_in_plugins();
      plugins.actors.add("client", "talks to others as tests want it",
                         std::make_unique<ClientModel>);
      return plugins;
    }();
    return kPlugins;
  }

  /// `beside` is a file in whose folder the world is looked for.
  static cell::PreparedScenario prepare(const std::string& text,
                                        const std::vector<std::string>& changes = {},
                                        const std::string& beside = "cell.yaml") {
    return cell::load_scenario_text(text, beside, {changes}, plugins());
  }
  /// What users are told of it.
  static std::string told(const std::string& text, const std::vector<std::string>& changes) {
    try {
      prepare(text, changes);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }

  static std::unique_ptr<cell::Run> run_of(const cell::PreparedScenario& prepared) {
    return std::make_unique<cell::Run>(prepared);
  }

  static void step(cell::Run& run) { run.run_until(run.now() + run.world().period()); }
  static void run_until(cell::Run& run, Duration until) {
    run.run_until(Time(until));
    ASSERT_FALSE(run.failure().has_value()) << *run.failure();
  }

  static robots::Robot& robot(cell::Run& run, const std::string& name) {
    return *run.world().ask<RobotBody>({name, ""}).robot;
  }
  static mechanisms::Belt& belt(cell::Run& run, const std::string& name = "belt") {
    return run.world().ask<BeltBody>({name, ""}).belt();
  }
  /// Before the first step; `asker` is an actor, or nobody that has a host.
  static void listen_to_camera(cell::Run& run, const std::string& camera,
                               std::function<void(const devices::CameraFrame&, Time now)> heard,
                               const std::string& asker = "") {
    run.world()
        .ask<Source<devices::CameraFrame>>({camera, ""})
        .listen(asker, {camera, ""}, std::move(heard));
  }
  static protocols::Door* find_door(cell::Run& run, std::string_view name) {
    for (protocols::Door* door : run.world().doors()) {
      if (door->name() == name) {
        return door;
      }
    }
    ADD_FAILURE() << "no door " << name;
    return nullptr;
  }

  static physics::BodyId body_of(const cell::Run& run, const std::string& name) {
    const model::Cell& cell = run.world().model();
    const std::optional<int> placement = cell::find_placement(cell, name);
    check(placement.has_value(), "a model that a test looks for");
    return static_cast<physics::BodyId>(cell.first_body(*placement));
  }
  static model::Vector3 place_of(const cell::Run& run, const std::string& name) {
    return run.world().engine().pose(body_of(run, name)).translation();
  }
};

inline constexpr const char* kAprs = R"(world: aprs
length: 1min
simplify: {mode: merge}
actors:
  belt: {kind: belt, joint: "conveyor::drive"}
  fanuc:
    kind: crcl
    home: [-0.2573, 0.1033, -0.4108, 0, -1.0568, 0.2573]
    crcl: {port: 64444}
  motoman:
    kind: crcl
    home: [-0.8164, 0.2287, 0.3823, -1.5735, 0.0867, -1.3562, 0.4246]
    crcl: {port: 64445}
  plc: {kind: plc, belt: belt}
  curtain:
    kind: curtain
    poles: [[2.604690, 1.460951, 0.21184, 2.607221, -2.265362, 0.21184]]
  safety: {kind: safety, curtains: [curtain], stops: [fanuc, motoman, belt]}
  camera_1: {kind: camera, position_m: [0.031, -0.690, 2.005], noise: none}
  camera_2: {kind: camera, position_m: [0.359, -1.157, 1.963], noise: none}
  fanuc_joints: {kind: joint-topic, drives: fanuc, robot: fanuc}
)";

/// The kitting cell of the lab. Reading its world takes a while, so each form of it is read once.
class AprsCells : public CellTest {
 protected:
  static void TearDownTestSuite() { cells().clear(); }

  /// In which that happens.
  static cell::PreparedScenario prepare_aprs(const std::vector<std::string>& failures,
                                             const std::vector<std::string>& changes = {}) {
    // somebody who walks into the curtain is part of the world
    if (testing::PrintToString(failures).find("curtain broken") != std::string::npos) {
      std::vector<std::string> all = changes;
      all.push_back(fmt::format("failures=[\"{}\"]", join(failures, "\", \"")));
      return prepare(kAprs, all);
    }
    if (!cells().contains(changes)) {
      cells().emplace(changes, prepare(kAprs, changes));
    }
    cell::PreparedScenario prepared = cells().at(changes);
    std::vector<cell::KeyRemark> remarks;
    prepared.failures = cell::read_failures(failures, subjects_of(prepared), remarks);
    EXPECT_TRUE(remarks.empty()) << remarks.front().message;
    return prepared;
  }
  static std::unique_ptr<cell::Run> make(const std::vector<std::string>& failures,
                                         const std::vector<std::string>& changes = {}) {
    return run_of(prepare_aprs(failures, changes));
  }

 private:
  using Cells = std::map<std::vector<std::string>, cell::PreparedScenario>;  ///< by their changes

  static Cells& cells() {
    static Cells cells;
    return cells;
  }
  static std::vector<cell::FailureSubject> subjects_of(const cell::PreparedScenario& prepared) {
    using Of = cell::Failure::Of;
    std::vector<cell::FailureSubject> subjects;
    for (const cell::ActorEntry& actor : prepared.cell().actors) {
      subjects.push_back({Of::kActor, actor.name, actor.model->failures()});
    }
    for (const network::LinkEntry& link : prepared.cell().network.links) {
      subjects.push_back({Of::kLink, link.name, cell::link_failures()});
    }
    for (const std::string& part : cell::LooseParts::names(prepared.model)) {
      subjects.push_back({Of::kPart, part, cell::part_failures()});
    }
    return subjects;
  }
};

}  // namespace longarm::actors
