// SPDX-License-Identifier: Apache-2.0
// The one list of a gripper's keys, and its judge.
#include "longarm/control/gripper/gripper_config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::control {
namespace {

using network::KeyRemark;

class Judge {
 public:
  explicit Judge(const std::string& prefix) : prefix_(prefix) {}

  void not_negative(const char* key, double value, const char* hint) {
    if (!(value >= 0.0) || !std::isfinite(value)) {
      add(key, value, "must not be negative", hint);
    }
  }
  void positive(const char* key, double value, const char* hint) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      add(key, value, "must be greater than zero", hint);
    }
  }
  std::vector<KeyRemark> remarks() && { return std::move(remarks_); }

 private:
  void add(const char* key, double value, const char* what, const char* hint) {
    remarks_.push_back(
        {prefix_ + key, fmt::format("{}{} is {}: it {}", prefix_, key, value, what), hint});
  }

  std::string prefix_;
  std::vector<KeyRemark> remarks_;
};

}  // namespace

const std::vector<std::string>& gripper_law_names() {
  static const std::vector<std::string> names{"parallel", "constant-force", "mimic-pid", "vel-fmax",
                                              "position"};
  return names;
}

GripperLawKind gripper_law_of(const std::string& name) {
  const std::vector<std::string>& names = gripper_law_names();
  const auto found = std::find(names.begin(), names.end(), name);
  return static_cast<GripperLawKind>(found - names.begin());
}

void list_fields(Fields& fields, GripperConfig& c) {
  fields.choice("law", c.law, gripper_law_names(),
                "how fingers are driven; see docs/explanation/grippers.md");
  fields.field(
      "force_N", c.force_N,
      "closing force of each finger; for vel-fmax and position: force limit of the motors");
  fields.field("open_force_N", c.open_force_N,
               "opening force of each finger; default: half of force_N");
  fields.field("stiffness_N_m", c.stiffness_N_m,
               "parallel: force per position difference between two fingers");
  fields.field("most_align_N", c.most_align_N,
               "parallel: limit of the alignment force on a finger; default: none, or half of "
               "force_N with closes_on_touch");
  fields.field("speed_m_s", c.speed_m_s, "vel-fmax and position: speed of each finger");
  fields.section("mimic", "mimic-pid: the followers' controller", [&](Fields& f) {
    f.field("p", c.mimic.p, "N per metre behind the leader");
    f.field("i", c.mimic.i, "N per metre and second");
    f.field("d", c.mimic.d, "N per metre per second");
    f.field("i_clamp", c.mimic.i_clamp, "limit of the integral term, N");
    f.field("max_effort_N", c.mimic_max_effort_N, "largest effort of a follower");
  });
  fields.field("closes_on_touch", c.closes_on_touch,
               "contact grasping: each finger waits where it touches until all do");
  fields.field("touch_speed_m_s", c.touch_speed_m_s,
               "speed of a finger before it touches the part");
  fields.field("touch_force_N", c.touch_force_N, "largest force of such a finger");
  fields.field("stall_speed_m_s", c.stall_speed_m_s,
               "fingers slower than this over stall_time count as stopped");
  fields.field("stall_time", c.stall_time, "fingers stopped for this long have stalled");
  fields.field("position_tolerance_m", c.position_tolerance_m,
               "tolerance within which a position is reached");
}

std::vector<KeyRemark> judge_gripper(const GripperConfig& c, const std::string& prefix) {
  Judge judge(prefix);
  judge.not_negative("force_N", c.force_N,
                     "the closing force must be positive; open the gripper to release");
  judge.not_negative("open_force_N", c.opening_force_N(),
                     "the direction is given by the law: give a positive value");
  judge.not_negative("stiffness_N_m", c.stiffness_N_m,
                     "a negative stiffness pushes fingers apart; 4000 is usual");
  judge.not_negative("most_align_N", c.most_align_N.value_or(0.0), "remove it for no limit");
  judge.not_negative("mimic.p", c.mimic.p, "a negative gain drives the follower away");
  judge.not_negative("mimic.i", c.mimic.i, "a negative gain drives the follower away");
  judge.not_negative("mimic.d", c.mimic.d, "a negative gain feeds oscillations");
  judge.not_negative("mimic.i_clamp", c.mimic.i_clamp, "0 means no integral");
  judge.not_negative("mimic.max_effort_N", c.mimic_max_effort_N, "100 is usual");
  judge.positive("speed_m_s", c.speed_m_s, "the commands open and close set its direction");
  judge.positive("touch_speed_m_s", c.touch_speed_m_s, "0.02 is usual");
  judge.positive("touch_force_N", c.touch_force_N, "2 is usual");
  judge.positive("stall_speed_m_s", c.stall_speed_m_s, "0.001 is usual");
  judge.positive("stall_time", to_seconds(c.stall_time), "50ms is usual");
  judge.positive("position_tolerance_m", c.position_tolerance_m, "0.0005 is usual");
  std::vector<KeyRemark> remarks = std::move(judge).remarks();
  if (std::ranges::count(gripper_law_names(), c.law) == 0) {
    remarks.push_back({prefix + "law", fmt::format("unknown gripper law '{}'", c.law),
                       suggest(c.law, gripper_law_names())});
  }
  return remarks;
}

}  // namespace longarm::control
