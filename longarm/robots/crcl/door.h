// SPDX-License-Identifier: Apache-2.0
// The CRCL server of one robot: any number of clients, one state machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/log.h"
#include "longarm/protocols/door.h"
#include "longarm/robots/crcl/config.h"
#include "longarm/robots/crcl/models.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// Counted over the life of a door.
struct CrclCounts {
  std::uint64_t commands = 0;  ///< taken into the queue or acted on, statuses asked for not counted
  std::uint64_t statuses = 0;
  std::uint64_t errors = 0;  ///< commands that ended in CRCL_Error
  std::uint64_t malformed = 0;
  std::uint64_t turned_away = 0;  ///< clients beyond the most
  std::uint64_t dropped = 0;      ///< clients that did not read, or never ended a message
};

/// Commands are executed one after the other, in the order of their arrival, whoever sent them.
/// Units, frame and what is reported are each client's own; speeds, tolerances and the state of the
/// running command are the robot's. `docs/reference/crcl.md` says what each command does.
class CrclDoor : public protocols::Door {
 public:
  using ModelSource = std::function<std::vector<CrclModelReport>()>;

  /// `robot` must outlive the door. `X_WB` is where its base stands.
  CrclDoor(std::string name, RobotPort& robot, const Pose& X_WB, const CrclDoorConfig& config,
           Log log = Log());
  ~CrclDoor() override;

  /// Once per control cycle, after the robot's own update: looks after the running command and
  /// starts the next one.
  void update(Time now);

  /// A controller that is dead receives and answers nothing. Coming back it has forgotten
  /// everything, and its old connections are over.
  void set_silent(bool is_silent);
  bool is_silent() const;

  /// Who knows the parts, for clients that set reportModels.
  void set_models(ModelSource models);

  CrclCounts counts() const;
  /// How many are connected now.
  std::size_t clients() const;
  /// What a client showed to the operator last; empty: nothing yet.
  const std::string& last_message() const;

 private:
  void do_open(protocols::ConnectionId client, Time now) override;
  void do_receive(protocols::ConnectionId client, std::string_view bytes, Time now) override;
  void do_close(protocols::ConnectionId client, Time now) override;
  std::string do_take_output(protocols::ConnectionId client) override;
  bool do_is_over(protocols::ConnectionId client) const override;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace longarm::robots
