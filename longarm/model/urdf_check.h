// SPDX-License-Identifier: Apache-2.0
// Says exactly what is wrong with a URDF text, and where, before anybody reads values from it.
// Internal.
#pragma once

#include "longarm/core/diagnostic.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

/// Missing and malformed elements and attributes, impossible values, unsupported joint types. Not
/// the wiring of links and joints: make_body_tree() judges that.
void check_urdf(const XmlSource& source, Diagnostics& diagnostics);

}  // namespace longarm::model
