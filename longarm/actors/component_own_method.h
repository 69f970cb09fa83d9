// SPDX-License-Identifier: Apache-2.0
// What the programs around an arm share: methods that they execute themselves.
#pragma once

#include <string>

#include "longarm/actors/component_program.h"
#include "longarm/core/random.h"

namespace longarm::actors {

/// A method that a program executes itself; how long that takes is data.
struct OwnMethod {
  components::LoopMethod method;
  RandomStream draws;

  OwnMethod(const ProgramContext& context, const std::string& name)
      : draws(context.seed, context.config.name + "." + name) {
    method.name = name;
    for (const components::LoopMethod& each : context.config.serves) {
      if (each.name == name) {
        method = each;
      }
    }
  }
  Duration execution() {
    return method.execution.at(static_cast<std::size_t>(method.reply_bytes), draws.uniform());
  }
};

inline sim::Task<void> compute(components::Node& node, Duration work) {
  if (work > Duration::zero()) {
    co_await node.compute(work);
  }
}

}  // namespace longarm::actors
