// SPDX-License-Identifier: Apache-2.0
// Copies a file element by element and leaves out what nobody here asks for.
#include "longarm/model/mjcf_dialect.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestInclude = 20;

bool is_left_out(const std::string& tag) {
  static const std::set<std::string> tags{
      "visual", "statistic", "sensor",   "keyframe", "custom", "extension", "light",
      "camera", "texture",   "material", "skin",     "plugin", "layer",     "rgba"};
  return tags.contains(tag);
}

bool is_left_out(const std::string& tag, const std::string& attribute) {
  // solvers, looks, and what actuators do between a command and a force
  static const std::set<std::string> attributes{
      "material",           "kv",          "dampratio", "inheritrange",
      "timeconst",          "gravcomp",    "actearly",  "actuatorgravcomp",
      "actuatorfrclimited", "maxhullvert", "rgba",      "user",
      "content_type",       "dyntype",     "dynprm"};
  return attributes.contains(attribute) || (tag == "option" && attribute != "gravity") ||
         (tag == "flag" && attribute != "contact") || (tag == "mesh" && attribute == "inertia") ||
         (tag == "compiler" && (attribute == "texturedir" || attribute == "assetdir"));
}

class MjcfCopier {
 public:
  MjcfCopier(std::string path, ModelResources& resources, Diagnostics& diagnostics)
      : path_(std::move(path)), resources_(resources), diagnostics_(diagnostics) {}

  RewrittenXml rewrite(const std::string& text) {
    Diagnostics syntax;
    sources_.push_back(std::make_unique<XmlSource>(text, path_, syntax));
    const XmlSource& source = *sources_.back();
    copy(source.root(), source, out_, 0);
    return write_xml(out_, origins_);
  }

 private:
  fs::path folder() const { return fs::absolute(path_).parent_path(); }

  void copy(pugi::xml_node node, const XmlSource& source, pugi::xml_node out, int depth) {
    const std::string tag = node.name();
    // equality constraints between sites are later than ours, which has no other use for them
    // either
    if (node.type() != pugi::node_element || is_left_out(tag) || node.attribute("site1")) {
      return;
    }
    if (tag == "include") {
      include(node, source, out, depth);
      return;
    }
    pugi::xml_node made = out.append_child(tag.c_str());
    origins_.push_back(source.where(node));
    for (const pugi::xml_attribute attribute : node.attributes()) {
      copy_attribute(tag, attribute, made);
    }
    if (tag == "compiler") {
      complete_compiler(node, made);
    }
    if (tag == "mujoco") {
      add_defaults(source.where(node), made);
    }
    for (const pugi::xml_node child : node.children()) {
      copy(child, source, made, depth);
    }
    remember_file(node);
  }

  static void copy_attribute(const std::string& tag, pugi::xml_attribute attribute,
                             pugi::xml_node made) {
    const std::string name = attribute.name();
    if (tag == "joint" && name == "actuatorfrcrange") {
      double most = 0.0;
      for (const std::string& word : words_of(attribute.value())) {
        most = std::max(most, std::abs(parse_number(word).value_or(0.0)));
      }
      made.append_attribute("user") = format_number(most).c_str();
    } else if (!is_left_out(tag, name)) {
      made.append_attribute(name.c_str()) = attribute.value();
    }
  }

  /// Where meshes are does not depend on where the text is read from.
  void complete_compiler(pugi::xml_node node, pugi::xml_node made) {
    mesh_folder_ = node.attribute("assetdir") ? node.attribute("assetdir").value() : mesh_folder_;
    mesh_folder_ = node.attribute("meshdir") ? node.attribute("meshdir").value() : mesh_folder_;
    made.remove_attribute("meshdir");
    made.append_attribute("meshdir") = (folder() / mesh_folder_).c_str();
    if (!made.attribute("autolimits")) {
      made.append_attribute("autolimits") = "true";
    }
  }

  /// Later elements of the same name add to these.
  void add_defaults(const SourceLocation& where, pugi::xml_node made) {
    if (is_begun_) {
      return;
    }
    is_begun_ = true;
    pugi::xml_node compiler = made.append_child("compiler");
    compiler.append_attribute("meshdir") = folder().c_str();
    compiler.append_attribute("autolimits") = "true";
    made.append_child("size").append_attribute("nuser_jnt") = "1";
    origins_.insert(origins_.end(), 2, where);
  }

  void include(pugi::xml_node node, const XmlSource& source, pugi::xml_node out, int depth) {
    const std::string name = node.attribute("file").value();
    const std::string path = (folder() / name).lexically_normal().string();
    const Result<std::string> text = resources_.read(name, path);
    if (!text || depth >= kDeepestInclude) {
      diagnostics_.error(source.where(node), fmt::format("cannot read the included '{}'", name),
                         text ? "check whether files include each other"
                              : "check that the path is right and that it is a file");
      return;
    }
    Diagnostics syntax;
    sources_.push_back(std::make_unique<XmlSource>(*text, path, syntax));
    for (const Diagnostic& problem : syntax.all()) {
      diagnostics_.add(problem);
    }
    const XmlSource& inner = *sources_.back();
    for (const pugi::xml_node child : inner.root().children()) {
      copy(child, inner, out, depth + 1);
    }
  }

  void remember_file(pugi::xml_node node) {
    const std::string name = node.attribute("file").value();
    if (!name.empty()) {
      // MuJoCo says what is wrong with one that is not there
      (void)resources_.read(name, (folder() / mesh_folder_ / name).lexically_normal().string());
    }
  }

  std::string path_;
  ModelResources& resources_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<XmlSource>> sources_;
  std::string mesh_folder_;
  bool is_begun_ = false;
  pugi::xml_document out_;
  std::vector<SourceLocation> origins_;
};

}  // namespace

RewrittenXml rewrite_mjcf(const std::string& text, const std::string& path,
                          ModelResources& resources, Diagnostics& diagnostics) {
  return MjcfCopier(path, resources, diagnostics).rewrite(text);
}

}  // namespace longarm::model
