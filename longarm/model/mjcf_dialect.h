// SPDX-License-Identifier: Apache-2.0
// What of an MJCF file concerns our models, as the installed MuJoCo can read it. Internal to the
// folder.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/rewritten_xml.h"

namespace longarm::model {

/// Included files are put in their places and remembered. Left out is what no model of ours has and
/// what later versions of MuJoCo added to that: options of the solver, cameras, lights, materials,
/// sensors, key frames, and gains of actuators. A joint with a range is limited by it, as since
/// MuJoCo 3. The force range that a joint has there is passed on as the first number of its user
/// data.
RewrittenXml rewrite_mjcf(const std::string& text, const std::string& path,
                          ModelResources& resources, Diagnostics& diagnostics);

}  // namespace longarm::model
