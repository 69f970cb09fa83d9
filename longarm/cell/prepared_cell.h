// SPDX-License-Identifier: Apache-2.0
// From keys to a cell that can be made: files read, wishes judged, bodies placed.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"

namespace longarm::cell {

/// What a scenario says besides, of the world's clockwork.
struct CellContext {
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  std::string folder{};               ///< where a run may write while it goes on; empty: nowhere
  std::vector<std::string> search{};  ///< folders that files of keys are looked for in
};

struct PreparedCell {
  CellConfig config;
  model::Cell model;              ///< of the world and of what actors brought
  Duration length{};              ///< of the run
  std::vector<Failure> failures;  ///< as the keys say them
  KeptFiles kept;
  std::vector<std::size_t> order;  ///< in which actors are made

  WorldSetup setup(const CellContext& context) const;
};

/// Reads the files that keys name, judges everything, and makes the cell once to see whether it can
/// be. After an error the result means nothing.
PreparedCell prepare_cell(CellConfig config, InputFiles& files, const CellContext& context,
                          const ActorRegistry& kinds, std::vector<KeyRemark>& remarks);

/// Something that an actor found wrong with one of its keys while it was made.
class ActorError : public InputError {
 public:
  ActorError(std::string key, std::vector<Diagnostic> diagnostics)
      : InputError(std::move(diagnostics)), key_(std::move(key)) {}
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// Runs `action`; what it finds wrong with the input is about `key` of the actor.
template <typename Action>
auto about_key(const std::string& key, const Action& action) {
  try {
    return action();
  } catch (const ActorError&) {
    throw;
  } catch (const InputError& error) {
    throw ActorError(key, error.diagnostics());
  } catch (const std::invalid_argument& error) {
    throw ActorError(key, {Diagnostic{{}, error.what(), ""}});
  }
}

}  // namespace longarm::cell
