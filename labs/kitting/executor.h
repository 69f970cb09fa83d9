// SPDX-License-Identifier: Apache-2.0
// Makes kits: plans from what the cameras saw, drives arms and belt by their protocols, notices
// what goes wrong, and plans again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "labs/kitting/arm.h"
#include "labs/kitting/belt_drive.h"
#include "labs/kitting/journal.h"
#include "labs/kitting/problem.h"
#include "labs/kitting/schedule.h"
#include "labs/kitting/zones.h"
#include "longarm/core/fields.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/sim/task.h"

namespace longarm::kitting {

struct ExecutorConfig {
  TalkConfig talk;
  HandlingConfig handling;
  BeltDriveConfig belt;
  std::vector<ArmConfig> arms;             ///< in the order of their names; one for each robot
  Duration camera_timeout{3'000'000'000};  ///< without a frame that shows something
  Duration blocked_kit_timeout{15'000'000'000};  ///< a kit that cannot be made is waited for
  std::int64_t max_attempts = 3;                 ///< with one part, before it is left alone
  std::int64_t max_plans = 60;                   ///< a run that needs more has gone wrong
  std::int64_t optimal_states = 5'000;           ///< for the planner
};
void list_fields(Fields& fields, ExecutorConfig& config);

/// How it reaches the others.
struct ExecutorPorts {
  std::function<Dial(const std::string& robot)> robot;
  Dial plc;  ///< empty: there is no belt
};

/// A file that belongs to the run.
struct PlanFile {
  std::string name;
  std::string content;
};

/// Knows the world through camera frames, CRCL statuses and Modbus answers alone. Everything that
/// it borrows outlives it.
class Executor {
 public:
  Executor(sim::Kernel& kernel, const Ontology& ontology, Request request, pddl::Domain domain,
           WorldModel& world, const ExecutorConfig& config, const ExecutorPorts& ports);
  ~Executor();

  /// From now on it works by itself, on the kernel.
  void start();
  /// Stops arms and belt at once, whatever they do. Nothing else may be asked of it afterwards, and
  /// the kernel must not run on: its tasks would go on where they were.
  void halt();
  /// A frame has arrived.
  void see(const std::string& camera, const devices::CameraFrame& frame, Time now);
  /// A light curtain says how it stands. Robots stop and go on by themselves; it is only noted.
  void see(const std::string& curtain, const devices::CurtainReport& report, Time now);

  /// It has done all it could.
  bool is_over() const { return over_at_.has_value(); }
  std::optional<Time> over_at() const { return over_at_; }
  /// The kits that could not be made, each with its reason; empty: everything was done, as far as
  /// it knows.
  const std::vector<std::string>& undone() const { return reasons_.kits; }
  /// What is out of order and to blame for that: cameras, robots, zones, the belt.
  const std::vector<std::string>& causes() const { return reasons_.causes; }
  /// What somebody should know who reads the results, though all went well.
  const std::vector<std::string>& remarks() const { return remarks_; }

  const Journal& journal() const { return journal_; }
  const std::vector<PlanFile>& files() const { return files_; }
  /// Figures of its own, for metrics.
  nlohmann::ordered_json json() const;

 private:
  struct Station;
  struct Round;
  /// What cannot be made, one for each kit, and what is to blame.
  struct Reasons {
    std::vector<std::string> kits;
    std::vector<std::string> causes;
    bool empty() const { return kits.empty() && causes.empty(); }
  };
  enum class Sight { kSits, kDoesNotSit, kUnseen };

  // executor.cpp: rounds of planning and working
  sim::Task<void> work();
  sim::Task<void> wait_for_cameras();
  sim::Task<void> run_round();
  sim::Task<bool> give_up_blocked_kits(Reasons reasons);
  sim::Task<void> revive();
  KittingPlan plan();
  Reasons reasons_of(const KittingPlan& plan) const;
  void keep(const KittingPlan& plan, const Schedule& schedule);
  std::map<std::string, std::string> carried_tools() const;

  // executor_steps.cpp: what one worker does in a round
  sim::Task<void> run_steps(Station& station);
  sim::Task<bool> run_step(Station& station, std::size_t index);
  sim::Task<bool> enter_zones(Station& station, std::size_t index);
  sim::Task<void> leave_zones(Station& station, std::size_t index);
  sim::Task<void> leave_all_zones(Station& station);
  bool is_ready(const Station& station, std::size_t index) const;
  bool needs_zone_next(const Station& station, const std::string& zone, std::size_t index) const;
  void end_step(std::size_t index);
  void abort_round();

  // executor_actions.cpp: one action
  sim::Task<std::string> bring(Station& station);
  sim::Task<std::string> pick(Station& station, KittingAction action);
  sim::Task<std::string> place(Station& station, KittingAction action);
  sim::Task<std::string> take_tool(Station& station, KittingAction action);
  sim::Task<std::string> hang_tool(Station& station, KittingAction action);
  sim::Task<std::optional<PartView>> look_at(Station& station, std::string part);
  std::vector<Vector3> others_near(const Vector3& p_W, const std::string& part) const;
  sim::Task<Sight> look_at_seat(Station& station, std::string part, std::string slot,
                                Time released);
  sim::Task<void> wait_for_tray(Station& station, std::string slot);
  std::string unseen(Station& station, const std::string& part, Time since);
  sim::Task<std::string> judge(Station& station, Deed deed, std::string part);
  void give_up(Station& station, const std::string& words);
  void tell_world(const Station& station);
  std::string note(const std::string& who, const std::string& kind, std::string words,
                   const std::string& part = {});

  // executor_cameras.cpp: whether there is anybody to look
  /// What is wrong with a camera; empty: it sends frames that show something.
  std::string fault_of(const std::string& camera) const;
  std::vector<std::string> camera_faults() const;
  /// No camera of all shows anything.
  bool is_blind() const { return camera_faults().size() == ontology_.cameras.size(); }
  /// Notes what has become wrong since the last time, and all that is wrong, in one sentence.
  std::string note_cameras();
  void note_lateness(const std::string& camera);
  /// Stamp of the newest frame of all cameras.
  std::optional<Time> newest_stamp() const;

  sim::Kernel& kernel_;
  const Ontology& ontology_;
  Request request_;
  pddl::Domain domain_;
  WorldModel& world_;
  ExecutorConfig config_;
  Zones zones_;
  Journal journal_;
  std::vector<std::unique_ptr<Station>> stations_;  ///< robots by name, then the belt
  std::unique_ptr<BeltDrive> belt_;
  std::unique_ptr<Round> round_;
  Bell bell_;  ///< of the one who plans
  bool belt_works_ = true;
  std::string belt_words_;
  std::int64_t belt_failures_ = 0;
  std::map<std::string, std::int64_t> tries_;  ///< by part
  std::set<std::string> faulty_cameras_;       ///< that were noted
  std::set<std::string> late_cameras_;
  Time started_{};
  struct CurtainView {
    bool is_broken = false;
    std::int64_t interruptions = 0;
  };
  std::map<std::string, CurtainView> curtains_;  ///< those that it hears of
  std::optional<Time> blocked_since_;
  std::optional<Time> over_at_;
  Reasons reasons_;
  std::vector<std::string> remarks_;
  std::vector<PlanFile> files_;
  std::optional<nlohmann::ordered_json> first_plan_;
  sim::Tasks tasks_;  ///< last: destroyed before what its tasks use
};

}  // namespace longarm::kitting
