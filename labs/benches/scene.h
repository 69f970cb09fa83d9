// SPDX-License-Identifier: Apache-2.0
// Small cells made of primitives, for experiments that need no model files; and the ready models of
// those that do.
#pragma once

#include <string>

#include "longarm/core/input_files.h"
#include "longarm/model/cell.h"

namespace longarm::benches {

/// Solid bodies of even density around their own centre.
model::Inertial solid_box(double mass_kg, const model::Vector3& size_m);
model::Inertial solid_cylinder(double mass_kg, double radius_m, double length_m);

model::Geometry shape_at(model::Shape shape, const model::Pose& X_LG, double friction);
model::Pose at(double x_m, double y_m, double z_m);

/// A placement of one body.
model::Placement single_body(std::string name, model::Body body, const model::Pose& X_WR,
                             bool is_fixed);

/// A model that comes with the program, by its name; throws InputError.
model::BodyTree read_ready_model(const std::string& name, InputFiles& files);

/// A surface of that size whose top is at `top`, on a slider along x: what a Belt drives.
model::Placement belt_model(std::string name, const model::Vector3& size_m,
                            const model::Vector3& top, double friction);

}  // namespace longarm::benches
