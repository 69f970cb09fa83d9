// SPDX-License-Identifier: Apache-2.0
// Messages to text and back.
#include "longarm/actors/device_lines.h"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/actors/device_messages.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSlotPrefix = "slot_";
// farther from the cell's beginning than any run lasts, or than a Time can say
constexpr double kLongest_s = 1e9;

bool has_slots(const model::BodyTree& tree) {
  return std::any_of(tree.frames.begin(), tree.frames.end(),
                     [](const model::Frame& frame) { return frame.name.starts_with(kSlotPrefix); });
}

bool is_bolted(const model::Placement& placement) {
  return placement.is_fixed || placement.tree.is_static;
}

void put_pose(Json& out, const model::Pose& X) {
  const model::Vector3 p = X.translation();
  const Eigen::Quaterniond q(X.linear());
  out["position_m"] = {p.x(), p.y(), p.z()};
  out["quaternion_wxyz"] = {q.w(), q.x(), q.y(), q.z()};
}

Json with_device(const std::string& device, const char* kind, const Json& message) {
  Json out{{"device", device}, {"kind", kind}};
  out.update(message);
  return out;
}

// --- reading: bytes from outside never throw

std::optional<double> number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number() || !std::isfinite(found->get<double>())) {
    return std::nullopt;
  }
  return found->get<double>();
}

template <std::size_t kCount>
std::optional<std::array<double, kCount>> numbers_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() != kCount) {
    return std::nullopt;
  }
  std::array<double, kCount> out{};
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!(*found)[i].is_number() || !std::isfinite((*found)[i].get<double>())) {
      return std::nullopt;
    }
    out[i] = (*found)[i].get<double>();
  }
  return out;
}

Result<Json> object_of(std::string_view line) {
  Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) {
    return Error{fmt::format("not a JSON object: '{}'", line.substr(0, 80))};
  }
  return object;
}

Result<Time> stamp_of(const Json& object) {
  const std::optional<double> stamp_s = number_of(object, "stamp_s");
  if (!stamp_s || !(std::abs(*stamp_s) < kLongest_s)) {
    return Error{"stamp_s is missing or not a time"};
  }
  return Time(Duration(std::llround(*stamp_s * 1e9)));
}

Result<devices::Detection> detection_of(const Json& thing) {
  if (!thing.is_object() || !thing.contains("name") || !thing["name"].is_string()) {
    return Error{"a detected object has no name"};
  }
  devices::Detection out;
  out.name = thing["name"].get<std::string>();
  const auto p = numbers_of<3>(thing, "position_m");
  const auto q = numbers_of<4>(thing, "quaternion_wxyz");
  const std::optional<double> confidence = number_of(thing, "confidence");
  if (!p || !q || !confidence) {
    return Error{fmt::format("'{}' needs position_m, quaternion_wxyz and confidence", out.name)};
  }
  const Eigen::Quaterniond turn((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
  if (!(std::abs(turn.norm() - 1.0) < 1e-3)) {
    return Error{fmt::format("quaternion_wxyz of '{}' is not a unit quaternion", out.name)};
  }
  out.X_WP = model::Pose::Identity();
  out.X_WP.translation() = model::Vector3((*p)[0], (*p)[1], (*p)[2]);
  out.X_WP.linear() = turn.normalized().toRotationMatrix();
  out.confidence = *confidence;
  return out;
}

}  // namespace

CameraLines::CameraLines(const model::Cell& cell, std::string camera) : camera_(std::move(camera)) {
  for (const model::Placement& placement : cell.placements) {
    Thing thing{placement.kind, is_bolted(placement), {}};
    for (const model::Frame& frame : placement.tree.frames) {
      // the camera says where the root is
      if (frame.name.starts_with(kSlotPrefix) && frame.body == 0) {
        thing.slots.push_back({frame.name, frame.X_BF});
      }
    }
    things_.emplace(placement.name, std::move(thing));
  }
}

std::string CameraLines::line(const devices::CameraFrame& frame) const {
  Json parts = Json::array();
  Json trays = Json::array();
  for (const devices::Detection& each : frame.detections) {
    const auto found = things_.find(each.name);
    const Thing thing = found == things_.end() ? Thing{} : found->second;
    Json out{{"name", each.name}, {"model", thing.model}};
    put_pose(out, each.X_WP);
    out["confidence"] = each.confidence;
    if (thing.slots.empty()) {
      parts.push_back(std::move(out));
      continue;
    }
    out["is_bolted"] = thing.is_bolted;
    out["slots"] = Json::array();
    for (const Slot& slot : thing.slots) {
      Json where{{"name", slot.name}};
      put_pose(where, each.X_WP * slot.X_PS);
      out["slots"].push_back(std::move(where));
    }
    trays.push_back(std::move(out));
  }
  return Json{
      {"device", camera_},      {"kind", "camera"},          {"stamp_s", to_seconds(frame.stamp)},
      {"number", frame.number}, {"parts", std::move(parts)}, {"trays", std::move(trays)}}
      .dump();
}

std::vector<std::string> loose_and_trays(const model::Cell& cell) {
  std::vector<std::string> names;
  for (const model::Placement& placement : cell.placements) {
    if (!is_bolted(placement) || has_slots(placement.tree)) {
      names.push_back(placement.name);
    }
  }
  return names;
}

std::string curtain_line(const std::string& curtain, const devices::CurtainReport& report) {
  return with_device(curtain, "curtain", TraceOf<devices::CurtainReport>::to_json(report, {}))
      .dump();
}

std::string touch_line(const std::string& sensor, const devices::TouchReport& report,
                       const std::vector<std::string>& bodies) {
  return with_device(sensor, "contact-sensor",
                     TraceOf<devices::TouchReport>::to_json(report, bodies))
      .dump();
}

Result<devices::CameraFrame> read_camera_line(std::string_view line) {
  const Result<Json> object = object_of(line);
  if (!object) {
    return object.error();
  }
  const Result<Time> stamp = stamp_of(*object);
  if (!stamp) {
    return stamp.error();
  }
  const std::optional<double> number = number_of(*object, "number");
  if (!number || !(*number >= 0.0 && *number < 9e15)) {
    return Error{"number is missing or not a frame number"};
  }
  devices::CameraFrame frame{*stamp, static_cast<std::uint64_t>(*number), {}};
  for (const char* key : {"parts", "trays"}) {
    const auto things = object->find(key);
    if (things == object->end() || !things->is_array()) {
      return Error{fmt::format("{} is missing or not a list", key)};
    }
    for (const Json& thing : *things) {
      Result<devices::Detection> detection = detection_of(thing);
      if (!detection) {
        return detection.error();
      }
      frame.detections.push_back(std::move(detection).value());
    }
  }
  return frame;
}

Result<devices::CurtainReport> read_curtain_line(std::string_view line) {
  const Result<Json> object = object_of(line);
  if (!object) {
    return object.error();
  }
  const Result<Time> stamp = stamp_of(*object);
  if (!stamp) {
    return stamp.error();
  }
  devices::CurtainReport report;
  report.stamp = *stamp;
  for (const auto& [key, value] :
       {std::pair("is_broken", &report.is_broken), std::pair("is_latched", &report.is_latched)}) {
    const auto found = object->find(key);
    if (found == object->end() || !found->is_boolean()) {
      return Error{fmt::format("{} is missing or not a boolean", key)};
    }
    *value = found->get<bool>();
  }
  return report;
}

}  // namespace longarm::actors
