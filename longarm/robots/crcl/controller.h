// SPDX-License-Identifier: Apache-2.0
// The state machine of a CRCL server: one command after the other, errors that stick, stops at
// once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/log.h"
#include "longarm/protocols/crcl/commands.h"
#include "longarm/protocols/crcl/status.h"
#include "longarm/robots/crcl/actions.h"
#include "longarm/robots/crcl/guards.h"
#include "longarm/robots/crcl/program.h"

namespace longarm::robots {

/// A command on its way. Shares its client, because it may outlive the client's connection and is
/// meant in the client's units.
struct CrclOrder {
  std::shared_ptr<CrclClient> client;
  protocols::crcl::CommandInstance instance;
  std::string refusal;                                      ///< why it could not be read; or empty
  std::shared_ptr<const protocols::crcl::Program> program;  ///< instead of one command
};

class CrclController {
 public:
  using Answer = std::function<void(const std::shared_ptr<CrclClient>&)>;

  /// `answer` sends a status to a client whose program asks for one.
  CrclController(std::string name, RobotPort& robot, const Pose& X_WB, const CrclDoorConfig& config,
                 const Log& log, Answer answer);

  /// Takes what a client has sent, except GetStatus: acts on it now, or puts it behind what is
  /// being done.
  void take(CrclOrder order, Time now);
  /// Once per control cycle.
  void update(Time now);

  /// Of the current command, `status_id` left open.
  protocols::crcl::CommandStatus status() const;
  /// Of the current or the last command; the pose in it is left open.
  const CrclGuards& guards() const { return guards_; }
  CrclActions& actions() { return actions_; }
  const CrclActions& actions() const { return actions_; }
  RobotPort& robot() const { return robot_; }

  std::uint64_t error_count() const { return error_count_; }
  std::uint64_t command_count() const { return command_count_; }

 private:
  struct Running {
    CrclWait wait = CrclWait::kNothing;
    Duration allowed{};  // with what it may take more than planned
    Time counted;        // until when `spent` is known
    Duration spent{};    // without the time that the safety system held it
    bool is_stop = false;
    bool is_ending = false;  // a guard has fired, the robot comes to a stand
  };

  bool is_duplicate(const CrclOrder& order) const;
  void stop(const CrclOrder& order, Time now);
  /// Starts what waits, until something takes time.
  void pump(Time now);
  std::optional<CrclOrder> next_order();
  void begin(CrclOrder order, Time now);
  void act(const CrclOrder& order, Time now);
  void watch(Time now);
  bool watch_guards(Time now);
  bool is_over();
  void finish(Time now);
  void fail(const std::string& reason);
  /// With the number of the command, or of the loop's mark, at which its program failed.
  void fail_in_program(const std::string& reason);
  /// Another command after one that failed.
  void stay_in_error();
  void halt_running();
  void make_current(const CrclOrder& order);
  bool is_broken() const { return !robot_.fault().empty() && !robot_.is_safety_stopped(); }

  std::string name_;
  RobotPort& robot_;
  CrclDoorConfig config_;
  Log log_;
  Answer answer_;
  CrclActions actions_;

  bool is_initialised_ = false;
  std::deque<CrclOrder> queue_;
  std::optional<CrclProgramRun> program_;
  std::shared_ptr<CrclClient> program_client_;

  protocols::crcl::CommandStatus current_;
  std::shared_ptr<CrclClient> current_client_;
  std::optional<Running> running_;
  CrclGuards guards_;
  std::optional<CrclOrder> held_;  // begins when the safety system lets go
  std::string pause_;              // what the safety system says while it stops the robot
  std::int64_t failed_id_ = 0;
  std::string failure_;
  std::uint64_t error_count_ = 0;
  std::uint64_t command_count_ = 0;
};

}  // namespace longarm::robots
