// SPDX-License-Identifier: Apache-2.0
// Flattens results into lines.
#include "longarm/study/report/export.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/study/report/report_axis.h"
#include "longarm/study/report/report_figures.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

using CsvFields = std::vector<std::string>;

std::string csv_line(const CsvFields& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  }
  return line + "\r\n";
}

/// Names of keys and what they are worth, from all depths; lists are left as JSON.
void flatten(const Json& value, const std::string& name,
             const std::function<void(const std::string&, std::string)>& visit) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      flatten(inner, name.empty() ? key : name + "." + key, visit);
    }
  } else if (value.is_number_float()) {
    visit(name, format_number(value.get<double>()));
  } else if (value.is_string()) {
    visit(name, value.get<std::string>());
  } else {
    visit(name, value.is_null() ? std::string() : value.dump());
  }
}

/// Throws InputError that names the run.
Json metrics_of(const Store& store, const std::string& identity) {
  Json metrics = store.metrics(identity).value_or(Json::object());
  if (!metrics.is_object()) {
    throw InputError(Diagnostic{{store.file().string()},
                                fmt::format("the metrics of run {} are damaged", identity),
                                "remove --all-metrics to export without them"});
  }
  return metrics;
}

/// A column for each key: keys that change together are written together, "5ms/effort".
struct AxisColumns {
  CsvFields keys;
  std::vector<CsvFields> values;  ///< per step, one per key
};

AxisColumns texts_of(const ReportAxis& axis) {
  CsvFields texts;
  AxisColumns columns{{axis.key}, {}};
  for (const ReportAxis::Value& value : axis.values) {
    texts.push_back(value.text);
    columns.values.push_back({value.text});
  }
  if (axis.key.find(',') == std::string::npos) {
    return columns;
  }
  try {
    Axis split = make_axis(axis.key, texts, {});
    return {std::move(split.keys), std::move(split.values)};
  } catch (const InputError&) {
    return columns;  // a value with a slash of its own
  }
}

/// Durations as seconds, under the name that the database's view of results has for them too:
/// link.delay_s. Plain numbers and words stay as they were asked.
AxisColumns columns_of(const ReportAxis& axis) {
  AxisColumns columns = texts_of(axis);
  for (std::size_t key = 0; key < columns.keys.size(); ++key) {
    const auto is_each = [&](const auto& is_such) {
      return std::all_of(columns.values.begin(), columns.values.end(),
                         [&](const CsvFields& step) { return is_such(step[key]); });
    };
    const bool are_plain =
        is_each([](const std::string& text) { return parse_number(text).has_value(); });
    const bool are_durations =
        is_each([](const std::string& text) { return parse_duration(text).has_value(); });
    if (are_plain || !are_durations) {
      continue;
    }
    columns.keys[key] += "_s";
    for (CsvFields& step : columns.values) {
      step[key] = format_number(to_seconds(*parse_duration(step[key])));
    }
  }
  return columns;
}

/// Names that any run has, in the order in which they first appear.
CsvFields all_metric_names(const Store& store, const CsvFields& known) {
  CsvFields names;
  std::set<std::string> seen(known.begin(), known.end());
  store.for_each_result([&](const ResultRow& row) {
    flatten(metrics_of(store, row.identity), "", [&](const std::string& name, const std::string&) {
      if (seen.insert(name).second) {
        names.push_back(name);
      }
    });
  });
  return names;
}

void append_all_metrics(CsvFields& fields, const Json& metrics, const CsvFields& names) {
  std::map<std::string, std::string> values;
  flatten(metrics, "",
          [&](const std::string& name, std::string value) { values[name] = std::move(value); });
  for (const std::string& name : names) {
    const auto found = values.find(name);
    fields.push_back(found == values.end() ? "" : found->second);
  }
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::size_t export_csv(const Store& store, const ExportOptions& options,
                       const std::function<void(const std::string& line)>& write) {
  const std::optional<StudyQuestion> question = store.question();
  if (!question) {
    throw InputError(Diagnostic{
        {store.file().string()}, "this study has no runs yet", "run longarm sweep first"});
  }
  const std::vector<ReportAxis> axes = read_axes(question->axes);
  const std::optional<StudyFigures> figures = figures_of(store);
  CsvFields metrics = figures ? names_of(figures->columns) : metric_columns();
  CsvFields heading;
  std::vector<AxisColumns> columns;
  for (const ReportAxis& axis : axes) {
    columns.push_back(columns_of(axis));
    heading.insert(heading.end(), columns.back().keys.begin(), columns.back().keys.end());
  }
  if (!figures) {
    heading.insert(heading.end(), {"verdict", "unstable_joint"});
  }
  heading.emplace_back("ended");
  heading.insert(heading.end(), metrics.begin(), metrics.end());
  CsvFields more;
  if (options.has_all_metrics) {
    CsvFields known = heading;
    known.insert(known.end(), {"state_hash", "identity"});
    more = all_metric_names(store, known);
    heading.insert(heading.end(), more.begin(), more.end());
  }
  heading.insert(heading.end(), {"state_hash", "identity"});
  if (options.has_machine) {
    heading.push_back(std::string("machine.") + kRealTimeFactor);
    metrics.emplace_back(kRealTimeFactor);
  }
  write(csv_line(heading));

  std::size_t runs = 0;
  try {
    store.for_each_result(metrics, [&](const ResultRow& row) {
      CsvFields fields;
      check_point(axes, row.values, row.identity);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const CsvFields& values = columns[i].values[row.values[i]];
        fields.insert(fields.end(), values.begin(), values.end());
      }
      if (!figures) {
        fields.insert(fields.end(), {row.verdict, row.unstable_joint});
      }
      fields.push_back(row.ended);
      CsvFields numbers;
      for (const std::optional<double>& metric : row.metrics) {
        numbers.push_back(metric ? format_number(*metric) : "");
      }
      const std::string of_machine = options.has_machine ? numbers.back() : "";
      numbers.resize(numbers.size() - (options.has_machine ? 1 : 0));
      fields.insert(fields.end(), numbers.begin(), numbers.end());
      if (options.has_all_metrics) {
        append_all_metrics(fields, metrics_of(store, row.identity), more);
      }
      fields.insert(fields.end(), {row.state_hash, row.identity});
      if (options.has_machine) {
        fields.push_back(of_machine);
      }
      write(csv_line(fields));
      ++runs;
    });
  } catch (const Json::exception&) {
    throw InputError(Diagnostic{{store.file().string()},
                                fmt::format("the grid is damaged after {} runs", runs),
                                "repeat it: longarm sweep …"});
  }
  return runs;
}

}  // namespace longarm::study
