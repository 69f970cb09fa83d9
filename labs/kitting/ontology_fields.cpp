// SPDX-License-Identifier: Apache-2.0
// The keys of an ontology, and what makes no sense in it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "labs/kitting/ontology.h"
#include "longarm/core/suggest.h"

namespace longarm::kitting {
namespace {

bool is_row(const std::vector<double>& row, std::size_t size) {
  return row.size() == size &&
         std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
}

/// Names become words of PDDL, which knows no capitals.
bool is_word(const std::string& name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

void check_word(Fields& fields, std::string_view key, const std::string& name) {
  if (!is_word(name)) {
    fields.reject(
        key, fmt::format("'{}' is not a valid PDDL name", name),
        "start with a lower-case letter, followed by lower-case letters, digits, '_' and '-'");
  }
}

/// Replaces what would make later arithmetic fail.
void check_row(Fields& fields, std::string_view key, std::vector<double>& row, std::size_t size,
               const char* example) {
  if (!is_row(row, size)) {
    fields.reject(key, fmt::format("{} is {} numbers", key, size),
                  fmt::format("for example: {}", example));
    row.assign(size, 0.0);
  }
}

void check_positive(Fields& fields, std::string_view key, double& value, bool may_be_zero) {
  if (!std::isfinite(value) || value < 0.0 || (value == 0.0 && !may_be_zero)) {
    fields.reject(key, fmt::format("{} must be {}", key, may_be_zero ? "0 or more" : "more than 0"),
                  "give it in SI units");
    value = 1.0;
  }
}

const std::vector<std::string> kToolKinds{"gripper", "cup"};

std::vector<std::string> part_names(const Ontology& ontology) {
  std::vector<std::string> names;
  for (const PartKind& part : ontology.parts) {
    names.push_back(part.name);
  }
  return names;
}

void list_part(Fields& fields, PartKind& part) {
  fields.field("objects", part.objects, "name prefix of objects of this kind, before _N");
  fields.field("grasp_height_m", part.grasp_height_m, "grasp height above its frame");
  fields.choice("tool", part.tool, kToolKinds,
                "kind of tool that takes it, where arms change tools");
  fields.field("suction_m", part.suction_m,
               "point at which a cup takes it: x, y, z from its frame");
  check_row(fields, "suction_m", part.suction_m, 3, "[0.014, 0, 0.0186]");
  check_word(fields, "objects", part.objects.empty() ? part.name : part.objects);
  check_word(fields, "objects", part.name);
}

void list_slot(Fields& fields, SlotKind& slot, const std::vector<std::string>& parts) {
  fields.field("part", slot.part, "kind of part that sits in it");
  fields.field("seat_m", slot.seat_m, "frame of a seated part in the tray's frame");
  check_word(fields, "part", slot.name);
  if (!slot.name.empty() && std::find(parts.begin(), parts.end(), slot.part) == parts.end()) {
    fields.reject("part", fmt::format("unknown part '{}'", slot.part), suggest(slot.part, parts));
  }
  if (!slot.name.empty()) {
    check_row(fields, "seat_m", slot.seat_m, 3, "[0.04, 0.055, 0.0044]");
  }
}

void list_robot(Fields& fields, RobotAbility& robot) {
  fields.field("base_m", robot.base_m, "x, y, z of its base");
  fields.field("base_yaw_deg", robot.base_yaw_deg, "rotation of its base about the vertical");
  fields.field("shoulder_out_m", robot.shoulder_out_m, "shoulder from the axis of the base");
  fields.field("shoulder_up_m", robot.shoulder_up_m, "shoulder above the base");
  fields.field("wrist_over_part_m", robot.wrist_over_part_m,
               "wrist centre above the frame of the part that it picks or places");
  fields.field("reach_m", robot.reach_m, "largest distance of the wrist centre from the shoulder");
  fields.field("least_reach_m", robot.least_reach_m,
               "least distance of the wrist centre from the shoulder");
  fields.field("pick_s", robot.pick_s, "approximate duration of a pick");
  fields.field("place_s", robot.place_s, "approximate duration of a place");
  fields.field("travel_s_m", robot.travel_s_m, "additional time per metre from the base");
  fields.field("tool", robot.tool, "tool mounted at the start, one of `tools`");
  fields.field("change_s", robot.change_s, "approximate duration of taking or hanging a tool");
  if (robot.name.empty()) {
    return;
  }
  check_word(fields, "base_m", robot.name);
  check_row(fields, "base_m", robot.base_m, 3, "[0, 0, 0.91]");
  check_positive(fields, "reach_m", robot.reach_m, false);
  check_positive(fields, "least_reach_m", robot.least_reach_m, true);
  check_positive(fields, "pick_s", robot.pick_s, true);
  check_positive(fields, "place_s", robot.place_s, true);
  check_positive(fields, "travel_s_m", robot.travel_s_m, true);
  check_positive(fields, "change_s", robot.change_s, true);
}

void list_zone(Fields& fields, Zone& zone) {
  fields.field("low_m", zone.low_m, "least x and y");
  fields.field("high_m", zone.high_m, "greatest x and y");
  fields.field("surface_m", zone.surface_m, "height of the surface that parts and trays stand on");
  fields.field("is_shared", zone.is_shared, "whether several robots reach it, one at a time");
  fields.field("is_belt", zone.is_belt, "whether objects in it move with the belt");
  fields.field("wait_s", zone.wait_s, "approximate waiting time per use");
  if (zone.name.empty()) {
    return;
  }
  check_word(fields, "low_m", zone.name);
  check_row(fields, "low_m", zone.low_m, 2, "[-1.5, -0.8]");
  check_row(fields, "high_m", zone.high_m, 2, "[1.5, -0.2]");
  check_positive(fields, "wait_s", zone.wait_s, true);
  if (zone.low_m[0] >= zone.high_m[0] || zone.low_m[1] >= zone.high_m[1]) {
    fields.reject("high_m", fmt::format("zone '{}' is empty", zone.name),
                  "high_m must be greater than low_m, in x and in y");
  }
}

void list_tool(Fields& fields, Tool& tool, const std::vector<std::string>& robots) {
  fields.choice("kind", tool.kind, kToolKinds, "kind of tool, as named by parts");
  fields.field("robots", tool.robots, "robots whose flange it fits");
  fields.field("stand_m", tool.stand_m, "x, y, z of its coupling when in its stand");
  fields.field("length_m", tool.length_m, "from the coupling to the controlled point");
  if (tool.name.empty()) {
    return;
  }
  check_word(fields, "kind", tool.name);
  check_row(fields, "stand_m", tool.stand_m, 3, "[-0.25, -0.66, 1.3]");
  check_positive(fields, "length_m", tool.length_m, false);
  for (const std::string& robot : tool.robots) {
    if (std::find(robots.begin(), robots.end(), robot) == robots.end()) {
      fields.reject("robots", fmt::format("there is no robot '{}'", robot), suggest(robot, robots));
    }
  }
}

/// Arms without a tool that they need would never get to work.
void check_tools(Fields& fields, const Ontology& ontology) {
  if (ontology.tools.empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const Tool& tool : ontology.tools) {
    names.push_back(tool.name);
    if (ontology.zone_at(tool.stand()) == nullptr) {
      fields.reject("tools", fmt::format("the stand of tool '{}' is not in a zone", tool.name),
                    "set stand_m to a point inside one of `zones`");
    }
  }
  for (const RobotAbility& robot : ontology.robots) {
    const Tool* tool = ontology.find_tool(robot.tool);
    if (!robot.tool.empty() && tool == nullptr) {
      fields.reject("robots",
                    fmt::format("'{}' starts with an unknown tool '{}'", robot.name, robot.tool),
                    suggest(robot.tool, names));
    }
    for (const PartKind& part : ontology.parts) {
      const bool has_one =
          std::any_of(ontology.tools.begin(), ontology.tools.end(), [&](const Tool& each) {
            return each.kind == part.tool && std::find(each.robots.begin(), each.robots.end(),
                                                       robot.name) != each.robots.end();
          });
      if (!has_one) {
        fields.reject(
            "tools",
            fmt::format("no {} fits '{}', and {} needs one", part.tool, robot.name, part.name),
            fmt::format("add '{}' to the robots of a tool of kind {}", robot.name, part.tool));
      }
    }
  }
}

void list_camera(Fields& fields, CameraView& camera) {
  fields.field("position_m", camera.position_m, "x, y, z; it points straight down");
  fields.field("view_deg", camera.view_deg, "full angles of view along x and y");
  check_row(fields, "position_m", camera.position_m, 3, "[0, 0, 2]");
  check_row(fields, "view_deg", camera.view_deg, 2, "[60, 60]");
}

void list_belt(Fields& fields, BeltAbility& belt) {
  fields.field("station_x_m", belt.station_x_m, "x of the foremost tray when all are in place");
  fields.field("tolerance_m", belt.tolerance_m, "tolerance of that position");
  fields.field("direction", belt.direction, "1: trays come along +x, -1: along -x");
  fields.field("bring_s", belt.bring_s, "approximate time to bring them");
  check_positive(fields, "tolerance_m", belt.tolerance_m, false);
  check_positive(fields, "bring_s", belt.bring_s, true);
  if (belt.direction != 1.0 && belt.direction != -1.0) {
    fields.reject("direction", "the belt's direction is 1 or -1", "1 is along +x");
  }
}

void check_unique(Fields& fields, const Ontology& ontology) {
  std::vector<std::string> taken;
  std::vector<std::string> kits;
  const auto add = [&](std::string_view key, std::vector<std::string>& among,
                       const std::string& name, const char* what) {
    if (std::find(among.begin(), among.end(), name) != among.end()) {
      fields.reject(key, fmt::format("two kinds have {} '{}'", what, name), "rename one of them");
    }
    among.push_back(name);
  };
  for (const PartKind& part : ontology.parts) {
    add("parts", taken, part.objects, "objects called");
  }
  for (const TrayKind& tray : ontology.trays) {
    add("trays", taken, tray.objects, "objects called");
    if (tray.is_kit()) {
      add("trays", kits, tray.kit, "the kit's name");
    }
  }
}

}  // namespace

void list_fields(Fields& fields, Ontology& ontology) {
  fields.field("title", ontology.title, "description");
  named(fields, "parts", "kinds of parts", ontology.parts, list_part);
  const std::vector<std::string> parts = part_names(ontology);
  named(fields, "trays", "kinds of trays", ontology.trays, [&](Fields& group, TrayKind& tray) {
    group.field("objects", tray.objects, "name prefix of objects of this kind, before _N");
    group.field("kit", tray.kit, "name in requests; empty: it is a vessel");
    named(group, "slots", "places for parts", tray.slots,
          [&](Fields& slots, SlotKind& slot) { list_slot(slots, slot, parts); });
    if (!tray.name.empty()) {
      check_word(group, "objects", tray.name);
      check_word(group, "objects", tray.objects);
    }
  });
  named(fields, "robots", "what each robot can do", ontology.robots, list_robot);
  named(fields, "zones", "regions of the floor plan; the first match counts", ontology.zones,
        list_zone);
  fields.section("belt", "how trays arrive",
                 [&](Fields& group) { list_belt(group, ontology.belt); });
  named(fields, "cameras", "where they are", ontology.cameras, list_camera);
  std::vector<std::string> robots;
  for (const RobotAbility& robot : ontology.robots) {
    robots.push_back(robot.name);
  }
  named(fields, "tools", "tools that arms change at a stand; empty: arms keep their tools",
        ontology.tools, [&](Fields& group, Tool& tool) { list_tool(group, tool, robots); });
  check_tools(fields, ontology);
  check_unique(fields, ontology);
}

}  // namespace longarm::kitting
