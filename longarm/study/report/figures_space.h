// SPDX-License-Identifier: Apache-2.0
// Space seen without perspective, and a box with a grid to see depth by; as the page has it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "longarm/record/path_figure.h"
#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::study {

struct SpaceBox {
  record::Point3 low{};
  record::Point3 high{};

  void include(const record::Point3& p);
  bool contains(const record::Point3& p) const;
  record::Point3 middle() const;
  double longest_side() const;
};

/// Where the eye is; z is up.
struct SpaceView {
  double azimuth_rad = 0.0;
  double elevation_rad = 0.0;
};
/// The first view; another one near it if a length along `way` would be seen foreshortened to less
/// than 60 %. None looks along a wall, where the ticks of an axis would fall on each other.
SpaceView view_across(const std::optional<record::Point3>& way);

/// Metres to pixels: `centre` comes to `at`.
struct SpaceProjection {
  SpaceView view;
  double pixels_per_m = 1.0;
  record::Point3 centre{};
  record::PlanePoint at{};

  record::PlanePoint operator()(const record::Point3& p) const;
};
/// Pixels per metre at which the box fits.
double fitting_scale(const SpaceBox& box, const SpaceView& view, double width, double height);

/// A box rounded outwards to one step for all three axes, and the ticks in between.
struct SpaceGrid {
  SpaceBox box;
  std::array<std::vector<double>, 3> ticks;
};
SpaceGrid grid_of(const SpaceBox& box);
/// Floor and far walls, and numbers along the near edges.
void draw_grid(record::SvgDrawing& svg, const SpaceProjection& projection, const SpaceGrid& grid);

}  // namespace longarm::study
