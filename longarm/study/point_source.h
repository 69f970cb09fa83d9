// SPDX-License-Identifier: Apache-2.0
// Where the points of a study come from: one scenario with other values. Each is compared with the
// same run without its network.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/cell/reference.h"
#include "longarm/study/point_answer.h"

namespace longarm::study {

/// Runs that others are compared with: the few that are in use, as a study's points come in an
/// order that needs few.
class References {
 public:
  struct Entry {
    std::string identity;
    std::once_flag is_made;
    std::shared_ptr<const cell::Reference> run;
  };
  std::shared_ptr<Entry> of(const std::string& identity);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> list_;
};

/// A point that makes sense, ready to run.
class LoadedPoint {
 public:
  LoadedPoint(cell::PreparedScenario prepared, References& references)
      : prepared_(std::move(prepared)), references_(references) {}

  const cell::PreparedScenario& prepared() const { return prepared_; }
  /// Simulates it and fills in the answer's rows. Throws InputError for what only shows then.
  void simulate(bool keeps_curves, PointAnswer& answer) const;

  /// What a report needs of a study beside its runs, and under which names a store keeps it.
  struct Document {
    std::string name;
    nlohmann::ordered_json json;
  };
  std::vector<Document> documents() const;
  /// Metrics of table `results`.
  std::vector<std::string> metrics() const;

 private:
  cell::PreparedScenario prepared_;
  References& references_;
};

/// Loads points of one scenario. Several threads may ask at once.
class PointSource {
 public:
  PointSource(std::string scenario, const cell::Plugins& plugins)
      : scenario_(std::move(scenario)), plugins_(plugins) {}

  /// Throws InputError.
  std::unique_ptr<LoadedPoint> load(const cell::LoadOptions& options) const;
  /// What can be told without planning and simulating. Throws InputError.
  void check_values(const cell::LoadOptions& options) const;

 private:
  std::string scenario_;
  const cell::Plugins& plugins_;
  mutable References references_;
};

}  // namespace longarm::study
