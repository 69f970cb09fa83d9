// SPDX-License-Identifier: Apache-2.0
// The keys of a cell that makes kits: the cell's own, and what is to be made how. Internal to the
// folder.
#pragma once

#include <string>

#include "longarm/core/fields.h"
#include "longarm/kitting/executor.h"
#include "longarm/kitting/request.h"
#include "longarm/kitting/world_model.h"
#include "longarm/workcell/work_cell_config.h"

namespace longarm::experiments {

struct KittingConfig {
  workcell::WorkCellConfig cell;
  std::string ontology = "aprs";  ///< a file beside the scenario, or a ready one
  std::string domain;             ///< a PDDL file; empty: the ontology's own
  kitting::Request request;
  kitting::WorldModelConfig world_model;
  kitting::ExecutorConfig executor;
  bool ends_early = true;  ///< when the executor is done and the judge's second is over
};

void list_fields(Fields& fields, KittingConfig& config);

}  // namespace longarm::experiments
