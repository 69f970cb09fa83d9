// SPDX-License-Identifier: Apache-2.0
// Judges roles and hosts together, and edits cables for failures.
#include "longarm/workcell/cell_network.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::workcell {
namespace {

using network::Cable;
using network::CableChange;
using network::KeyRemark;

/// What the cable is like at an instant, failures not counted.
CableChange state_at(const Cable& cable, const std::vector<CableChange>& schedule, Time at) {
  CableChange state;
  state.is_up = true;
  state.propagation = cable.propagation;
  for (const CableChange& change : schedule) {
    if (change.at > at) {
      break;
    }
    state.is_up = change.is_up.value_or(*state.is_up);
    state.propagation = change.propagation.value_or(*state.propagation);
  }
  state.at = at;
  return state;
}

bool is_of_link(const Failure& failure) {
  return failure.kind == FailureKind::kLinkDown || failure.kind == FailureKind::kLinkSlow;
}

}  // namespace

void fail_cables(network::Topology& topology, const std::vector<Failure>& failures) {
  for (Cable& cable : topology.cables) {
    const std::vector<CableChange> schedule = cable.changes;
    for (const Failure& failure : failures) {
      if (!is_of_link(failure) || failure.target != cable.name) {
        continue;
      }
      CableChange begin;
      begin.at = failure.at;
      if (failure.kind == FailureKind::kLinkDown) {
        begin.is_up = false;
      } else {
        begin.propagation = *state_at(cable, schedule, failure.at).propagation + failure.slow;
      }
      cable.changes.push_back(begin);
      if (failure.length == Duration::zero()) {
        continue;
      }
      const CableChange after = state_at(cable, schedule, failure.at + failure.length);
      CableChange end;
      end.at = after.at;
      if (failure.kind == FailureKind::kLinkDown) {
        end.is_up = after.is_up;
      } else {
        end.propagation = after.propagation;
      }
      cable.changes.push_back(end);
    }
    std::stable_sort(cable.changes.begin(), cable.changes.end(),
                     [](const CableChange& a, const CableChange& b) { return a.at < b.at; });
  }
}

std::vector<std::string> cable_names(const WorkCellConfig& config) {
  std::vector<std::string> names;
  for (const Cable& cable : network::make_topology(config.network, config.length).cables) {
    names.push_back(cable.name);
  }
  return names;
}

std::vector<KeyRemark> load_cell_network(WorkCellConfig& config, InputFiles& files) {
  std::vector<KeyRemark> remarks;
  bool is_good = true;
  for (KeyRemark remark : network::load(config.network, files)) {
    is_good = is_good && remark.severity != Severity::kError;
    remark.key = "network." + remark.key;
    remarks.push_back(std::move(remark));
  }
  if (!is_good || config.network.is_empty()) {
    return remarks;
  }
  std::vector<std::string> hosts;
  for (const network::Node& node : network::make_topology(config.network).nodes) {
    if (!node.is_switch) {
      hosts.push_back(node.name);
    }
  }
  for (const std::string& role : roles_of(config)) {
    const std::string& host = config.host_of(role);
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      remarks.push_back({"hosts." + role,
                         fmt::format("the network has no host '{}' for role '{}'", host, role),
                         suggest(host, hosts)});
    }
  }
  return remarks;
}

}  // namespace longarm::workcell
