// SPDX-License-Identifier: Apache-2.0
// Experiments: a run is measured by itself, and the clock runs only while it steps.
#include <algorithm>
#include <chrono>
#include <utility>

#include "longarm/experiments/run_experiment.h"
#include "longarm/study/curves.h"
#include "longarm/study/point_source.h"
#include "longarm/study/report/report_figures.h"

namespace longarm::study {
namespace {

using experiments::PreparedExperiment;

PointFacts facts_of(const PreparedExperiment& prepared) {
  return {prepared.name, prepared.scenario.title, prepared.identity, prepared.files_hash,
          prepared.scenario.seed};
}

/// Columns for the kind's curves, and how long to step between two samples.
struct Sampling {
  Curves curves;
  Duration every{};
  std::vector<double> values;

  Sampling(const PreparedExperiment& prepared, Duration length) {
    const Duration step = prepared.scenario.physics_period;
    const std::int64_t steps = length / step;
    every = step * std::max<std::int64_t>(1, (steps + CurveRecorder::kSamples - 1) /
                                                 std::int64_t{CurveRecorder::kSamples});
    curves.start_s = curves.period_s = to_seconds(every);
    for (const experiments::CurveInfo& curve : prepared.scenario.model->figures().curves) {
      curves.names.push_back(curve.name);
    }
    curves.columns.resize(curves.names.size());
    values.resize(curves.names.size());
  }

  void take(const experiments::Experiment& experiment) {
    experiment.sample(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      curves.columns[i].push_back(static_cast<float>(values[i]));
    }
  }
};

class ExperimentPoint final : public LoadedPoint {
 public:
  explicit ExperimentPoint(PreparedExperiment prepared)
      : LoadedPoint(facts_of(prepared)), prepared_(std::move(prepared)) {}

 private:
  void do_simulate(bool keeps_curves, PointAnswer& answer) const override {
    experiments::ExperimentRun run(prepared_);
    Sampling sampling(prepared_, run.end().time_since_epoch());
    std::chrono::duration<double> wall{};
    while (!run.is_over()) {
      const Time next = run.now() + sampling.every;
      const auto begin = std::chrono::steady_clock::now();
      run.run_until(next);
      wall += std::chrono::steady_clock::now() - begin;
      // the last samples of a run that ended early would not be equally spaced
      if (run.now() == next && keeps_curves) {
        sampling.take(run.experiment());
      }
    }
    RunRow row;
    row.identity = prepared_.identity;
    row.scenario = to_yaml(prepared_.scenario, prepared_.plugins);
    row.metrics = run.results();
    row.curves = keeps_curves && !sampling.curves.names.empty() ? pack(sampling.curves) : "";
    row.wall_s = wall.count();
    answer.row = std::move(row);
  }
  Document do_document() const override { return {kFiguresDocument, figures_document(prepared_)}; }
  std::vector<std::string> do_metrics() const override {
    std::vector<std::string> names;
    for (const MetricColumn& column : figures_of(prepared_).columns) {
      names.push_back(column.name);
    }
    return names;
  }

  PreparedExperiment prepared_;
};

class ExperimentPoints final : public PointSource {
 public:
  ExperimentPoints(std::string scenario, const scenario::Plugins& plugins)
      : scenario_(std::move(scenario)), plugins_(plugins) {}

  std::unique_ptr<LoadedPoint> load(const scenario::LoadOptions& options) const override {
    return std::make_unique<ExperimentPoint>(
        experiments::load_experiment(scenario_, options, plugins_));
  }
  void check_values(const scenario::LoadOptions& options) const override {
    experiments::load_experiment(scenario_, options, plugins_);
  }
  /// Kinds have keys of their own, and loading one is quick.
  bool may_name_files(const std::string&) const override { return true; }

 private:
  std::string scenario_;
  const scenario::Plugins& plugins_;
};

}  // namespace

std::unique_ptr<PointSource> experiment_points(const std::string& scenario,
                                               const scenario::Plugins& plugins) {
  return std::make_unique<ExperimentPoints>(scenario, plugins);
}

std::unique_ptr<PointSource> points_of(const std::string& scenario,
                                       const scenario::Plugins& plugins) {
  return experiments::is_experiment(scenario) ? experiment_points(scenario, plugins)
                                              : arm_points(scenario, plugins);
}

}  // namespace longarm::study
