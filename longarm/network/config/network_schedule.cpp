// SPDX-License-Identifier: Apache-2.0
// Phases are written as the link model `profile` has them, without what a cable leaves to others.
#include "longarm/network/config/network_schedule.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "longarm/network/netem/tc_units.h"
#include "longarm/network/profile/profile_link.h"
#include "longarm/network/profile/schedule.h"

namespace longarm::network {
namespace {

// a schedule is written out in full, so very short phases would fill the memory
constexpr Duration kShortestPhase = std::chrono::milliseconds(10);

Result<CablePhase> parse_cable_phase(const std::string& text) {
  const std::vector<std::string> words = split_words(text);
  const bool is_down = words.size() == 2 && words[1] == "down";
  const Result<Phase> phase = parse_phase(is_down ? words[0] : text);
  if (!phase) {
    return phase.error();
  }
  if (phase->length < kShortestPhase) {
    return Error{"a phase of a cable must last at least 10ms"};
  }
  if (is_down) {
    return CablePhase{phase->length, false, std::nullopt, Duration(0)};
  }
  if (phase->loss_percent > 0.0 || phase->limit_packets) {
    return Error{
        "a phase of a cable takes only rate and delay; set loss with netem and limits with queue"};
  }
  if (phase->rate_bps == 0) {
    return Error{"a rate of 0 sends nothing; use 'down' for a cable that is cut"};
  }
  CablePhase out{phase->length, true, std::nullopt, phase->delay};
  if (phase->rate_bps) {
    out.rate_bit_s = static_cast<double>(*phase->rate_bps);
  }
  return out;
}

}  // namespace

Result<std::vector<CablePhase>> parse_schedule(const std::vector<std::string>& words) {
  std::vector<std::string> texts = words;
  const std::vector<ReadyProfile> ready = ready_profiles();
  const auto named = std::find_if(ready.begin(), ready.end(), [&](const ReadyProfile& profile) {
    return words.size() == 1 && profile.name == words.front();
  });
  if (named != ready.end()) {
    texts = named->phases;
  }
  std::vector<CablePhase> phases;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<CablePhase> phase = parse_cable_phase(texts[i]);
    if (!phase) {
      return Error{fmt::format("phase {}: {}", i + 1, phase.error().message)};
    }
    phases.push_back(*phase);
  }
  // a change can set a rate but not take it away
  const auto has_rate = [](const CablePhase& phase) {
    return phase.is_up && phase.rate_bit_s.has_value();
  };
  const auto has_none = [](const CablePhase& phase) {
    return phase.is_up && !phase.rate_bit_s.has_value();
  };
  if (std::any_of(phases.begin(), phases.end(), has_rate) &&
      std::any_of(phases.begin(), phases.end(), has_none)) {
    return Error{"some phases have a rate and others none"};
  }
  return phases;
}

std::vector<CableChange> changes_of(const std::vector<CablePhase>& phases, bool repeats,
                                    Duration horizon) {
  std::vector<CableChange> changes;
  Time at{};
  bool was_up = true;
  do {
    for (const CablePhase& phase : phases) {
      CableChange change{at, {}, {}, {}, {}, {}};
      if (phase.is_up) {
        change.rate_bit_s = phase.rate_bit_s;
        change.propagation = phase.propagation;
      }
      if (phase.is_up != was_up) {
        change.is_up = phase.is_up;
      }
      was_up = phase.is_up;
      changes.push_back(change);
      at += phase.length;
    }
  } while (repeats && at < Time(horizon));
  return changes;
}

}  // namespace longarm::network
