// SPDX-License-Identifier: Apache-2.0
// Lookups and geometry of the ontology, and its file.
#include "labs/kitting/ontology.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "longarm/config/config_reader.h"
#include "longarm/config/data_files.h"
#include "longarm/core/diagnostic.h"

namespace longarm::kitting {
namespace {

namespace fs = std::filesystem;

template <typename Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

/// "medium_gear_12" is a "medium_gear".
bool is_called(std::string_view object, const std::string& prefix) {
  if (prefix.empty() || !object.starts_with(prefix)) {
    return false;
  }
  object.remove_prefix(prefix.size());
  return object.size() > 1 && object[0] == '_' &&
         object.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

template <typename Kind>
const Kind* kind_of(const std::vector<Kind>& kinds, std::string_view object) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
    return is_called(object, kind.objects);
  });
  return found == kinds.end() ? nullptr : &*found;
}

/// The user's file, else the one that comes with the program.
std::string path_of(const std::string& name, const InputFiles& files) {
  if (const Result<std::string> own = files.find(name)) {
    return *own;
  }
  for (const fs::path& folder : config::data_folders()) {
    const fs::path ready = folder / "kitting" / (name + ".yaml");
    if (fs::is_regular_file(ready)) {
      return ready.string();
    }
  }
  throw InputError(Diagnostic{
      {name}, "ontology not found", "give a YAML file, or a built-in ontology: aprs, aprs-tools"});
}

}  // namespace

bool RobotAbility::reaches(const Vector3& p_W) const {
  const double out = distance_m(p_W) - shoulder_out_m;
  const double up = p_W.z() + wrist_over_part_m - base_m[2] - shoulder_up_m;
  const double far = std::hypot(out, up);
  return out > 0.0 && far <= reach_m && far >= least_reach_m;
}

double RobotAbility::distance_m(const Vector3& p_W) const {
  return std::hypot(p_W.x() - base_m[0], p_W.y() - base_m[1]);
}

bool Zone::contains(const Vector3& p_W) const {
  return p_W.x() >= low_m[0] && p_W.x() < high_m[0] && p_W.y() >= low_m[1] && p_W.y() < high_m[1];
}

bool CameraView::sees(const Vector3& p_W, double margin_m) const {
  const double depth = position_m[2] - p_W.z();
  const auto is_within = [&](double off, double angle_deg) {
    return std::abs(off) + margin_m <= depth * std::tan(angle_deg * M_PI / 360.0);
  };
  return depth > 0.0 && is_within(p_W.x() - position_m[0], view_deg[0]) &&
         is_within(p_W.y() - position_m[1], view_deg[1]);
}

const PartKind* Ontology::part_of(std::string_view object) const {
  return kind_of(parts, object);
}

const TrayKind* Ontology::tray_of(std::string_view object) const {
  return kind_of(trays, object);
}

const PartKind* Ontology::find_part(std::string_view kind) const {
  return find_named(parts, kind);
}

const TrayKind* Ontology::find_kit(std::string_view kit) const {
  const auto found = std::find_if(trays.begin(), trays.end(), [&](const TrayKind& tray) {
    return tray.is_kit() && tray.kit == kit;
  });
  return found == trays.end() ? nullptr : &*found;
}

const RobotAbility* Ontology::find_robot(std::string_view name) const {
  return find_named(robots, name);
}

const Zone* Ontology::find_zone(std::string_view name) const {
  return find_named(zones, name);
}

const Tool* Ontology::find_tool(std::string_view name) const {
  return find_named(tools, name);
}

const Zone* Ontology::zone_at(const Vector3& p_W) const {
  const auto found = std::find_if(zones.begin(), zones.end(),
                                  [&](const Zone& zone) { return zone.contains(p_W); });
  return found == zones.end() ? nullptr : &*found;
}

std::string plain_name(const PartKind& part) {
  return part.objects;
}

Ontology load_ontology(const std::string& name, InputFiles& files) {
  const std::string path = path_of(name, files);
  Result<std::string> text = read_file(path);
  if (!text) {
    throw InputError(Diagnostic{{path}, text.error().message, "give a readable YAML file"});
  }
  files.remember(name, path, *text);
  Diagnostics diagnostics;
  const config::ConfigNode root = config::parse_config(*text, path, diagnostics);
  diagnostics.throw_if_errors();
  Ontology ontology;
  config::ConfigReader reader(root, diagnostics);
  list_fields(reader, ontology);
  reader.finish();
  diagnostics.throw_if_errors();
  return ontology;
}

Ontology load_ontology(const std::string& name) {
  InputFiles files;
  return load_ontology(name, files);
}

}  // namespace longarm::kitting
