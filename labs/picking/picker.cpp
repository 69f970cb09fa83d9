// SPDX-License-Identifier: Apache-2.0
// One part after the other: look, aim, grasp, carry, let go.
#include "labs/picking/picker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longarm::picking {
namespace {

using namespace std::chrono_literals;
using model::Matrix3;
using model::Pose;

// of the arm's controller: what arrives waits for the next one
constexpr Duration kCycle = 8ms;
// parts that were not seen for so long may be anywhere
constexpr Duration kForgetAfter = 5s;
constexpr double kOnBelt_m = 0.02;
constexpr double kNear_m = 0.002;
// so long it goes along with the belt while the gripper closes
constexpr Duration kFollow = 1500ms;
// a part that comes later than this is not waited for yet
constexpr Duration kWaitAtMost = 4s;
constexpr Duration kLate = 1s;
constexpr Duration kPatience = 2s;
constexpr Duration kAskBelt = 500ms;
constexpr Duration kTurnTool = 2s;
// the arm refuses to be unlocked sooner
constexpr Duration kStopped = 5500ms;
constexpr std::int64_t kClosed = 255;
constexpr double kLift_m = 0.12;

enum Object { kMoving = 0, kHolding = 2, kThere = 3 };

}  // namespace

void list_fields(Fields& fields, PickerConfig& c) {
  fields.choice("method", c.method, {"movel", "servoj"},
                "one program of straight moves per motion, or one target per status packet");
  fields.field("belt_direction_deg", c.belt_direction_deg,
               "direction of the belt about the world's z axis, from its x axis");
  fields.field("belt_height_m", c.belt_height_m, "height of the frames of parts on the belt");
  fields.field("line_m", c.line_m, "[x, y] in the world of the origin of the window");
  fields.field("window_m", c.window_m,
               "[first, last] position along the belt at which parts are picked");
  fields.field("lateral_m", c.lateral_m, "largest lateral offset of parts to pick");
  fields.field("place_m", c.place_m, "[x, y, z] in the world at which parts are released");
  fields.field("tcp_m", c.tcp_m, "[x, y, z] of the tool centre point from the flange");
  fields.field("grasp_height_m", c.grasp_height_m,
               "height of the tool centre point above the part's frame");
  fields.field("hover_m", c.hover_m, "height from which it descends");
  fields.field("speed_m_s", c.speed_m_s, "speed of the tool while travelling");
  fields.field("acceleration_m_s2", c.acceleration_m_s2,
               "acceleration of the tool while travelling");
  fields.field("descent", c.descent, "time to descend to the part");
  fields.field("force", c.force, "gripper force (FOR), 0 to 255");
  fields.field("speed", c.speed, "gripper speed (SPE), 0 to 255");
  fields.field("open", c.open, "gripper position (POS) before grasping, 0 (open) to 255");
  fields.field("aims_ahead", c.aims_ahead,
               "whether it compensates the delay of its commands: half of the gripper's shortest "
               "round trip plus one arm cycle");
  fields.field("poll", c.poll, "period at which it polls");
  fields.section("talk", "how it reads the belt's speed from the PLC",
                 [&](Fields& f) { kitting::list_fields(f, c.talk); });
  const auto is_size = [&](const char* key, const std::vector<double>& values, std::size_t size) {
    if (values.size() != size) {
      fields.reject(key, fmt::format("takes {} numbers", size), "in m");
    }
  };
  is_size("line_m", c.line_m, 2);
  is_size("window_m", c.window_m, 2);
  is_size("tcp_m", c.tcp_m, 3);
  if (c.window_m.size() == 2 && !(c.window_m[0] < c.window_m[1])) {
    fields.reject("window_m", "ends before it begins", "for example: [-0.3, 0.3]");
  }
  for (const auto& [key, value] :
       {std::pair{"force", c.force}, std::pair{"speed", c.speed}, std::pair{"open", c.open}}) {
    if (value < 0 || value > kClosed) {
      fields.reject(key, "gripper values must be from 0 to 255", "128 is the middle");
    }
  }
  if (!(c.speed_m_s > 0.0) || !(c.acceleration_m_s2 > 0.0)) {
    fields.reject("speed_m_s", "speed and acceleration must be greater than zero", "0.8 and 2.5");
  }
  if (c.poll < 1ms || c.descent < 50ms) {
    fields.reject(c.poll < 1ms ? "poll" : "descent", "is too short", "40ms and 400ms are usual");
  }
}

