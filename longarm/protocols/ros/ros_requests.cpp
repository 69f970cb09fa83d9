// SPDX-License-Identifier: Apache-2.0
// Reads requests, and believes nothing of them.
#include "longarm/protocols/ros/ros_requests.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::ros {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 100'000;
constexpr std::size_t kMostJoints = 1'000;
constexpr std::uint64_t kMostSteps = 1'000'000'000;
constexpr int kMostLevels = 32;

/// Values are copied level by level: thousands of them would need more stack than there is.
bool is_too_deep(std::string_view line) {
  int level = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '[' || c == '{') {
      if (++level > kMostLevels) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --level;
    } else {
      in_text = c == '"';
    }
  }
  return false;
}

/// The first thing that is wrong with an object; what is read after it means nothing.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  bool has(const char* key) const { return object_.contains(key); }
  const std::optional<Error>& error() const { return error_; }

  std::string text(const char* key) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_string()) {
      return fail<std::string>(key, "a text");
    }
    return value->get<std::string>();
  }
  double number(const char* key) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_number() || !std::isfinite(value->get<double>())) {
      return fail<double>(key, "a number");
    }
    return value->get<double>();
  }
  std::int64_t integer(const char* key) {
    const Json* value = find(key);
    const bool is_huge = value != nullptr && value->is_number_unsigned() &&
                         value->get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value == nullptr || !value->is_number_integer() || is_huge) {
      return fail<std::int64_t>(key, "an integer");
    }
    return value->get<std::int64_t>();
  }
  std::vector<double> numbers(const char* key) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_array() || value->size() > kMostJoints) {
      return fail<std::vector<double>>(key, "a list of numbers");
    }
    std::vector<double> out;
    for (const Json& each : *value) {
      if (!each.is_number() || !std::isfinite(each.get<double>())) {
        return fail<std::vector<double>>(key, "a list of numbers");
      }
      out.push_back(each.get<double>());
    }
    return out;
  }
  std::vector<std::string> texts(const char* key) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_array() || value->size() > kMostJoints) {
      return fail<std::vector<std::string>>(key, "a list of texts");
    }
    std::vector<std::string> out;
    for (const Json& each : *value) {
      if (!each.is_string()) {
        return fail<std::vector<std::string>>(key, "a list of texts");
      }
      out.push_back(each.get<std::string>());
    }
    return out;
  }
  std::map<std::string, double> by_name(const char* key) {
    if (!has(key)) {
      return {};
    }
    const Json& value = object_.at(key);
    std::map<std::string, double> out;
    if (!value.is_object() || value.size() > kMostJoints) {
      return fail<std::map<std::string, double>>(key, "an object of numbers");
    }
    for (const auto& [name, number] : value.items()) {
      if (!number.is_number() || !std::isfinite(number.get<double>())) {
        return fail<std::map<std::string, double>>(key, "an object of numbers");
      }
      out[name] = number.get<double>();
    }
    return out;
  }

  template <typename Value>
  Value fail(const char* key, const char* what) {
    if (!error_) {
      error_ = Error{fmt::format("'{}' must be {}", key, what)};
    }
    return {};
  }

 private:
  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::optional<Error> error_;
};

Result<std::vector<GoalPoint>> points_of(const Json& object) {
  const auto found = object.find("points");
  if (found == object.end() || !found->is_array() || found->size() > kMostPoints) {
    return Error{fmt::format("'points' must be a list of at most {} objects", kMostPoints)};
  }
  std::vector<GoalPoint> out;
  for (const Json& each : *found) {
    if (!each.is_object()) {
      return Error{"'points' must be a list of objects"};
    }
    Reader reader(each);
    GoalPoint point;
    point.time = Duration(reader.integer("t_ns"));
    point.positions = reader.numbers("q");
    if (reader.has("v")) {
      point.velocities = reader.numbers("v");
    }
    if (reader.has("a")) {
      point.accelerations = reader.numbers("a");
    }
    if (reader.error()) {
      return Error{fmt::format("point {}: {}", out.size() + 1, reader.error()->message)};
    }
    out.push_back(std::move(point));
  }
  return out;
}

