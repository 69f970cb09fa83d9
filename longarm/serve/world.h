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
  /// Of all its states so far.
  virtual std::string hash() const = 0;
};

}  // namespace longarm::serve
