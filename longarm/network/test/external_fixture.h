// SPDX-License-Identifier: Apache-2.0
// For tests of external backends: instants as the protocol writes them, and netem on a cable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "longarm/network/netem/netem_link.h"

namespace longarm::network {

inline Time at_ns(std::int64_t ns) {
  return Time(Duration(ns));
}

/// The impairment of a netem line.
class Netem final : public LinkModel {
 public:
  explicit Netem(const std::string& line) : config_(parse_netem(line).value()) {}
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return make_netem_link(config_, context);
  }
  FateRule fate_rule() const override { return network::fate_rule(config_); }

 private:
  NetemConfig config_;
};

}  // namespace longarm::network
