// SPDX-License-Identifier: Apache-2.0
// The figure of an experiment's curves: names that would not fit beside each other stand in lines.
#include "longarm/cell/curves_figure.h"

#include <gtest/gtest.h>

namespace longarm::cell {
namespace {

/// The y of a text in an SVG document, as it is written; empty if there is no such text.
std::string height_of(const std::string& svg, const std::string& text) {
  const std::size_t end = svg.find(">" + text + "<");
  const std::size_t begin = svg.rfind(" y=\"", end);
  return end == std::string::npos ? "" : svg.substr(begin, svg.find('"', begin + 4) - begin);
}

std::string figure_of(const std::vector<std::string>& labels) {
  CurveTable table;
  table.time_s = {0.0, 1.0};
  for (const std::string& label : labels) {
    table.curves.push_back({label, label, "mm", 1e3});
    table.values.push_back({0.0, 0.001});
  }
  return draw_curves(table, "title");
}

TEST(CurvesFigure, StacksNamesThatDoNotFitBesideEachOther) {
  // of 790 pixels at 7 a letter: two names of 50 letters and a gap each fit (748), three do not
  const std::vector<std::string> names{std::string(50, 'a'), std::string(50, 'b'),
                                       std::string(50, 'c')};
  const std::string svg = figure_of(names);
  ASSERT_NE(height_of(svg, names[0]), "");
  EXPECT_EQ(height_of(svg, names[0]), height_of(svg, names[1]));
  EXPECT_NE(height_of(svg, names[0]), height_of(svg, names[2]));
}

TEST(CurvesFigure, KeepsShortNamesOnOneLine) {
  const std::string svg = figure_of({"one", "two", "three"});
  ASSERT_NE(height_of(svg, "one"), "");
  EXPECT_EQ(height_of(svg, "one"), height_of(svg, "two"));
  EXPECT_EQ(height_of(svg, "one"), height_of(svg, "three"));
}

}  // namespace
}  // namespace longarm::cell
