// SPDX-License-Identifier: Apache-2.0
// Interfaces between actors: one offers them, another asks for them by the actor's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/network/flow.h"

namespace longarm::cell {

/// Whether an interface can be used across hosts.
enum class Reach {
  kBody,    ///< a C++ reference: both on one host, or one without a host
  kSpoken,  ///< messages, which cross the network between the two hosts
};

/// Describes an interface type, which has one as constant `kInterface`. `name` appears in messages.
struct Interface {
  std::string_view name;
  Reach reach = Reach::kBody;
  bool needs_hosts = false;  ///< true: both actors need a host; false: without hosts,
                             ///< messages arrive at once

  friend bool operator==(const Interface& a, const Interface& b) { return a.name == b.name; }
};

/// The value of a key that names another actor, and how messages between the two travel.
struct Wish {
  std::string name;                               ///< of the actor; empty: none
  std::string transport;                          ///< tcp, udp or raw; empty: the default
  std::optional<double> priority = std::nullopt;  ///< of packets; no value: the default

  bool is_empty() const { return name.empty(); }
  /// `usual`, changed by what this wish sets.
  network::FlowOptions options(network::FlowOptions usual) const;
};

/// Lists the keys of how messages travel, without the name.
void list_manner(Fields& fields, Wish& wish);
/// Lists a key for one actor: `KEY: NAME`, or `KEY: {of: NAME, transport: udp, priority: 1}`.
void list_wish(Fields& fields, std::string_view key, Wish& wish, std::string_view doc);
/// Lists a key for several: `KEY: [NAME, …]`, or `KEY: {NAME: {transport: udp, priority: 1}, …}`.
void list_wishes(Fields& fields, std::string_view key, std::vector<Wish>& wishes,
                 std::string_view doc);

/// A wish as ActorModel::wishes() returns it, to be checked before anything is created.
struct WishInfo {
  std::string key;  ///< the actor's, e.g. "belt"
  std::string of;   ///< the actor it names; empty: none
  Interface what{};
  /// If it names no actor, take the only one that offers the interface.
  bool takes_only_one = false;
  /// If it names no actor, take all that offer the interface, as far as it reaches.
  bool takes_all = false;
};

}  // namespace longarm::cell
