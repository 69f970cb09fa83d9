// SPDX-License-Identifier: Apache-2.0
// What each key means, and what its values may be.
#include "longarm/experiments/cell_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;

void list_link(Fields& fields, devices::DeviceLinkConfig& config) {
  fields.section("link", "from the device to whoever listens", [&](Fields& f) {
    devices::list_fields(f, config, network::built_in_link_models());
  });
}

void list_belt(Fields& fields, CellBeltConfig& config) {
  fields.field("joint", config.joint, "the prismatic joint that drives it; none: no belt");
  fields.field("commands", config.commands, "pairs of time in s and velocity in m/s");
  mechanisms::list_fields(fields, config.belt);
  double last_s = 0.0;
  for (const std::vector<double>& row : config.commands) {
    // written so that a NaN is wrong, too
    const bool is_good = row.size() == 2 && row[0] >= last_s && std::isfinite(row[0]) &&
                         std::abs(row[1]) <= config.belt.max_speed_m_s;
    if (!is_good) {
      fields.reject("commands",
                    "a belt's commands are pairs of a time, not before the one above it, and a "
                    "velocity within max_speed_m_s",
                    "for example: [[0.5, 0.1], [3, 0]]");
      return;
    }
    last_s = row[0];
  }
}

void list_curtain(Fields& fields, CellCurtainConfig& config) {
  devices::list_fields(fields, config.curtain);
  fields.field("reset_at_s", config.reset_at_s, "when somebody resets its latch");
  list_link(fields, config.link);
  const bool is_good = std::all_of(config.reset_at_s.begin(), config.reset_at_s.end(),
                                   [](double x) { return x >= 0.0 && std::isfinite(x); });
  if (!is_good) {
    fields.reject("reset_at_s", "times cannot be negative", "");
  }
}

void list_camera(Fields& fields, CellCameraConfig& config) {
  fields.field("is_on", config.is_on, "whether there is one");
  devices::list_fields(fields, config.camera);
  list_link(fields, config.link);
}

}  // namespace

void list_fields(Fields& fields, CellConfig& config) {
  fields.field("world", config.world, "an SDF file beside the scenario, or a ready world");
  fields.field("length", config.length, "of the run");
  fields.field("settle", config.settle, "from when on displacements of parts are counted");
  fields.field("hold_effort", config.hold_effort,
               "the most with which arms hold where they start; default: whatever it takes");
  if (config.length <= 0s || config.settle < 0s) {
    fields.reject("length", "length must be longer than nothing, and settle not negative",
                  "5s and 200ms are usual");
  }
  if (config.hold_effort && !(*config.hold_effort >= 0.0)) {
    fields.reject("hold_effort", "an effort limit cannot be negative", "0 lets the arms fall");
  }
  fields.section("simplify", "contact simplification",
                 [&](Fields& f) { mechanisms::list_fields(f, config.simplify); });
  fields.section("belt", "the conveyor", [&](Fields& f) { list_belt(f, config.belt); });
  fields.section("curtain", "the light curtain; none without poles",
                 [&](Fields& f) { list_curtain(f, config.curtain); });
  fields.section("camera_1", "an overhead camera",
                 [&](Fields& f) { list_camera(f, config.camera_1); });
  fields.section("camera_2", "another one", [&](Fields& f) { list_camera(f, config.camera_2); });
  fields.section("touch", "a contact sensor; none without collisions", [&](Fields& f) {
    f.field("collisions", config.touch.collisions, "shapes, bodies or models it watches");
    list_link(f, config.touch.link);
  });
}

}  // namespace longarm::experiments
