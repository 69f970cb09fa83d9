// SPDX-License-Identifier: Apache-2.0
// A gripper: fingers, the law that drives them, and what can be seen of them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "longarm/control/gripper/gripper_config.h"
#include "longarm/control/gripper/gripper_law.h"
#include "longarm/physics/engine.h"

namespace longarm::control {

/// As seen at the fingers, not as commanded.
enum class GripperState {
  kOpening,
  kClosing,
  kOpen,     ///< all fingers stand at the open end
  kClosed,   ///< the fingers met, with nothing between them
  kStalled,  ///< told to move, and does not
  kHolding,  ///< stalled while closing, with something at two fingers or more
  kStopped,  ///< stands where it was told to
};
std::string_view to_string(GripperState state);

/// Of a common p; see Finger.
struct GripperStroke {
  double open = 0.0;
  double closed = 0.0;  ///< where the fingers meet
};

class Gripper {
 public:
  /// Borrows the engine. Throws InputError for no fingers, an empty stroke or a config that
  /// judge_gripper() refuses. Fingers are left alone until the first command.
  Gripper(physics::Engine& engine, std::vector<Finger> fingers, const GripperStroke& stroke,
          const GripperConfig& config, Duration period);

  void open();
  void close();
  /// To a p, by position motors whatever the law, with at most that force; 0: the closing force.
  /// Cut to the stroke.
  void move_to(double p, double max_force_N = 0.0);
  /// Brakes with the closing force and stays there.
  void stop();

  /// Right before and right after each step of the engine.
  void before_step();
  /// `is_touched`: per finger, whether something that is no part of the gripper touches its pad.
  void after_step(std::span<const bool> is_touched);

  GripperState state() const { return state_; }
  /// Per finger, in p.
  std::span<const double> positions() const { return p_; }
  std::size_t finger_count() const { return fingers_.size(); }
  const std::vector<Finger>& fingers() const { return fingers_; }

 private:
  enum class Goal { kNone, kOpen, kClose, kPosition, kStop };

  void begin(Goal goal);
  void look();
  void feel_around();
  void apply(std::size_t finger, const FingerCommand& command);
  void watch_standing();
  bool is_at(double p) const;
  GripperState seen_state() const;
  GripperState standing_state() const;

  physics::Engine& engine_;
  std::vector<Finger> fingers_;
  GripperStroke stroke_;
  GripperConfig config_;
  Duration period_;
  std::unique_ptr<GripperLaw> law_;
  std::unique_ptr<GripperLaw> mover_;  ///< of move_to()
  Goal goal_ = Goal::kNone;
  double target_p_ = 0.0;
  double target_force_N_ = 0.0;  ///< of move_to()
  bool is_feeling_ = false;      ///< not all fingers touch yet
  std::vector<double> p_;
  std::vector<double> velocity_;
  std::vector<FingerCommand> commands_;
  std::vector<char> has_felt_;  ///< per finger: touched something since it was told to close
  int touched_count_ = 0;
  std::vector<double> standing_at_;  ///< where it began to stand, as far as it does
  Duration standing_for_{0};
  Duration untouched_for_{0};  ///< fewer than two fingers touched
  GripperState state_ = GripperState::kStopped;
};

/// Which fingers touch something that is not one of `own` bodies, during the last step.
void find_touched(const physics::Engine& engine, std::span<const Finger> fingers,
                  std::span<const physics::BodyId> own, std::span<bool> out);

}  // namespace longarm::control
