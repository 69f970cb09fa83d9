// SPDX-License-Identifier: Apache-2.0
// Treats each cable as a group of link keys with the directions forward and backward.
#include "longarm/scenario/network_section.h"

#include "longarm/network/topology/network_config.h"
#include "longarm/scenario/config_writer.h"
#include "longarm/scenario/link_keys.h"

namespace longarm::scenario {
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

}  // namespace

void normalise_network(ConfigNode& root, const network::LinkModelRegistry& models,
                       Diagnostics& diagnostics) {
  ConfigNode* network = root.find("network");
  if (!is_map(network)) {
    return;  // what is no group is reported by the reader
  }
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
  ConfigNode* links = network->find("links");
  if (keys[1] != "links" || keys.size() < 4 || !is_map(links) || !is_map(links->find(keys[2]))) {
    return;
  }
  make_way_in(*links->find(keys[2]),
              cable_group("network.links." + keys[2] + ".", "links.NAME.", models),
              {keys.begin() + 3, keys.end()}, change.value.text, models);
}

}  // namespace longarm::scenario
