// SPDX-License-Identifier: Apache-2.0
// Finds, reads and stands in for included models.
#include "longarm/model/sdf_document.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <sdf/Console.hh>
#include <sdf/parser.hh>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/quiet_console.h"
#include "longarm/model/sdf_check.h"

namespace longarm::model {
namespace {

namespace fs = std::filesystem;

// The newest version of the format that we read, as model.config counts.
constexpr double kNewestVersion = 1.9;

/// The file of a model's folder: what model.config names for the newest version that we read, else
/// model.sdf.
std::string model_in_folder(const fs::path& folder) {
  pugi::xml_document config;
  config.load_file((folder / "model.config").c_str());
  double best = -1.0;
  std::string file = "model.sdf";
  for (const pugi::xml_node sdf : config.child("model").children("sdf")) {
    const double version = sdf.attribute("version").as_double(0.0);
    if (version > best && version <= kNewestVersion) {
      best = version;
      file = trimmed(sdf.text().get());
    }
  }
  return (folder / file).string();
}

std::string pose_text(const Pose& X) {
  const Eigen::Quaterniond q(X.linear());
  const ignition::math::Vector3d rpy =
      ignition::math::Quaterniond(q.w(), q.x(), q.y(), q.z()).Euler();
  return fmt::format("{} {} {} {} {} {}", X.translation().x(), X.translation().y(),
                     X.translation().z(), rpy.X(), rpy.Y(), rpy.Z());
}

void append_text(pugi::xml_node parent, const char* tag, const std::string& text) {
  parent.append_child(tag).text().set(text.c_str());
}

/// A link where the included one is. What was nested in the included file, a::b, is nested here.
void append_link(pugi::xml_node model, const std::string& name, const Pose& X_ML) {
  const std::size_t scope_end = name.find("::");
  if (scope_end == std::string::npos) {
    pugi::xml_node link = model.append_child("link");
    link.append_attribute("name") = name.c_str();
    append_text(link, "pose", pose_text(X_ML));
    return;
  }
  const std::string scope = name.substr(0, scope_end);
  pugi::xml_node inner = child_named(model, "model", scope);
  if (!inner) {
    inner = model.append_child("model");
    inner.append_attribute("name") = scope.c_str();
  }
  append_link(inner, name.substr(scope_end + 2), X_ML);
}

/// Puts the stand-in before `include`, whose pose it gets.
void stand_in(const ModelParts& parts, const std::string& name, pugi::xml_node include) {
  pugi::xml_node model = include.parent().insert_child_before("model", include);
  model.append_attribute("name") = name.c_str();
  append_text(model, "static", "true");
  if (const pugi::xml_node frame = include.child("placement_frame")) {
    model.append_attribute("placement_frame") = trimmed(frame.text().get()).c_str();
  }
  if (const pugi::xml_node pose = include.child("pose")) {
    model.append_copy(pose);
  } else {
    append_text(model, "pose", pose_text(parts.X_own));
  }
  for (const Link& link : parts.model.links) {
    if (link.name != kWorld && link.name != kModelFrame) {
      append_link(model, link.name, parts.X_ML.at(link.name));
    }
  }
}

/// What every Gazebo has: worlds include it, and nobody copies it.
std::optional<ModelParts> gazebos_ground_plane(const SourceLocation& where) {
  Model model;
  model.name = "ground_plane";
  model.is_static = true;
  model.where = where;
  Link link{"link", std::nullopt, {}, {}, where};
  link.collisions.push_back({"collision", Pose::Identity(), HalfSpace{}, {}});
  model.links.push_back(std::move(link));
  return parts_of(std::move(model));
}

/// Loads a text as sdf::Root::LoadSdfString does, which parses libsdformat's description of the
/// whole format each time: half of what loading a cell of many files cost. Here a copy of one is
/// filled. Under the lock of QuietConsole.
sdf::Errors load_text(const std::string& text, sdf::Root& root) {
  static const sdf::SDFPtr format = [] {
    sdf::SDFPtr out = std::make_shared<sdf::SDF>();
    sdf::init(out);
    return out;
  }();
  const sdf::SDFPtr filled = std::make_shared<sdf::SDF>();
  filled->Root(format->Root()->Clone());
  sdf::Errors errors;
  if (sdf::readString(text, filled, errors)) {
    for (sdf::Error& error : root.Load(filled)) {
      errors.push_back(std::move(error));
    }
  } else {
    errors.emplace_back(sdf::ErrorCode::STRING_READ, "Unable to read SDF string: " + text);
  }
  return errors;
}

}  // namespace

SdfDocument::SdfDocument(const std::string& text, const std::string& path,
                         ModelResources& resources, const IncludeChain& around,
                         Diagnostics& diagnostics)
    : path_(path), resources_(resources), chain_(around), source_(text, path, found_) {
  chain_.push_back(path);
  if (!found_.has_errors()) {
    check_and_load(text);
  }
  for (const Diagnostic& problem : found_.all()) {
    diagnostics.add(problem);
  }
  is_readable_ = !found_.has_errors();
}

void SdfDocument::check_and_load(const std::string& text) {
  check_sdf(source_, found_);
  pugi::xml_document copy;
  copy.reset(source_.document());
  expand(source_.root(), copy.document_element(), "");
  if (found_.has_errors()) {
    return;
  }
  std::ostringstream expanded;
  if (has_includes_) {
    copy.save(expanded);
  }
  const QuietConsole quiet;
  // what it would print it also returns
  sdf::Console::Instance()->SetQuiet(true);
  report(load_text(has_includes_ ? expanded.str() : text, root_), source_, found_, !has_includes_);
}

/// Walks the text and its copy side by side: places are known in one, changes go into the other.
void SdfDocument::expand(pugi::xml_node source, pugi::xml_node copy, const std::string& scope) {
  std::set<std::string> names;
  for (const pugi::xml_node model : source.children("model")) {
    names.insert(model.attribute("name").value());
  }
  pugi::xml_node twin = copy.first_child();
  for (const pugi::xml_node child : source.children()) {
    const pugi::xml_node next = twin.next_sibling();
    const std::string tag = child.name();
    if (tag == "world") {
      expand(child, twin, "");
    } else if (tag == "model") {
      expand(child, twin, scope + child.attribute("name").value() + "::");
    } else if (tag == "include") {
      has_includes_ = true;
      expand_include(child, twin, scope, names);
      copy.remove_child(twin);
    }
    twin = next;
  }
}

void SdfDocument::expand_include(pugi::xml_node include, pugi::xml_node copy,
                                 const std::string& scope, std::set<std::string>& names) {
  const std::string uri = trimmed(include.child("uri").text().get());
  if (uri.empty()) {
    found_.error(source_.where(include), "<include> needs a <uri>",
                 "for example <uri>model://table</uri>");
    return;
  }
  if (include.attribute("merge").as_bool()) {
    found_.error(source_.where(include), fmt::format("<include merge=\"true\"> of '{}'", uri),
                 "merging is not supported; without it the parts are named model::part");
    return;
  }
  std::optional<ModelParts> parts = read_included(include, uri);
  if (!parts) {
    return;
  }
  const std::string wanted = trimmed(include.child("name").text().get());
  const std::string name = wanted.empty() ? parts->model.name : wanted;
  if (!names.insert(name).second) {
    found_.error(source_.where(include), fmt::format("the name '{}' is used twice", name),
                 "give the included model a <name> of its own");
    return;
  }
  if (const pugi::xml_node is_static = include.child("static")) {
    parts->model.is_static = is_static.text().as_bool();
  }
  for (Plugin& plugin : read_plugins(include, source_)) {
    parts->plugins.push_back(std::move(plugin));
  }
  if (parts->model.own_name.empty()) {
    parts->model.own_name = parts->model.name;
  }
  parts->model.name = name;
  stand_in(*parts, name, copy);
  included_.emplace(scope + name, std::move(*parts));
}

std::optional<ModelParts> SdfDocument::read_included(pugi::xml_node include,
                                                     const std::string& uri) {
  const SourceLocation where = source_.where(include.child("uri"));
  const Result<std::string> place = find_resource("model", uri, path_, resources_.search());
  if (!place) {
    if (uri == "model://ground_plane") {
      return gazebos_ground_plane(where);
    }
    if (uri != "model://sun") {  // a light
      found_.error(where, place.error().message, search_hint(uri));
    }
    return std::nullopt;
  }
  std::error_code ignored;
  const std::string file = fs::is_directory(*place, ignored) ? model_in_folder(*place) : *place;
  if (std::find(chain_.begin(), chain_.end(), file) != chain_.end()) {
    std::vector<std::string> circle(std::find(chain_.begin(), chain_.end(), file), chain_.end());
    circle.push_back(file);
    found_.error(where, "models include each other: " + join(circle, " -> "),
                 "remove one of the includes");
    return std::nullopt;
  }
  // a world of many equal parts: libsdformat takes milliseconds for each
  if (const auto known = known_.find(file); known != known_.end()) {
    return known->second;
  }
  const std::size_t problems = found_.all().size();
  std::optional<ModelParts> parts = read_parts_file(uri, file, resources_, chain_, found_);
  if (parts && found_.all().size() == problems) {
    known_.emplace(file, *parts);
  }
  return parts;
}

}  // namespace longarm::model
