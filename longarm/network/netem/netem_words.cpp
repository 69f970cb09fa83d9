// SPDX-License-Identifier: Apache-2.0
// Tables of netem's options.
#include "longarm/network/netem/netem_words.h"

#include <algorithm>
#include <array>

#include "longarm/core/text.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

struct Usage {
  std::string_view option;
  std::string_view text;
};
constexpr std::array<Usage, 10> kUsages{
    {{"limit", "limit PACKETS"},
     {"delay",
      "delay TIME [JITTER [CORRELATION]] [distribution uniform|normal|pareto|paretonormal]"},
     {"distribution", "distribution uniform|normal|pareto|paretonormal, after a delay with jitter"},
     {"loss",
      "loss [random] PERCENT [CORRELATION], loss state P13 [P31 [P32 [P23 [P14]]]], or "
      "loss gemodel P [R [1-H [1-K]]]"},
     {"corrupt", "corrupt PERCENT [CORRELATION]"},
     {"duplicate", "duplicate PERCENT [CORRELATION]"},
     {"reorder", "reorder PERCENT [CORRELATION] [gap DISTANCE], with a delay"},
     {"gap", "reorder PERCENT [CORRELATION] [gap DISTANCE], with a delay"},
     {"rate", "rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]], for example rate 1mbit"},
     {"slot",
      "slot MIN [MAX] [packets N] [bytes N], or slot distribution NAME DELAY JITTER [packets N] "
      "[bytes N]"}}};

}  // namespace

std::vector<std::string> netem_options() {
  return {"limit",     "delay",        "latency", "loss", "drop",    "ecn",  "corrupt",
          "duplicate", "distribution", "gap",     "rate", "reorder", "slot", "seed"};
}

std::string whole_netem_option(std::string_view word) {
  for (const std::string& name : netem_options()) {
    // three letters are enough to tell these apart
    if (name == word || (word.size() >= 3 && name.starts_with(word))) {
      return name == "latency" ? "delay" : name == "drop" ? "loss" : name;
    }
  }
  return "";
}

std::string netem_usage(std::string_view option) {
  const auto usage = std::find_if(kUsages.begin(), kUsages.end(),
                                  [&](const Usage& u) { return u.option == option; });
  return usage == kUsages.end() ? "" : std::string(usage->text);
}

bool is_command_word(std::string_view word) {
  // "del" is not among them: it may be short for "delay"
  constexpr std::array<std::string_view, 11> kWords{"sudo",   "tc",    "qdisc",   "add",
                                                    "change", "dev",   "replace", "root",
                                                    "parent", "netem", "handle"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() || word.ends_with("/tc");
}

bool looks_like_number(std::string_view word) {
  return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || word[0] == '.');
}

bool looks_signed(std::string_view word) {
  return looks_like_number(word) || (word.size() > 1 && word[0] == '-');
}

bool is_time_too_long(std::string_view word) {
  const std::size_t end = std::min(word.find_first_not_of("0123456789."), word.size());
  const std::string unit(word.substr(end));
  if (!parse_number(word.substr(0, end)) || !parse_tc_time("1" + unit)) {
    return false;
  }
  // what does not fit is too long as well
  const std::optional<Duration> time = parse_tc_time(word);
  return !time || *time > std::chrono::hours(24);
}

}  // namespace longarm::network
