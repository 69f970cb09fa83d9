// SPDX-License-Identifier: Apache-2.0
// Chooses the view and shares the page out.
#include "longarm/record/path_view.h"

#include <algorithm>

namespace longarm::record {
namespace {

// the page, in pixels
constexpr double kWidth = 900.0;
constexpr double kRight = 20.0;
constexpr double kPanelHeader = 26.0;     // a panel's title above it
constexpr double kPanelFooter = 40.0;     // its horizontal axis below it
constexpr double kPadding = 32.0;         // around the paths, for labels
constexpr double kStackedHeight = 530.0;  // of both views together at most
constexpr double kSideBySideHeight = 420.0;
constexpr double kLeastHeight = 130.0;
constexpr double kDeviationHeight = 150.0;
constexpr double kBottom = 4.0;

// how far beyond the plan the view may grow, in parts of the plan's size
constexpr double kAllowance = 0.25;
constexpr double kAllowanceOfStep = 1.1;  // a plan without length: overshoot mirrors the start
constexpr double kLeastSize_m = 0.01;

void include(PathView& view, const Point3& p) {
  for (std::size_t i = 0; i < 3; ++i) {
    view.low[i] = std::min(view.low[i], p[i]);
    view.high[i] = std::max(view.high[i], p[i]);
  }
}

void include(PathView& view, const std::vector<Point3>& points) {
  for (const Point3& p : points) {
    include(view, p);
  }
}

double size_of(const PathView& view) {
  return std::max({view.extent(0), view.extent(1), view.extent(2)});
}

/// Grows the view towards the points as far as the limit; true if some lie beyond it.
bool include_within(PathView& view, const PathView& limit, const std::vector<Point3>& points) {
  bool is_left = false;
  for (const Point3& p : points) {
    Point3 nearest = p;
    for (std::size_t i = 0; i < 3; ++i) {
      nearest[i] = std::clamp(p[i], limit.low[i], limit.high[i]);
    }
    is_left = is_left || nearest != p;
    include(view, nearest);
  }
  return is_left;
}

/// Extent in metres that still fits into `pixels`; a flat view fits at any scale.
double scale_for(double extent_m, double pixels) {
  return pixels / std::max(extent_m, 1e-6);
}

double frame_height(double extent_m, double pixels_per_m) {
  return std::max(extent_m * pixels_per_m + 2.0 * kPadding, kLeastHeight);
}

PlaneBox frame_at(double left, double top, double width, double height) {
  return {{left, top}, {left + width, top + height}};
}

}  // namespace

PathView view_of(const PathFigure& figure) {
  // what must be seen
  const std::vector<Point3>& executed = figure.executed.path_m;
  PathView view;
  if (!figure.planned_m.empty()) {
    view.low = view.high = figure.planned_m.front();
  } else if (!executed.empty()) {
    view.low = view.high = executed.front();
  }
  include(view, figure.planned_m);
  const bool is_step = size_of(view) == 0.0;
  include(view, figure.waypoints_m);
  if (figure.start_m) {
    include(view, *figure.start_m);
  } else if (!executed.empty()) {
    include(view, executed.front());
  }

  // what may be seen besides
  const double size = std::max(size_of(view), kLeastSize_m);
  PathView limit = view;
  for (std::size_t i = 0; i < 3; ++i) {
    limit.low[i] -= size * (is_step ? kAllowanceOfStep : kAllowance);
    limit.high[i] += size * (is_step ? kAllowanceOfStep : kAllowance);
  }
  view.is_left_by_executed = include_within(view, limit, executed);
  if (figure.reference) {
    view.is_left_by_reference = include_within(view, limit, figure.reference->path_m);
  }
  if (size_of(view) == 0.0) {
    view.high[0] += kLeastSize_m / 2.0;
    view.low[0] -= kLeastSize_m / 2.0;
  }
  return view;
}

PlanePoint Projection::operator()(const Point3& p) const {
  const PlanePoint middle{(frame.low[0] + frame.high[0]) / 2.0,
                          (frame.low[1] + frame.high[1]) / 2.0};
  return {middle[0] + across_sign * (p[across] - centre[across]) * pixels_per_m,
          middle[1] - (p[up] - centre[up]) * pixels_per_m};
}

double Projection::across_at(double pixel) const {
  const double middle = (frame.low[0] + frame.high[0]) / 2.0;
  return centre[across] + across_sign * (pixel - middle) / pixels_per_m;
}

double Projection::up_at(double pixel) const {
  const double middle = (frame.low[1] + frame.high[1]) / 2.0;
  return centre[up] - (pixel - middle) / pixels_per_m;
}

PathLayout layout_of(const PathView& view, double header_height) {
  // the wider of x and y runs across both views; y to the left keeps both right-handed: as seen
  // from above with x away from the reader, and as seen from behind
  const bool is_x_wider = view.extent(0) >= view.extent(1);
  PathLayout layout;
  Projection& top = layout.top;
  top.across = is_x_wider ? 0 : 1;
  top.up = is_x_wider ? 1 : 0;
  top.across_sign = is_x_wider ? 1.0 : -1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    top.centre[i] = (view.low[i] + view.high[i]) / 2.0;
  }
  layout.side = top;
  Projection& side = layout.side;
  side.up = 2;

  // one above the other or side by side, whichever shows more
  const double full_width = kWidth - kPageLeft - kRight;
  const double half_width = (full_width - kPageLeft) / 2.0;
  const double across_m = view.extent(top.across);
  const double top_m = view.extent(top.up);
  const double side_m = view.extent(2);
  const double stacked = std::min(scale_for(across_m, full_width - 2.0 * kPadding),
                                  scale_for(top_m + side_m, kStackedHeight - 4.0 * kPadding));
  const double beside =
      std::min(scale_for(across_m, half_width - 2.0 * kPadding),
               scale_for(std::max(top_m, side_m), kSideBySideHeight - 2.0 * kPadding));
  const bool is_stacked = stacked >= beside;
  top.pixels_per_m = side.pixels_per_m = std::max(stacked, beside);

  double y = header_height + kPanelHeader;
  const double top_height = frame_height(top_m, top.pixels_per_m);
  const double side_height = frame_height(side_m, side.pixels_per_m);
  if (is_stacked) {
    top.frame = frame_at(kPageLeft, y, full_width, top_height);
    y += top_height + kPanelFooter + kPanelHeader;
    side.frame = frame_at(kPageLeft, y, full_width, side_height);
    y += side_height;
  } else {
    const double height = std::max(top_height, side_height);
    top.frame = frame_at(kPageLeft, y, half_width, height);
    side.frame = frame_at(2.0 * kPageLeft + half_width, y, half_width, height);
    y += height;
  }
  y += kPanelFooter + kPanelHeader;
  layout.deviation = frame_at(kPageLeft, y, full_width, kDeviationHeight);
  layout.width = kWidth;
  layout.height = y + kDeviationHeight + kPanelFooter + kBottom;
  return layout;
}

}  // namespace longarm::record
