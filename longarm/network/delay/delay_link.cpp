// SPDX-License-Identifier: Apache-2.0
// Adds a constant to the time of sending.
#include "longarm/network/delay/delay_link.h"

#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

class DelayLink final : public Link {
 public:
  explicit DelayLink(const DelayConfig& config) : config_(config) {}

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    output.arrive(packet, now + config_.delay);
  }

  DelayConfig config_;
};

class DelayModel final : public LinkModel {
 public:
  void list_fields(Fields& fields) override { network::list_fields(fields, config_); }
  std::unique_ptr<Link> make(const LinkContext&) const override {
    return std::make_unique<DelayLink>(config_);
  }
  FateRule fate_rule() const override { return FateRule::kByIndex; }
  std::optional<std::string> as_netem() const override {
    return "delay " + format_tc_time(config_.delay);
  }

 private:
  DelayConfig config_;
};

}  // namespace

void list_fields(Fields& fields, DelayConfig& config) {
  fields.field("delay", config.delay, "delay of each message");
  if (config.delay < Duration(0)) {
    fields.reject("delay", "a delay must not be negative", "use 0s or more");
  }
}

void register_delay_link(LinkModelRegistry& registry) {
  registry.add("delay", "a fixed delay per message (key: delay)",
               [] { return std::make_unique<DelayModel>(); });
}

}  // namespace longarm::network
