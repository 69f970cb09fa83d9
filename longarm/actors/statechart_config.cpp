// SPDX-License-Identifier: Apache-2.0
// Reads and judges statecharts.
#include "longarm/actors/statechart_config.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::actors {
namespace {

using network::KeyRemark;
using Remarks = std::vector<KeyRemark>;

const std::vector<std::string> kSigns{"<", "<=", ">", ">=", "==", "!="};
constexpr const char* kGuardExample = "for example cycles >= 10, or distance_m < 0.002";

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const StateConfig* find(const std::vector<StateConfig>& states, const std::string& name) {
  const auto found = std::ranges::find(states, name, &StateConfig::name);
  return found == states.end() ? nullptr : &*found;
}

class StatechartJudge {
 public:
  StatechartJudge(const std::vector<StateConfig>& states, const StatechartVocabulary& vocabulary)
      : states_(states), vocabulary_(vocabulary) {
    for (const StateConfig& state : states) {
      names_.push_back(state.name);
    }
  }

  Remarks remarks() && {
    for (const StateConfig& state : states_) {
      const std::string key = "states." + state.name;
      judge_inside(state, key + ".inside");
      judge_target(state, key + ".target");
      components::judge_calls(key + ".enter.", state.enter, remarks_);
      components::judge_calls(key + ".calls.", state.calls, remarks_);
      for (const TransitionConfig& transition : state.transitions) {
        judge_transition(transition, key + ".transitions." + transition.name);
      }
    }
    return std::move(remarks_);
  }

 private:
  void error(const std::string& key, std::string message, std::string hint) {
    remarks_.push_back({key, std::move(message), std::move(hint)});
  }

  void judge_inside(const StateConfig& state, const std::string& key) {
    const StateConfig* outer = &state;
    for (std::size_t depth = 0; !outer->inside.empty(); ++depth) {
      const StateConfig* next = find(states_, outer->inside);
      if (next == nullptr) {
        if (outer == &state) {
          error(key, fmt::format("there is no state '{}'", state.inside),
                suggest(state.inside, names_));
        }
        return;  // otherwise that one has been told
      }
      if (depth == states_.size()) {
        error(key, fmt::format("state '{}' would contain itself", state.name),
              "remove `inside` from the outermost state");
        return;
      }
      outer = next;
    }
  }

  void judge_target(const StateConfig& state, const std::string& key) {
    if (state.target.empty() || state.target.size() == vocabulary_.target_size) {
      return;
    }
    if (vocabulary_.target_size == 0) {
      error(key, "this program has no targets", "remove it");
    } else {
      error(key, fmt::format("a target has {} numbers", vocabulary_.target_size),
            fmt::format("there are {} of them", state.target.size()));
    }
  }

  void judge_transition(const TransitionConfig& transition, const std::string& key) {
    if (find(states_, transition.to) == nullptr) {
      error(key + ".to",
            transition.to.empty() ? "a transition needs a target state"
                                  : fmt::format("there is no state '{}'", transition.to),
            suggest(transition.to, names_));
    }
    if (transition.on.empty() && transition.when.empty() && !transition.after) {
      error(key, "this transition has no trigger", "give on, when or after");
    }
    if (transition.after && *transition.after < Duration::zero()) {
      error(key + ".after", "a time must not be negative", "use 0s or more");
    }
    if (!transition.on.empty() && !is_among(vocabulary_.events, transition.on)) {
      error(key + ".on",
            fmt::format("'{}' is neither a topic that it subscribes to nor a method that it serves",
                        transition.on),
            vocabulary_.events.empty() ? "add it to subscribes or serves"
                                       : suggest(transition.on, vocabulary_.events));
    }
    judge_guard(transition.when, key + ".when");
  }

  void judge_guard(const std::string& text, const std::string& key) {
    if (text.empty()) {
      return;
    }
    const Result<std::vector<GuardTerm>> guard = parse_guard(text);
    if (!guard) {
      error(key, guard.error().message, kGuardExample);
      return;
    }
    for (const GuardTerm& each : *guard) {
      if (!is_among(vocabulary_.values, each.value)) {
        error(key, fmt::format("this program has no value '{}'", each.value),
              suggest(each.value, vocabulary_.values));
      }
    }
  }

  const std::vector<StateConfig>& states_;
  const StatechartVocabulary& vocabulary_;
  std::vector<std::string> names_;
  Remarks remarks_;
};

}  // namespace

bool GuardTerm::holds(double found) const {
  return sign == "<"    ? found < number
         : sign == "<=" ? found <= number
         : sign == ">"  ? found > number
         : sign == ">=" ? found >= number
         : sign == "==" ? found == number
                        : found != number;
}

Result<std::vector<GuardTerm>> parse_guard(const std::string& text) {
  std::istringstream words(text);
  std::vector<GuardTerm> all;
  std::string joint = "and";
  do {
    GuardTerm one;
    std::string number;
    if (joint != "and" || !(words >> one.value >> one.sign >> number)) {
      return Error{fmt::format("'{}' is not a comparison of a value with a number", text)};
    }
    if (!is_among(kSigns, one.sign)) {
      return Error{fmt::format("'{}' has no value to compare", one.sign)};
    }
    const auto [end, problem] =
        std::from_chars(number.data(), number.data() + number.size(), one.number);
    if (problem != std::errc{} || end != number.data() + number.size()) {
      return Error{fmt::format("'{}' is no number", number)};
    }
    all.push_back(std::move(one));
  } while (words >> joint);
  return all;
}

void list_fields(Fields& fields, std::vector<StateConfig>& states) {
  named(fields, "states", "states of a statechart; it starts in the first one", states,
        [](Fields& group, StateConfig& state) {
          group.field("inside", state.inside,
                      "enclosing state, whose calls and transitions also apply here");
          components::list_calls(group, "enter", "calls made on entry", state.enter);
          components::list_calls(group, "calls", "calls made in each cycle while in this state",
                                 state.calls);
          group.field("target", state.target, "target of its calls, where the program has targets");
          named(group, "transitions", "transitions; the first one whose conditions hold is taken",
                state.transitions, [](Fields& f, TransitionConfig& transition) {
                  f.field("to", transition.to, "the next state");
                  f.field("on", transition.on,
                          "event: a message of a topic that it subscribes to, or a call of a "
                          "method that it serves");
                  f.field("when", transition.when,
                          "guard: comparisons joined by 'and', such as cycles >= 10; values are "
                          "cycles and failures since entry, and those of the program");
                  f.field("after", transition.after, "least time since entry");
                });
        });
}

Remarks judge(const std::vector<StateConfig>& states, const StatechartVocabulary& vocabulary) {
  return StatechartJudge(states, vocabulary).remarks();
}

}  // namespace longarm::actors
