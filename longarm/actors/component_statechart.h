// SPDX-License-Identifier: Apache-2.0
// A program that is a statechart: which calls it makes depends on the state that it is in.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/actors/component_cycles.h"
#include "longarm/actors/component_own_method.h"

namespace longarm::actors {

/// Looks at its transitions at the beginning of each cycle and after each reply, those of inner
/// states first, and takes one at most. Events wait until then; one that nobody takes is forgotten.
/// Calls of a state that was left in the middle of a cycle are not made any more. Calls of the
/// states that it is in go on, whatever happens inside of them.
class Statechart : public CyclicProgram {
 public:
  explicit Statechart(const ProgramContext& context);

  std::vector<std::pair<std::string, std::uint64_t>> entered() const override;

 protected:
  /// The innermost one that it is in.
  const StateConfig& state() const { return config_.states[active_.back().index]; }
  /// What guards compare; nothing: it does not know yet.
  virtual std::optional<double> value(const std::string& name) const;

  components::Bytes request(const components::LoopCall& call) override;
  void replied(const components::LoopCall& call, const Result<components::Bytes>& reply) override;

 private:
  struct Active {
    std::size_t index = 0;
    Time since{};
    std::int64_t cycles = 0;
    std::int64_t failures = 0;
    bool has_entered = false;  ///< its calls of entering are under way, or made
  };

  std::vector<const components::LoopCall*> begin_cycle() override;
  bool wants(const components::LoopCall& call) const override;

  std::size_t index_of(const std::string& name) const;
  /// From the outermost to the first of the innermost.
  std::vector<std::size_t> chain_of(std::size_t state) const;
  void enter(std::size_t state);
  void look();
  /// Of a parameter, or of the program.
  std::optional<double> value_of(const std::string& name) const;
  bool take(const std::string& event);
  bool holds(const TransitionConfig& transition, const Active& owner) const;
  void serve_events(const ProgramContext& context);
  sim::Task<components::Bytes> execute(OwnMethod& own);

  std::vector<Active> active_;  ///< from the outermost to the innermost
  std::vector<std::uint64_t> entered_;
  std::map<const TransitionConfig*, std::vector<GuardTerm>> guards_;
  std::deque<std::string> events_;
  std::deque<OwnMethod> methods_;  ///< a deque: handlers keep references
};

/// Methods of a component that are events of its statechart; those it serves itself.
std::vector<std::string> event_methods(const ComponentConfig& config);

}  // namespace longarm::actors
