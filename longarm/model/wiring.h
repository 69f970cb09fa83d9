// SPDX-License-Identifier: Apache-2.0
// Which joint carries which link, checked to be one tree. Internal to the folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longarm/model/model.h"

namespace longarm::model {

inline constexpr int kNone = -1;

/// Joint numbers by name; reports names that are used twice.
std::map<std::string, int> index_joints(const Model& model, Diagnostics& diagnostics);

/// In order of the names.
std::vector<std::string> keys_of(const std::map<std::string, int>& index);

/// Links and joints are numbers into the model's lists. Joints that would break the tree are
/// reported and left out.
class Wiring {
 public:
  /// Borrows the model.
  Wiring(const Model& model, Diagnostics& diagnostics);

  /// The one link without a joint above it; reports it and returns kNone if that is not exactly
  /// one.
  int root(Diagnostics& diagnostics) const;

  /// kNone if there is no such link.
  int link(const std::string& name) const;
  std::vector<std::string> link_names() const { return keys_of(links_); }

  int child_of(int joint) const;
  const std::vector<int>& joints_below(int link) const;

 private:
  void add(int number, Diagnostics& diagnostics);
  bool closes_cycle(const Joint& joint, int parent, int child, Diagnostics& diagnostics) const;

  const Model& model_;
  std::map<std::string, int> links_;
  std::vector<int> joint_above_;                ///< per link
  std::vector<std::vector<int>> joints_below_;  ///< per link, in file order
};

}  // namespace longarm::model
