// SPDX-License-Identifier: Apache-2.0
// The cell's network: who is where, and what failures do to its cables.
#pragma once

#include <vector>

#include "longarm/network/topology/topology.h"
#include "longarm/workcell/failures.h"
#include "longarm/workcell/work_cell_config.h"

namespace longarm::workcell {

/// Failures of links become changes of their cables; what a cable is like afterwards is what it
/// would have been without them.
void fail_cables(network::Topology& topology, const std::vector<Failure>& failures);

/// Reads the network's files and judges it together with who is where; keys begin with `network`
/// or `hosts`.
std::vector<network::KeyRemark> load_cell_network(WorkCellConfig& config, InputFiles& files);

/// Names of all cables.
std::vector<std::string> cable_names(const WorkCellConfig& config);

}  // namespace longarm::workcell
