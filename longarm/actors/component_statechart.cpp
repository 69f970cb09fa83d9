// SPDX-License-Identifier: Apache-2.0
// Runs a statechart: one chain of states from the outermost to the innermost.
#include "longarm/actors/component_statechart.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::actors {

using components::Bytes;
using components::LoopCall;

std::vector<std::string> event_methods(const ComponentConfig& config) {
  std::vector<std::string> methods;
  for (const components::LoopMethod& method : config.serves) {
    const auto is_event = [&](const StateConfig& state) {
      return std::ranges::any_of(state.transitions, [&](const TransitionConfig& transition) {
        return transition.on == method.name;
      });
    };
    if (std::ranges::any_of(config.states, is_event)) {
      methods.push_back(method.name);
    }
  }
  return methods;
}

Statechart::Statechart(const ProgramContext& context)
    : CyclicProgram(context, event_methods(context.config),
                    [this](const std::string& topic, const Bytes&) { events_.push_back(topic); }),
      entered_(context.config.states.size()) {
  for (const StateConfig& state : config_.states) {
    for (const TransitionConfig& transition : state.transitions) {
      guards_[&transition] =
          transition.when.empty() ? std::vector<GuardTerm>{} : *parse_guard(transition.when);
    }
  }
  serve_events(context);
  enter(0);
}

void Statechart::serve_events(const ProgramContext& context) {
  for (const std::string& method : event_methods(context.config)) {
    OwnMethod& own = methods_.emplace_back(context, method);
    node_.serve_raw(method, [this, &own](Bytes) { return execute(own); });
  }
}

sim::Task<Bytes> Statechart::execute(OwnMethod& own) {
  co_await compute(node_, own.execution());
  events_.push_back(own.method.name);
  co_return Bytes(static_cast<std::size_t>(own.method.reply_bytes));
}

std::vector<std::pair<std::string, std::uint64_t>> Statechart::entered() const {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (std::size_t i = 0; i < entered_.size(); ++i) {
    out.emplace_back(config_.states[i].name, entered_[i]);
  }
  return out;
}

std::size_t Statechart::index_of(const std::string& name) const {
  const auto found = std::ranges::find(config_.states, name, &StateConfig::name);
  check(found != config_.states.end(), "a state that was judged to be there");
  return static_cast<std::size_t>(found - config_.states.begin());
}

std::vector<std::size_t> Statechart::chain_of(std::size_t state) const {
  std::vector<std::size_t> chain{state};
  while (!config_.states[chain.front()].inside.empty()) {
    chain.insert(chain.begin(), index_of(config_.states[chain.front()].inside));
  }
  for (;;) {
    const auto inner =
        std::ranges::find(config_.states, config_.states[chain.back()].name, &StateConfig::inside);
    if (inner == config_.states.end()) {
      return chain;
    }
    chain.push_back(static_cast<std::size_t>(inner - config_.states.begin()));
  }
}

void Statechart::enter(std::size_t state) {
  // outer states that it stays in are not entered anew; the one it is sent to always is
  const std::vector<std::size_t> chain = chain_of(state);
  std::size_t kept = 0;
  while (kept < active_.size() && kept < chain.size() && active_[kept].index == chain[kept] &&
         chain[kept] != state) {
    ++kept;
  }
  active_.resize(kept);
  for (; kept < chain.size(); ++kept) {
    active_.push_back({.index = chain[kept], .since = node_.now()});
    ++entered_[chain[kept]];
  }
}

std::optional<double> Statechart::value(const std::string&) const {
  return std::nullopt;
}

std::optional<double> Statechart::value_of(const std::string& name) const {
  const components::Parameter* const parameter = node_.own_parameter(name);
  if (parameter == nullptr) {
    return value(name);
  }
  return parameter->is_boolean() ? (parameter->get<bool>() ? 1.0 : 0.0) : parameter->get<double>();
}

bool Statechart::holds(const TransitionConfig& transition, const Active& owner) const {
  if (transition.after && node_.now() - owner.since < *transition.after) {
    return false;
  }
  return std::ranges::all_of(guards_.at(&transition), [&](const GuardTerm& each) {
    const std::optional<double> found =
        each.value == "cycles"     ? std::optional(static_cast<double>(owner.cycles))
        : each.value == "failures" ? std::optional(static_cast<double>(owner.failures))
                                   : value_of(each.value);
    return found && each.holds(*found);
  });
}

bool Statechart::take(const std::string& event) {
  for (auto owner = active_.rbegin(); owner != active_.rend(); ++owner) {
    for (const TransitionConfig& transition : config_.states[owner->index].transitions) {
      if (transition.on == event && holds(transition, *owner)) {
        enter(index_of(transition.to));
        return true;
      }
    }
  }
  return false;
}

void Statechart::look() {
  while (!events_.empty()) {
    const std::string event = std::move(events_.front());
    events_.pop_front();
    if (take(event)) {
      return;
    }
  }
  take({});
}

std::vector<const LoopCall*> Statechart::begin_cycle() {
  look();
  std::vector<const LoopCall*> calls;
  for (Active& active : active_) {
    const StateConfig& state = config_.states[active.index];
    if (!active.has_entered) {
      std::ranges::transform(state.enter, std::back_inserter(calls),
                             [](auto& each) { return &each; });
      active.has_entered = true;
    }
  }
  for (Active& active : active_) {
    const StateConfig& state = config_.states[active.index];
    std::ranges::transform(state.calls, std::back_inserter(calls),
                           [](auto& each) { return &each; });
    ++active.cycles;
  }
  return calls;
}

bool Statechart::wants(const LoopCall& call) const {
  const auto is_of = [&](const std::vector<LoopCall>& calls) {
    return std::ranges::any_of(calls, [&](const LoopCall& each) { return &each == &call; });
  };
  return std::ranges::any_of(active_, [&](const Active& active) {
    const StateConfig& state = config_.states[active.index];
    return active.has_entered && (is_of(state.enter) || is_of(state.calls));
  });
}

Bytes Statechart::request(const LoopCall& call) {
  return Bytes(static_cast<std::size_t>(call.request_bytes));
}

void Statechart::replied(const LoopCall&, const Result<Bytes>& reply) {
  if (!reply) {
    for (Active& active : active_) {
      ++active.failures;
    }
  }
  look();
}

}  // namespace longarm::actors
