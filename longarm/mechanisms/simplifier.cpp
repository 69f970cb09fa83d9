// SPDX-License-Identifier: Apache-2.0
#include "longarm/mechanisms/simplifier.h"

namespace longarm::mechanisms {

class Simplifier::Impl {
 public:
  SimplifierCounts counts;
};

void list_fields(Fields& fields, SimplifierConfig& config) {
  fields.choice("mode", config.mode, {"none", "weld", "merge", "kludge"},
                "how parts at rest on each other are joined");
  fields.field("speed_m_s", config.speed_m_s, "at rest below this, relative to each other");
  fields.field("acceleration_m_s2", config.acceleration_m_s2, "and below this");
  fields.field("hold", config.hold, "for so long");
  fields.field("release_N", config.release_N,
               "joined until the force between them changes by more");
}

Simplifier::Simplifier(physics::Engine&, const model::Cell&, const SimplifierConfig&, Duration)
    : impl_(std::make_unique<Impl>()) {}
Simplifier::~Simplifier() = default;
void Simplifier::before_step() {}
void Simplifier::after_step() {}
void Simplifier::let_go(physics::BodyId) {}
void Simplifier::hold_again(physics::BodyId) {}
const SimplifierCounts& Simplifier::counts() const {
  return impl_->counts;
}
bool Simplifier::is_joined(physics::BodyId, physics::BodyId) const {
  return false;
}

}  // namespace longarm::mechanisms
