// SPDX-License-Identifier: Apache-2.0
// Rows in and out. Durability is of no use here: a run that breaks off is run again.
#include "labs/kitting/world_model_tables.h"

#include <filesystem>

namespace longarm::kitting {
namespace {

constexpr const char* kTables = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE objects(
  name TEXT PRIMARY KEY, kind TEXT, is_tray INTEGER,
  x_m REAL, y_m REAL, z_m REAL, qw REAL, qx REAL, qy REAL, qz REAL,
  frames INTEGER, seen_ns INTEGER, moved_ns INTEGER, camera TEXT, confidence REAL,
  missed INTEGER, is_missing INTEGER, is_stale INTEGER, heard_ns INTEGER) WITHOUT ROWID;
CREATE TABLE slots(
  name TEXT PRIMARY KEY, tray TEXT, takes TEXT, zone TEXT, is_kit INTEGER,
  x_m REAL, y_m REAL, z_m REAL, part TEXT, is_filled INTEGER) WITHOUT ROWID;
CREATE TABLE robots(
  name TEXT PRIMARY KEY, works INTEGER, holds TEXT, words TEXT, since_ns INTEGER) WITHOUT ROWID;
CREATE TABLE cameras(
  name TEXT PRIMARY KEY, frame_ns INTEGER, frames INTEGER, shown_ns INTEGER,
  arrived_ns INTEGER) WITHOUT ROWID;
CREATE TABLE events(time_ns INTEGER, who TEXT, what TEXT);
)";

constexpr const char* kColumns =
    "name, kind, is_tray, x_m, y_m, z_m, qw, qx, qy, qz, frames, seen_ns, moved_ns, camera, "
    "confidence, missed, is_missing, is_stale, heard_ns";

record::SqliteConnection open(const std::string& file) {
  if (!file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  record::SqliteConnection connection(file.empty() ? ":memory:" : file,
                                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  connection.execute(kTables);
  return connection;
}

/// A camera that has shown nothing yet.
constexpr std::int64_t kNothingShown = -1;

std::int64_t count_of(Time time) {
  return time.time_since_epoch().count();
}

Time time_of(std::int64_t count) {
  return Time(Duration(count));
}

ObjectRow row_of(const record::SqliteStatement& from) {
  const auto real = [&](int column) { return from.number(column).value_or(0.0); };
  ObjectRow row;
  SeenObject& object = row.object;
  object.name = from.text(0);
  object.kind = from.text(1);
  row.is_tray = from.integer(2) != 0;
  object.X_WO = Pose::Identity();
  object.X_WO.translation() = Vector3(real(3), real(4), real(5));
  object.X_WO.linear() = Eigen::Quaterniond(real(6), real(7), real(8), real(9)).toRotationMatrix();
  object.frames = from.integer(10);
  object.seen = time_of(from.integer(11));
  object.moved = time_of(from.integer(12));
  object.camera = from.text(13);
  object.confidence = real(14);
  row.missed = from.integer(15);
  object.is_missing = from.integer(16) != 0;
  object.is_stale = from.integer(17) != 0;
  object.heard = time_of(from.integer(18));
  return row;
}

}  // namespace

WorldModel::Tables::Tables(const std::string& file)
    : connection(open(file)),
      find_object(
          connection.prepare(std::string("SELECT ") + kColumns + " FROM objects WHERE name = ?")),
      all_objects(
          connection.prepare(std::string("SELECT ") + kColumns + " FROM objects ORDER BY name")),
      put_object(
          connection.prepare(std::string("INSERT OR REPLACE INTO objects(") + kColumns +
                             ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      put_slot_row(
          connection.prepare("INSERT OR REPLACE INTO slots VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      put_robot_row(connection.prepare("INSERT OR REPLACE INTO robots VALUES(?, ?, ?, ?, ?)")),
      all_robots(connection.prepare("SELECT name, works, holds, words FROM robots ORDER BY name")),
      put_event_row(connection.prepare("INSERT INTO events VALUES(?, ?, ?)")),
      put_camera(connection.prepare(
          "INSERT INTO cameras VALUES(?1, ?2, 1, ?3, ?4) ON CONFLICT(name) DO UPDATE SET "
          "frame_ns = max(frame_ns, ?2), frames = frames + 1, "
          "shown_ns = max(shown_ns, ?3), arrived_ns = ?4")),
      find_camera(
          connection.prepare("SELECT frame_ns, shown_ns, arrived_ns FROM cameras WHERE name = ?")),
      begin(connection.prepare("BEGIN")),
      commit(connection.prepare("COMMIT")) {}

std::optional<ObjectRow> WorldModel::Tables::find(const std::string& name) {
  find_object.bind(1, name);
  std::optional<ObjectRow> row;
  if (find_object.step()) {
    row = row_of(find_object);
  }
  find_object.reset();
  return row;
}

std::vector<ObjectRow> WorldModel::Tables::all() {
  std::vector<ObjectRow> rows;
  while (all_objects.step()) {
    rows.push_back(row_of(all_objects));
  }
  all_objects.reset();
  return rows;
}

void WorldModel::Tables::put(const ObjectRow& row) {
  const SeenObject& object = row.object;
  const Vector3 p = object.X_WO.translation();
  const Eigen::Quaterniond q(object.X_WO.linear());
  const auto real = [](double x) { return std::optional<double>(x); };
  const auto flag = [](bool x) { return std::int64_t{x ? 1 : 0}; };
  put_object.bind(1, object.name).bind(2, object.kind).bind(3, flag(row.is_tray));
  put_object.bind(4, real(p.x())).bind(5, real(p.y())).bind(6, real(p.z()));
  put_object.bind(7, real(q.w())).bind(8, real(q.x())).bind(9, real(q.y())).bind(10, real(q.z()));
  put_object.bind(11, object.frames).bind(12, count_of(object.seen));
  put_object.bind(13, count_of(object.moved)).bind(14, object.camera);
  put_object.bind(15, real(object.confidence)).bind(16, row.missed);
  put_object.bind(17, flag(object.is_missing)).bind(18, flag(object.is_stale));
  put_object.bind(19, count_of(object.heard));
  put_object.run();
}

void WorldModel::Tables::put_slot(const SlotView& slot) {
  const Vector3 p = slot.X_WS.translation();
  put_slot_row.bind(1, slot.name).bind(2, slot.tray).bind(3, slot.takes).bind(4, slot.zone);
  put_slot_row.bind(5, std::int64_t{slot.is_kit ? 1 : 0});
  put_slot_row.bind(6, std::optional(p.x())).bind(7, std::optional(p.y()));
  put_slot_row.bind(8, std::optional(p.z())).bind(9, slot.part);
  put_slot_row.bind(10, std::int64_t{slot.is_filled ? 1 : 0}).run();
}

void WorldModel::Tables::put_robot(const RobotRow& robot, Time now) {
  put_robot_row.bind(1, robot.name).bind(2, std::int64_t{robot.works ? 1 : 0});
  put_robot_row.bind(3, robot.holds).bind(4, robot.words).bind(5, count_of(now)).run();
}

std::vector<RobotRow> WorldModel::Tables::robots() {
  std::vector<RobotRow> rows;
  while (all_robots.step()) {
    rows.push_back(
        {all_robots.text(0), all_robots.integer(1) != 0, all_robots.text(2), all_robots.text(3)});
  }
  all_robots.reset();
  return rows;
}

void WorldModel::Tables::put_event(Time now, const std::string& who, const std::string& what) {
  put_event_row.bind(1, count_of(now)).bind(2, who).bind(3, what).run();
}

void WorldModel::Tables::put_frame(const std::string& camera, std::optional<Time> stamp, Time now) {
  put_camera.bind(1, camera).bind(2, stamp ? count_of(*stamp) : kNothingShown);
  put_camera.bind(3, stamp ? count_of(now) : kNothingShown).bind(4, count_of(now)).run();
}

std::optional<CameraRow> WorldModel::Tables::camera(const std::string& name) {
  find_camera.bind(1, name);
  std::optional<CameraRow> row;
  if (find_camera.step()) {
    row.emplace();
    if (find_camera.integer(0) != kNothingShown) {
      row->stamp = time_of(find_camera.integer(0));
      row->shown = time_of(find_camera.integer(1));
    }
    row->arrived = time_of(find_camera.integer(2));
  }
  find_camera.reset();
  return row;
}

}  // namespace longarm::kitting
