// SPDX-License-Identifier: Apache-2.0
// Takes parts off a moving belt with a UR arm, from wherever its program runs: sees them through a
// camera, asks a PLC how fast the belt is, and says to the arm and its gripper what to do.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "labs/kitting/line.h"
#include "labs/kitting/plc_conversation.h"
#include "labs/picking/robotiq_conversation.h"
#include "labs/picking/way.h"
#include "longarm/core/fields.h"
#include "longarm/devices/overhead_camera.h"
#include "longarm/protocols/ur/realtime_reader.h"
#include "longarm/robots/ur/kinematics.h"
#include "longarm/sim/task.h"

namespace longarm::picking {

struct PickerConfig {
  std::string method = "movel";  ///< or servoj
  double belt_direction_deg = 0.0;
  double belt_height_m = 0.91;
  std::vector<double> window_m{-0.3, 0.3};  ///< along the belt, where parts are taken
  double lateral_m = 0.25;                  ///< parts farther from the window's line are left
  std::vector<double> line_m{0.0, 0.0};     ///< a point of that line
  std::vector<double> place_m;              ///< where the tool lets go
  std::vector<double> tcp_m{0.0, 0.0, 0.14};
  double grasp_height_m = 0.043;  ///< of the tool above the part's frame
  double hover_m = 0.08;          ///< above that
  double speed_m_s = 0.8;
  double acceleration_m_s2 = 2.5;
  Duration descent{400'000'000};
  std::int64_t force = 64;
  std::int64_t speed = 255;
  std::int64_t open = 0;  ///< position of the open gripper
  bool aims_ahead = true;
  Duration poll{40'000'000};
  kitting::TalkConfig talk;
};
void list_fields(Fields& fields, PickerConfig& config);

struct PickerPorts {
  kitting::Dial stream;   ///< the arm's real-time port
  kitting::Dial gripper;  ///< that of its gripper
  kitting::Dial dashboard;
  kitting::Dial plc;  ///< that of the belt's controller
};

struct PickerCounts {
  std::uint64_t tries = 0;
  std::uint64_t grasps = 0;  ///< of them, the gripper held something
  std::uint64_t empty = 0;   ///< it held nothing, or never came down
  std::uint64_t lost = 0;    ///< of these, on the way
  std::uint64_t placed = 0;  ///< let go over the box
  std::uint64_t unseen = 0;  ///< let go where it should be by now, without having seen it arrive
  std::uint64_t stops = 0;   ///< the arm stopped itself
  std::uint64_t frames = 0;
  std::uint64_t packets = 0;  ///< of the arm's status
};

class Picker {
 public:
  /// `X_WB` is the arm's base as the picker was told it.
  Picker(sim::Kernel& kernel, const std::string& name, const PickerConfig& config,
         const model::Pose& X_WB, const PickerPorts& ports);
  Picker(const Picker&) = delete;
  Picker& operator=(const Picker&) = delete;

  void start();
  void see(const devices::CameraFrame& frame, Time now);

  const PickerCounts& counts() const { return counts_; }
  const kitting::RoundTrips& gripper_round_trips() const { return gripper_.round_trips(); }
  const kitting::RoundTrips& plc_round_trips() const { return plc_.round_trips(); }
  /// Why the arm's status can no longer be read; empty: it can.
  const std::string& trouble() const { return reader_.trouble(); }

 private:
  using Vector3 = model::Vector3;
  struct Track {
    Time stamp{};
    Vector3 p_W = Vector3::Zero();
  };
  struct Target {
    std::string name;
    Way way;
    Vector3 grasp_W = Vector3::Zero();
  };

  sim::Task<void> work();
  sim::Task<void> watch_belt();
  /// Turns the tool down, wherever it is.
  sim::Task<void> turn_tool();
  sim::Task<bool> pick(Target target);
  sim::Task<void> place();
  /// Until the tool is there; false: it does not come.
  sim::Task<bool> arrive(Vector3 p_W, double near_m, Duration at_most);
  sim::Task<void> recover();
  /// Until the fingers stand; whether they hold something.
  sim::Task<bool> grip(std::int64_t position);

  void open_stream();
  void hear_status(std::string_view bytes, Time now);
  void go(Way way);
  void send_program(const Way& way);
  void send_setpoint(Time now);
  std::optional<Target> choose() const;
  std::optional<Target> plan(const std::string& name, const Track& track) const;
  Vector3 predicted(const Track& track, Time when) const;
  Vector3 tool_W() const;
  double along(const Vector3& p_W) const;
  Duration lead() const;
  bool has_status() const { return counts_.packets > 0; }
  bool is_stopped() const;

  sim::Kernel& kernel_;
  PickerConfig config_;
  model::Pose X_WB_;
  Vector3 along_W_;
  model::Matrix3 R_WT_;  ///< the tool looks down, and closes across the belt
  sim::Tasks tasks_;
  sim::TaskContext context_;
  sim::TaskContext belt_context_;
  kitting::Line stream_;
  kitting::Line dashboard_;
  RobotiqConversation gripper_;
  kitting::PlcConversation plc_;
  protocols::ur::RealTimeReader reader_;
  protocols::ur::ControllerState status_;
  std::optional<double> belt_m_s_;
  std::map<std::string, Track> tracks_;
  std::map<std::string, Time> handled_;  ///< what is older than this is not about the part any more
  robots::UrKinematics kinematics_;
  std::optional<RunningWay> running_;  ///< of servoj
  PickerCounts counts_;
};

}  // namespace longarm::picking
