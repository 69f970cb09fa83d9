// SPDX-License-Identifier: Apache-2.0
// The experiment's own list of curves and metrics, to JSON and back.
#include "longarm/study/report/report_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/cell/load_scenario.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;
using cell::CurveInfo;
using cell::MetricInfo;

double usable_scale(double scale) {
  return std::isfinite(scale) && scale != 0.0 ? scale : 1.0;
}

}  // namespace

bool StudyFigures::operator==(const StudyFigures& other) const {
  return to_json(*this) == to_json(other);
}

StudyFigures figures_of(const cell::PreparedScenario& prepared) {
  const cell::Figures figures = prepared.cell().figures();
  StudyFigures out{"cell",          prepared.scenario.title, figures.curves,  {},
                   figures.outcome, figures.outcome_is_good, figures.headline};
  const auto has = [&](const std::string& name) {
    return std::any_of(out.columns.begin(), out.columns.end(),
                       [&](const MetricColumn& column) { return column.name == name; });
  };
  for (const MetricInfo& metric : figures.metrics) {
    if (!has(metric.name)) {
      out.columns.push_back({metric});
    }
  }
  // whatever is drawn is in the tables, too
  for (const MetricInfo& metric : figures.metrics) {
    if (!metric.expected.empty() && !has(metric.expected)) {
      const auto place = std::find_if(out.columns.begin(), out.columns.end(),
                                      [&](const auto& each) { return each.name == metric.name; });
      out.columns.insert(std::next(place), {{metric.expected, metric.label + ", closed form",
                                             metric.unit, metric.scale, metric.digits}});
    }
  }
  if (!figures.outcome.empty() && !has(figures.outcome)) {
    out.columns.insert(
        out.columns.begin(),
        {{figures.outcome, figures.outcome.substr(figures.outcome.rfind('.') + 1), "", 1.0, 0}});
  }
  return out;
}

Json to_json(const StudyFigures& figures) {
  Json out{{"kind", figures.kind}, {"title", figures.title}};
  out["curves"] = Json::array();
  for (const CurveInfo& curve : figures.curves) {
    out["curves"].push_back({{"name", curve.name},
                             {"label", curve.label},
                             {"unit", curve.unit},
                             {"scale", curve.scale}});
  }
  out["metrics"] = Json::array();
  for (const MetricColumn& column : figures.columns) {
    out["metrics"].push_back(to_json(column));
  }
  out["outcome"] = figures.outcome;
  out["outcome_is_good"] = figures.outcome_is_good;
  out["headline"] = figures.headline;
  return out;
}

Json figures_document(const cell::PreparedScenario& prepared) {
  return to_json(figures_of(prepared));
}

std::optional<StudyFigures> read_figures_document(const Json& document) {
  try {
    StudyFigures figures;
    figures.kind = document.at("kind").get<std::string>();
    figures.title = document.at("title").get<std::string>();
    for (const Json& curve : document.at("curves")) {
      figures.curves.push_back({curve.at("name"), curve.at("label"), curve.at("unit"),
                                usable_scale(curve.at("scale").get<double>())});
    }
    for (const Json& metric : document.at("metrics")) {
      figures.columns.push_back(
          {{metric.at("name"), metric.at("label"), metric.at("unit"),
            usable_scale(metric.at("scale").get<double>()),
            std::clamp(metric.at("digits").get<int>(), 0, 17), metric.value("expected", "")}});
    }
    figures.outcome = document.at("outcome").get<std::string>();
    figures.outcome_is_good = document.value("outcome_is_good", true);
    figures.headline = std::clamp<std::size_t>(document.value("headline", figures.headline), 1, 32);
    return figures;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<StudyFigures> figures_of(const Store& store) {
  return read_figures_document(store.document(kFiguresDocument).value_or(Json::object()));
}

std::string outcome_text(double mean, std::size_t count) {
  return mean == 1.0   ? "yes"
         : mean == 0.0 ? "no"
                       : fmt::format("{:.0f} of {}", mean * static_cast<double>(count), count);
}

MetricColumn real_time_factor_column() {
  return {{kRealTimeFactor, "real-time factor", "×", 1.0, 2}, true};
}

std::vector<MetricColumn> shown_columns(const std::optional<StudyFigures>& figures) {
  if (!figures) {
    return metric_column_labels();
  }
  std::vector<MetricColumn> columns = figures->columns;
  std::erase_if(columns, [](const MetricColumn& column) { return column.name == kRealTimeFactor; });
  columns.push_back(real_time_factor_column());
  return columns;
}

}  // namespace longarm::study
