// SPDX-License-Identifier: Apache-2.0
// Which keys belong to which link model, and what follows from that.
#include "longarm/config/link_keys.h"

#include <algorithm>
#include <map>

#include "longarm/config/config_writer.h"
#include "longarm/core/suggest.h"
#include "longarm/network/netem/netem_words.h"

namespace longarm::config {
namespace {

using Keys = LinkGroup::Keys;

std::map<std::string, Keys> keys_by_model(const network::LinkModelRegistry& models) {
  std::map<std::string, Keys> all;
  for (const std::string& name : models.names()) {
    ConfigWriter writer;
    models.make(name)->list_fields(writer);
    Keys& keys = all[name];
    for (const ConfigWriter::Line& line : writer.lines()) {
      keys.insert(line.key);
    }
  }
  return all;
}

std::vector<std::string> owners_of(const std::string& key,
                                   const std::map<std::string, Keys>& by_model) {
  std::vector<std::string> owners;
  for (const auto& [model, keys] : by_model) {
    if (keys.contains(key)) {
      owners.push_back(model);
    }
  }
  return owners;
}

/// The model that a key alone stands for: the one of its name, or the only one that has it.
std::string implied_model(const std::string& key, const std::map<std::string, Keys>& by_model) {
  const std::vector<std::string> owners = owners_of(key, by_model);
  if (std::find(owners.begin(), owners.end(), key) != owners.end()) {
    return key;
  }
  return owners.size() == 1 ? owners.front() : "";
}

/// Two keys of one model of which it takes only one.
bool exclude_each_other(const std::string& a, const std::string& b) {
  return (a == "profile" && b == "phases") || (a == "phases" && b == "profile");
}

/// From the file, and neither about silence nor for a direction.
bool belongs_to_a_model(const ConfigNode::Entry& entry,
                        const std::map<std::string, Keys>& by_model) {
  return entry.where.line > 0 && (entry.key == "model" || !owners_of(entry.key, by_model).empty());
}

/// The netem line for a key that is an option of netem, with the delay that stands beside it; empty
/// if it is none.
std::string as_netem(const ConfigNode& map, const ConfigNode::Entry& entry) {
  const bool is_jitter = entry.key == "jitter";
  const std::vector<std::string> options = network::netem_options();
  const bool is_option =
      is_jitter || std::find(options.begin(), options.end(), entry.key) != options.end();
  if (!is_option || entry.value.kind != ConfigNode::Kind::kScalar) {
    return "";
  }
  const ConfigNode* delay = map.find("delay");
  const bool has_delay = delay != nullptr && delay->kind == ConfigNode::Kind::kScalar;
  std::string line = has_delay ? "delay " + delay->text : is_jitter ? "delay 10ms" : "";
  line += line.empty() ? "" : " ";
  return line + (is_jitter ? "" : entry.key + " ") + entry.value.text;
}

/// Reports keys that no link model has, and a model that is not there; once, where the user wrote
/// them.
void reject_unknown(ConfigNode& map, const std::string& prefix, Keys known,
                    const std::map<std::string, Keys>& by_model, Diagnostics& diagnostics) {
  std::vector<std::string> models;
  for (const auto& [model, keys] : by_model) {
    models.push_back(model);
    known.insert(keys.begin(), keys.end());
  }
  for (const ConfigNode::Entry& entry : std::vector<ConfigNode::Entry>(map.entries)) {
    if (!known.contains(entry.key)) {
      const std::string netem = as_netem(map, entry);
      diagnostics.error(entry.where, "unknown key '" + prefix + entry.key + "'",
                        netem.empty() ? suggest(entry.key, {known.begin(), known.end()})
                                      : prefix + "netem can do this: \"" + netem + "\"");
      map.erase(entry.key);
    } else if (entry.key == "model" && entry.value.kind == ConfigNode::Kind::kScalar &&
               !by_model.contains(entry.value.text)) {
      diagnostics.error(entry.value.where, "unknown " + prefix + "model '" + entry.value.text + "'",
                        suggest(entry.value.text, models));
      map.erase(entry.key);
    }
  }
}

/// The models that a direction's own keys leave to choose from; all of them if it has none.
Keys candidates(const ConfigNode& map, const std::map<std::string, Keys>& by_model) {
  Keys all;
  for (const auto& [model, keys] : by_model) {
    const bool fits = std::all_of(map.entries.begin(), map.entries.end(), [&](const auto& entry) {
      return entry.key == "model"
                 ? entry.value.text == model
                 : keys.contains(entry.key) || owners_of(entry.key, by_model).empty();
    });
    if (fits) {
      all.insert(model);
    }
  }
  return all;
}

/// Whether a key that stands for both directions is for this one: it has neither its own, nor
/// another model, nor no use for it.
bool takes(const ConfigNode::Entry& entry, const LinkGroup::Direction& direction,
           const LinkGroup& group, const Keys& possible,
           const std::map<std::string, Keys>& by_model) {
  const bool is_plain = std::any_of(
      group.directions.begin(), group.directions.end(),
      [&](const LinkGroup::Direction& each) { return each.plain_keys.contains(entry.key); });
  if (entry.key != "model" && is_plain) {
    return direction.plain_keys.contains(entry.key);
  }
  const std::vector<std::string> owners = entry.key == "model"
                                              ? std::vector<std::string>{entry.value.text}
                                              : owners_of(entry.key, by_model);
  return possible.empty() || std::any_of(owners.begin(), owners.end(), [&](const auto& model) {
           return possible.contains(model);
         });
}

/// The map of a direction, made if it is not there.
ConfigNode* direction_of(ConfigNode& link, const std::string& direction) {
  if (link.find(direction) == nullptr) {
    ConfigNode map;
    map.kind = ConfigNode::Kind::kMap;
    map.where = link.where;
    link.set(direction, link.where, std::move(map));
  }
  return link.find(direction);
}

/// Copies a value that stands for both directions into one; messages still call it what the user
/// did, so that what is wrong with it is said once.
void hand(const ConfigNode::Entry& entry, const LinkGroup& group, ConfigNode& direction) {
  ConfigNode value = entry.value;
  value.spoken = group.prefix + entry.key;
  direction.set(entry.key, entry.where, std::move(value));
}

/// Copies what the file says for both directions to one that does not say it itself.
void hand_down(ConfigNode& link, const LinkGroup::Direction& direction, const LinkGroup& group,
               const std::map<std::string, Keys>& by_model) {
  const std::vector<ConfigNode::Entry> entries = link.entries;
  ConfigNode* map = direction_of(link, direction.name);
  const Keys possible = candidates(*map, by_model);
  for (const ConfigNode::Entry& entry : entries) {
    const bool is_taken = belongs_to_a_model(entry, by_model) && map->find(entry.key) == nullptr &&
                          takes(entry, direction, group, possible, by_model);
    if (is_taken) {
      hand(entry, group, *map);
    }
  }
}

/// Moves the keys that stand for both directions into them; reports those that neither takes.
void spread(ConfigNode& link, const LinkGroup& group, const std::map<std::string, Keys>& by_model,
            Diagnostics& diagnostics) {
  std::vector<ConfigNode::Entry> entries = link.entries;
  std::erase_if(entries, [&](const ConfigNode::Entry& entry) {
    return group.own_keys.contains(entry.key) || entry.key == group.directions[0].name ||
           entry.key == group.directions[1].name;
  });
  Keys taken;
  for (const LinkGroup::Direction& direction : group.directions) {
    ConfigNode* map = direction_of(link, direction.name);
    if (map->kind != ConfigNode::Kind::kMap && map->kind != ConfigNode::Kind::kNull) {
      continue;  // reported by the reader
    }
    const Keys possible = candidates(*map, by_model);
    for (const ConfigNode::Entry& entry : entries) {
      if (takes(entry, direction, group, possible, by_model)) {
        taken.insert(entry.key);
        if (map->find(entry.key) == nullptr) {
          hand(entry, group, *map);
        }
      }
    }
  }
  for (const ConfigNode::Entry& entry : entries) {
    if (!taken.contains(entry.key)) {
      diagnostics.error(entry.where,
                        "both directions have link models that ignore '" + entry.key + "'",
                        "remove it, or the keys under " + group.prefix + group.directions[0].name +
                            " or " + group.prefix + group.directions[1].name);
    }
    link.erase(entry.key);
  }
}

/// Settles a direction's model and reports keys it ignores.
void settle(ConfigNode& map, const LinkGroup::Direction& direction, const LinkGroup& group,
            const std::map<std::string, Keys>& by_model, Diagnostics& diagnostics,
            std::set<std::string>& reported) {
  const ConfigNode* chosen = map.find("model");
  std::string model = chosen == nullptr ? "" : chosen->text;
  std::string implied_by;
  for (const ConfigNode::Entry& entry : map.entries) {
    const std::string implied = implied_model(entry.key, by_model);
    if (model.empty() && !implied.empty()) {
      model = implied;
      implied_by = entry.key;
    }
  }
  for (const ConfigNode::Entry& entry : std::vector<ConfigNode::Entry>(map.entries)) {
    const std::vector<std::string> owners = owners_of(entry.key, by_model);
    if (direction.plain_keys.contains(entry.key) || owners.empty()) {
      continue;
    }
    if (model.empty()) {
      diagnostics.error(entry.where,
                        "'" + entry.key + "' belongs to the link models " + join(owners, " and "),
                        "choose one with " + group.prefix + "model");
      map.erase(entry.key);
      continue;
    }
    const bool is_used = by_model.contains(model) && by_model.at(model).contains(entry.key);
    if (is_used || !by_model.contains(model)) {
      continue;
    }
    // a key under `link` stands for both directions but is one mistake
    const std::string place = entry.where.path + std::to_string(entry.where.line) + entry.key;
    if (reported.insert(place).second) {
      if (implied_by.empty()) {
        diagnostics.error(entry.where, "link model '" + model + "' ignores '" + entry.key + "'",
                          "remove it, or use link model " + join(owners, " or "));
      } else {
        diagnostics.error(entry.where,
                          "'" + entry.key + "' cannot be combined with '" + implied_by +
                              "': they belong to link models " + join(owners, " or ") + " and " +
                              model,
                          "keep one of them");
      }
    }
    map.erase(entry.key);
  }
  if (chosen == nullptr && !model.empty()) {
    ConfigNode scalar;
    scalar.kind = ConfigNode::Kind::kScalar;
    scalar.text = model;
    scalar.where = map.where;
    map.set("model", map.where, std::move(scalar));
  }

  // the model is read first, so it must stand first for plug-ins to list their keys
  std::stable_partition(map.entries.begin(), map.entries.end(),
                        [](const ConfigNode::Entry& entry) { return entry.key == "model"; });
}

}  // namespace

void normalise_link_keys(ConfigNode& link, const LinkGroup& group,
                         const network::LinkModelRegistry& models, Diagnostics& diagnostics) {
  const std::map<std::string, Keys> by_model = keys_by_model(models);
  Keys known = group.own_keys;
  for (const LinkGroup::Direction& direction : group.directions) {
    known.insert(direction.name);
    known.insert(direction.plain_keys.begin(), direction.plain_keys.end());
  }
  reject_unknown(link, group.prefix, known, by_model, diagnostics);
  for (const LinkGroup::Direction& direction : group.directions) {
    if (ConfigNode* map = link.find(direction.name)) {
      reject_unknown(*map, group.prefix + direction.name + ".", direction.plain_keys, by_model,
                     diagnostics);
    }
  }
  spread(link, group, by_model, diagnostics);
  std::set<std::string> reported;
  for (const LinkGroup::Direction& direction : group.directions) {
    ConfigNode* map = link.find(direction.name);
    if (map->kind == ConfigNode::Kind::kMap) {
      settle(*map, direction, group, by_model, diagnostics, reported);
    }
  }
}

void make_way_in(ConfigNode& link, const LinkGroup& group, const std::vector<std::string>& keys,
                 const std::string& value, const network::LinkModelRegistry& models) {
  const std::map<std::string, Keys> by_model = keys_by_model(models);
  const std::string& key = keys.back();
  const std::vector<std::string> owners =
      key == "model" ? std::vector<std::string>{value} : owners_of(key, by_model);
  if (owners.empty() || keys.size() > 2) {
    return;
  }

  // what the file says for both directions stays with the one that is not meant
  const bool is_for_both = keys.size() == 1;
  if (!is_for_both) {
    for (const LinkGroup::Direction& direction : group.directions) {
      hand_down(link, direction, group, by_model);
    }
    std::erase_if(link.entries, [&](const ConfigNode::Entry& entry) {
      return belongs_to_a_model(entry, by_model);
    });
  }

  // what it says for another model, or of the same key, no longer counts
  const auto clear = [&](ConfigNode* map) {
    if (map == nullptr) {
      return;
    }
    std::erase_if(map->entries, [&](const ConfigNode::Entry& entry) {
      const std::vector<std::string> others = owners_of(entry.key, by_model);
      const bool is_from_file = entry.where.line > 0;
      const bool is_kept = !exclude_each_other(entry.key, key) &&
                           std::any_of(others.begin(), others.end(), [&](const std::string& model) {
                             return std::find(owners.begin(), owners.end(), model) != owners.end();
                           });
      return is_from_file &&
             (entry.key == "model" || entry.key == key || (!others.empty() && !is_kept));
    });
  };
  if (is_for_both) {
    clear(&link);
    clear(link.find(group.directions[0].name));
    clear(link.find(group.directions[1].name));
  } else {
    clear(link.find(keys.front()));
  }
}

}  // namespace longarm::config
