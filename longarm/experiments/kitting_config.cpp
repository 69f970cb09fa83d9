// SPDX-License-Identifier: Apache-2.0
// What each key means.
#include "longarm/experiments/kitting_config.h"

namespace longarm::experiments {

void list_fields(Fields& fields, KittingConfig& config) {
  workcell::list_fields(fields, config.cell);
  fields.section("kitting", "what is to be made, and how", [&](Fields& group) {
    group.field("ontology", config.ontology,
                "parts, trays, robots and zones: a file beside the scenario, or a ready one");
    group.field("domain", config.domain, "a PDDL domain file; none: made of the ontology");
    kitting::list_fields(group, config.request);
    group.field("ends_early", config.ends_early,
                "whether the run ends when there is nothing left to do");
    group.section("world_model", "what is made of camera frames",
                  [&](Fields& inner) { kitting::list_fields(inner, config.world_model); });
    group.section("executor", "how it is done",
                  [&](Fields& inner) { kitting::list_fields(inner, config.executor); });
  });
  // a kit that is held by force of the computer proves nothing
  if (config.cell.simplify.mode == "kludge") {
    fields.reject("simplify", "kits cannot be made with the mode 'kludge'",
                  "merge keeps the physics of grasping");
  }
}

}  // namespace longarm::experiments
