// SPDX-License-Identifier: Apache-2.0
// The same keys, rules and messages as the `link` group of a scenario, with directions `up` and
// `down`.
#include "longarm/proxy/link_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longarm/config/config_reader.h"
#include "longarm/config/config_writer.h"
#include "longarm/config/data_files.h"
#include "longarm/config/link_keys.h"
#include "longarm/core/suggest.h"
#include "longarm/network/config/network_config.h"

namespace longarm::proxy {
namespace {

using config::ConfigNode;
using config::Override;

/// What scenarios say about the robot at the end of a link; a relay has none.
constexpr std::array kKeysOfRobots{"on_silence", "silence_after", "watchdog",
                                   "compat",     "deadline",      "survival_time"};

config::LinkGroup relay_group() {
  return {"link.", {{{"up", {"model"}}, {"down", {"model"}}}}, {}};
}

/// Scenarios name directions after what crosses them; commands go to the server.
std::string relay_name(const std::string& direction) {
  return direction == "commands" ? "up" : (direction == "states" ? "down" : direction);
}

void forget_keys_of_robots(ConfigNode& map, Diagnostics& diagnostics) {
  for (const char* key : kKeysOfRobots) {
    if (const ConfigNode* value = map.find(key)) {
      diagnostics.warning(value->where, fmt::format("a relay does not use '{}'", key),
                          "it applies only to the robot at the end of a simulated link");
      map.erase(key);
    }
  }
}

/// The `link` group of a file; nothing if there is no file.
ConfigNode read_group(const std::string& path, Diagnostics& diagnostics) {
  ConfigNode group;
  group.kind = ConfigNode::Kind::kMap;
  if (path.empty()) {
    return group;
  }
  const Result<std::string> text = read_file(path);
  if (!text) {
    diagnostics.error({"--link-file"}, text.error().message, "give a file with a 'link:' group");
    return group;
  }
  const ConfigNode root = config::parse_config(*text, path, diagnostics);
  const ConfigNode* link = root.find("link");
  if (link == nullptr || link->kind != ConfigNode::Kind::kMap) {
    diagnostics.error({path}, "there is no group of keys 'link' in this file",
                      "for example: link: {delay: 5ms}");
    return group;
  }
  group = *link;
  for (ConfigNode::Entry& entry : group.entries) {
    entry.key = relay_name(entry.key);
    if (entry.value.kind == ConfigNode::Kind::kMap) {
      forget_keys_of_robots(entry.value, diagnostics);
    }
  }
  forget_keys_of_robots(group, diagnostics);
  return group;
}

/// `--link "delay 10ms"` is the key `netem`.
Override line_override(const std::string& option, const std::string& line,
                       std::vector<std::string> keys) {
  Override out;
  out.where.path = fmt::format("{} \"{}\"", option, line);
  out.keys = std::move(keys);
  out.value.kind = ConfigNode::Kind::kScalar;
  out.value.text = line;
  out.value.where = out.where;
  return out;
}

/// All that the command line says, with keys below `link`.
std::vector<Override> overrides_of(const LinkOptions& options, Diagnostics& diagnostics) {
  std::vector<Override> all;
  if (!options.line.empty()) {
    all.push_back(line_override("--link", options.line, {"netem"}));
  }
  if (!options.line_up.empty()) {
    all.push_back(line_override("--link-up", options.line_up, {"up", "netem"}));
  }
  if (!options.line_down.empty()) {
    all.push_back(line_override("--link-down", options.line_down, {"down", "netem"}));
  }
  for (const std::string& text : options.sets) {
    Diagnostics problems;
    Override change = config::parse_override(text, problems);
    for (const Diagnostic& problem : problems.all()) {
      diagnostics.add(problem);
    }
    if (problems.has_errors()) {
      continue;
    }
    if (change.keys.size() < 2 || change.keys.front() != "link") {
      diagnostics.error(change.where, fmt::format("unknown key '{}'", join(change.keys, ".")),
                        "a relay has keys below 'link.' only, for example link.delay=5ms");
      continue;
    }
    change.keys.erase(change.keys.begin());
    const std::string name = change.keys.front();
    change.keys.front() = relay_name(name);
    const bool is_given = std::any_of(all.begin(), all.end(), [&](const Override& each) {
      return each.keys == change.keys && each.where.path != change.where.path;
    });
    if (is_given) {
      diagnostics.error(change.where,
                        fmt::format("the key link.{} is given twice", join(change.keys, ".")),
                        "keep one of them; 'commands' is 'up', 'states' is 'down'");
      continue;
    }
    all.push_back(std::move(change));
  }
  return all;
}

/// Link models speak of scenarios; whoever starts a relay has options.
void replace(std::string& text, const std::string& words, const std::string& by) {
  if (const std::size_t place = text.find(words); place != std::string::npos) {
    text.replace(place, words.size(), by);
  }
}

/// A key under `link` is read for each direction, but a mistake in it is one mistake.
void add_once(Diagnostics& to, Diagnostic diagnostic) {
  replace(diagnostic.message, "the scenario's seed", "--seed");
  replace(diagnostic.hint, "set the scenario's key 'seed'", "use --seed");
  const bool is_said = std::any_of(to.all().begin(), to.all().end(), [&](const Diagnostic& each) {
    return each.format() == diagnostic.format();
  });
  if (!is_said) {
    to.add(diagnostic);
  }
}

struct DirectionChoice {
  std::string model = "none";
  std::shared_ptr<network::LinkModel> plugin;