Picker::Picker(sim::Kernel& kernel, const std::string& name, const PickerConfig& config,
               const Pose& X_WB, const PickerPorts& ports)
    : kernel_(kernel),
      config_(config),
      X_WB_(X_WB),
      tasks_(kernel),
      context_(tasks_.context(name)),
      belt_context_(tasks_.context(name + ".belt")),
      stream_(ports.stream, [this](std::string_view bytes, Time now) { hear_status(bytes, now); }),
      dashboard_(ports.dashboard, [](std::string_view, Time) {}),
      gripper_(context_, ports.gripper, kPatience),
      plc_(belt_context_, ports.plc, config.talk),
      kinematics_(robots::ur5_geometry()) {
  const double turn = config.belt_direction_deg * M_PI / 180.0;
  along_W_ = {std::cos(turn), std::sin(turn), 0.0};
  R_WT_.col(2) = -Vector3::UnitZ();
  R_WT_.col(0) = Vector3::UnitZ().cross(along_W_);
  R_WT_.col(1) = R_WT_.col(2).cross(R_WT_.col(0));
  kinematics_.set_tool({config.tcp_m[0], config.tcp_m[1], config.tcp_m[2], 0.0, 0.0, 0.0});
}

void Picker::start() {
  tasks_.spawn(context_, work());
  tasks_.spawn(belt_context_, watch_belt());
}

void Picker::see(const devices::CameraFrame& frame, Time) {
  ++counts_.frames;
  for (const devices::Detection& detection : frame.detections) {
    const Vector3& p_W = detection.X_WP.translation();
    const auto handled = handled_.find(detection.name);
    const bool is_old = handled != handled_.end() && frame.stamp <= handled->second;
    Track& track = tracks_[detection.name];
    if (is_old || frame.stamp < track.stamp) {
      continue;
    }
    track = {frame.stamp, p_W};
  }
}

void Picker::hear_status(std::string_view bytes, Time now) {
  reader_.feed(bytes, [&](const protocols::ur::ControllerState& state) {
    const bool was_stopped = has_status() && is_stopped();
    status_ = state;
    ++counts_.packets;
    counts_.stops += !was_stopped && is_stopped() ? 1 : 0;
    if (running_) {
      send_setpoint(now);
    }
  });
}

/// A new connection begins between two packets.
void Picker::open_stream() {
  if (stream_.open(kernel_.now())) {
    reader_ = protocols::ur::RealTimeReader();
  }
}

bool Picker::is_stopped() const {
  return status_.safety_mode != protocols::ur::SafetyMode::kNormal;
}

sim::Task<void> Picker::watch_belt() {
  while (true) {
    const std::optional<kitting::BeltState> belt = co_await plc_.look();
    if (belt) {
      belt_m_s_ = belt->speed_m_s;
    }
    co_await sim::sleep_for(belt_context_, kAskBelt);
  }
}

sim::Task<void> Picker::work() {
  open_stream();
  const std::string ready =
      fmt::format("ACT 1 GTO 1 POS {} SPE {} FOR {}", config_.open, config_.speed, config_.force);
  co_await gripper_.set(ready);
  co_await turn_tool();
  while (true) {
    open_stream();
    if (has_status() && is_stopped()) {
      co_await recover();
      continue;
    }
    const std::optional<Target> target = choose();
    if (!target) {
      co_await sim::sleep_for(context_, config_.poll);
      continue;
    }
    const bool holds = co_await pick(*target);
    if (holds) {
      co_await place();
    }
  }
}

sim::Task<void> Picker::turn_tool() {
  while (!has_status()) {
    co_await sim::sleep_for(context_, config_.poll);
  }
  const Way way{{tool_W(), kTurnTool}};
  send_program(way);
  co_await sim::sleep_for(context_, kTurnTool + kLate);
}

