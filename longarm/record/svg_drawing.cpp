// SPDX-License-Identifier: Apache-2.0
// Writes SVG elements.
#include "longarm/record/svg_drawing.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

namespace longarm::record {
namespace {

std::string escape(std::string_view words) {
  std::string out;
  for (const char c : words) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML 1.0 has no way to write control characters
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

long tenths(double value) {
  return std::lround(value * 10.0);
}

std::string format_tenths(long value) {
  const long size = std::abs(value);
  std::string out = fmt::format("{}{}", value < 0 ? "-" : "", size / 10);
  if (size % 10 != 0) {
    out += fmt::format(".{}", size % 10);
  }
  return out;
}

std::string dash_attribute(std::string_view dashes) {
  return dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

/// Steps between rounded places, so that rounding does not add up along the way.
void append_run(std::string& out, const Polyline& run) {
  long x = tenths(run.front()[0]);
  long y = tenths(run.front()[1]);
  out += fmt::format("M{} {}l", format_tenths(x), format_tenths(y));
  bool is_first = true;
  for (const PlanePoint& point : std::span(run).subspan(1)) {
    const long next_x = tenths(point[0]);
    const long next_y = tenths(point[1]);
    for (const long step : {next_x - x, next_y - y}) {
      out += is_first || step < 0 ? "" : " ";
      out += format_tenths(step);
      is_first = false;
    }
    x = next_x;
    y = next_y;
  }
}

}  // namespace

std::string format_pixels(double value) {
  return format_tenths(tenths(value));
}

SvgDrawing::SvgDrawing(double width, double height, std::string_view title) {
  const std::string w = format_pixels(width);
  const std::string h = format_pixels(height);
  text_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{}\" "
      "viewBox=\"0 0 {} {}\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
      "<title>{}</title>\n",
      w, h, w, h, escape(title));
  rectangle({{0.0, 0.0}, {width, height}}, colour::kPaper);
}

void SvgDrawing::rectangle(const PlaneBox& box, std::string_view fill, std::string_view stroke,
                           double opacity) {
  fmt::format_to(std::back_inserter(text_),
                 "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\"",
                 format_pixels(box.low[0]), format_pixels(box.low[1]),
                 format_pixels(box.high[0] - box.low[0]), format_pixels(box.high[1] - box.low[1]),
                 fill, stroke);
  text_ += opacity < 1.0 ? fmt::format(" fill-opacity=\"{:g}\"/>\n", opacity) : "/>\n";
}

void SvgDrawing::line(const PlanePoint& a, const PlanePoint& b, std::string_view stroke,
                      double width, std::string_view dashes) {
  fmt::format_to(std::back_inserter(text_),
                 "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" "
                 "stroke-width=\"{}\"{}/>\n",
                 format_pixels(a[0]), format_pixels(a[1]), format_pixels(b[0]), format_pixels(b[1]),
                 stroke, format_pixels(width), dash_attribute(dashes));
}

void SvgDrawing::circle(const PlanePoint& centre, double radius, std::string_view fill,
                        std::string_view stroke) {
  fmt::format_to(std::back_inserter(text_),
                 "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n",
                 format_pixels(centre[0]), format_pixels(centre[1]), format_pixels(radius), fill,
                 stroke);
}

void SvgDrawing::symbol(Symbol kind, const PlanePoint& at, double area, std::string_view fill,
                        std::string_view stroke) {
  if (kind == Symbol::kCircle) {
    circle(at, std::sqrt(area / std::numbers::pi), fill, stroke);
    return;
  }
  // as d3-shape has them
  const double side = std::sqrt(area) / 2.0;
  const double rise = std::sqrt(area / (3.0 * std::numbers::sqrt3));
  const double tall = std::sqrt(area * std::numbers::sqrt3 / 2.0);
  const double wide = tall / std::numbers::sqrt3;
  const Polyline corners =
      kind == Symbol::kSquare ? Polyline{{-side, -side}, {side, -side}, {side, side}, {-side, side}}
      : kind == Symbol::kTriangle ? Polyline{{0.0, -2.0 * rise},
                                             {-std::numbers::sqrt3 * rise, rise},
                                             {std::numbers::sqrt3 * rise, rise}}
                                  : Polyline{{0.0, -tall}, {wide, 0.0}, {0.0, tall}, {-wide, 0.0}};
  text_ += "<polygon points=\"";
  for (const PlanePoint& corner : corners) {
    fmt::format_to(std::back_inserter(text_), "{},{} ", format_pixels(at[0] + corner[0]),
                   format_pixels(at[1] + corner[1]));
  }
  text_.back() = '"';
  fmt::format_to(std::back_inserter(text_), " fill=\"{}\" stroke=\"{}\"/>\n", fill, stroke);
}

void SvgDrawing::text(const PlanePoint& at, std::string_view words, const TextStyle& style) {
  const std::string x = format_pixels(at[0]);
  const std::string y = format_pixels(at[1]);
  fmt::format_to(std::back_inserter(text_),
                 "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}>{}"
                 "</text>\n",
                 x, y, format_pixels(style.size_px), style.colour, style.anchor,
                 style.is_bold ? " font-weight=\"bold\"" : "",
                 style.is_upright ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "",
                 escape(words));
}

void SvgDrawing::path(std::string_view name, std::span<const Polyline> runs,
                      std::string_view stroke, double width, std::string_view dashes,
                      double opacity) {
  if (runs.empty()) {
    return;
  }
  fmt::format_to(std::back_inserter(text_),
                 "<path id=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
                 "stroke-linejoin=\"round\" stroke-linecap=\"{}\"{}{} d=\"",
                 name, stroke, format_pixels(width), dashes.empty() ? "round" : "butt",
                 dash_attribute(dashes),
                 opacity < 1.0 ? fmt::format(" stroke-opacity=\"{:g}\"", opacity) : "");
  for (const Polyline& run : runs) {
    append_run(text_, run);
  }
  text_ += "\"/>\n";
}

void SvgDrawing::begin_clip(std::string_view name, const PlaneBox& box) {
  text_ += fmt::format("<clipPath id=\"{}\">", name);
  rectangle(box, "none");
  text_ += fmt::format("</clipPath>\n<g clip-path=\"url(#{})\">\n", name);
}

void SvgDrawing::end_clip() {
  text_ += "</g>\n";
}

std::string SvgDrawing::finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

std::string tick_label(double value) {
  return fmt::format("{}{:.6g}", value < 0.0 ? "\u2212" : "", std::abs(value));
}

Ticks ticks_between(double low, double high, double count) {
  const double wanted = (high - low) / count;
  const int exponent = static_cast<int>(std::floor(std::log10(wanted)));
  const double power = std::pow(10.0, exponent);
  Ticks ticks;
  // the nearest by ratio, as d3 has it
  const double times = wanted / power;
  ticks.step = power * (times >= std::sqrt(50.0)   ? 10.0
                        : times >= std::sqrt(10.0) ? 5.0
                        : times >= std::sqrt(2.0)  ? 2.0
                                                   : 1.0);
  // counted in whole steps: no drift, and zero is zero
  const double slack = 1e-9;
  const auto first = static_cast<long>(std::ceil(low / ticks.step - slack));
  const auto last = static_cast<long>(std::floor(high / ticks.step + slack));
  for (long i = first; i <= last; ++i) {
    ticks.values.push_back(static_cast<double>(i) * ticks.step);
  }
  return ticks;
}

}  // namespace longarm::record
