// SPDX-License-Identifier: Apache-2.0
// What programs share that work through calls in cycles and know what these contain.
#pragma once

#include <string>
#include <vector>

#include "longarm/actors/component_program.h"
#include "longarm/core/random.h"

namespace longarm::actors {

/// The method that a call asks for.
const std::string& method_of(const components::LoopCall& call);

/// Cycles on the grid phase + n · period: computing, then calls, one after the other. Which ones,
/// and what they contain, is up to those who derive from it.
class CyclicProgram : public Program {
 public:
  const std::vector<components::LoopCycle>& cycles() const override { return cycles_; }
  std::uint64_t overruns() const override { return overruns_; }
  std::string last_failure() const override;

 protected:
  /// Leaves methods in `own_methods` to others.
  CyclicProgram(const ProgramContext& context, const std::vector<std::string>& own_methods,
                PlainPart::Heard heard = {});
  /// Once, at the end of the last constructor: from then on the functions below are called.
  void start() { node_.spawn(run()); }

  /// The calls of the cycle that begins, in their order; they outlive it.
  virtual std::vector<const components::LoopCall*> begin_cycle() = 0;
  /// Asked when its turn comes. `every`, `from` and `until` have been looked at.
  virtual bool wants(const components::LoopCall& call) const = 0;
  virtual components::Bytes request(const components::LoopCall& call) = 0;
  virtual void replied(const components::LoopCall& call,
                       const Result<components::Bytes>& reply) = 0;

  components::Node& node_;
  ComponentConfig config_;

 private:
  bool is_due(const components::LoopCall& call, std::int64_t number) const;
  sim::Task<void> make_calls(std::int64_t number);
  sim::Task<void> run();

  RandomStream compute_draws_;
  std::vector<components::LoopCycle> cycles_;
  std::uint64_t overruns_ = 0;
  std::string last_failure_;
  PlainPart plain_;
};

}  // namespace longarm::actors
