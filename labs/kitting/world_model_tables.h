// SPDX-License-Identifier: Apache-2.0
// The tables of the world model in SQLite; private to it.
#pragma once

#include <string>
#include <vector>

#include "labs/kitting/world_model.h"
#include "longarm/record/sqlite.h"

namespace longarm::kitting {

/// A row of `objects`: what queries see, and how often it was looked for in vain.
struct ObjectRow {
  SeenObject object;
  bool is_tray = false;
  std::int64_t missed = 0;
};

struct WorldModel::Tables {
  /// Empty: in memory. A file is made anew.
  explicit Tables(const std::string& file);

  std::optional<ObjectRow> find(const std::string& name);
  std::vector<ObjectRow> all();
  void put(const ObjectRow& row);
  void put_slot(const SlotView& slot);
  void put_robot(const RobotRow& robot, Time now);
  std::vector<RobotRow> robots();
  void put_event(Time now, const std::string& who, const std::string& what);
  /// No stamp: it showed nothing.
  void put_frame(const std::string& camera, std::optional<Time> stamp, Time now);
  std::optional<CameraRow> camera(const std::string& name);

  record::SqliteConnection connection;
  record::SqliteStatement find_object, all_objects, put_object, put_slot_row, put_robot_row,
      all_robots, put_event_row, put_camera, find_camera, begin, commit;
};

}  // namespace longarm::kitting
