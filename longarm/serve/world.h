// SPDX-License-Identifier: Apache-2.0
// What is served: a world that goes step by step and has doors.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/protocols/door.h"

namespace longarm::serve {

class World {
 public:
  virtual ~World() = default;

  virtual Duration period() const = 0;
  virtual std::vector<protocols::Door*> doors() = 0;
  virtual Time now() const = 0;
  virtual void step() = 0;
  /// It cannot or need not go on.
  virtual bool is_over() const = 0;
  /// Clients want it to stand still: no step is made but those that take_step() allows.
  virtual bool is_paused() const { return false; }
  /// Whether a step is to be made all the same, of those that clients ask for; it is then no longer
  /// asked for.
  virtual bool take_step() { return false; }
  /// Clients want it to begin again.
  virtual bool is_reset_asked() const { return false; }
  /// Of all its states so far.
  virtual std::string hash() const = 0;
};

}  // namespace longarm::serve
