// SPDX-License-Identifier: Apache-2.0
// A report as the JSON document of its page.
#include <array>
#include <bit>
#include <cstdint>

#include "longarm/core/base64.h"
#include "longarm/study/json_values.h"
#include "longarm/study/report/figure_list.h"
#include "longarm/study/report/report_motion.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPlanPoints = 2000;

std::string samples(const std::vector<float>& values, double scale = 1.0) {
  std::string bytes;
  bytes.reserve(values.size() * 4);
  for (const float value : values) {
    const auto shown = static_cast<float>(static_cast<double>(value) * scale);
    const auto word = std::bit_cast<std::uint32_t>(shown);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(word >> shift & 0xffU);
    }
  }
  return base64(bytes);
}

Json about_json(const ReportAbout& about) {
  return {{"longarm_version", about.longarm_version},
          {"scenario", about.scenario},
          {"engine", about.engine},
          {"cut", about.cut},
          {"command", about.command},
          {"runs", about.runs},
          {"seeds", about.seeds},
          {"source", about.source},
          {"identity", about.identity},
          {"scenario_yaml", about.scenario_yaml},
          {"warnings", about.warnings}};
}

Json axis_json(const Report& report, std::size_t index) {
  const ReportAxis& axis = report.axes[index];
  Json out{{"key", axis.key},
           {"title", axis.title()},
           {"unit", axis.shown_in.name},
           {"scale", axis.shown_in.scale},
           {"is_numeric", axis.is_numeric()},
           {"values", Json::array()}};
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    out["values"].push_back({{"text", axis.values[i].shown},
                             {"name", value_name(report.axes, index, i)},
                             {"number", or_null(axis.values[i].number)}});
  }
  return out;
}

Json colours_json(const Report& report) {
  Json out{{"light", Json::array()}, {"dark", Json::array()}};
  for (const record::colour::Colour& colour : value_colours(report)) {
    out["light"].push_back(colour.light);
    out["dark"].push_back(colour.dark);
  }
  return out;
}

Json plan_json(const record::PlanGeometry& plan) {
  const std::size_t every = plan.path_m.size() / kMostPlanPoints + 1;
  std::array<std::vector<float>, 3> path;
  for (std::size_t i = 0; i < plan.path_m.size(); ++i) {
    if (i % every == 0 || i + 1 == plan.path_m.size()) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        path[axis].push_back(static_cast<float>(plan.path_m[i][axis]));
      }
    }
  }
  return {
      {"path_m", {{"x", samples(path[0])}, {"y", samples(path[1])}, {"z", samples(path[2])}}},
      {"waypoints_m", plan.waypoints_m},
      {"start_m", or_null(plan.start_m)},
      {"hold_start_s", or_null(plan.hold_start_s)},
  };
}

Json link_json(const Json& link) {
  Json out = Json::object();
  for (const char* direction : {"states", "commands"}) {
    out[direction] = nullptr;
    if (!link.contains(direction)) {
      continue;
    }
    const Json& figures = link[direction];
    Json& to = out[direction];
    for (const char* key : {"sent", "delivered", "dropped", "reordered", "delay_p50_s",
                            "delay_p99_s", "delay_max_s", "age_mean_s"}) {
      to[key] = figures.contains(key) ? figures[key] : Json(nullptr);
    }
    const bool has_histogram =
        figures.contains("delay_histogram") && figures["delay_histogram"].is_array();
    to["histogram"] = has_histogram ? figures["delay_histogram"] : Json::array();
  }
  return out;
}

/// From SI to the unit of its figure.
double scale_of(const Report& report, const std::string& curve) {
  for (const cell::CurveInfo& info :
       report.experiment ? report.experiment->curves : std::vector<cell::CurveInfo>{}) {
    if (info.name == curve) {
      return info.scale;
    }
  }
  return 1.0;
}

Json series_json(const ReportSeries& series, const Report& report) {
  const Curves curves =
      thinned(series.curves, report.kind == "run" ? kMostRunSamples : kMostStudySamples);
  Json out{{"label", series.label},
           {"point", series.point},
           {"is_reference", series.is_reference},
           {"verdict", series.verdict},
           {"ended", series.ended},
           {"start_s", curves.start_s},
           {"period_s", curves.period_s},
           {"count", curves.samples()}};
  if (!series.slice_of.empty()) {
    out["slice_of"] = Json::array();
    for (const std::optional<std::size_t>& step : series.slice_of) {
      out["slice_of"].push_back(or_null(step));
    }
  }
  out["curves"] = Json::object();
  for (std::size_t i = 0; i < curves.names.size(); ++i) {
    if (!curves.names[i].starts_with("position.")) {
      out["curves"][curves.names[i]] =
          samples(curves.columns[i], scale_of(report, curves.names[i]));
    }
  }
  out["positions"] =
      report.motion.is_null() ? Json(nullptr) : packed_positions(curves, joints_in(report.motion));
  out["poses"] = series.poses;
  out["link"] = series.link.is_object() ? link_json(series.link) : Json(nullptr);
  return out;
}

Json row_json(const SummaryRow& row) {
  Json out{{"point", row.point}, {"n", row.count}, {"verdicts", Json::object()}};
  const auto count = [&](const char* verdict, std::size_t runs) {
    if (runs > 0) {
      out["verdicts"][verdict] = runs;
    }
  };
  count("stable", row.stable);
  count("unstable", row.unstable);
  count("undecided", row.undecided);
  out["unstable_joint"] = or_null(row.unstable_joint);
  if (row.is_same_run) {
    out["is_same_run"] = true;
  }
  out["cells"] = Json::array();
  for (const std::optional<SummaryCell>& cell : row.cells) {
    if (!cell) {
      out["cells"].push_back(nullptr);
      continue;
    }
    Json& to = out["cells"].emplace_back(Json{{"mean", cell->mean}});
    to["low"] = cell->half_width ? Json(cell->mean - *cell->half_width) : Json(nullptr);
    to["high"] = cell->half_width ? Json(cell->mean + *cell->half_width) : Json(nullptr);
    to["n"] = cell->count;
  }
  return out;
}

template <typename List, typename ToJson>
Json array_of(const List& list, ToJson&& to) {
  Json out = Json::array();
  for (const auto& each : list) {
    out.push_back(to(each));
  }
  return out;
}

}  // namespace

Json to_json(const Report& report) {
  Json out{{"format", 1}, {"kind", report.kind}, {"title", report.title}};
  out["about"] = about_json(report.about);
  out["axes"] = Json::array();
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    out["axes"].push_back(axis_json(report, i));
  }
  out["primary"] = main_axis(report).value_or(0);
  out["focus"] = array_of(report.focus, [](const auto& step) { return or_null(step); });
  out["colours"] = colours_json(report);
  out["figures"] = figures_json(report);
  out["repeats"] = report.repeats ? Json{{"key", "seed"}, {"count", *report.repeats}} : Json();
  out["joints"] = report.joints;
  out["plan"] = report.plan ? plan_json(*report.plan) : Json(nullptr);
  out["motion"] = report.motion;
  if (report.experiment) {
    out["experiment"] = {{"kind", report.experiment->kind},
                         {"outcome", report.experiment->outcome}};
  }
  out["series"] = array_of(report.series,
                           [&](const ReportSeries& series) { return series_json(series, report); });
  out["columns"] =
      array_of(report.columns, [](const MetricColumn& column) { return to_json(column); });
  out["rows"] = array_of(report.rows, row_json);
  out["rows_left_out"] = report.rows_left_out;
  out["margins"] = report.margins;
  out["margin_remarks"] = report.margin_remarks;
  return out;
}

}  // namespace longarm::study
