// SPDX-License-Identifier: Apache-2.0
// Which key of an actor is to blame for what shows only when it is made.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::cell {

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
