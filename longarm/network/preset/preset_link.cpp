// SPDX-License-Identifier: Apache-2.0
// The table of presets; a link made from one is a netem link whose packets keep their order.
#include "longarm/network/preset/preset_link.h"

#include <algorithm>

#include "longarm/core/check.h"
#include "longarm/network/netem/netem_link.h"

namespace longarm::network {
namespace {

/// Lets no packet of another link arrive before one that was sent earlier.
class InOrderLink final : public Link {
 public:
  explicit InOrderLink(std::unique_ptr<Link> link) : link_(std::move(link)) {}

 private:
  class InOrder final : public LinkOutput {
   public:
    InOrder(LinkOutput& output, Time& last) : output_(output), last_(last) {}
    void arrive(const Packet& packet, Time when) override {
      last_ = std::max(last_, when);
      output_.arrive(packet, last_);
    }
    void drop(const Packet& packet, DropReason reason) override { output_.drop(packet, reason); }

   private:
    LinkOutput& output_;
    Time& last_;
  };

  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    InOrder in_order(output, last_arrival_);
    link_->send(now, packet, in_order);
  }

  std::unique_ptr<Link> link_;
  Time last_arrival_{};
};

class PresetModel final : public LinkModel {
 public:
  void list_fields(Fields& fields) override {
    const std::vector<Preset> all = presets();
    std::vector<std::string> names;
    for (const Preset& preset : all) {
      names.push_back(preset.name);
    }
    fields.choice("preset", name_, names, "kind of network; see docs/how-to/links.md");
    fields.field("overtaking", overtaking_,
                 "whether a message may arrive before one that was sent earlier");
    if (name_.empty()) {
      fields.reject("preset", "link model 'preset' needs the key 'preset'",
                    "for example preset: wifi");
    }
  }

  std::unique_ptr<Link> make(const LinkContext& context) const override {
    std::unique_ptr<Link> link = make_netem_link(netem(), context);
    return overtaking_ ? std::move(link) : std::make_unique<InOrderLink>(std::move(link));
  }

  FateRule fate_rule() const override {
    const FateRule rule = network::fate_rule(netem());
    return rule == FateRule::kByIndex && !overtaking_ ? FateRule::kByIndexInOrder : rule;
  }

 private:
  NetemConfig netem() const {
    const std::vector<Preset> all = presets();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Preset& preset) { return preset.name == name_; });
    check(found != all.end(), "a preset that is not in the table");
    NetemConfig config;
    check(!read_netem(found->netem, config), "a preset's netem line is wrong");
    return config;
  }

  std::string name_;
  bool overtaking_ = false;
};

}  // namespace

std::vector<Preset> presets() {
  return {
      {"urllc-required", "delay 500us loss 0.001%",
       "required of 5G by 3GPP TR 38.913: 0.5 ms user plane each way, 1e-5 packets lost or late"},
      {"embb-required", "delay 4ms rate 50mbit",
       "required of 5G: 4 ms user plane each way (3GPP TR 38.913), 50 Mbit/s uplink per user "
       "(ITU-R M.2410)"},
      {"private-5g", "delay 7ms 1531us distribution normal",
       "measured in a 5G standalone campus network (Rischke et al. 2021): 95 % of downlink packets "
       "take 4 to 10 ms"},
      {"private-lte", "delay 4516us 871us distribution pareto",
       "measured in ns-3 3.37 (LTE and EPC, 2 idle UEs): round trip 7.87 to 16.0 ms, halved and "
       "fitted"},
      {"lte", "delay 27ms 2ms loss 0.1%",
       "delay assumed, from a public demo page of a digital twin (25 to 29 ms); loss allowed by "
       "3GPP TS 23.203 for QCI 3"},
      {"3g", "delay 30ms loss 0.1% rate 5760kbit",
       "delay assumed, from a public demo page of a digital twin (29 to 31 ms); loss assumed; "
       "HSUPA category 6 peak rate"},
      {"wifi", "delay 650us 840us distribution pareto loss 0.35%",
       "measured in ns-3 3.37 (802.11ac, access point and 2 stations): round trip 0.18, 0.59, 8 ms "
       "(least, median, 99 %), 0.7 % lost; halved and fitted"},
      {"wan", "delay 100ms 25ms loss 0.1%",
       "allowed by ITU-T Y.1541 class 0: mean 100 ms, variation 50 ms, loss 1e-3"},
  };
}

void register_preset_link(LinkModelRegistry& registry) {
  registry.add("preset", "a kind of network by name (key: preset)",
               [] { return std::make_unique<PresetModel>(); });
}

}  // namespace longarm::network
