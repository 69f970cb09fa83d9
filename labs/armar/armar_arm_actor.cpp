// SPDX-License-Identifier: Apache-2.0
// The kind `armar-arm`: an arm whose hand is to follow a closed path.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "labs/armar/armar_arm.h"
#include "labs/armar/armar_drives.h"
#include "longarm/actors/robot_file.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"

namespace longarm::armar {
namespace {

using cell::Stage;
using cell::World;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

// nearer than this the hand is on its path
constexpr double kOnPath_m = 5e-3;

struct ArmKeys {
  actors::RobotFileKeys file{"armar3", {}};
  std::string hand;  ///< the frame that follows the path
  std::vector<double> positions_deg;
  std::vector<std::vector<double>> path_m;  ///< corners of a closed path, in the model's root
  double speed_m_s = 0.05;
  double gain = 5.0;  ///< of the distance to the corner, 1/s: slows down before it
  Duration settle{100'000'000};
  std::optional<double> drives_port;
};

class ArmarArmActor final : public cell::Actor {
 public:
  ArmarArmActor(const ArmModel& model, const ArmKeys& keys, World& world, const std::string& name)
      : model_(model),
        period_(world.period()),
        settle_(keys.settle),
        port_(model_, world.engine(),
              world.model().first_joint(*cell::find_placement(world.model(), name))) {
    world.on(Stage::kSpeak, [this](Time now) {
      port_.sample();
      if (drives_) {
        drives_->say_state(now);
      }
    });
    world.on(Stage::kDrive, [this](Time) { port_.apply(); });
    world.on(Stage::kMeasure, [this](Time now) { measure(now - period_); });
    world.offer<ArmPort>(name, port_);
    if (keys.drives_port) {
      drives_ = std::make_unique<DrivesDoor>(name + ".drives",
                                             static_cast<std::uint16_t>(*keys.drives_port), port_);
      world.offer_door(name, *drives_);
    }
  }

  void sample(std::span<double> out) const override { out[0] = deviation_m_; }
  std::optional<model::Vector3> tracked_point() const override { return port_.hand_position(); }

  Json results() const override {
    Json out;
    const bool is_known = count_ > 0;
    out["path_deviation_max_m"] = is_known ? Json(deviation_max_m_) : Json();
    out["path_deviation_rms_m"] =
        is_known ? Json(std::sqrt(deviation_squares_ / static_cast<double>(count_))) : Json();
    if (drives_) {
      out["drive_commands"] = drives_->commands();
      out["drive_commands_refused"] = drives_->refused();
    }
    return out;
  }

 private:
  /// After the step that began at `begun`.
  void measure(Time begun) {
    const double before_m = std::exchange(deviation_m_, port_.deviation_m());
    // it comes nearer until it has arrived
    const bool has_arrived = deviation_m_ < kOnPath_m && deviation_m_ > before_m && begun > Time{};
    has_path_begun_ = has_path_begun_ || has_arrived;
    if (has_path_begun_ && begun >= Time{settle_}) {
      deviation_max_m_ = std::max(deviation_max_m_, deviation_m_);
      deviation_squares_ += deviation_m_ * deviation_m_;
      ++count_;
    }
  }

