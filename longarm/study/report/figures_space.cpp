// SPDX-License-Identifier: Apache-2.0
// Projects points and draws the box around them.
#include "longarm/study/report/figures_space.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::study {
namespace {

using record::PlanePoint;
using record::Point3;
using record::SvgDrawing;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kElevation_rad = 28.0 * kDegree;
constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

/// Unit vector from a to b, or nothing much.
PlanePoint direction(const PlanePoint& a, const PlanePoint& b) {
  const double length = std::max(std::hypot(b[0] - a[0], b[1] - a[1]), 1e-9);
  return {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
}

}  // namespace

void SpaceBox::include(const Point3& p) {
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = std::min(low[i], p[i]);
    high[i] = std::max(high[i], p[i]);
  }
}

bool SpaceBox::contains(const Point3& p) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(p[i] >= low[i] && p[i] <= high[i])) {
      return false;
    }
  }
  return true;
}

double SpaceBox::size() const {
  return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

void SpaceBox::widen(double by_m) {
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] -= by_m;
    high[i] += by_m;
  }
}

void SpaceBox::deepen(double least_m) {
  for (std::size_t i = 0; i < 3; ++i) {
    const double missing = std::max(0.0, least_m - (high[i] - low[i]));
    low[i] -= missing / 2.0;
    high[i] += missing / 2.0;
  }
}

SpaceView::SpaceView(const SpaceBox& box, const record::PlaneBox& frame)
    : box_(box), frame_(frame) {
  // the wider of x and y runs mostly across
  const bool is_x_wider = box.high[0] - box.low[0] > box.high[1] - box.low[1];
  azimuth_rad_ = (is_x_wider ? -62.0 : 28.0) * kDegree;
  record::PlaneBox seen{{1e300, 1e300}, {-1e300, -1e300}};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const PlanePoint p = flat({(corner & 1U) != 0 ? box.high[0] : box.low[0],
                               (corner & 2U) != 0 ? box.high[1] : box.low[1],
                               (corner & 4U) != 0 ? box.high[2] : box.low[2]});
    for (std::size_t i = 0; i < 2; ++i) {
      seen.low[i] = std::min(seen.low[i], p[i]);
      seen.high[i] = std::max(seen.high[i], p[i]);
    }
  }
  scale_ = std::min((frame.high[0] - frame.low[0]) / (seen.high[0] - seen.low[0]),
                    (frame.high[1] - frame.low[1]) / (seen.high[1] - seen.low[1]));
  for (std::size_t i = 0; i < 2; ++i) {
    shift_[i] = (frame.low[i] + frame.high[i]) / 2.0 - scale_ * (seen.low[i] + seen.high[i]) / 2.0;
  }
}

/// Metres on the page, up is down as pixels are.
PlanePoint SpaceView::flat(const Point3& p) const {
  const double towards = p[0] * std::cos(azimuth_rad_) + p[1] * std::sin(azimuth_rad_);
  return {-p[0] * std::sin(azimuth_rad_) + p[1] * std::cos(azimuth_rad_),
          towards * std::sin(kElevation_rad) - p[2] * std::cos(kElevation_rad)};
}

PlanePoint SpaceView::operator()(const Point3& p) const {
  const PlanePoint at = flat(p);
  return {shift_[0] + scale_ * at[0], shift_[1] + scale_ * at[1]};
}

SpaceView SpaceView::magnified(const PlanePoint& centre, const record::PlaneBox& frame,
                               double factor) const {
  SpaceView view = *this;
  view.frame_ = frame;
  view.scale_ = scale_ * factor;
  for (std::size_t i = 0; i < 2; ++i) {
    const double middle = (frame.low[i] + frame.high[i]) / 2.0;
    view.shift_[i] = middle - factor * (centre[i] - shift_[i]);
  }
  return view;
}

void SpaceView::draw_box(SvgDrawing& svg) const {
  draw_floor(svg);
  draw_floor_ticks(svg, 0);
  draw_floor_ticks(svg, 1);
  draw_height_ticks(svg);
}