Result<Request> read(const Json& object, const std::string& what, Request request) {
  Reader reader(object);
  if (what == "follow") {
    Follow follow;
    follow.robot = reader.text("robot");
    follow.goal = reader.text("goal");
    follow.joints = reader.texts("joints");
    Result<std::vector<GoalPoint>> points = points_of(object);
    if (!points) {
      return points.error();
    }
    follow.points = std::move(points).value();
    follow.path_tolerance_rad = reader.by_name("path_tolerance_rad");
    follow.goal_tolerance_rad = reader.by_name("goal_tolerance_rad");
    if (reader.has("stopped_velocity_rad_s")) {
      follow.stopped_velocity_rad_s = reader.number("stopped_velocity_rad_s");
    }
    if (reader.has("goal_time_ns")) {
      follow.goal_time = Duration(reader.integer("goal_time_ns"));
    }
    if (reader.has("start_ns")) {
      follow.start = Time(Duration(reader.integer("start_ns")));
    }
    request.what = std::move(follow);
  } else if (what == "cancel") {
    request.what = Cancel{reader.text("robot"), reader.has("goal") ? reader.text("goal") : ""};
  } else if (what == "velocity") {
    request.what = Drive{reader.text("robot"), reader.numbers("values")};
  } else if (what == "position") {
    request.what = Place{reader.text("robot"), reader.numbers("values")};
  } else if (what == "grip") {
    request.what = Grip{reader.text("gripper"), reader.text("goal"), reader.number("position"),
                        reader.has("max_effort") ? reader.number("max_effort") : 0.0};
  } else if (what == "cancel_grip") {
    request.what =
        CancelGrip{reader.text("gripper"), reader.has("goal") ? reader.text("goal") : ""};
  } else if (what == "crcl") {
    request.what = CrclText{reader.text("robot"), reader.text("text")};
  } else if (what == "set") {
    SetParameter set{reader.text("parameter"), nullptr};
    if (!reader.has("value")) {
      return Error{"'value' is missing"};
    }
    set.value = object.at("value");
    request.what = std::move(set);
  } else if (what == "pause") {
    request.what = Pause{};
  } else if (what == "resume") {
    request.what = Resume{};
  } else if (what == "step") {
    const std::int64_t steps = reader.has("steps") ? reader.integer("steps") : 1;
    if (!reader.error() && (steps < 1 || static_cast<std::uint64_t>(steps) > kMostSteps)) {
      return Error{fmt::format("'steps' must be from 1 to {}", kMostSteps)};
    }
    request.what = Step{static_cast<std::uint64_t>(steps)};
  } else if (what == "reset") {
    request.what = Reset{};
  } else {
    return Error{
        fmt::format("unknown request '{}'; use one of: follow, cancel, velocity, position, "
                    "grip, cancel_grip, crcl, set, pause, resume, step, reset",
                    what)};
  }
  if (reader.error()) {
    return *reader.error();
  }
  return request;
}

}  // namespace

Result<Request> parse_request(std::string_view line) {
  if (is_too_deep(line)) {
    return Error{fmt::format("more than {} levels of lists and objects", kMostLevels)};
  }
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) {
    return Error{fmt::format("not a JSON object: '{}'", line.substr(0, 80))};
  }
  Reader reader(object);
  Request request;
  if (reader.has("id")) {
    request.id = reader.integer("id");
  }
  const std::string what = reader.text("do");
  if (reader.error()) {
    return *reader.error();
  }
  return read(object, what, std::move(request));
}

std::optional<std::int64_t> id_of(std::string_view line) {
  if (is_too_deep(line)) {
    return std::nullopt;
  }
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("id") || !object["id"].is_number_integer()) {
    return std::nullopt;
  }
  return object["id"].get<std::int64_t>();
}

}  // namespace longarm::protocols::ros
