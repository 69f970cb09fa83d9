// SPDX-License-Identifier: Apache-2.0
// A cell at work: the world, its actors, and the failures that befall them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/prepared_cell.h"

namespace longarm::cell {

/// One run. Owns everything it needs; several may run at once in threads of their own.
class CellRun {
 public:
  /// Throws ActorError or InputError for what only shows now.
  CellRun(const PreparedCell& prepared, const CellContext& context);
  ~CellRun();
  CellRun(const CellRun&) = delete;
  CellRun& operator=(const CellRun&) = delete;

  /// One period of the engine. After a failure() it does nothing.
  void step();
  const std::optional<std::string>& failure() const { return failure_; }
  /// Whether every actor with an opinion says that there is nothing left to do.
  bool is_done() const { return is_done_; }

  World& world() { return *world_; }
  const World& world() const { return *world_; }
  /// By name; null if there is none.
  Actor* find(const std::string& actor) const;

  /// Of all actors that have one, in the order of the file; what belongs to whom is in names.
  std::vector<model::Vector3> tracked_points() const;
  std::vector<std::string> tracked_names() const;
  /// The present values of the cell's curves.
  void sample(std::span<double> out) const;
  nlohmann::ordered_json results() const;
  std::vector<std::string> warnings() const;
  std::vector<ResultFile> files() const;
  void close();

 private:
  void make_actors(const PreparedCell& prepared);
  void schedule_failures();

  CellConfig config_;
  Duration length_;
  std::vector<Failure> failures_;
  std::unique_ptr<World> world_;
  std::vector<std::unique_ptr<Actor>> actors_;  ///< in the order of the file
  std::vector<std::size_t> order_;
  std::vector<std::size_t> curves_;    ///< how many each has
  std::vector<std::string> happened_;  ///< failures, as they were written
  Hash actors_hash_;                   ///< of what they add to it, after each step
  std::optional<std::string> failure_;
  bool is_done_ = false;
};

}  // namespace longarm::cell
