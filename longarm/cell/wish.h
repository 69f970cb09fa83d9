// SPDX-License-Identifier: Apache-2.0
// What actors can be to each other: interfaces that one offers and another asks for by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/network/flow.h"

namespace longarm::cell {

/// How far an interface reaches.
enum class Reach {
  kBody,    ///< joints, a belt, a wire: only on one host, or where one of the two has none
  kSpoken,  ///< messages: they cross the network between the hosts of the two
};

/// Each interface type has one as `kInterface`. Names are what users read in messages.
struct Interface {
  std::string_view name;
  Reach reach = Reach::kBody;
  bool needs_hosts = false;  ///< both must have one; otherwise what is spoken arrives at once

  friend bool operator==(const Interface& a, const Interface& b) { return a.name == b.name; }
};

/// An actor that another one names under a key, and how messages between them travel.
struct Wish {
  std::string name;                               ///< of the actor; empty: none
  std::string transport;                          ///< tcp, udp or raw; empty: as is usual for it
  std::optional<double> priority = std::nullopt;  ///< of its packets; nothing: the network's own

  bool is_empty() const { return name.empty(); }
  /// `usual`, with what was said here.
  network::FlowOptions options(network::FlowOptions usual) const;
};

/// Only how messages travel, not to whom.
void list_manner(Fields& fields, Wish& wish);
/// `KEY: NAME`, or `KEY: {of: NAME, transport: udp, priority: 1}`.
void list_wish(Fields& fields, std::string_view key, Wish& wish, std::string_view doc);
/// `KEY: [NAME, …]`, or `KEY: {NAME: {transport: udp, priority: 1}, …}`.
void list_wishes(Fields& fields, std::string_view key, std::vector<Wish>& wishes,
                 std::string_view doc);

/// What a kind says of a wish, so that it can be judged before anything is made.
struct WishInfo {
  std::string key;  ///< the actor's, e.g. "belt"
  std::string of;   ///< whom it names; empty: nobody
  Interface what{};
  /// If it names nobody, it is meant for the one actor that offers this.
  bool takes_only_one = false;
};

}  // namespace longarm::cell