  ArmModel model_;
  Duration period_;
  Duration settle_;
  ArmPort port_;
  std::unique_ptr<DrivesDoor> drives_;  ///< null: only components drive it
  bool has_path_begun_ = false;
  double deviation_m_ = 0.0;
  double deviation_max_m_ = 0.0;
  double deviation_squares_ = 0.0;
  std::uint64_t count_ = 0;
};

class ArmarArmModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    actors::list_fields(fields, keys_.file);
    fields.field("hand", keys_.hand, "frame that follows the path");
    fields.field("positions_deg", keys_.positions_deg, "joint positions at the start");
    fields.field("path_m", keys_.path_m,
                 "corners of the closed path, in the axes of the model's root");
    fields.field("speed_m_s", keys_.speed_m_s, "speed of the hand along the path");
    fields.field("gain", keys_.gain, "gain on the remaining distance to a corner, 1/s");
    fields.field("settle", keys_.settle, "time from which path deviations are counted");
    fields.field("drives_port", keys_.drives_port,
                 "TCP port at which programs drive the joints; 0: a free port; empty: none");
    const double port = keys_.drives_port.value_or(0.0);
    if (!(port >= 0.0 && port <= 65'535.0 && port == std::floor(port))) {
      fields.reject("drives_port", fmt::format("{:g} is not a TCP port", port),
                    "use a whole number up to 65535; 0 picks a free port");
    }
    if (!(keys_.speed_m_s > 0.0 && std::isfinite(keys_.speed_m_s))) {
      fields.reject("speed_m_s", "it must be greater than zero, or the hand does not move",
                    "0.05 is usual");
    }
    if (!(keys_.gain > 0.0 && std::isfinite(keys_.gain))) {
      fields.reject("gain", "it must be greater than zero, or the hand does not move",
                    "5 is usual");
    }
  }
  std::vector<cell::Interface> offers() const override { return {ArmPort::kInterface}; }

  Remarks load(InputFiles& files, const cell::LoadContext& context) override {
    name_ = context.name;
    Remarks remarks;
    model_ = ArmModel{};
    cell::about_key("model", [&] {
      model_.placement = actors::read_robot(keys_.file, name_, files, context, remarks);
    });
    if (!has_errors(remarks)) {
      judge_arm(remarks);
    }
    model_.speed_m_s = keys_.speed_m_s;
    model_.gain = keys_.gain;
    return remarks;
  }
  std::vector<model::Placement> brings() const override { return {model_.placement}; }
  std::vector<std::string> drives() const override { return {name_}; }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<ArmarArmActor>(model_, keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{{"path_deviation", "distance of the hand to its path", "mm", 1e3}},
            {{"path_deviation_max_m", "hand from path, largest", "mm", 1e3, 3},
             {"path_deviation_rms_m", "hand from path, root mean square", "mm", 1e3, 3}},
            ""};
  }

 private:
  void judge_arm(Remarks& remarks) {
    const model::BodyTree& tree = model_.tree();
    const std::vector<model::TreeJoint>& joints = tree.joints;
    if (!tree.find_frame(keys_.hand)) {
      remarks.push_back({"hand", fmt::format("there is no frame '{}'", keys_.hand),
                         suggest(keys_.hand, names_of(tree.frames))});
    } else {
      model_.hand = *tree.find_frame(keys_.hand);
    }
    if (!keys_.positions_deg.empty() && keys_.positions_deg.size() != joints.size()) {
      remarks.push_back(
          {"positions_deg",
           fmt::format("{} positions for {} joints", keys_.positions_deg.size(), joints.size()),
           "give one for each joint, or none"});
      return;
    }
    for (std::size_t i = 0; i < keys_.positions_deg.size(); ++i) {
      const double position = keys_.positions_deg[i] * std::numbers::pi / 180.0;
      if (!(position >= joints[i].limits.lower && position <= joints[i].limits.upper)) {
        remarks.push_back(
            {"positions_deg",
             fmt::format("{} cannot be at {:g}°", joints[i].name, keys_.positions_deg[i]),
             "stay within the joint's limits"});
      }
      model_.placement.initial_positions.push_back(position);
    }
    judge_path(remarks);
  }

  void judge_path(Remarks& remarks) {
    const char* example = "for example: [[-0.3, 0.5, 1.0], [-0.1, 0.5, 1.0], [-0.1, 0.5, 1.2]]";
    for (const std::vector<double>& corner : keys_.path_m) {
      if (corner.size() != 3 || !std::isfinite(corner[0] + corner[1] + corner[2])) {
        remarks.push_back({"path_m", "a corner is three numbers, in m", example});
        return;
      }
      model_.path_m.emplace_back(corner[0], corner[1], corner[2]);
    }
    if (model_.path_m.size() < 2) {
      remarks.push_back({"path_m", "a path has at least two corners", example});
    }
  }

  ArmKeys keys_;
  std::string name_;
  ArmModel model_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_armar_arm() {
  return std::make_unique<ArmarArmModel>();
}

}  // namespace longarm::armar
