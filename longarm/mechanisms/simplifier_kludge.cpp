// SPDX-License-Identifier: Apache-2.0
// A baseline to compare with: a part is welded to the first finger that touches it, and weighs
// nothing from then on.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "longarm/mechanisms/body_roles.h"
#include "longarm/mechanisms/simplifier_mode.h"

namespace longarm::mechanisms {
namespace {

using physics::BodyId;

// a finger that comes back by so much (m or rad) opens
constexpr double kOpened = 0.002;

struct Glued {
  int part = 0;
  int finger = 0;
  physics::AttachmentId attachment{};
  double closing = 1.0;   ///< sign of the finger's motion when it touched
  double farthest = 0.0;  ///< position of its joint, in that direction
  bool is_away = false;
};

class KludgeMode final : public SimplifierMode {
 public:
  KludgeMode(physics::Engine& engine, const model::Cell& cell)
      : engine_(engine),
        gravity_m_s2_(cell.gravity_m_s2),
        roles_(find_roles(cell)),
        opening_(roles_.size(), 0.0) {}

  void before_step() override {
    const std::span<const double> velocities = engine_.velocities();
    approach_.assign(velocities.begin(), velocities.end());
    for (const Glued& glued : glued_) {
      const double mass_kg = role(glued.part).mass_kg;
      engine_.apply_wrench(static_cast<BodyId>(glued.part), {.force_W = -mass_kg * gravity_m_s2_});
    }
  }

  void after_step() override {
    std::erase_if(glued_, [this](Glued& glued) { return lets_go(glued); });
    for (const physics::Contact& contact : engine_.contacts()) {
      const int a = static_cast<int>(contact.a);
      const int b = static_cast<int>(contact.b);
      if (role(a).is_finger && role(b).is_part) {
        touch(a, b);
      } else if (role(b).is_finger && role(a).is_part) {
        touch(b, a);
      }
    }
    counts.joined = glued_.size();
  }

  void let_go(BodyId support) override {
    for (Glued& glued : glued_) {
      if (glued.finger == static_cast<int>(support) && !glued.is_away) {
        engine_.detach(glued.attachment);
        glued.is_away = true;
      }
    }
  }
  void hold_again(BodyId support, const model::Vector3&) override {
    for (Glued& glued : glued_) {
      if (glued.finger == static_cast<int>(support) && glued.is_away) {
        glued.attachment = engine_.attach(support, static_cast<BodyId>(glued.part));
        glued.is_away = false;
      }
    }
  }

  bool is_joined(BodyId part) const override {
    return std::any_of(glued_.begin(), glued_.end(),
                       [&](const Glued& glued) { return static_cast<BodyId>(glued.part) == part; });
  }
  bool is_joined(BodyId a, BodyId b) const override {
    return std::any_of(glued_.begin(), glued_.end(), [&](const Glued& glued) {
      const auto part = static_cast<BodyId>(glued.part);
      const auto finger = static_cast<BodyId>(glued.finger);
      return (part == a && finger == b) || (part == b && finger == a);
    });
  }

 private:
  const BodyRole& role(int body) const { return roles_[static_cast<std::size_t>(body)]; }

  void touch(int finger, int part) {
    const bool is_glued = std::any_of(glued_.begin(), glued_.end(),
                                      [&](const Glued& glued) { return glued.part == part; });
    const auto joint = static_cast<std::size_t>(role(finger).joint);
    // a finger that stands still has no direction to open to; one that opens does not grasp
    const double approach = approach_.size() > joint ? approach_[joint] : 0.0;
    const double opening = opening_[static_cast<std::size_t>(finger)];
    if (is_glued || approach == 0.0 || approach * opening > 0.0) {
      return;
    }
    Glued glued{.part = part, .finger = finger};
    glued.attachment = engine_.attach(static_cast<BodyId>(finger), static_cast<BodyId>(part));
    glued.closing = std::copysign(1.0, approach);
    glued.farthest = glued.closing * engine_.positions()[joint];
    engine_.set_pair_collision(static_cast<BodyId>(finger), static_cast<BodyId>(part), false);
    opening_[static_cast<std::size_t>(finger)] = -glued.closing;
    glued_.push_back(glued);
    ++counts.made;
  }

  bool lets_go(Glued& glued) {
    const auto joint = static_cast<std::size_t>(role(glued.finger).joint);
    const double position = glued.closing * engine_.positions()[joint];
    glued.farthest = std::max(glued.farthest, position);
    if (position > glued.farthest - kOpened) {
      return false;
    }
    engine_.detach(glued.attachment);
    engine_.set_pair_collision(static_cast<BodyId>(glued.finger), static_cast<BodyId>(glued.part),
                               true);
    ++counts.removed;
    return true;
  }

  physics::Engine& engine_;
  model::Vector3 gravity_m_s2_;
  std::vector<BodyRole> roles_;
  std::vector<Glued> glued_;
  std::vector<double> opening_;   ///< by body, the direction of a finger that opens; 0: unknown
  std::vector<double> approach_;  ///< velocities of joints before the last step, and its impacts
};

}  // namespace

std::unique_ptr<SimplifierMode> make_kludge_mode(physics::Engine& engine, const model::Cell& cell) {
  return std::make_unique<KludgeMode>(engine, cell);
}

}  // namespace longarm::mechanisms
