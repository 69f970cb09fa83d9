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
      add(key, value, "must be more than nothing", hint);
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
  fields.field("force_N", c.force_N,
               "with which each finger closes; of vel-fmax and position: the motors' limit");
  fields.field("open_force_N", c.open_force_N,
               "with which each finger opens; default half of force_N");
  fields.field("stiffness_N_m", c.stiffness_N_m,
               "parallel: force per difference of each two fingers' positions");
  fields.field("most_align_N", c.most_align_N,
               "parallel: limit of what the others' positions add to a finger's force; default "
               "none, or half of force_N with closes_on_touch");
  fields.field("speed_m_s", c.speed_m_s, "vel-fmax and position: of each finger");
  fields.section("mimic", "mimic-pid: the followers' controller", [&](Fields& f) {
    f.field("p", c.mimic.p, "N per metre behind the leader");
    f.field("i", c.mimic.i, "N per metre and second");
    f.field("d", c.mimic.d, "N per metre per second");
    f.field("i_clamp", c.mimic.i_clamp, "most that the integral adds, N");
    f.field("max_effort_N", c.mimic_max_effort_N, "most that a follower exerts");
  });
  fields.field("closes_on_touch", c.closes_on_touch,
               "contact grasping: each finger waits where it touches until all do");
  fields.field("touch_speed_m_s", c.touch_speed_m_s, "of a finger that looks for the part");
  fields.field("touch_force_N", c.touch_force_N, "most that such a finger presses");
  fields.field("stall_speed_m_s", c.stall_speed_m_s,
               "fingers that are slower over stall_time count as standing");
  fields.field("stall_time", c.stall_time, "standing this long is a stall");
  fields.field("position_tolerance_m", c.position_tolerance_m, "how near counts as there");
}

std::vector<KeyRemark> judge_gripper(const GripperConfig& c, const std::string& prefix) {
  Judge judge(prefix);
  judge.not_negative("force_N", c.force_N, "a gripper closes with its force; open it to let go");
  judge.not_negative("open_force_N", c.opening_force_N(), "its direction is known: give its size");
  judge.not_negative("stiffness_N_m", c.stiffness_N_m,
                     "a negative stiffness drives fingers apart; 4000 is usual");
  judge.not_negative("most_align_N", c.most_align_N.value_or(0.0), "leave it out for no limit");
  judge.not_negative("mimic.p", c.mimic.p, "a negative gain drives the follower away");
  judge.not_negative("mimic.i", c.mimic.i, "a negative gain drives the follower away");
  judge.not_negative("mimic.d", c.mimic.d, "a negative gain feeds oscillations");
  judge.not_negative("mimic.i_clamp", c.mimic.i_clamp, "0 means no integral");
  judge.not_negative("mimic.max_effort_N", c.mimic_max_effort_N, "100 is usual");
  judge.positive("speed_m_s", c.speed_m_s, "open and close decide on its direction");
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
