// SPDX-License-Identifier: Apache-2.0
// The panel of a path figure that shows how far from the plan the end effector was, over time.
#pragma once

#include <string>

#include "longarm/record/path_figure.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::record {

double greatest_deviation_m(const PathTrace& trace);

/// "9.4 mm", "412 mm".
std::string format_millimetres(double distance_m);

/// The final hold is shaded. If the deviation soon comes to rest, only the time before is shown.
void draw_deviation_panel(SvgDrawing& svg, const PathFigure& figure, const PlaneBox& frame);

}  // namespace longarm::record
