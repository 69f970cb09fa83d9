// SPDX-License-Identifier: Apache-2.0
// A robot that an actor brings: its file, read and judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longarm/cell/actor.h"
#include "longarm/core/fields.h"

namespace longarm::actors {

struct RobotFileKeys {
  std::string model = "ur5";               ///< a ready model's name, or a file
  std::vector<std::string> search_path{};  ///< folders for package:// and model://
  std::vector<std::string> xacro_args{};   ///< name:=value, of a xacro file
  std::vector<double> pose_m_deg{};        ///< of its base in the world; empty: at the origin
  std::string inertia = "file";            ///< or "estimate" where the file's cannot be
  std::vector<std::vector<std::string>> ignore_contacts{};  ///< pairs of links
  std::string srdf{};  ///< a file, "none", or empty: one beside the model, if there is one
};

/// Poses that are none are rejected.
void list_fields(Fields& fields, RobotFileKeys& keys);

/// Where its files are looked for, with the arguments of a xacro file.
model::ModelSearch robot_search(const RobotFileKeys& keys, const cell::LoadContext& context);

/// As it stands in the cell, called `name`. What is wrong goes to `remarks`; throws InputError for
/// what is wrong with the file. `change`, if given, may change the model before its tree is made.
model::Placement read_robot(RobotFileKeys& keys, const std::string& name, InputFiles& files,
                            const cell::LoadContext& context, std::vector<cell::KeyRemark>& remarks,
                            const std::function<void(model::Model&)>& change = {});

/// Lets bodies that overlap where the robot starts never collide, and warns of them.
void ignore_start_overlaps(model::Placement& placement, const cell::LoadContext& context,
                           std::vector<cell::KeyRemark>& remarks);

/// What others may know of an arm without seeing it: which model it is, and where it starts.
class ArmDescription {
 public:
  virtual ~ArmDescription() = default;
  virtual std::string placement() const = 0;
  virtual std::string flange() const = 0;
  /// The frame that its controller counts from.
  virtual std::string base() const = 0;
  virtual std::vector<double> home_rad() const = 0;
};

}  // namespace longarm::actors
