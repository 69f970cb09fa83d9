// SPDX-License-Identifier: Apache-2.0
// Reads failures word by word, and says which word it did not understand.
#include "longarm/cell/failures.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::cell {
namespace {

using network::Cable;
using network::CableChange;
using network::KeyRemark;

constexpr const char* kKey = "failures";
constexpr const char* kExamples =
    "for example \"20s fanuc breaks\", \"15s part medium_gear_2 misplaced 0.03 0.01\", \"10s "
    "camera_1 blind for 5s\", \"30s link edge slow 500ms for 10s\"; run longarm keys failures to "
    "see all of them";
// farther than any cell is wide
constexpr double kFarthest_m = 10.0;

/// Words from the front; what is wrong with them ends the reading.
class FailureReader {
 public:
  FailureReader(const std::string& text, const std::vector<FailureSubject>& subjects)
      : subjects_(subjects), words_(split_words(text)) {
    failure_.text = text;
  }

  std::optional<Failure> read() {
    failure_.at = Time(take_time("time of failure"));
    const FailureSubject* subject = error_.empty() ? take_subject() : nullptr;
    const FailureVerb* verb = subject != nullptr ? take_verb(*subject) : nullptr;
    if (verb != nullptr) {
      take_values(*verb);
      take_end(*verb);
    }
    return error_.empty() ? std::optional(failure_) : std::nullopt;
  }
  const std::string& error() const { return error_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string take() { return next_ < words_.size() ? words_[next_++] : std::string(); }

  void fail(std::string message, std::string hint = kExamples) {
    if (error_.empty()) {
      error_ = std::move(message);
      hint_ = std::move(hint);
    }
  }

  Duration take_time(const char* what) {
    const std::string word = take();
    const Result<Duration> time = parse_duration(word);
    if (word.empty() || !time || *time < Duration::zero()) {
      fail(fmt::format("'{}' is not a {}", word, what));
      return Duration::zero();
    }
    return *time;
  }

  double take_distance_m() {
    const std::string word = take();
    const std::optional<double> number = parse_number(word);
    if (!number || !(std::abs(*number) <= kFarthest_m)) {
      fail(fmt::format("'{}' is not a distance in metres", word));
      return 0.0;
    }
    return *number;
  }

  const FailureSubject* take_subject() {
    const std::string word = take();
    failure_.of = of_word(word);
    failure_.name = failure_.of == Failure::Of::kActor ? word : take();
    std::vector<std::string> known;
    for (const FailureSubject& subject : subjects_) {
      if (subject.of == failure_.of && subject.name == failure_.name) {
        return &subject;
      }
      if (subject.of == failure_.of) {
        known.push_back(subject.name);
      }
    }
    const char* what = failure_.of == Failure::Of::kActor  ? "actor"
                       : failure_.of == Failure::Of::kPart ? "loose part"
                                                           : subject_word(failure_.of);
    // until version 0.1 the kind stood before the name
    const std::string name = next_ < words_.size() ? words_[next_] : "";
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      fail(fmt::format("there is no actor '{}'", word),
           fmt::format("remove the word: \"… {} …\"", name));
      return nullptr;
    }
    fail(fmt::format("there is no {} '{}'", what, failure_.name),
         known.empty() ? fmt::format("this cell has no {} that could fail", what)
                       : suggest(failure_.name, known));
    return nullptr;
  }

  /// Hosts are known where a plug-in lets something befall them.
  Failure::Of of_word(const std::string& word) const {
    const bool has_hosts =
        std::any_of(subjects_.begin(), subjects_.end(),
                    [](const FailureSubject& subject) { return subject.of == Failure::Of::kHost; });
    return word == "link"                ? Failure::Of::kLink
           : word == "part"              ? Failure::Of::kPart
           : word == "host" && has_hosts ? Failure::Of::kHost
                                         : Failure::Of::kActor;
  }

  const FailureVerb* take_verb(const FailureSubject& subject) {
    failure_.verb = take();
    std::vector<std::string> known;
    for (const FailureVerb& verb : subject.verbs) {
      if (verb.verb == failure_.verb) {
        return &verb;
      }
      known.push_back(verb.verb);
    }
    fail(fmt::format("failure '{}' does not apply to '{}'", failure_.verb, subject.name),
         known.empty() ? "no failure does" : suggest(failure_.verb, known));
    return nullptr;
  }

