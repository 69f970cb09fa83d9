// SPDX-License-Identifier: Apache-2.0
// What there is in a kitting cell: parts, trays with slots, robots, zones, the belt and how long
// actions take; one YAML file, from which the planner's domain and the world model come.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/model/model.h"
#include "longarm/pddl/domain.h"

namespace longarm::kitting {

using model::Pose;
using model::Vector3;

/// A kind of part. Objects in the world that are one are called `objects`_N.
struct PartKind {
  std::string name;              ///< "sku_part_small_gear"
  std::string objects;           ///< "small_gear"
  double grasp_height_m = 0.0;   ///< middle of its peg above its frame
  std::string tool = "gripper";  ///< kind of tool that it takes, where arms change tools
  std::vector<double> suction_m{0.0, 0.0, 0.0};  ///< where a cup takes it, from its frame

  Vector3 suction() const { return {suction_m[0], suction_m[1], suction_m[2]}; }
};

/// A tool that arms take from a stand and hang back there.
struct Tool {
  std::string name;                            ///< as the world calls it
  std::string kind = "gripper";                ///< or "cup"
  std::vector<std::string> robots;             ///< that it fits
  std::vector<double> stand_m{0.0, 0.0, 0.0};  ///< its coupling when it hangs, in the world
  double length_m = 0.0;                       ///< from the coupling to the controlled point

  Vector3 stand() const { return {stand_m[0], stand_m[1], stand_m[2]}; }
  bool is_cup() const { return kind == "cup"; }
};

struct SlotKind {
  std::string name;            ///< "slot_1"
  std::string part;            ///< kind that sits in it
  std::vector<double> seat_m;  ///< where a seated part's frame is, in the tray's frame

  Vector3 seat() const { return {seat_m[0], seat_m[1], seat_m[2]}; }
};

struct TrayKind {
  std::string name;     ///< "sku_kit_m2l1_vessel"
  std::string objects;  ///< "m2l1_kit"
  std::string kit;      ///< what requests call it, "m2l1"; empty: a vessel
  std::vector<SlotKind> slots;

  bool is_kit() const { return !kit.empty(); }
};

/// Where a robot stands and how far its wrist gets with the tool straight down.
struct RobotAbility {
  std::string name;
  std::vector<double> base_m{0.0, 0.0, 0.0};
  double base_yaw_deg = 0.0;
  double shoulder_out_m = 0.0;  ///< shoulder joint from the base's axis, towards the target
  double shoulder_up_m = 0.0;
  double wrist_over_part_m = 0.0;  ///< wrist centre above the frame of a part it picks or places
  double reach_m = 0.0;            ///< farthest wrist centre from the shoulder
  double least_reach_m = 0.0;      ///< nearest
  double pick_s = 4.0;             ///< estimates; each metre from the base costs travel_s_m more
  double place_s = 4.0;
  double travel_s_m = 2.0;
  std::string tool{};     ///< that it starts with; empty: none
  double change_s = 8.0;  ///< to hang a tool, or to take one

  /// Whether a part whose frame is at p_W can be picked or placed there.
  bool reaches(const Vector3& p_W) const;
  double distance_m(const Vector3& p_W) const;  ///< level, from the base's axis
};

/// A region of the floor plan in which at most one arm works at a time, from floor to ceiling.
struct Zone {
  std::string name;
  std::vector<double> low_m{0.0, 0.0};  ///< x, y
  std::vector<double> high_m{0.0, 0.0};
  double surface_m = 0.0;  ///< height of what parts lie on
  bool is_shared = false;  ///< only one arm at a time
  bool is_belt = false;    ///< trays in it move with the belt
  double wait_s = 0.0;     ///< for the other arm to leave, about, each time

  bool contains(const Vector3& p_W) const;
};

/// The belt runs along x. Its trays are at the station when the foremost one is there.
struct BeltAbility {
  double station_x_m = 0.0;  ///< of the foremost tray's frame
  double tolerance_m = 0.02;
  double direction = 1.0;  ///< +1: trays come along +x
  double bring_s = 10.0;   ///< estimate
};

/// A camera's place, so that what it should see and does not is known to be missing.
struct CameraView {
  std::string name;
  std::vector<double> position_m{0.0, 0.0, 2.0};
  std::vector<double> view_deg{60.0, 60.0};

  bool sees(const Vector3& p_W, double margin_m) const;
};

struct Ontology {
  std::string title;
  std::vector<PartKind> parts;
  std::vector<TrayKind> trays;
  std::vector<RobotAbility> robots;
  std::vector<Zone> zones;  ///< the first that contains a point counts
  BeltAbility belt;
  std::vector<CameraView> cameras;
  std::vector<Tool> tools;  ///< empty: what robots grasp with is part of them

  /// Kinds by the names of objects ("medium_gear_2") or of kinds; null: none of ours.
  const PartKind* part_of(std::string_view object) const;
  const TrayKind* tray_of(std::string_view object) const;
  const PartKind* find_part(std::string_view kind) const;
  const TrayKind* find_kit(std::string_view kit) const;
  const RobotAbility* find_robot(std::string_view name) const;
  const Zone* zone_at(const Vector3& p_W) const;
  const Zone* find_zone(std::string_view name) const;
  const Tool* find_tool(std::string_view name) const;
};

void list_fields(Fields& fields, Ontology& ontology);

/// `name` is a file, or a ready one such as "aprs". Throws InputError with places.
Ontology load_ontology(const std::string& name, InputFiles& files);
Ontology load_ontology(const std::string& name);

/// "medium_gear" for "sku_part_medium_gear" etc.: what people call a kind.
std::string plain_name(const PartKind& part);

/// The planner's domain: types of all kinds, and the actions pick, pick-loose, place and bring;
/// where there are tools, also take-tool and hang-tool, and picks name the tool that they need.
pddl::Domain make_domain(const Ontology& ontology);

}  // namespace longarm::kitting
