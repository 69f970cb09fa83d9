// SPDX-License-Identifier: Apache-2.0
// Turns what libsdformat read into a model of ours. Internal to the folder.
#pragma once

#include <map>
#include <string>

#include <sdf/Error.hh>
#include <sdf/Frame.hh>
#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Link.hh>
#include <sdf/Model.hh>
#include <sdf/Types.hh>

#include "longarm/model/model_parts.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

/// Adds libsdformat's errors at the lines that it names, if `source` has those lines, or at the top
/// of the file.
void report(const sdf::Errors& errors, const XmlSource& source, Diagnostics& diagnostics,
            bool has_lines = true);

/// The <plugin>s of a model or an <include>.
std::vector<Plugin> read_plugins(pugi::xml_node parent, const XmlSource& source);

/// Models from other files, by the name that they have in this one: "cell::arm".
using IncludedModels = std::map<std::string, ModelParts>;

/// Reads the models of one SDF text.
class SdfModelReader {
 public:
  /// Borrows everything. `source` is the text as the user wrote it.
  SdfModelReader(const XmlSource& source, const IncludedModels& included, ModelResources& resources,
                 Diagnostics& diagnostics)
      : source_(source), included_(included), resources_(resources), diagnostics_(diagnostics) {}

  /// `element` is the model in the source, none for one from another file; `scope` is its own name
  /// after the names of the models around it.
  ModelParts read(const sdf::Model& in, pugi::xml_node element, const std::string& scope);

 private:
  void read_link(const sdf::Model& model, const sdf::Link& in, pugi::xml_node element,
                 ModelParts& parts);
  void read_nested(const sdf::Model& model, pugi::xml_node element, const std::string& scope,
                   ModelParts& parts);
  void read_joint(const sdf::Joint& in, pugi::xml_node element, ModelParts& parts);
  bool read_type(const sdf::Joint& in, pugi::xml_node element, Joint& joint);
  void read_axis(const sdf::JointAxis& in, sdf::JointType type, pugi::xml_node element,
                 Joint& joint);
  void read_frame(const sdf::Frame& in, pugi::xml_node element, ModelParts& parts);
  double number(pugi::xml_node element, const std::string& text, double fallback);

  /// Relative to the model's frame if nothing else is said.
  template <typename Placed>
  Pose pose_of(const Placed& item, const std::string& relative_to = kModelFrame);

  const XmlSource& source_;
  const IncludedModels& included_;
  ModelResources& resources_;
  Diagnostics& diagnostics_;
};

}  // namespace longarm::model
