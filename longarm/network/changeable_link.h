// SPDX-License-Identifier: Apache-2.0
// A link that becomes another one while packets are under way.
#pragma once

#include <memory>
#include <utility>

#include "longarm/network/link.h"

namespace longarm::network {

/// For models whose links know what becomes of a packet when it is sent (LinkModel::as_netem): what
/// is under way arrives as it would have.
class ChangeableLink final : public Link {
 public:
  ChangeableLink(std::unique_ptr<Link> link, LinkContext context)
      : link_(std::move(link)), context_(std::move(context)) {}

  /// What is sent from now on goes by that model.
  void change(const LinkModel& model) { link_ = model.make(context_); }

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    link_->send(now, packet, output);
  }

  std::unique_ptr<Link> link_;
  LinkContext context_;
};

}  // namespace longarm::network
