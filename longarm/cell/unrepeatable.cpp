// SPDX-License-Identifier: Apache-2.0
// Looks through the actors of a scenario.
#include "longarm/cell/unrepeatable.h"

#include <fmt/format.h>

#include "longarm/cell/actor.h"
#include "longarm/core/diagnostic.h"

namespace longarm::cell {

std::vector<std::string> unrepeatable_parts(const PreparedScenario& prepared) {
  std::vector<std::string> parts;
  for (const ActorEntry& actor : prepared.cell().actors) {
    const auto* model = dynamic_cast<const Unrepeatable*>(actor.model.get());
    if (const std::string why = model == nullptr ? "" : model->why_unrepeatable(); !why.empty()) {
      parts.push_back(fmt::format("actors.{}: {}", actor.name, why));
    }
  }
  return parts;
}

void refuse_unrepeatable(const PreparedScenario& prepared) {
  Diagnostics problems;
  for (const std::string& part : unrepeatable_parts(prepared)) {
    problems.error({}, part + ", so no run can be repeated", "compare runs without it");
  }
  problems.throw_if_errors();
}

}  // namespace longarm::cell
