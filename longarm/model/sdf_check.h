// SPDX-License-Identifier: Apache-2.0
// Says exactly what is wrong with the models of an SDF text before libsdformat reads them.
// Internal.
#pragma once

#include "longarm/core/diagnostic.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

/// Names, joints and numbers only: where libsdformat has no place to point at, or nothing to say.
void check_sdf(const XmlSource& source, Diagnostics& diagnostics);

}  // namespace longarm::model
