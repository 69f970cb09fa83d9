// SPDX-License-Identifier: Apache-2.0
// The trivial link, and the reference for the others.
#include "longarm/network/none/none_link.h"

namespace longarm::network {
namespace {

class NoneLink final : public Link {
 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    output.arrive(packet, now);
  }
};

class NoneModel final : public LinkModel {
 public:
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext&) const override {
    return std::make_unique<NoneLink>();
  }
  FateRule fate_rule() const override { return FateRule::kByIndex; }
  std::optional<std::string> as_netem() const override { return ""; }
};

}  // namespace

void register_none_link(LinkModelRegistry& registry) {
  registry.add("none", "no delay: a message arrives the instant it is sent",
               [] { return std::make_unique<NoneModel>(); });
}

}  // namespace longarm::network