record::Ticks SpaceView::ticks_along(std::size_t axis) const {
  Point3 end = box_.low;
  end[axis] = box_.high[axis];
  const PlanePoint a = (*this)(box_.low);
  const PlanePoint b = (*this)(end);
  const double length_px = std::hypot(b[0] - a[0], b[1] - a[1]);
  return record::ticks_between(box_.low[axis], box_.high[axis], std::max(1.0, length_px / 45.0));
}

void SpaceView::draw_floor(SvgDrawing& svg) const {
  const double z = box_.low[2];
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::size_t other = 1 - axis;
    const auto line_at = [&](double value, std::string_view colour) {
      Point3 a{0.0, 0.0, z};
      a[axis] = value;
      Point3 b = a;
      a[other] = box_.low[other];
      b[other] = box_.high[other];
      svg.line((*this)(a), (*this)(b), colour, 1.0);
    };
    for (const double value : ticks_along(axis).values) {
      line_at(value, record::colour::kGrid);
    }
    line_at(box_.low[axis], record::colour::kFrame);
    line_at(box_.high[axis], record::colour::kFrame);
  }
}

/// Along the floor's edge that is nearer to the reader.
void SpaceView::draw_floor_ticks(SvgDrawing& svg, std::size_t axis) const {
  const std::size_t other = 1 - axis;
  const double towards = other == 0 ? std::cos(azimuth_rad_) : std::sin(azimuth_rad_);
  const auto point_at = [&](double value, bool is_near) {
    Point3 p{0.0, 0.0, box_.low[2]};
    p[axis] = value;
    p[other] = (towards > 0.0) == is_near ? box_.high[other] : box_.low[other];
    return (*this)(p);
  };
  const record::Ticks ticks = ticks_along(axis);
  const auto label = [&](double value, double distance, const std::string& words,
                         std::string_view colour) {
    const PlanePoint edge = point_at(value, true);
    const PlanePoint out = direction(point_at(value, false), edge);
    svg.text({edge[0] + distance * out[0], edge[1] + distance * out[1] + 4.0}, words,
             {.colour = colour, .anchor = "middle"});
  };
  for (const double value : ticks.values) {
    label(value, 18.0, ticks.label(value), record::colour::kFaintInk);
  }
  // words are wider than high
  const double middle = (box_.low[axis] + box_.high[axis]) / 2.0;
  const PlanePoint out = direction(point_at(middle, false), point_at(middle, true));
  label(middle, 36.0 + 26.0 * std::abs(out[0]), fmt::format("{} in m", kAxisNames[axis]),
        record::colour::kInk);
}

/// At the corner farthest to the left.
void SpaceView::draw_height_ticks(SvgDrawing& svg) const {
  Point3 corner = box_.low;
  for (unsigned i = 0; i < 4; ++i) {
    const Point3 p{(i & 1U) != 0 ? box_.high[0] : box_.low[0],
                   (i & 2U) != 0 ? box_.high[1] : box_.low[1], box_.low[2]};
    corner = (*this)(p)[0] < (*this)(corner)[0] ? p : corner;
  }
  const auto at = [&](double z) { return (*this)({corner[0], corner[1], z}); };
  svg.line(at(box_.low[2]), at(box_.high[2]), record::colour::kFrame, 1.0);
  const record::Ticks ticks = ticks_along(2);
  for (const double value : ticks.values) {
    const PlanePoint p = at(value);
    svg.line(p, {p[0] - 5.0, p[1]}, record::colour::kFrame, 1.0);
    svg.text({p[0] - 9.0, p[1] + 4.0}, ticks.label(value),
             {.colour = record::colour::kFaintInk, .anchor = "end"});
  }
  const PlanePoint middle = at((box_.low[2] + box_.high[2]) / 2.0);
  svg.text({middle[0] - 46.0, middle[1]}, "z in m",
           {.colour = record::colour::kInk, .anchor = "middle", .is_upright = true});
}

}  // namespace longarm::study