  void list(Fields& fields, const network::LinkModelRegistry& models) {
    const std::string before = model;
    fields.choice("model", model, models.names(), "what the link does to each packet");
    if (!plugin || model != before) {
      plugin = models.make(model);
    }
    plugin->list_fields(fields);
  }
};

void load(DirectionChoice& choice, const std::string& direction, const ConfigNode& group,
          const std::string& file, Diagnostics& diagnostics) {
  InputFiles files = config::files_of(file);
  for (const network::KeyRemark& remark : choice.plugin->load(files)) {
    const ConfigNode* map = group.find(direction);
    const ConfigNode* value = map == nullptr ? nullptr : map->find(remark.key);
    const SourceLocation where = value == nullptr ? SourceLocation{"link"} : value->where;
    add_once(diagnostics, {where, remark.message, remark.hint, remark.severity});
  }
}

std::string yaml_of(DirectionChoice& up, DirectionChoice& down,
                    const network::LinkModelRegistry& models) {
  config::ConfigWriter writer;
  const auto list = [&](Fields& fields) {
    fields.section("up", "", [&](Fields& f) { up.list(f, models); });
    fields.section("down", "", [&](Fields& f) { down.list(f, models); });
  };
  writer.section("link", "", list, {});
  return writer.yaml();
}

}  // namespace

RelayLinks read_links(const LinkOptions& options, const network::LinkModelRegistry& models) {
  Diagnostics diagnostics;
  ConfigNode group = read_group(options.file, diagnostics);
  const std::vector<Override> overrides = overrides_of(options, diagnostics);
  diagnostics.throw_if_errors();
  for (const Override& change : overrides) {
    config::make_way_in(group, relay_group(), change.keys, change.value.text, models);
    config::apply_override(group, change, [](const std::string&) { return std::string(); });
  }
  config::normalise_link_keys(group, relay_group(), models, diagnostics);

  DirectionChoice up;
  DirectionChoice down;
  Diagnostics found;
  config::ConfigReader reader(group, found, "link.");
  reader.section("up", "", [&](Fields& fields) { up.list(fields, models); }, {});
  reader.section("down", "", [&](Fields& fields) { down.list(fields, models); }, {});
  reader.finish();
  for (const Diagnostic& each : found.all()) {
    // what stands for both directions is wrong once, and a value that was not taken is not missing
    const bool is_told = std::any_of(
        diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& other) {
          return each.severity == Severity::kError && other.severity == Severity::kError &&
                 other.where.path == each.where.path && other.where.line == each.where.line &&
                 other.where.column == each.where.column;
        });
    if (!is_told) {
      add_once(diagnostics, each);
    }
  }
  diagnostics.throw_if_errors();

  load(up, "up", group, options.file, diagnostics);
  load(down, "down", group, options.file, diagnostics);
  diagnostics.throw_if_errors();

  RelayLinks out;
  out.yaml = yaml_of(up, down, models);
  out.is_up_none = up.model == "none";
  out.is_down_none = down.model == "none";
  out.up = std::move(up.plugin);
  out.down = std::move(down.plugin);
  out.warnings = diagnostics.all();
  return out;
}

network::TcpOptions read_tcp_options(const std::vector<std::string>& sets,
                                     const network::TcpOptions& defaults) {
  Diagnostics diagnostics;
  ConfigNode group;
  group.kind = ConfigNode::Kind::kMap;
  for (const std::string& text : sets) {
    const Override change = config::parse_override("tcp." + text, diagnostics, "--tcp");
    if (!change.keys.empty()) {
      Override named = change;
      config::move_to(named, {"--tcp " + text});
      config::apply_override(group, named, [](const std::string&) { return std::string(); });
    }
  }
  diagnostics.throw_if_errors();

  network::NetworkConfig config;
  config.flows.tcp = defaults;
  config::ConfigReader reader(group, diagnostics);
  network::list_fields(reader, config.flows);
  reader.finish();
  diagnostics.throw_if_errors();
  for (const std::vector<network::KeyRemark>& remarks :
       {network::judge(config.flows), network::judge_flows(config)}) {
    for (const network::KeyRemark& remark : remarks) {
      const std::string key = remark.key.substr(remark.key.find('.') + 1);
      const ConfigNode* value = group.find("tcp") ? group.find("tcp")->find(key) : nullptr;
      add_once(diagnostics, {value == nullptr ? SourceLocation{"--tcp"} : value->where,
                             remark.message, remark.hint, remark.severity});
    }
  }
  diagnostics.throw_if_errors();
  return config.flows.tcp;
}

}  // namespace longarm::proxy
