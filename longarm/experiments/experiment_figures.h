// SPDX-License-Identifier: Apache-2.0
// What tables and figures show of a kind of experiment, without the kind itself.
#pragma once

#include "longarm/cell/figures.h"

namespace longarm::experiments {

using cell::CurveInfo;
using cell::MetricInfo;
using ExperimentFigures = cell::Figures;

}  // namespace longarm::experiments
