// SPDX-License-Identifier: Apache-2.0
// A serialiser whose rate follows a schedule, then a propagation delay that follows it too.
#include "longarm/network/profile/profile_link.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/random.h"

namespace longarm::network {
namespace {

constexpr std::size_t kMaxPacketBytes = 1'000'000'000;
constexpr const char* kPhaseExample =
    "for example: \"60s rate 1mbit delay 50ms loss 1% limit 100\"";

class ProfileLink final : public Link {
 public:
  ProfileLink(Schedule schedule, bool overtaking, const LinkContext& context)
      : schedule_(std::move(schedule)),
        overtaking_(overtaking),
        loss_(context.seed, context.name + ".loss") {}

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    check(packet.size_bytes <= kMaxPacketBytes, "a packet of more than 1 GB");
    while (!departures_.empty() && departures_.front() <= now) {
      departures_.pop_front();
    }
    const Phase& phase = schedule_.at(now);
    if (100.0 * loss_.uniform_at(packet.index) < phase.loss_percent) {
      output.drop(packet, DropReason::kLoss);
      return;
    }
    if (phase.limit_packets &&
        departures_.size() >= static_cast<std::size_t>(*phase.limit_packets)) {
      output.drop(packet, DropReason::kQueueFull);
      return;
    }

    // behind those that wait; departures are whole nanoseconds, but what is left of the last of
    // them is not wasted, or long queues would drain too late
    Schedule::Work work = static_cast<Schedule::Work>(packet.size_bytes) * 8 * 1'000'000'000;
    Time start = now;
    if (now < free_at_) {
      start = free_at_;
      work -= std::min(work, spare_);
    }
    free_at_ = schedule_.finish(start, work, spare_);
    departures_.push_back(free_at_);

    Time arrival = free_at_ + schedule_.at(free_at_).delay;
    if (!overtaking_) {
      arrival = std::max(arrival, last_arrival_);
      last_arrival_ = arrival;
    }
    output.arrive(packet, arrival);
  }

  Schedule schedule_;
  bool overtaking_;
  RandomStream loss_;
  Time free_at_{};
  Schedule::Work spare_ = 0;
  Time last_arrival_{};
  std::deque<Time> departures_;
};

/// The phases that the keys stand for; empty where those are wrong, with a message.
std::vector<Phase> read_phases(Fields& fields, const std::vector<std::string>& texts, bool repeat) {
  std::vector<Phase> phases;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<Phase> phase = parse_phase(texts[i]);
    if (!phase) {
      fields.reject("phases", fmt::format("phase {}: {}", i + 1, phase.error().message),
                    kPhaseExample);
      return {};
    }
    phases.push_back(*phase);
  }
  if (phases.empty()) {
    return {};
  }
  const auto is_down = [](const Phase& phase) { return phase.rate_bps == 0; };
  if (repeat && std::all_of(phases.begin(), phases.end(), is_down)) {
    fields.reject("phases", "the rate is 0 in every phase: packets would wait forever",
                  "give one phase a rate");
    return {};
  }
  if (!repeat && is_down(phases.back())) {
    fields.reject("phases", "the last phase continues forever, and its rate is 0",
                  "give it a rate, or set repeat: true");
    return {};
  }
  return phases;
}

class ProfileModel final : public LinkModel {
 public:
  void list_fields(Fields& fields) override { network::list_fields(fields, config_, phases_); }
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return make_profile_link(Schedule(phases_, config_.repeat), config_.overtaking, context);
  }

 private:
  ProfileConfig config_;
  std::vector<Phase> phases_;
};

}  // namespace

void list_fields(Fields& fields, ProfileConfig& config, std::vector<Phase>& phases) {
  std::vector<std::string> names{""};
  const std::vector<ReadyProfile> ready = ready_profiles();
  for (const ReadyProfile& profile : ready) {
    names.push_back(profile.name);
  }
  fields.choice("profile", config.profile, names, "a predefined sequence of phases");
  const auto chosen = std::find_if(ready.begin(), ready.end(), [&](const ReadyProfile& profile) {
    return profile.name == config.profile;
  });
  // a ready profile has its own default, once
  if (chosen != ready.end() && config.defaults_from != config.profile) {
    config.overtaking = chosen->overtaking;
    config.defaults_from = config.profile;
  }
  fields.field(
      "phases", config.phases,
      "custom phases: duration, rate, delay, loss, limit; e.g. \"60s rate 1mbit delay 50ms\"");
  fields.field("repeat", config.repeat,
               "whether the phases repeat; otherwise the last one continues");
  fields.field("overtaking", config.overtaking,
               "whether a message may arrive before one that was sent earlier");

  if (config.profile.empty() == config.phases.empty()) {
    fields.reject("profile",
                  config.profile.empty() ? "link model 'profile' needs 'profile' or 'phases'"
                                         : "'profile' and 'phases' exclude each other",
                  "for example profile: darpa");
    return;
  }
  phases =
      read_phases(fields, chosen != ready.end() ? chosen->phases : config.phases, config.repeat);
}

std::vector<ReadyProfile> ready_profiles() {
  return {{"darpa",
           {"60s rate 1mbit delay 50ms", "60s rate 100kbit delay 500ms"},
           true,
           "DARPA Robotics Challenge: alternates a good and a bad minute"}};
}

std::unique_ptr<Link> make_profile_link(Schedule schedule, bool overtaking,
                                        const LinkContext& context) {
  return std::make_unique<ProfileLink>(std::move(schedule), overtaking, context);
}

void register_profile_link(LinkModelRegistry& registry) {
  registry.add("profile", "rate, delay and loss that change over time (keys: profile, phases)",
               [] { return std::make_unique<ProfileModel>(); });
}

}  // namespace longarm::network
