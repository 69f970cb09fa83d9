// SPDX-License-Identifier: Apache-2.0
// Treats each cable as a group of link keys with the directions forward and backward.
#include "longarm/config/network_section.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "longarm/config/config_writer.h"
#include "longarm/config/link_keys.h"
#include "longarm/network/config/network_config.h"

namespace longarm::config {
namespace {

/// The keys that stand directly under `place` in the list of all keys, e.g. "star.".
LinkGroup::Keys keys_below(const std::string& place, const network::LinkModelRegistry& models) {
  network::NetworkConfig nothing;
  ConfigWriter writer;
  network::list_fields(writer, nothing, models);
  LinkGroup::Keys keys;
  for (const ConfigWriter::Line& line : writer.lines()) {
    if (line.key.starts_with(place)) {
      const std::string rest = line.key.substr(place.size());
      keys.insert(rest.substr(0, rest.find('.')));
    }
  }
  return keys;
}

LinkGroup cable_group(const std::string& prefix, const std::string& place,
                      const network::LinkModelRegistry& models) {
  LinkGroup::Keys own = keys_below(place, models);
  own.erase("forward");
  own.erase("backward");
  return {prefix, {{{"forward", {"model"}}, {"backward", {"model"}}}}, std::move(own)};
}

bool is_map(const ConfigNode* node) {
  return node != nullptr && node->kind == ConfigNode::Kind::kMap;
}

/// A host with one cable says so, `edge: {to: cell, rate: 1Gbit, cores: 4}`: what is no key of a
/// host is of the cable, which bears the host's name.
void lay_cables_of_hosts(ConfigNode& network, const network::LinkModelRegistry& models,
                         Diagnostics& diagnostics) {
  const auto has_cable = [](const ConfigNode::Entry& host) {
    return is_map(&host.value) && host.value.find("to") != nullptr;
  };
  const ConfigNode* drawn = network.find("hosts");
  if (!is_map(drawn) || std::none_of(drawn->entries.begin(), drawn->entries.end(), has_cable)) {
    return;
  }
  if (!is_map(network.find("links"))) {
    ConfigNode links;
    links.kind = ConfigNode::Kind::kMap;
    links.where = drawn->where;
    network.set("links", drawn->where, std::move(links));
  }
  ConfigNode* hosts = network.find("hosts");
  ConfigNode* links = network.find("links");
  const LinkGroup::Keys of_hosts = keys_below("hosts.NAME.", models);
  for (ConfigNode::Entry& host : hosts->entries) {
    if (!has_cable(host)) {
      continue;
    }
    const ConfigNode to = *host.value.find("to");
    ConfigNode name;
    name.kind = ConfigNode::Kind::kScalar;
    name.where = host.where;
    name.text = host.key;
    ConfigNode between;
    between.kind = ConfigNode::Kind::kList;
    between.where = to.where;
    between.items = {std::move(name), to};
    ConfigNode cable;
    cable.kind = ConfigNode::Kind::kMap;
    cable.where = host.value.where;
    cable.set("between", to.where, std::move(between));
    for (const ConfigNode::Entry& entry : std::vector<ConfigNode::Entry>(host.value.entries)) {
      if (!of_hosts.contains(entry.key)) {
        if (entry.key != "to") {
          cable.set(entry.key, entry.where, entry.value);
        }
        host.value.erase(entry.key);
      }
    }
    if (links->find(host.key) != nullptr) {
      diagnostics.error(host.where,
                        "host '" + host.key + "' has its own cable, and a link has the same name",
                        "the cable of a host is named after it: rename the other link");
      continue;
    }
    links->set(host.key, host.where, std::move(cable));
  }
}

}  // namespace

void normalise_network(ConfigNode& root, const network::LinkModelRegistry& models,
                       Diagnostics& diagnostics) {
  ConfigNode* network = root.find("network");
  if (!is_map(network)) {
    return;  // what is no group is reported by the reader
  }
  lay_cables_of_hosts(*network, models, diagnostics);
  if (ConfigNode* links = network->find("links"); is_map(links)) {
    for (ConfigNode::Entry& link : links->entries) {
      if (is_map(&link.value)) {
        normalise_link_keys(link.value,
                            cable_group("network.links." + link.key + ".", "links.NAME.", models),
                            models, diagnostics);
      }
    }
  }
  if (ConfigNode* star = network->find("star"); is_map(star)) {
    normalise_link_keys(*star, cable_group("network.star.", "star.", models), models, diagnostics);
  }
}

void make_way_in_network(ConfigNode& root, const Override& change,
                         const network::LinkModelRegistry& models) {
  ConfigNode* network = root.find("network");
  const std::vector<std::string>& keys = change.keys;
  if (!is_map(network) || keys.size() < 3 || keys[0] != "network") {
    return;
  }
  if (keys[1] == "star" && is_map(network->find("star"))) {
    make_way_in(*network->find("star"), cable_group("network.star.", "star.", models),
                {keys.begin() + 2, keys.end()}, change.value.text, models);
  }
  ConfigNode* hosts = network->find("hosts");
  if (keys[1] == "hosts" && keys.size() > 3 && is_map(hosts) && is_map(hosts->find(keys[2])) &&
      hosts->find(keys[2])->find("to") != nullptr) {
    LinkGroup group = cable_group("network.hosts." + keys[2] + ".", "links.NAME.", models);
    group.own_keys.merge(keys_below("hosts.NAME.", models));
    group.own_keys.insert("to");
    make_way_in(*hosts->find(keys[2]), group, {keys.begin() + 3, keys.end()}, change.value.text,
                models);
  }
  ConfigNode* links = network->find("links");
  if (keys[1] != "links" || keys.size() < 4 || !is_map(links) || !is_map(links->find(keys[2]))) {
    return;
  }
  make_way_in(*links->find(keys[2]),
              cable_group("network.links." + keys[2] + ".", "links.NAME.", models),
              {keys.begin() + 3, keys.end()}, change.value.text, models);
}

}  // namespace longarm::config