  void take_values(const FailureVerb& verb) {
    for (const FailureVerb::Value value : verb.values) {
      failure_.values.push_back(value == FailureVerb::Value::kDistance_m
                                    ? take_distance_m()
                                    : to_seconds(take_time("duration")));
    }
  }

  void take_end(const FailureVerb& verb) {
    using End = FailureVerb::End;
    if (next_ == words_.size()) {
      if (verb.end == End::kAlways) {
        fail(fmt::format("'{}' needs a duration such as 'for 4s'", verb.verb));
      }
      return;
    }
    const std::string word = take();
    if (word != "for" || verb.end == End::kNever) {
      fail(fmt::format("unexpected '{}' at the end", word));
      return;
    }
    failure_.length = take_time("duration");
    if (failure_.length == Duration::zero()) {
      fail("a failure must last longer than 0s");
    } else if (next_ < words_.size()) {
      fail(fmt::format("unexpected '{}' at the end", take()));
    }
  }

  const std::vector<FailureSubject>& subjects_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  Failure failure_;
  std::string error_;
  std::string hint_;
};

/// What the cable is like at an instant, failures not counted.
CableChange state_at(const Cable& cable, const std::vector<CableChange>& schedule, Time at) {
  CableChange state;
  state.is_up = true;
  state.propagation = cable.propagation;
  for (const CableChange& change : schedule) {
    if (change.at > at) {
      break;
    }
    state.is_up = change.is_up.value_or(*state.is_up);
    state.propagation = change.propagation.value_or(*state.propagation);
  }
  state.at = at;
  return state;
}

}  // namespace

std::vector<FailureVerb> link_failures() {
  using End = FailureVerb::End;
  return {{"down", "it carries no packets", End::kMaybe},
          {"slow", "it adds this delay to every packet", End::kMaybe, {FailureVerb::Value::kTime}}};
}

std::vector<FailureVerb> part_failures() {
  using End = FailureVerb::End;
  using Value = FailureVerb::Value;
  return {{"misplaced",
           "it is moved by these distances in metres along x and y",
           End::kNever,
           {Value::kDistance_m, Value::kDistance_m}},
          {"missing", "it is removed from the cell", End::kNever}};
}

bool is_built_in(const Failure& failure) {
  const std::vector<FailureVerb> verbs = failure.of == Failure::Of::kLink ? link_failures()
                                         : failure.of == Failure::Of::kPart
                                             ? part_failures()
                                             : std::vector<FailureVerb>{};
  return std::any_of(verbs.begin(), verbs.end(),
                     [&](const FailureVerb& verb) { return verb.verb == failure.verb; });
}

const char* subject_word(Failure::Of of) {
  switch (of) {
    case Failure::Of::kActor:
      return "";
    case Failure::Of::kLink:
      return "link";
    case Failure::Of::kPart:
      return "part";
    case Failure::Of::kHost:
      return "host";
  }
  return "";
}

std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<FailureSubject>& subjects,
                                   std::vector<KeyRemark>& remarks) {
  std::vector<Failure> failures;
  for (const std::string& text : texts) {
    FailureReader reader(text, subjects);
    if (std::optional<Failure> failure = reader.read()) {
      failures.push_back(std::move(*failure));
    } else {
      remarks.push_back({kKey, fmt::format("\"{}\": {}", text, reader.error()), reader.hint()});
    }
  }
  return failures;
}

void fail_cables(network::Topology& topology, const std::vector<Failure>& failures) {
  for (Cable& cable : topology.cables) {
    const std::vector<CableChange> schedule = cable.changes;
    for (const Failure& failure : failures) {
      if (failure.of != Failure::Of::kLink || failure.name != cable.name || !is_built_in(failure)) {
        continue;
      }
      const bool is_down = failure.verb == "down";
      const auto add = [&](const CableChange& state) {
        CableChange change;
        change.at = state.at;
        if (is_down) {
          change.is_up = state.is_up;
        } else {
          change.propagation = state.propagation;
        }
        cable.changes.push_back(change);
      };
      CableChange begin = state_at(cable, schedule, failure.at);
      begin.is_up = false;
      if (!is_down) {
        *begin.propagation += to_duration(failure.values.front());
      }
      add(begin);
      if (failure.length > Duration::zero()) {
        add(state_at(cable, schedule, failure.at + failure.length));
      }
    }
    std::stable_sort(cable.changes.begin(), cable.changes.end(),
                     [](const CableChange& a, const CableChange& b) { return a.at < b.at; });
  }
}

}  // namespace longarm::cell
