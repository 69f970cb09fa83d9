// SPDX-License-Identifier: Apache-2.0
// Reads failures word by word, and says which word it did not understand.
#include "longarm/workcell/failures.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::workcell {
namespace {

using network::KeyRemark;

constexpr const char* kKey = "failures";
constexpr const char* kExamples =
    "for example \"20s robot fanuc breaks\", \"15s part medium_gear_2 misplaced 0.03 0.01\", "
    "\"10s camera camera_1 blind for 5s\", \"30s link wire slow 500ms for 10s\"; docs/cell.md has "
    "all of them";
// farther than any cell is wide
constexpr double kFarthest_m = 10.0;

/// One sentence: subject, has a name or not, verb.
struct Pattern {
  const char* subject;
  bool has_name;
  const char* verb;
  FailureKind kind;
  bool may_end;  ///< "for 5s" may stand behind it
};

constexpr Pattern kPatterns[] = {
    {"robot", true, "breaks", FailureKind::kRobotBreaks, false},
    {"robot", true, "dies", FailureKind::kRobotDies, false},
    {"part", true, "misplaced", FailureKind::kPartMisplaced, false},
    {"part", true, "missing", FailureKind::kPartMissing, false},
    {"gripper", true, "drops", FailureKind::kGripperDrops, false},
    {"camera", true, "blind", FailureKind::kCameraBlind, true},
    {"camera", true, "silent", FailureKind::kCameraSilent, true},
    {"belt", false, "stops", FailureKind::kBeltStops, true},
    {"link", true, "down", FailureKind::kLinkDown, true},
    {"link", true, "slow", FailureKind::kLinkSlow, true},
    {"curtain", false, "broken", FailureKind::kCurtainBroken, true},
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Words from the front; the first that does not fit is remembered.
class Words {
 public:
  explicit Words(std::string_view text) : words_(split(text)) {}

  bool is_empty() const { return next_ >= words_.size(); }
  std::string take() { return is_empty() ? std::string() : words_[next_++]; }

  std::optional<Duration> take_time(const char* what) {
    const std::string word = take();
    const Result<Duration> time = parse_duration(word);
    if (word.empty() || !time || *time < Duration::zero()) {
      fail(fmt::format("'{}' is no {}", word, what));
      return std::nullopt;
    }
    return *time;
  }

  double take_distance() {
    const std::string word = take();
    const std::optional<double> number = parse_number(word);
    if (!number || !(std::abs(*number) <= kFarthest_m)) {
      fail(fmt::format("'{}' is no distance in metres", word));
      return 0.0;
    }
    return *number;
  }

  void fail(std::string message) {
    if (error.empty()) {
      error = std::move(message);
    }
  }

  std::string error;

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

const Pattern* find_pattern(Words& words, Failure& failure) {
  const std::string subject = words.take();
  std::vector<std::string> subjects;
  std::vector<std::string> verbs;
  bool has_name = false;
  for (const Pattern& pattern : kPatterns) {
    subjects.emplace_back(pattern.subject);
    if (subject == pattern.subject) {
      verbs.emplace_back(pattern.verb);
      has_name = pattern.has_name;
    }
  }
  subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
  if (verbs.empty()) {
    words.fail(fmt::format("nothing called '{}' fails; {}", subject, suggest(subject, subjects)));
    return nullptr;
  }
  if (has_name) {
    failure.target = words.take();
  }
  const std::string verb = words.take();
  for (const Pattern& pattern : kPatterns) {
    if (subject == pattern.subject && verb == pattern.verb) {
      return &pattern;
    }
  }
  words.fail(fmt::format("a {} cannot do '{}'; {}", subject, verb, suggest(verb, verbs)));
  return nullptr;
}

void read_rest(Words& words, const Pattern& pattern, Failure& failure) {
  if (failure.kind == FailureKind::kPartMisplaced) {
    failure.x_m = words.take_distance();
    failure.y_m = words.take_distance();
  }
  if (failure.kind == FailureKind::kLinkSlow) {
    failure.slow = words.take_time("time by which a link is slower").value_or(Duration::zero());
  }
  if (words.is_empty()) {
    return;
  }
  const std::string word = words.take();
  if (word != "for" || !pattern.may_end) {
    words.fail(fmt::format("'{}' stands behind what was complete", word));
    return;
  }
  failure.length = words.take_time("length of time").value_or(Duration::zero());
  if (words.error.empty() && failure.length == Duration::zero()) {
    words.fail("a failure for 0s does not happen");
  } else if (!words.is_empty()) {
    words.fail(fmt::format("'{}' stands behind what was complete", words.take()));
  }
}

KeyRemark no_such(const Failure& failure, const char* what, const std::vector<std::string>& known) {
  return {kKey, fmt::format("\"{}\": there is no {} '{}'", failure.text, what, failure.target),
          known.empty() ? fmt::format("this cell has no {}s that could fail", what)
                        : suggest(failure.target, known)};
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<Failure> parse_failure(std::string_view text) {
  Words words(text);
  Failure failure;
  failure.text = std::string(text);
  const std::optional<Duration> at = words.take_time("time at which something fails");
  if (!at) {
    return Error{words.error};
  }
  failure.at = Time(*at);
  const Pattern* pattern = find_pattern(words, failure);
  if (pattern == nullptr) {
    return Error{words.error};
  }
  failure.kind = pattern->kind;
  read_rest(words, *pattern, failure);
  if (words.error.empty() && failure.kind == FailureKind::kCurtainBroken &&
      failure.length == Duration::zero()) {
    words.fail("nobody stays in the curtain for good: it needs a length such as 'for 4s'");
  }
  if (!words.error.empty()) {
    return Error{words.error};
  }
  return failure;
}

std::vector<Failure> parse_failures(const std::vector<std::string>& texts,
                                    std::vector<KeyRemark>& remarks) {
  std::vector<Failure> failures;
  for (const std::string& text : texts) {
    Result<Failure> failure = parse_failure(text);
    if (failure) {
      failures.push_back(std::move(failure).value());
    } else {
      remarks.push_back(
          {kKey, fmt::format("\"{}\": {}", text, failure.error().message), kExamples});
    }
  }
  return failures;
}

std::vector<KeyRemark> judge(const std::vector<Failure>& failures, const FailureTargets& targets) {
  std::vector<KeyRemark> remarks;
  const auto need = [&](const Failure& failure, const char* what,
                        const std::vector<std::string>& known) {
    if (!has(known, failure.target)) {
      remarks.push_back(no_such(failure, what, known));
    }
  };
  for (const Failure& failure : failures) {
    switch (failure.kind) {
      case FailureKind::kRobotBreaks:
      case FailureKind::kRobotDies:
      case FailureKind::kGripperDrops:
        need(failure, "robot", targets.robots);
        break;
      case FailureKind::kPartMisplaced:
      case FailureKind::kPartMissing:
        need(failure, "loose part", targets.parts);
        break;
      case FailureKind::kCameraBlind:
      case FailureKind::kCameraSilent:
        need(failure, "camera", targets.cameras);
        break;
      case FailureKind::kLinkDown:
      case FailureKind::kLinkSlow:
        need(failure, "link", targets.cables);
        break;
      case FailureKind::kBeltStops:
        if (!targets.has_belt) {
          remarks.push_back({kKey, fmt::format("\"{}\": there is no belt", failure.text),
                             "name its joint under belt"});
        }
        break;
      case FailureKind::kCurtainBroken:
        if (!targets.has_curtain) {
          remarks.push_back({kKey, fmt::format("\"{}\": there is no light curtain", failure.text),
                             "name its poles under curtain"});
        }
        break;
    }
  }
  return remarks;
}

}  // namespace longarm::workcell
