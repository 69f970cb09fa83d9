// SPDX-License-Identifier: Apache-2.0
// Phases as text, and exact integration of a piecewise constant rate.
#include "longarm/network/profile/schedule.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

constexpr std::int64_t kMaxRate = 1'000'000'000'000'000;

/// Sets one value of a phase; the error says what is wrong with `word`.
std::optional<Error> set_value(Phase& phase, const std::string& option, const std::string& word) {
  const auto wrong = [&](std::string_view expected) {
    return Error{fmt::format("'{}' after '{}' is not {}", word, option, expected)};
  };
  if (option == "rate") {
    const std::optional<std::int64_t> rate = parse_tc_rate(word);
    if (!rate || *rate > kMaxRate) {
      return wrong("a rate such as 1mbit or 100kbit");
    }
    phase.rate_bps = rate;
  } else if (option == "delay") {
    const Result<Duration> delay = parse_duration(word);
    if (!delay || *delay < Duration(0) || *delay > std::chrono::hours(24)) {
      return wrong("a time such as 50ms");
    }
    phase.delay = *delay;
  } else if (option == "loss") {
    const std::optional<double> percent = parse_tc_percent(word);
    if (!percent) {
      return wrong("a percentage from 0% to 100%");
    }
    phase.loss_percent = *percent;
  } else {
    const std::optional<std::int64_t> limit = parse_tc_integer(word);
    if (!limit || *limit < 1) {
      return wrong("a whole number of packets");
    }
    phase.limit_packets = limit;
  }
  return std::nullopt;
}

}  // namespace

Result<Phase> parse_phase(std::string_view text) {
  static const std::vector<std::string> options{"rate", "delay", "loss", "limit"};
  const std::vector<std::string> words = split_words(text);
  if (words.empty()) {
    return Error{"a phase is empty"};
  }
  Phase phase;
  const Result<Duration> length = parse_duration(words[0]);
  if (!length || *length <= Duration(0) || *length > std::chrono::hours(24 * 365)) {
    return Error{
        fmt::format("a phase must start with its duration, such as 60s, not '{}'", words[0])};
  }
  phase.length = *length;
  std::set<std::string> seen;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string& option = words[i];
    if (std::find(options.begin(), options.end(), option) == options.end()) {
      return Error{
          fmt::format("unknown option '{}' in a phase; {}", option, suggest(option, options))};
    }
    if (!seen.insert(option).second) {
      return Error{fmt::format("'{}' is given twice", option)};
    }
    if (i + 1 == words.size()) {
      return Error{fmt::format("the phase ends after '{}'; its value is missing", option)};
    }
    if (const std::optional<Error> error = set_value(phase, option, words[i + 1])) {
      return *error;
    }
  }
  return phase;
}

std::string format_phase(const Phase& phase) {
  std::string text = format_duration(phase.length);
  if (phase.rate_bps) {
    text += " rate " + format_tc_rate(*phase.rate_bps);
  }
  text += " delay " + format_duration(phase.delay);
  if (phase.loss_percent > 0.0) {
    text += " loss " + format_tc_percent(phase.loss_percent);
  }
  if (phase.limit_packets) {
    text += fmt::format(" limit {}", *phase.limit_packets);
  }
  return text;
}

Schedule::Schedule(std::vector<Phase> phases, bool repeat)
    : phases_(std::move(phases)), repeat_(repeat) {
  check(!phases_.empty(), "a schedule without phases");
  for (const Phase& phase : phases_) {
    check(phase.length > Duration(0), "a phase that takes no time");
    cycle_ += phase.length;
    const Work most = std::numeric_limits<Work>::max() - cycle_work_;
    const std::int64_t rate = phase.rate_bps.value_or(kMaxRate);
    cycle_work_ += rate > most / phase.length.count() ? most : rate * phase.length.count();
  }
  const bool moves = repeat_ ? std::any_of(phases_.begin(), phases_.end(),
                                           [](const Phase& p) { return p.rate_bps != 0; })
                             : phases_.back().rate_bps != 0;
  check(moves, "a schedule in which packets wait for ever");
}

Schedule::Place Schedule::place(Time when) const {
  Duration into = when.time_since_epoch();
  if (repeat_) {
    into %= cycle_;
  }
  for (std::size_t i = 0; i + 1 < phases_.size(); ++i) {
    if (into < phases_[i].length) {
      return {i, phases_[i].length - into};
    }
    into -= phases_[i].length;
  }
  return {phases_.size() - 1, repeat_ ? phases_.back().length - into : Duration::max()};
}

const Phase& Schedule::at(Time when) const {
  return phases_[place(when).phase];
}

Time Schedule::finish(Time start, Work work, Work& spare) const {
  spare = 0;
  Time now = start;
  if (repeat_ && work / cycle_work_ > 1) {
    // whole cycles at once: a slow link may need many
    const std::int64_t cycles = work / cycle_work_ - 1;
    now += cycles * cycle_;
    work -= cycles * cycle_work_;
  }
  for (Place here = place(now);; here = place(now)) {
    const std::optional<std::int64_t> rate = phases_[here.phase].rate_bps;
    if (!rate) {
      return now;
    }
    // the whole of it fits into this phase …
    if (*rate > 0) {
      const std::int64_t needed = work / *rate + (work % *rate != 0 ? 1 : 0);
      if (Duration(needed) <= here.left) {
        spare = needed * *rate - work;
        return now + Duration(needed);
      }
      work -= *rate * here.left.count();  // less than work, hence no overflow
    }
    // … or goes on in the next
    now += here.left;
  }
}

}  // namespace longarm::network
