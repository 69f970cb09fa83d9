// SPDX-License-Identifier: Apache-2.0
// A placement is a few overrides of the scenario's keys; everything else is a run like any other.
#include "longarm/study/place/place_runs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "labs/labs.h"
#include "longarm/cell/run.h"
#include "longarm/config/config_node.h"
#include "longarm/core/suggest.h"

namespace longarm::study {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using config::ConfigNode;

/// How long a run goes on before it looks whether it should.
constexpr Duration kSlice = 50ms;

/// The resolved scenario as a tree.
ConfigNode tree_of(const cell::PreparedScenario& prepared) {
  Diagnostics diagnostics;
  ConfigNode root = config::parse_config(to_yaml(prepared.scenario, prepared.plugins),
                                         prepared.name, diagnostics);
  diagnostics.throw_if_errors();
  return root;
}

const ConfigNode* find(const ConfigNode& root, std::initializer_list<const char*> keys) {
  const ConfigNode* node = &root;
  for (const char* key : keys) {
    node = node == nullptr ? nullptr : node->find(key);
  }
  return node;
}

/// False if it was interrupted.
bool run_to_end(cell::Run& run, const std::function<bool()>& is_interrupted) {
  while (!run.is_over()) {
    run.run_until(run.now() + kSlice);
    if (is_interrupted && is_interrupted()) {
      return false;
    }
  }
  return true;
}

/// Who talks to whom, as the run's folder would have it.
Json graph_of(const cell::Run& run) {
  for (const cell::ResultFile& file : run.files()) {
    if (file.name == "graph.json") {
      return Json::parse(file.content, nullptr, false);
    }
  }
  return nullptr;
}

/// The actor whose figures are those of a system of components; empty: there is none.
std::string middleware_of(const cell::PreparedScenario& prepared) {
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (actor.kind == "middleware") {
      return actor.name;
    }
  }
  return "";
}

/// Those of the system beside those of the run, and of the hand that it moves.
Json metrics_of(const cell::Run& run, const std::string& middleware) {
  const Json results = run.results();
  Json metrics = results;
  for (const auto& [name, value] : results.items()) {
    if (value.is_object() && (name == middleware || value.contains("path_deviation_rms_m"))) {
      metrics.update(value);
    }
  }
  return metrics;
}

/// The names in tables, without the actor's.
cell::Figures plain(cell::Figures figures) {
  for (cell::MetricInfo& metric : figures.metrics) {
    metric.name = metric.name.substr(metric.name.find('.') + 1);
  }
  return figures;
}

}  // namespace

PlacementProfile profile_scenario(const std::string& scenario, const cell::LoadOptions& load,
                                  const cell::Plugins& plugins,
                                  const std::function<bool()>& is_interrupted) {
  const cell::PreparedScenario prepared = cell::load_scenario(scenario, load, plugins);
  const std::string middleware = middleware_of(prepared);
  if (middleware.empty()) {
    refuse(fmt::format("'{}' has no components", scenario),
           "longarm place needs one with actors of kind component");
  }
  PlacementProfile profile;
  profile.name = prepared.name;
  profile.title = prepared.scenario.title;
  profile.figures = plain(prepared.cell().figures());
  profile.middleware = middleware;
  cell::Run run(prepared);
  if (!run_to_end(run, is_interrupted)) {
    profile.is_interrupted = true;
    return profile;
  }
  profile.metrics = metrics_of(run, middleware);
  if (const std::string problem = failure_of(profile.metrics); !problem.empty()) {
    throw InputError(Diagnostic{{},
                                "the run that records the communication did not finish: " + problem,
                                "try longarm run for details"});
  }
  Result<components::CommunicationGraph> graph = components::graph_from_json(graph_of(run));
  if (!graph) {
    throw InputError(Diagnostic{{}, graph.error().message, ""});
  }
  profile.graph = std::move(graph).value();
  return profile;
}

PlacementRuns::PlacementRuns(std::string scenario, cell::LoadOptions load,
                             const cell::Plugins& plugins, const PlacementProfile& profile,
                             int hosts)
    : scenario_(std::move(scenario)),
      load_(std::move(load)),
      plugins_(plugins),
      middleware_(profile.middleware),
      components_(profile.graph.components) {
  const int count = static_cast<int>(components_.size());
  const std::string option = fmt::format("--hosts {}", hosts);
  if (hosts < 1 || hosts > count) {
    throw InputError(Diagnostic{{option},
                                hosts < 1
                                    ? "at least one host is needed"
                                    : fmt::format("there are only {} components to place", count),
                                fmt::format("between 1 and {}", count)});
  }
  const ConfigNode root = tree_of(cell::load_scenario(scenario_, load_, plugins_));
  const ConfigNode* star = find(root, {"network", "star", "hosts"});
  const ConfigNode* drawn = find(root, {"network", "hosts"});
  if (star != nullptr && star->text != "0") {
    load_.overrides.push_back(fmt::format("network.star.hosts={}", hosts));
    for (int i = 1; i <= hosts; ++i) {
      hosts_.push_back(fmt::format("pc{}", i));
    }
    are_hosts_alike_ = drawn == nullptr || drawn->entries.empty();
    return;
  }
  hosts_ = drawn != nullptr ? drawn->keys() : std::vector<std::string>{};
  if (static_cast<int>(hosts_.size()) < hosts) {
    throw InputError(
        Diagnostic{{option},
                   fmt::format("the network has only {} hosts: {}", hosts_.size(), join(hosts_)),
                   "add hosts to the network, or use fewer"});
  }
  hosts_.resize(static_cast<std::size_t>(hosts));
  are_hosts_alike_ = false;  // cables, cores and loads may differ
}

cell::PreparedScenario PlacementRuns::prepare(const Placement& placement) const {
  cell::LoadOptions load = load_;
  load.overrides.insert(load.overrides.end(), {"placement.rule=listed", "placement.isolated=[]"});
  for (std::size_t c = 0; c < components_.size(); ++c) {
    load.overrides.push_back(fmt::format("actors.{}.host={}", components_[c],
                                         hosts_[static_cast<std::size_t>(placement[c])]));
  }
  return cell::load_scenario(scenario_, load, plugins_);
}

Json PlacementRuns::simulate(const Placement& placement,
                             const std::function<bool()>& is_interrupted) const {
  cell::Run run(prepare(placement));
  return run_to_end(run, is_interrupted) ? metrics_of(run, middleware_) : Json(nullptr);
}

}  // namespace longarm::study
