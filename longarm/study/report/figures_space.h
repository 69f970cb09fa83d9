// SPDX-License-Identifier: Apache-2.0
// Space seen from a corner: a parallel projection, and a box with a floor to see depth by.
#pragma once

#include <array>
#include <span>

#include "longarm/record/path_figure.h"
#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::study {

struct SpaceBox {
  record::Point3 low{};
  record::Point3 high{};

  void include(const record::Point3& p);
  bool contains(const record::Point3& p) const;
  double size() const;  ///< its longest side
  void widen(double by_m);
  /// No side shorter than this, about its middle.
  void deepen(double least_m);
};

/// Looks down from the side on which x and y have the better view.
class SpaceView {
 public:
  /// Fits the box into the frame.
  SpaceView(const SpaceBox& box, const record::PlaneBox& frame);

  record::PlanePoint operator()(const record::Point3& p) const;
  double pixels_per_m() const { return scale_; }
  const record::PlaneBox& frame() const { return frame_; }
  const SpaceBox& box() const { return box_; }

  /// The same view with `centre` (in pixels of this one) in the middle of another frame.
  SpaceView magnified(const record::PlanePoint& centre, const record::PlaneBox& frame,
                      double factor) const;

  /// Floor, its grid, and numbers along three edges of the box.
  void draw_box(record::SvgDrawing& svg) const;

 private:
  record::PlanePoint flat(const record::Point3& p) const;
  /// Between the ends of an edge of the box, as many as have room.
  record::Ticks ticks_along(std::size_t axis) const;
  void draw_floor(record::SvgDrawing& svg) const;
  void draw_floor_ticks(record::SvgDrawing& svg, std::size_t axis) const;
  void draw_height_ticks(record::SvgDrawing& svg) const;

  SpaceBox box_;
  record::PlaneBox frame_;
  double azimuth_rad_ = 0.0;
  double scale_ = 1.0;
  record::PlanePoint shift_{};
};

}  // namespace longarm::study
