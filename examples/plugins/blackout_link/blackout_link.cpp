// SPDX-License-Identifier: Apache-2.0
// A link model of one's own: a line of sight that something passes through again and again. And a
// failure that does the like to any cable of a network.
#include <chrono>
#include <memory>

#include <longarm/cell/plugin.h>
#include <longarm/cell/world.h>

namespace {

using namespace longarm;

struct BlackoutConfig {
  Duration every{1'000'000'000};
  Duration lasts{50'000'000};
};

/// Messages sent during a blackout are lost; all others arrive at once.
class BlackoutLink final : public network::Link {
 public:
  explicit BlackoutLink(const BlackoutConfig& config) : config_(config) {}

 private:
  void do_send(Time now, const network::Packet& packet, network::LinkOutput& output) override {
    // the first blackout begins one interval after the start
    const Duration since_start = now.time_since_epoch();
    const bool is_dark =
        since_start >= config_.every && since_start % config_.every < config_.lasts;
    if (is_dark) {
      output.drop(packet, network::DropReason::kLoss);
    } else {
      output.arrive(packet, now);
    }
  }

  BlackoutConfig config_;
};

class BlackoutModel final : public network::LinkModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("blackout_every", config_.every, "from the start of one blackout to the next");
    fields.field("blackout_lasts", config_.lasts, "how long each is");
    if (config_.lasts < Duration(0) || config_.lasts > config_.every) {
      fields.reject("blackout_lasts", "a blackout cannot last longer than blackout_every",
                    "make it shorter, or blackouts rarer");
    }
  }
  std::unique_ptr<network::Link> make(const network::LinkContext&) const override {
    return std::make_unique<BlackoutLink>(config_);
  }

 private:
  BlackoutConfig config_;
};

/// "2s link rack flickers for 1s": ten times a second, for the first half of the time, it is down.
void flicker(cell::World& world, const cell::Failure& failure) {
  using namespace std::chrono_literals;
  for (Time at = failure.at; at < failure.at + failure.length; at += 100ms) {
    network::CableChange change;
    change.at = at;
    change.is_up = false;
    world.change_cable(failure.name, change);
    change.at = at + 50ms;
    change.is_up = true;
    world.change_cable(failure.name, change);
  }
}

}  // namespace

LONGARM_PLUGIN(plugins) {
  plugins.link_models.add("blackout", "loses what is sent in regular blackouts",
                          [] { return std::make_unique<BlackoutModel>(); });
  plugins.add_failure({cell::Failure::Of::kLink,
                       {"flickers", "it is down for the first half of every 100 ms",
                        cell::FailureVerb::End::kAlways},
                       flicker});
}
