// SPDX-License-Identifier: Apache-2.0
// Algorithms 1 and 2 together: parts at rest are joined to their supports, and parted when pulled.
#include "longarm/mechanisms/blow.h"
#include "longarm/mechanisms/held_parts.h"
#include "longarm/mechanisms/simplifier_mode.h"

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using physics::BodyId;

class RestingMode final : public SimplifierMode {
 public:
  RestingMode(physics::Engine& engine, const model::Cell& cell, const SimplifierConfig& config,
              double period_s)
      : engine_(engine),
        roles_(find_roles(cell)),
        motions_(engine, roles_, period_s),
        resting_(roles_, cell.gravity_m_s2, config, period_s),
        held_(engine, roles_, config.mode == "merge", config.release_N, period_s),
        is_merging_(config.mode == "merge"),
        period_s_(period_s) {}

  void after_step() override {
    motions_.update();
    held_.read_reactions();
    resting_.update(engine_.contacts(), motions_, held_.carried_force_W());
    release_pulled();
    if (resting_.has_settled()) {
      join_settled();
    }
    counts.joined = held_.count();
  }

  void let_go(BodyId support) override { held_.let_go(static_cast<int>(support)); }
  void hold_again(BodyId support, const Vector3& moved_S) override {
    held_.hold_again(static_cast<int>(support), moved_S);
  }

  void release(BodyId part) override {
    std::vector<int> parted;
    for (const HeldPart& held : held_.all()) {
      if (held.part == static_cast<int>(part) || held.support == static_cast<int>(part)) {
        parted.push_back(held.part);
      }
    }
    for (const int each : parted) {
      const int support = held_.find(each)->support;
      resting_.shift_load(support, held_.release(each));
      ++counts.removed;
    }
    counts.joined = held_.count();
  }

  bool is_joined(BodyId part) const override {
    return held_.find(static_cast<int>(part)) != nullptr;
  }
  bool is_joined(BodyId a, BodyId b) const override {
    const auto is_held_by = [&](BodyId part, BodyId support) {
      const HeldPart* held = held_.find(static_cast<int>(part));
      return held != nullptr && held->support == static_cast<int>(support);
    };
    return is_held_by(a, b) || is_held_by(b, a);
  }
  double load_change_N(BodyId part) const override {
    const HeldPart* held = held_.find(static_cast<int>(part));
    return held == nullptr ? 0.0 : held->change_W.norm();
  }

 private:
  void release_pulled() {
    for (const int part : held_.find_released(motions_)) {
      const int support = held_.find(part)->support;
      const bool is_struck = held_.find(part)->is_struck;
      resting_.shift_load(support, held_.release(part));
      if (is_struck) {
        pass_on_blow(engine_, roles_, held_, part, support, period_s_);
      }
      ++counts.removed;
    }
  }

  void join_settled() {
    for (const RestingPair& pair : resting_.settled()) {
      bool was_welded = false;
      gather_contacts(pair);
      if (!held_.join(pair, holding_, exerted_S_, was_welded)) {
        continue;
      }
      resting_.forget(pair.first, pair.second);
      resting_.shift_load(pair.support(), -pair.contact_W);
      ++counts.made;
      counts.welded_instead += is_merging_ && was_welded ? 1 : 0;
    }
  }

  /// The pair's contacts of the last step, in the support's axes about the part's centre of mass.
  void gather_contacts(const RestingPair& pair) {
    const model::Matrix3 R_SW = motions_.pose(pair.support()).linear().transpose();
    const Vector3 p_WC = motions_.pose(pair.carried) * role(pair.carried).p_BC;
    holding_.clear();
    exerted_S_ << R_SW * pair.contact_W, Vector3::Zero();
    for (const physics::Contact& contact : engine_.contacts()) {
      const int a = static_cast<int>(contact.a);
      const int b = static_cast<int>(contact.b);
      if (std::min(a, b) != pair.first || std::max(a, b) != pair.second) {
        continue;
      }
      const double sign = b == pair.carried ? 1.0 : -1.0;
      holding_.push_back(
          {R_SW * (contact.p_W - p_WC), sign * (R_SW * contact.normal_W),
           std::min(friction(a, contact.geometry_a), friction(b, contact.geometry_b))});
      exerted_S_.tail<3>() += sign * holding_.back().p.cross(R_SW * contact.force_on_b_W);
    }
  }

  const BodyRole& role(int body) const { return roles_[static_cast<std::size_t>(body)]; }
  double friction(int body, int geometry) const {
    return role(body).frictions[static_cast<std::size_t>(geometry)];
  }

  physics::Engine& engine_;
  std::vector<BodyRole> roles_;
  PartMotions motions_;
  RestingPairs resting_;
  HeldParts held_;
  bool is_merging_;
  double period_s_;
  std::vector<HoldingContact> holding_;
  FrictionCone::Wrench6 exerted_S_;
};

}  // namespace

std::unique_ptr<SimplifierMode> make_resting_mode(physics::Engine& engine, const model::Cell& cell,
                                                  const SimplifierConfig& config, Duration period) {
  return std::make_unique<RestingMode>(engine, cell, config, to_seconds(period));
}

}  // namespace longarm::mechanisms
