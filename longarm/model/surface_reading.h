// SPDX-License-Identifier: Apache-2.0
// What SDF and Gazebo's extension of URDF say about a surface. Internal to the folder.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/shape.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

/// `<surface>` of an SDF `<collision>`: friction and contact parameters of ODE. What is absent
/// keeps its default; what makes no sense is an error.
Surface read_sdf_surface(const XmlSource& source, pugi::xml_node collision,
                         Diagnostics& diagnostics);

/// `<gazebo reference="link">`, of which there may be several: `<mu1>0.8</mu1>`, also spelled
/// `<mu1 value="0.8"/>`, and mu2, kp, kd, minDepth, maxVel.
Surface read_gazebo_surface(const XmlSource& source, const std::string& link,
                            Diagnostics& diagnostics);

}  // namespace longarm::model
