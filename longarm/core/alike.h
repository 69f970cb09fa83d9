// SPDX-License-Identifier: Apache-2.0
// Warnings that say the same of many links or joints, as one.
#pragma once

#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm {

/// Each first one of the warnings that differ only in the place and in the link, joint or body that
/// they name; its message ends in "(and 30 more like it)". Errors stay as they are: each of them
/// has to be mended.
std::vector<Diagnostic> group_alike(const std::vector<Diagnostic>& diagnostics);

}  // namespace longarm
