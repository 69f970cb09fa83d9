// SPDX-License-Identifier: Apache-2.0
// What each key of a cell means.
#include "longarm/cell/cell_config.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::cell {
namespace {

using namespace std::chrono_literals;

/// A slip of the keyboard in --set makes a new actor.
std::string hint_for_kindless(const ActorEntry& actor, const std::vector<ActorEntry>& all) {
  std::vector<std::string> others;
  for (const ActorEntry& other : all) {
    if (&other != &actor) {
      others.push_back(other.name);
    }
  }
  const std::string near = nearest_name(actor.name, others);
  return near.empty() ? "for example kind: camera; run longarm list to see all kinds"
                      : fmt::format("did you mean '{}'?", near);
}

/// The kind decides what the other keys may be.
void list_actor(Fields& fields, ActorEntry& actor, const ActorRegistry& kinds,
                const std::vector<ActorEntry>& all) {
  const std::string before = actor.kind;
  fields.choice("kind", actor.kind, kinds.names(),
                "kind of actor; run longarm list to see all kinds");
  fields.field("host", actor.host,
               "network host on which it runs; empty: it has no computer of its own");
  if (actor.kind.empty()) {
    std::string written;  // a kind that is unknown was told of already
    if (!actor.name.empty()) {
      fields.field("kind", written, "");
    }
    if (!actor.name.empty() && written.empty()) {
      fields.reject("kind", fmt::format("actor '{}' has no kind", actor.name),
                    hint_for_kindless(actor, all));
    }
    return;
  }
  if (!actor.model || actor.kind != before) {
    actor.model = kinds.make(actor.kind);
  }
  actor.model->list_fields(fields);
}

void judge_world(Fields& fields, const CellConfig& config) {
  if (config.length && *config.length <= 0s) {
    fields.reject("length", "the length must be greater than zero", "5s is usual");
  }
  if (config.hold_effort && !(*config.hold_effort >= 0.0)) {
    fields.reject("hold_effort", "an effort limit must not be negative", "0 lets the arms fall");
  }
}

}  // namespace

const ActorEntry* CellConfig::find(const std::string& actor) const {
  const auto found = std::find_if(actors.begin(), actors.end(),
                                  [&](const ActorEntry& each) { return each.name == actor; });
  return found == actors.end() ? nullptr : &*found;
}

std::string CellConfig::key_of(const ActorEntry& actor, const std::string& key) const {
  return is_short ? actor.model->short_key(key)
                  : "actors." + actor.name + (key.empty() ? "" : "." + key);
}

Figures CellConfig::figures() const {
  Figures all;
  for (const ActorEntry& actor : actors) {
    const auto is_like_it = [&](const ActorEntry& other) { return other.kind == actor.kind; };
    const bool is_alone = std::count_if(actors.begin(), actors.end(), is_like_it) == 1;
    const auto label = [&](const std::string& text) {
      return is_alone ? text : fmt::format("{}: {}", actor.name, text);
    };
    Figures own = actor.model->figures();
    for (CurveInfo& curve : own.curves) {
      all.curves.push_back(
          {prefix(actor.name) + curve.name, label(curve.label), curve.unit, curve.scale});
    }
    for (MetricInfo& metric : own.metrics) {
      metric.name = prefix(actor.name) + metric.name;
      metric.label = label(metric.label);
      metric.expected = metric.expected.empty() ? "" : prefix(actor.name) + metric.expected;
      all.metrics.push_back(std::move(metric));
    }
    if (all.outcome.empty() && !own.outcome.empty()) {
      all.outcome = prefix(actor.name) + own.outcome;
      all.outcome_is_good = own.outcome_is_good;
      all.headline = own.headline;
    }
  }
  if (!world.empty()) {
    all.curves.push_back({"world.contacts", "contacts", ""});
    all.curves.push_back({"world.joined", "parts joined to their support", ""});
    all.metrics.push_back({"world.arm_contacts", "arm-arm contacts", "", 1.0, 0});
    all.metrics.push_back({"world.environment_hits", "hits on furniture", "", 1.0, 0});
    all.metrics.push_back({"world.contacts_mean", "contacts", "", 1.0, 1});
    all.metrics.push_back({"world.joints_made", "joints created", "", 1.0, 0});
    all.metrics.push_back({"world.joints_removed", "joints removed", "", 1.0, 0});
  }
  // what was asked for comes first, in that order
  std::stable_sort(all.metrics.begin(), all.metrics.end(),
                   [&](const MetricInfo& a, const MetricInfo& b) {
                     const auto rank = [&](const MetricInfo& metric) {
                       return std::find(measure.begin(), measure.end(), metric.name);
                     };
                     return rank(a) < rank(b);
                   });
  return all;
}

void list_fields(Fields& fields, CellConfig& config, const ActorRegistry& kinds,
                 const network::LinkModelRegistry& links, bool with_network) {
  const bool is_short = config.is_short;
  fields.field("world", config.world,
               "an SDF file beside the scenario, or the name of a built-in world");
  if (is_short) {
    config.actors.front().model->list_short_fields(fields, with_network);
  } else {
    fields.field(
        "length", config.length,
        "length of the run; it ends earlier when all work is done; default: as long as the plans");
  }
  fields.field(
      "hold_effort", config.hold_effort,
      "largest effort with which undriven joints hold their start position; default: unlimited");
  judge_world(fields, config);
  fields.section("simplify", "contact simplification",
                 [&](Fields& f) { mechanisms::list_fields(f, config.simplify); });
  if (with_network) {
    fields.section("network", "network between hosts; without one, messages arrive instantly",
                   [&](Fields& f) { network::list_fields(f, config.network, links); });
  }
  if (!is_short) {
    fields.section(
        "placement", "assignment of components to hosts",
        [&](Fields& f) {
          f.choice(
              "rule", config.placement.rule, {"listed", "together", "separate", "isolate"},
              "listed: as each component says; together: all on the first host; separate: each on "
              "a host of its own; isolate: some on the second host, the rest on the first");
          f.field("isolated", config.placement.isolated, "components on the second host");
        },
        "rule");
    named(fields, "actors", "actors of the cell, by name", config.actors,
          [&](Fields& f, ActorEntry& actor) { list_actor(f, actor, kinds, config.actors); });
  }
  fields.field("failures", config.failures, "failures to inject, for example \"20s fanuc breaks\"");
  if (!is_short) {
    fields.field("measure", config.measure, "metrics to list first in tables, as ACTOR.METRIC");
  }
}

CellConfig without_network(CellConfig config) {
  if (!config.network.is_empty()) {
    config.network.backend = "ideal";
  }
  for (ActorEntry& actor : config.actors) {
    if (std::shared_ptr<ActorModel> ideal = actor.model->without_link()) {
      actor.model = std::move(ideal);
    }
  }
  std::erase_if(config.failures, [](const std::string& failure) {
    const std::vector<std::string> words = split_words(failure);
    return words.size() > 1 && words[1] == "link";
  });
  return config;
}

std::vector<std::string> host_names(const network::NetworkConfig& network) {
  std::vector<std::string> names;
  for (const network::Node& node : network::make_topology(network).nodes) {
    if (!node.is_switch) {
      names.push_back(node.name);
    }
  }
  return names;
}

}  // namespace longarm::cell
