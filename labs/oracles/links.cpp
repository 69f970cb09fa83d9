// SPDX-License-Identifier: Apache-2.0
// Oracles of what links do to packets, where that is certain: serialisation, queues, ages.
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"
#include "labs/oracles/link_trial.h"

namespace longarm::oracles {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLinksGroup = "links";
constexpr const char* kOneRounding = "whole nanoseconds, and the rounding of one number";

// both say: 1 Mbit/s, then 10 ms on the way
struct RateLink {
  const char* name;
  const char* setting;
};
constexpr RateLink kRateLinks[] = {
    {"netem", "netem=rate 1mbit delay 10ms"},
    {"profile", "phases=[\"10s rate 1mbit delay 10ms\"]"},
};

void add_serialisation(std::vector<Oracle>& all) {
  for (const RateLink& link : kRateLinks) {
    all.push_back({fmt::format("rate-one-packet-{}", link.name), kLinksGroup,
                   "1250 bytes over 1 Mbit/s and 10 ms of way: L/C + d", "ms", [link] {
                     const LinkTrial trial = send_over(link_of(link.setting), regular(1, 1s, 1250));
                     return Comparison{20.0, 1e3 * trial.mean_delay_s(), 1e-9, kOneRounding};
                   }});
    all.push_back({fmt::format("rate-burst-{}", link.name), kLinksGroup,
                   "the last of 12 packets sent at once: 12 L/C + d", "ms", [link] {
                     const LinkTrial trial =
                         send_over(link_of(link.setting), regular(12, 0s, 1250));
                     return Comparison{130.0, 1e3 * to_seconds(trial.delays.back().value()), 1e-9,
                                       kOneRounding};
                   }});
  }
  all.push_back(
      {"rate-in-a-loop", kLinksGroup,
       "commands of one joint, 32 bytes, over 256 kbit/s and 5 ms: 1 ms + 5 ms", "ms", [] {
         const Recording run = record("one-joint", {"gain=10", "control.period=4ms", "task.hold=1s",
                                                    "link.commands.netem=rate 256kbit delay 5ms"});
         const auto& link = run.results["link"]["commands"];
         return Comparison{6.0, 1e3 * link["delay_mean_s"].get<double>(), 1e-9, kOneRounding};
       }});
  all.push_back(
      {"tail-drop", kLinksGroup, "of 150 packets sent at once a queue for 100 refuses 50",
       "packets", [] {
         const LinkTrial trial =
             send_over(link_of("netem=limit 100 rate 1mbit"), regular(150, 0s, 1250));
         return Comparison{50.0, static_cast<double>(trial.report.queue_full), 0.0, "a count"};
       }});
  all.push_back(
      {"queue-slots", kLinksGroup, "a queue of 7 slots at 1 kHz is a delay of 7 ms", "ms", [] {
         const LinkTrial trial = send_over(link_of("slots=7"), regular(100, 1ms, 100));
         return Comparison{7.0, 1e3 * trial.mean_delay_s(), 1e-9, kOneRounding};
       }});
}

/// 2 Mbit/s offered for 3 s to a link that manages 1 Mbit/s in the first second, then 4.
LinkTrial overload() {
  return send_over(link_of("phases=[\"1s rate 1mbit\", \"10s rate 4mbit\"]"),
                   regular(600, 5ms, 1250));
}

void add_overload(std::vector<Oracle>& all) {
  all.push_back({"overload-backlog", kLinksGroup,
                 "2 Mbit/s offered to 1 Mbit/s for a second leave a backlog of (r - C) t", "Mbit",
                 [] {
                   const LinkTrial trial = overload();
                   int waiting = 0;
                   for (std::size_t i = 0; i < trial.sent.size(); ++i) {
                     const Time sent = trial.sent[i].at;
                     waiting += sent < Time(1s) && sent + trial.delays[i].value() > Time(1s);
                   }
                   return Comparison{1.0, 0.01 * waiting, 0.01, "one packet of 0.01 Mbit"};
                 }});
  all.push_back(
      {"overload-drain", kLinksGroup,
       "after relief to 4 Mbit/s that backlog is gone in (r - C) t/(C2 - r)", "ms", [] {
         const LinkTrial trial = overload();
         for (std::size_t i = 200; i < trial.sent.size(); ++i) {
           // alone on the link: 10 kbit at 4 Mbit/s
           if (trial.delays[i].value() <= 2500us + 1ns) {
             const Duration after = trial.sent[i].at - Time(1s);
             return Comparison{500.0, 1e3 * to_seconds(after), 5.0, "packets come every 5 ms"};
           }
         }
         throw std::runtime_error("the backlog never drains");
       }});
}

void add_ages(std::vector<Oracle>& all) {
  const auto link = [] {
    const Recording run = record(
        "one-joint", {"gain=10", "control.period=4ms", "task.hold=1s", "link.commands.delay=12ms"});
    return run.results["link"]["commands"];
  };
  all.push_back(
      {"age-mean", kLinksGroup,
       "a stream of period h over a delay d is d + h/2 old on average (12 ms, 4 ms)", "ms", [link] {
         return Comparison{14.0, 1e3 * link()["age_mean_s"].get<double>(), 1e-9, kOneRounding};
       }});
  all.push_back(
      {"age-peak", kLinksGroup, "and d + h just before the next message", "ms", [link] {
         return Comparison{16.0, 1e3 * link()["age_peak_mean_s"].get<double>(), 1e-9, kOneRounding};
       }});
  all.push_back({"deadline-all-missed", kLinksGroup,
                 "with a deadline just below the delay every message is late", "share", [] {
                   const Recording run =
                       record("one-joint", {"gain=10", "task.hold=1s", "link.commands.delay=12ms",
                                            "link.commands.deadline=11999us"});
                   const auto& report = run.results["link"]["commands"];
                   return Comparison{1.0, report["deadline_miss_ratio"].get<double>(), 0.0,
                                     "a share of counts"};
                 }});
}

}  // namespace

void add_link_oracles(std::vector<Oracle>& all) {
  add_serialisation(all);
  add_overload(all);
  add_ages(all);
}

}  // namespace longarm::oracles