/// As somebody does who looks what is the matter, and presses the button.
sim::Task<void> Picker::recover() {
  running_.reset();
  dashboard_.open(kernel_.now());
  co_await sim::sleep_for(context_, kStopped);
  dashboard_.send("unlock protective stop\n");
  co_await sim::sleep_for(context_, kLate);
  co_await grip(config_.open);
}

Picker::Vector3 Picker::tool_W() const {
  // of the flange, as the point that the arm reports depends on what it was told last
  return X_WB_ * kinematics_.tool(status_.q_actual).translation();
}

double Picker::along(const Vector3& p_W) const {
  return (p_W - Vector3(config_.line_m[0], config_.line_m[1], 0.0)).dot(along_W_);
}

Picker::Vector3 Picker::predicted(const Track& track, Time when) const {
  return track.p_W + to_seconds(when - track.stamp) * belt_m_s_.value_or(0.0) * along_W_;
}

/// How long after it is sent a command acts.
Duration Picker::lead() const {
  return config_.aims_ahead ? gripper_.shortest_round_trip() / 2 + kCycle : Duration{0};
}

/// The farthest down the belt that can still be had.
std::optional<Picker::Target> Picker::choose() const {
  std::optional<Target> best;
  if (!has_status() || !belt_m_s_) {
    return best;
  }
  for (const auto& [name, track] : tracks_) {
    std::optional<Target> target = plan(name, track);
    if (target && (!best || along(target->grasp_W) > along(best->grasp_W))) {
      best = std::move(target);
    }
  }
  return best;
}

std::optional<Picker::Target> Picker::plan(const std::string& name, const Track& track) const {
  const Time now = kernel_.now();
  const Vector3 aside = track.p_W - along(track.p_W) * along_W_ -
                        Vector3(config_.line_m[0], config_.line_m[1], track.p_W.z());
  if (track.stamp == Time{} || now - track.stamp > kForgetAfter ||
      std::abs(track.p_W.z() - config_.belt_height_m) > kOnBelt_m ||
      aside.norm() > config_.lateral_m) {
    return std::nullopt;
  }
  const double speed = *belt_m_s_;
  // while the tool gains the belt's speed it falls behind
  const double behind_m = speed * std::abs(speed) / (2.0 * config_.acceleration_m_s2);
  Target target{name, {}, {}};
  Duration reach{0};
  // the later it is there, the farther the part has come: a few rounds agree
  for (int round = 0; round < 5; ++round) {
    target.grasp_W = predicted(track, now + lead() + reach + config_.descent);
    target.grasp_W += behind_m * along_W_;
    target.grasp_W.z() = config_.belt_height_m + config_.grasp_height_m;
    const Vector3 above = target.grasp_W + config_.hover_m * Vector3::UnitZ();
    reach = std::max(
        reach, leg_time((above - tool_W()).norm(), config_.speed_m_s, config_.acceleration_m_s2));
    const double short_m = config_.window_m[0] - along(target.grasp_W);
    if (short_m > 0.0 && speed > 0.0) {
      reach += Duration(std::llround(1e9 * short_m / speed));
    }
  }
  const double last_m = along(target.grasp_W) + speed * to_seconds(kFollow);
  if (reach > kWaitAtMost || last_m > config_.window_m[1] ||
      along(target.grasp_W) < config_.window_m[0] - kNear_m) {
    return std::nullopt;
  }
  target.way = {{target.grasp_W + config_.hover_m * Vector3::UnitZ(), reach},
                {target.grasp_W, config_.descent},
                {target.grasp_W + speed * to_seconds(kFollow) * along_W_, kFollow, true}};
  return target;
}

void Picker::go(Way way) {
  if (config_.method == "servoj") {
    // from where it was told to be, not from where it is: that would be a step back
    const Time now = kernel_.now();
    running_.emplace(std::move(way), running_ ? running_->at(now) : tool_W(), now);
    return;
  }
  send_program(way);
}

void Picker::send_program(const Way& way) {
  const Pose X_BW = X_WB_.inverse();
  stream_.send(movel_program(way, tool_W(), X_BW, X_BW.linear() * R_WT_, config_.tcp_m,
                             config_.acceleration_m_s2));
}

