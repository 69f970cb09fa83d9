// SPDX-License-Identifier: Apache-2.0
// Where the points of a study come from: arms, which are compared with a run without a link, or
// experiments, which stand for themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/scenario/load.h"
#include "longarm/study/point_answer.h"

namespace longarm::study {

/// What is known of a point before it runs.
struct PointFacts {
  std::string name;   ///< the scenario's
  std::string title;  ///< the scenario's
  std::string identity;
  std::string files_hash;  ///< of all files that it reads
  std::int64_t seed = 1;
};

/// A point that makes sense, ready to run.
class LoadedPoint {
 public:
  explicit LoadedPoint(PointFacts facts) : facts_(std::move(facts)) {}
  virtual ~LoadedPoint() = default;

  const PointFacts& facts() const { return facts_; }
  /// Simulates it and fills in the answer's rows. Throws InputError for what only shows then.
  void simulate(bool keeps_curves, PointAnswer& answer) const { do_simulate(keeps_curves, answer); }

  /// What a report needs of a study beside its runs, and under which name a store keeps it.
  struct Document {
    std::string name;
    nlohmann::ordered_json json;
  };
  Document document() const { return do_document(); }
  /// Metrics of table `results`.
  std::vector<std::string> metrics() const { return do_metrics(); }

 private:
  virtual void do_simulate(bool keeps_curves, PointAnswer& answer) const = 0;
  virtual Document do_document() const = 0;
  virtual std::vector<std::string> do_metrics() const = 0;

  PointFacts facts_;
};

/// Loads points of one scenario. Several threads may ask at once.
class PointSource {
 public:
  virtual ~PointSource() = default;

  /// Throws InputError.
  virtual std::unique_ptr<LoadedPoint> load(const scenario::LoadOptions& options) const = 0;
  /// What can be told without planning and simulating. Throws InputError.
  virtual void check_values(const scenario::LoadOptions& options) const = 0;
  /// Whether another value of this key may be another file, though it does not look like one.
  virtual bool may_name_files(const std::string& key) const = 0;
  /// Called once, before anything runs: references have the seed of this point.
  virtual void set_first(const PointFacts&) {}
};

std::unique_ptr<PointSource> arm_points(const std::string& scenario,
                                        const scenario::Plugins& plugins);
std::unique_ptr<PointSource> experiment_points(const std::string& scenario,
                                               const scenario::Plugins& plugins);
/// Whichever of the two it is.
std::unique_ptr<PointSource> points_of(const std::string& scenario,
                                       const scenario::Plugins& plugins);

}  // namespace longarm::study
