// SPDX-License-Identifier: Apache-2.0
// What each key means, and what its values may be.
#include "longarm/experiments/cell_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;

void list_link(Fields& fields, devices::DeviceLinkConfig& config) {
  fields.section("link", "from the device to whoever listens", [&](Fields& f) {
    devices::list_fields(f, config, network::built_in_link_models());
  });
}

/// Of the first command that is wrong, the one thing that is.
void judge_commands(Fields& fields, const CellBeltConfig& config) {
  const std::string example = "for example: [[0.5, 0.1], [3, 0]]";
  double last_s = 0.0;
  // written so that a NaN is wrong, too
  for (const std::vector<double>& row : config.commands) {
    if (row.size() != 2) {
      fields.reject("commands", "a belt's command is a pair of a time in s and a velocity in m/s",
                    example);
      return;
    }
    if (!(row[0] >= 0.0) || !std::isfinite(row[0])) {
      fields.reject("commands", fmt::format("a belt cannot be commanded at {:g} s", row[0]),
                    example);
      return;
    }
    if (row[0] < last_s) {
      fields.reject(
          "commands",
          fmt::format("the command at {:g} s stands after the one at {:g} s", row[0], last_s),
          "sort a belt's commands by their times");
      return;
    }
    if (!(std::abs(row[1]) <= config.belt.max_speed_m_s)) {
      fields.reject("commands",
                    fmt::format("a command of {:g} m/s is beyond the belt's max_speed_m_s of {:g}",
                                row[1], config.belt.max_speed_m_s),
                    "command less, or give the belt a greater max_speed_m_s");
      return;
    }
    last_s = row[0];
  }
}

void list_belt(Fields& fields, CellBeltConfig& config) {
  fields.field("joint", config.joint, "the prismatic joint that drives it; none: no belt");
  fields.field("commands", config.commands, "pairs of time in s and velocity in m/s");
  mechanisms::list_fields(fields, config.belt);
  judge_commands(fields, config);
}

void judge_times(Fields& fields, const CellConfig& config) {
  if (config.length <= 0s) {
    fields.reject("length", "the run must be longer than nothing", "5s is usual");
  } else if (config.settle < 0s) {
    fields.reject("settle", "a time cannot be negative", "200ms is usual");
  } else if (config.settle >= config.length) {
    fields.reject("settle", "the run would be over before displacements are counted",
                  "make settle shorter than length");
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
  judge_times(fields, config);
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
