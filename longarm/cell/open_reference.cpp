// SPDX-License-Identifier: Apache-2.0
// Compares two resolved scenarios key by key.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/cell/reference.h"
#include "longarm/config/config_node.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"
#include "longarm/record/trace_csv.h"

namespace longarm::cell {
namespace {

namespace fs = std::filesystem;
using config::ConfigNode;
using Values = std::map<std::string, std::string>;

std::string text_of(const ConfigNode& node) {
  std::string text = node.text;
  for (const ConfigNode& item : node.items) {
    text += "[" + text_of(item) + "]";
  }
  return text;
}

void flatten(const ConfigNode& node, const std::string& prefix, Values& out) {
  for (const ConfigNode::Entry& entry : node.entries) {
    if (entry.value.kind == ConfigNode::Kind::kMap) {
      flatten(entry.value, prefix + entry.key + ".", out);
    } else {
      out[prefix + entry.key] = text_of(entry.value);
    }
  }
}

Values values_of(const std::string& yaml) {
  Diagnostics ignored;
  Values values;
  flatten(config::parse_config(yaml, "", ignored), "", values);
  return values;
}

/// What may be compared, and what changes nothing.
bool may_differ(const std::string& key, bool cuts_differ) {
  const bool is_timing =
      key == "control.phase" || key == "control.jitter" || key.starts_with("control.clock_");
  return key.starts_with("link.") || key.starts_with("network.") || key == "control.host" ||
         key == "robot.host" || key == "cut" || key == "gain" || key == "seed" || is_timing ||
         key.starts_with("controller.") || key == "plugins" || key == "task.replan" ||
         key == "title" || key.starts_with("record.") || (cuts_differ && key == "servo.model");
}

/// Columns that a comparison needs and the trace does not have.
std::vector<std::string> missing_columns(const record::CsvTraceReader& trace,
                                         const PreparedScenario& prepared) {
  std::vector<std::string> needed{"end_effector.x", "end_effector.y", "end_effector.z"};
  for (const model::TreeJoint& joint : prepared.model.placements.front().tree.joints) {
    needed.push_back("velocity_command." + joint.name);
  }
  std::erase_if(needed,
                [&](const std::string& name) { return trace.find_column(name).has_value(); });
  return needed;
}

}  // namespace

std::unique_ptr<record::TraceSource> open_reference(const std::string& folder,
                                                    const PreparedScenario& prepared) {
  const SourceLocation where{"--reference " + folder};
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw InputError(Diagnostic{where, message, hint});
  };
  if (!prepared.cell().is_short) {
    refuse("only scenarios with a single arm can be compared with a run folder",
           "use --reference ideal to compare a cell with the same cell without the network");
  }
  if (!fs::is_regular_file(fs::path(folder) / "metrics.json")) {
    refuse("this is not the folder of a finished run", "give the folder that was written by --out");
  }

  const auto metrics =
      nlohmann::json::parse(config::read_text_file(fs::path(folder) / "metrics.json"), nullptr,
                            /*allow_exceptions=*/false);
  if (!metrics.is_object()) {
    refuse("its metrics.json is not readable JSON", "repeat the reference run");
  }
  if (metrics.value("format", 0) != kResultFormat) {
    refuse(fmt::format("this run was written by another version: format {}, expected {}",
                       metrics.value("format", 0), kResultFormat),
           "repeat the reference run");
  }

  // same cell, same task, same clocks?
  const Values ours = values_of(to_yaml(prepared.scenario, prepared.plugins));
  Values theirs = values_of(config::read_text_file(fs::path(folder) / "scenario.yaml"));
  const bool cuts_differ = ours.at("cut") != theirs["cut"];
  std::vector<std::string> differences;
  Values all = theirs;
  all.insert(ours.begin(), ours.end());
  for (const auto& [key, value] : all) {
    const auto mine = ours.find(key);
    const auto other = theirs.find(key);
    const std::string a = mine == ours.end() ? "" : mine->second;
    const std::string b = other == theirs.end() ? "" : other->second;
    if (a != b && !may_differ(key, cuts_differ)) {
      differences.push_back(key);
    }
  }
  if (metrics.value("model_hash", nlohmann::json()) != prepared.model_hash) {
    differences.push_back("the robot's model file");
  }
  if (!differences.empty()) {
    refuse("the reference run differs in " + join(differences),
           "only link.*, network.*, cut, gain, seed, controller, control.phase, jitter and clock, "
           "and task.replan may differ; repeat the reference run with the same values");
  }

  // a trace of all of it?
  const nlohmann::json ended = metrics.value("ended", nlohmann::json());
  if (ended == "interrupted") {
    refuse("the reference run was interrupted", "repeat it until its end");
  }
  if (ended == "diverged") {
    const nlohmann::json seconds = metrics.value("simulated_s", nlohmann::json());
    refuse(fmt::format("the reference run ended after {:.1f} s because its arm diverged",
                       seconds.is_number() ? seconds.get<double>() : 0.0),
           "use a stable reference run, for example without a link or with a lower gain");
  }
  auto reader = record::CsvTraceReader::open(fs::path(folder) / "trace.csv");
  if (!reader) {
    refuse(reader.error().message, "repeat the reference run with record.trace: true");
  }
  if (const std::vector<std::string> missing = missing_columns(**reader, prepared);
      !missing.empty()) {
    refuse("its trace.csv lacks " + join(missing), "repeat the reference run");
  }
  return std::move(reader).value();
}

}  // namespace longarm::cell
