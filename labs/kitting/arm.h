// SPDX-License-Identifier: Apache-2.0
// One arm as its client sees it: picks, places and gets out of the way by CRCL commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labs/kitting/crcl_conversation.h"
#include "labs/kitting/handling.h"

namespace longarm::kitting {

/// What can become of an action.
enum class DeedEnd {
  kDone,
  kRefused,      ///< the robot ended a command with an error
  kSilent,       ///< it does not answer any more
  kNothingHeld,  ///< the fingers closed on nothing
  kDropped,      ///< it held the part and does not any more
};

struct Deed {
  DeedEnd end = DeedEnd::kDone;
  std::string words{};
  bool is_done() const { return end == DeedEnd::kDone; }
};

/// Where the controlled point takes a part, from the part's frame, and by what.
struct Grasp {
  Vector3 at = Vector3::Zero();
  bool is_by_suction = false;
};

/// How an arm with that tool takes a part; with its own gripper where it carries none.
Grasp grasp_of(const Ontology& ontology, const std::string& tool, const PartKind& kind);

/// All of its coroutines run one at a time.
class Arm {
 public:
  Arm(sim::TaskContext context, const RobotAbility& ability, const ArmConfig& config,
      const HandlingConfig& handling, Dial dial, const TalkConfig& talk);

  /// InitCanon, units and reports, where the robot has not heard them or has ended in an error.
  sim::Task<Deed> prepare();
  /// Fingers around the peg of a part whose frame is at p_WP, closed, and up again.
  /// `others_W` are parts that the fingers have to keep clear of.
  sim::Task<Deed> pick(Vector3 p_WP, Grasp grasp, std::vector<Vector3> others_W);
  /// Down to where the part's frame is at p_WS, let go, and up again.
  sim::Task<Deed> place(Vector3 p_WS, Grasp grasp, std::vector<Vector3> others_W);
  /// The bare flange to a tool so long whose coupling is at p_WC, and up with it.
  sim::Task<Deed> take_tool(Vector3 p_WC, double length_m);
  /// Such a tool into its stand, and up without it.
  sim::Task<Deed> hang_tool(Vector3 p_WC, double length_m);
  /// Up, and to where it is in nobody's way.
  sim::Task<Deed> withdraw();
  /// After an error: whether it can be commanded still, and lifts its tool.
  sim::Task<Deed> recover();

  const std::string& name() const { return config_.name; }
  const RobotAbility& ability() const { return ability_; }
  CrclConversation& talk() { return talk_; }
  const CrclConversation& talk() const { return talk_; }
  /// Of the controlled point when it was last heard of, in the world.
  std::optional<Vector3> last_p_W() const;
  /// What the robot says of its gripper in its last status.
  bool says_it_holds() const;

 private:
  sim::Task<Deed> run(protocols::crcl::CommandBody body);
  sim::Task<Deed> go(Vector3 p_W, bool is_straight, bool is_fine);
  /// Fast, on a straight line if the robot can, otherwise on any path.
  sim::Task<Deed> travel(Vector3 p_W);
  sim::Task<Deed> grip(double setting, double wait_s);
  /// Over a place, then slowly down, with the tool turned as at the stand.
  sim::Task<Deed> go_to_stand(Vector3 p_W);
  /// Turns the tool for a part whose frame is to be at p_W. Where it goes then, so far over it.
  Vector3 turn_for(const Vector3& p_W, const Grasp& grasp, double over_m,
                   const std::vector<Vector3>& others_W);

  RobotAbility ability_;
  ArmConfig config_;
  HandlingConfig handling_;
  CrclConversation talk_;
  double yaw_deg_ = 0.0;
  bool needs_init_ = true;
  bool is_open_ = false;
};

}  // namespace longarm::kitting
