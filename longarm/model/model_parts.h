// SPDX-License-Identifier: Apache-2.0
// Models while they are put together: links may still be loose. Internal to the folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longarm/model/contact_sensor_wish.h"
#include "longarm/model/model.h"
#include "longarm/model/plugin.h"

namespace longarm::model {

/// SDF's own names for a model's frame and for the frame that everything stands in.
inline constexpr const char* kModelFrame = "__model__";
inline constexpr const char* kWorld = "world";

/// A model with the places of its links, joints at zero, and the place that its own file gives it.
struct ModelParts {
  Model model;
  std::map<std::string, Pose> X_ML;
  Pose X_own = Pose::Identity();
  SourceLocation where_own;  ///< of that place
  std::vector<Plugin> plugins{};
  std::vector<ContactSensorWish> contact_sensors{};
};

Joint fixed_joint(const std::string& parent, const std::string& child, const Pose& X_PC,
                  const SourceLocation& where);

/// A model that is one tree already.
ModelParts parts_of(Model model);

/// Moves `inner` into `outer`, its frame at `X_OI`. Names get the prefix "inner::", but for links
/// named world, which are the same for all.
void absorb(const std::string& name, ModelParts inner, const Pose& X_OI, ModelParts& outer);

/// Makes sure that there is a massless link of that name, in front of the others.
void add_massless_root(const std::string& name, ModelParts& parts);

/// One link alone at the origin stays the root; otherwise roots hang on the model frame. Several
/// roots are fine in a static model only; elsewhere make_body_tree() complains about them.
Model join_roots(ModelParts parts);

/// The same for the one model of a file; warns that its own pose means nothing there.
Model stand_alone(ModelParts parts, Diagnostics& diagnostics);

}  // namespace longarm::model
