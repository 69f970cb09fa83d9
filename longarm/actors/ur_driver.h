// SPDX-License-Identifier: Apache-2.0
// A driver of a UR arm, as ROS has them, in virtual time: reads the status stream, follows a plan,
// and says so in URScript. Internal to the folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/ur_driver_config.h"
#include "longarm/model/body_tree.h"
#include "longarm/motion/trajectory.h"
#include "longarm/protocols/client_link.h"
#include "longarm/protocols/ur/realtime_reader.h"
#include "longarm/robots/ur/config.h"
#include "longarm/sim/kernel.h"

namespace longarm::actors {

/// What a driver is made of. All that is borrowed outlives it.
struct UrDriverContext {
  sim::Kernel& kernel;
  const UrDriverKeys& config;
  const model::BodyTree& tree;  ///< of the arm
  const motion::Trajectory& plan;
  protocols::ClientLink& realtime;  ///< to the robot's real-time port
};

struct UrDriverFigures {
  std::uint64_t packets = 0;
  std::uint64_t packets_missed = 0;  ///< cycles between two packets that are not neighbours
  std::uint64_t commands = 0;        ///< sent
  std::uint64_t watchdog_trips = 0;
  Duration longest_silence{0};  ///< between two packets
  std::optional<Time> begun;    ///< the plan
  std::string trouble;          ///< why the stream could not be read any longer
};

class UrDriver {
 public:
  explicit UrDriver(const UrDriverContext& context);
  virtual ~UrDriver() = default;
  UrDriver(const UrDriver&) = delete;
  UrDriver& operator=(const UrDriver&) = delete;

  /// The robot called; the link stays. False: nobody listens, or somebody was there before.
  bool answer(protocols::ClientLink& robot) { return do_answer(robot); }

  const UrDriverFigures& figures() const { return figures_; }

 protected:
  const UrDriverContext& context() const { return context_; }
  const UrDriverKeys& config() const { return context_.config; }
  sim::SourceId source() const { return source_; }
  bool has_packets() const { return figures_.packets > 0; }
  Time last_packet() const { return last_packet_; }

  /// At the key's time, or now if that is over. From then on begun is known.
  Time begin(Time now);
  void send(protocols::ClientLink& link, std::string_view bytes);
  UrDriverFigures& count() { return figures_; }

 private:
  virtual void do_packet(const protocols::ur::ControllerState& state, Time now) = 0;
  virtual bool do_answer(protocols::ClientLink&) { return false; }

  void hear(std::string_view bytes, Time now);
  void note(const protocols::ur::ControllerState& state, Time now);

  UrDriverContext context_;
  sim::SourceId source_;
  protocols::ur::RealTimeReader reader_;
  UrDriverFigures figures_;
  Time last_packet_{};
  double last_timestamp_s_ = 0.0;
};

/// Kind speedj: a trajectory controller whose velocities go out as one line each.
std::unique_ptr<UrDriver> make_speedj_driver(const UrDriverContext& context);
/// Kind servoj: uploads a program that calls back, then sends it positions.
std::unique_ptr<UrDriver> make_servoj_driver(const UrDriverContext& context);

/// The line that asks for velocities. At least one digit behind the point.
std::string speedj_line(std::span<const double> velocities_rad_s, const SpeedjKeys& config);
/// The program that servoj needs at the robot; it calls `host`.
std::string servoj_program(const ServojKeys& config, const std::string& host);
/// Six angles in µrad and whether to go on, seven big-endian integers.
std::string servoj_frame(std::span<const double> positions_rad, bool goes_on);

}  // namespace longarm::actors