void Picker::send_setpoint(Time now) {
  Pose X_WT = Pose::Identity();
  X_WT.linear() = R_WT_;
  X_WT.translation() = running_->at(now);
  constexpr double kTurn = 2.0 * M_PI;
  constexpr robots::Joints kUpper{kTurn, kTurn, kTurn, kTurn, kTurn, kTurn};
  constexpr robots::Joints kLower{-kTurn, -kTurn, -kTurn, -kTurn, -kTurn, -kTurn};
  const std::optional<robots::Joints> q =
      kinematics_.nearest(X_WB_.inverse() * X_WT, status_.q_actual, kLower, kUpper);
  if (q) {
    const robots::Joints& j = *q;
    stream_.send(
        fmt::format("servoj([{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}],0,0,0.008,0.05,300)\n",
                    j[0], j[1], j[2], j[3], j[4], j[5]));
  }
}

sim::Task<bool> Picker::arrive(Vector3 p_W, double near_m, Duration at_most) {
  const Time deadline = kernel_.now() + at_most;
  while (kernel_.now() < deadline && !is_stopped()) {
    if ((tool_W() - p_W).norm() < near_m) {
      co_return true;
    }
    open_stream();
    co_await stream_.bell().wait_until(context_, deadline);
  }
  co_return false;
}

sim::Task<bool> Picker::grip(std::int64_t position) {
  const std::string settings = fmt::format("POS {} GTO 1", position);
  co_await gripper_.set(settings);
  while (true) {
    const std::optional<int> object = co_await gripper_.get("OBJ");
    if (object && *object != kMoving) {
      co_return *object == kHolding;
    }
    co_await sim::sleep_for(context_, config_.poll);
  }
}

sim::Task<bool> Picker::pick(Target target) {
  ++counts_.tries;
  const Duration reach = target.way[0].time + target.way[1].time;
  go(target.way);
  // it may be there only for a moment, and a packet that says so may be late: down is enough
  const Time deadline = kernel_.now() + reach + kFollow + kLate;
  bool is_down = false;
  while (!is_down && kernel_.now() < deadline && !is_stopped()) {
    co_await stream_.bell().wait_until(context_, deadline);
    is_down = tool_W().z() < target.grasp_W.z() + kNear_m;
  }
  bool holds = false;
  if (is_down) {
    holds = co_await grip(kClosed);
  }
  handled_[target.name] = kernel_.now();
  tracks_.erase(target.name);
  ++(holds ? counts_.grasps : counts_.empty);
  if (!holds) {
    const Vector3 up = tool_W() + config_.hover_m * Vector3::UnitZ();
    go({{up, leg_time(config_.hover_m, config_.speed_m_s, config_.acceleration_m_s2)}});
    co_await grip(config_.open);
  }
  co_return holds;
}

sim::Task<void> Picker::place() {
  const Vector3 from = tool_W();
  const Vector3 up = from + kLift_m * Vector3::UnitZ();
  const Vector3 goal(config_.place_m[0], config_.place_m[1], config_.place_m[2]);
  const Vector3 over(goal.x(), goal.y(), std::max(up.z(), goal.z()));
  const auto time = [&](const Vector3& a, const Vector3& b) {
    return leg_time((b - a).norm(), config_.speed_m_s, config_.acceleration_m_s2);
  };
  const Way way{{up, time(from, up)}, {over, time(up, over)}, {goal, time(over, goal)}};
  go(way);
  const Time deadline = kernel_.now() + way[0].time + way[1].time + way[2].time + kLate;
  bool is_there = false;
  while (!is_there && kernel_.now() < deadline) {
    is_there = co_await arrive(goal, 2.0 * kNear_m, config_.poll);
    const std::optional<int> object = co_await gripper_.get("OBJ");
    if (object && *object == kThere) {
      ++counts_.lost;
      co_await grip(config_.open);
      co_return;
    }
  }
  co_await grip(config_.open);
  ++(is_there ? counts_.placed : counts_.unseen);
}

}  // namespace longarm::picking
