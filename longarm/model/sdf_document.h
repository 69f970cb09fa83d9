// SPDX-License-Identifier: Apache-2.0
// An SDF text as libsdformat reads it, with the models that it includes. Internal to the folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <sdf/Root.hh>

#include "longarm/model/parts_file.h"
#include "longarm/model/sdf_model.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

/// Included models are read one by one, each from its own file and in its own version of the
/// format. In what libsdformat sees, a stand-in with links at the same places takes their stead:
/// enough to resolve every pose that depends on them.
class SdfDocument {
 public:
  SdfDocument(const std::string& text, const std::string& path, ModelResources& resources,
              const IncludeChain& around, Diagnostics& diagnostics);

  /// False after errors, which are reported.
  bool is_readable() const { return is_readable_; }
  const sdf::Root& root() const { return root_; }
  const XmlSource& source() const { return source_; }
  const IncludedModels& included() const { return included_; }

 private:
  void check_and_load(const std::string& text);
  void expand(pugi::xml_node source, pugi::xml_node copy, const std::string& scope);
  void expand_include(pugi::xml_node include, pugi::xml_node copy, const std::string& scope,
                      std::set<std::string>& names);
  std::optional<ModelParts> read_included(pugi::xml_node include, const std::string& uri);

  std::string path_;
  ModelResources& resources_;
  IncludeChain chain_;  ///< this file last
  Diagnostics found_;
  XmlSource source_;
  sdf::Root root_;
  IncludedModels included_;
  std::map<std::string, ModelParts> known_;  ///< by file, of those without remarks
  bool has_includes_ = false;
  bool is_readable_ = false;
};

}  // namespace longarm::model
