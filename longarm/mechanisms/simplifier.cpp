// SPDX-License-Identifier: Apache-2.0
// Judges the thresholds and chooses the way of simplifying.
#include "longarm/mechanisms/simplifier.h"

#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/mechanisms/simplifier_mode.h"

namespace longarm::mechanisms {
namespace {

using Remark = std::function<void(std::string_view key, std::string message, std::string hint)>;

void judge(const SimplifierConfig& config, const Remark& remark) {
  // written so that a NaN is wrong, too
  if (!(config.speed_m_s > 0.0)) {
    remark("speed_m_s", "speed_m_s must be greater than zero", "0.005 is usual");
  }
  if (!(config.acceleration_m_s2 > 0.0)) {
    remark("acceleration_m_s2", "acceleration_m_s2 must be greater than zero", "0.2 is usual");
  }
  if (config.hold <= Duration::zero()) {
    remark("hold", "hold must be greater than zero", "50ms is usual");
  }
  if (!(config.release_N > 0.0)) {
    remark("release_N", "release_N must be greater than zero",
           "0.5 is usual; the weight of a light part");
  }
}

void check_engine(const physics::Engine& engine, const SimplifierConfig& config) {
  const physics::Capabilities& can = engine.capabilities();
  if (!can.has_contacts || !can.has_attachments) {
    refuse(fmt::format("this engine has no contacts, which mode '{}' needs", config.mode),
           "use mode none, or another engine");
  }
  if (config.mode == "merge" && !can.has_merging) {
    refuse("this engine cannot merge bodies", "use mode weld, or another engine");
  }
}

}  // namespace

void list_fields(Fields& fields, SimplifierConfig& config) {
  fields.choice("mode", config.mode, {"none", "weld", "merge", "kludge"},
                "how parts at rest on each other are joined");
  fields.field("speed_m_s", config.speed_m_s, "parts are at rest below this relative speed");
  fields.field("acceleration_m_s2", config.acceleration_m_s2,
               "and below this relative acceleration");
  fields.field("hold", config.hold, "for this long");
  fields.field("release_N", config.release_N,
               "change of force between joined parts that separates them");
  judge(config, [&](std::string_view key, std::string message, std::string hint) {
    fields.reject(key, std::move(message), std::move(hint));
  });
}

Simplifier::Simplifier(physics::Engine& engine, const model::Cell& cell,
                       const SimplifierConfig& config, Duration period) {
  Diagnostics diagnostics;
  judge(config, [&](std::string_view, std::string message, std::string hint) {
    diagnostics.error({}, std::move(message), std::move(hint));
  });
  diagnostics.throw_if_errors();
  if (config.mode == "none") {
    return;
  }
  check_engine(engine, config);
  mode_ = config.mode == "kludge" ? make_kludge_mode(engine, cell)
                                  : make_resting_mode(engine, cell, config, period);
}

Simplifier::~Simplifier() = default;

void Simplifier::before_step() {
  if (mode_) {
    mode_->before_step();
  }
}

void Simplifier::after_step() {
  if (mode_) {
    mode_->after_step();
  }
}

void Simplifier::let_go(physics::BodyId support) {
  if (mode_) {
    mode_->let_go(support);
  }
}

void Simplifier::hold_again(physics::BodyId support, const model::Vector3& moved_S) {
  if (mode_) {
    mode_->hold_again(support, moved_S);
  }
}

void Simplifier::release(physics::BodyId part) {
  if (mode_) {
    mode_->release(part);
  }
}

const SimplifierCounts& Simplifier::counts() const {
  return mode_ ? mode_->counts : none_;
}

bool Simplifier::is_joined(physics::BodyId a, physics::BodyId b) const {
  return mode_ && mode_->is_joined(a, b);
}

bool Simplifier::is_joined(physics::BodyId part) const {
  return mode_ && mode_->is_joined(part);
}

double Simplifier::load_change_N(physics::BodyId part) const {
  return mode_ ? mode_->load_change_N(part) : 0.0;
}

}  // namespace longarm::mechanisms
