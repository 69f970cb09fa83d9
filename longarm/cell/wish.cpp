// SPDX-License-Identifier: Apache-2.0
// The keys of a wish.
#include "longarm/cell/wish.h"

#include <cmath>

namespace longarm::cell {

void list_manner(Fields& fields, Wish& wish) {
  fields.choice("transport", wish.transport, {"", "tcp", "udp", "raw"},
                "transport of these messages; raw: without headers; default: the usual one");
  fields.field("priority", wish.priority,
               "priority of their packets, 0 is highest; default: the network's");
  const bool is_priority = !wish.priority || (*wish.priority >= 0.0 && *wish.priority < 8.0 &&
                                              *wish.priority == std::floor(*wish.priority));
  if (!is_priority) {
    fields.reject("priority", "priority must be a whole number from 0 to 7", "0 is the highest");
  }
}

network::FlowOptions Wish::options(network::FlowOptions usual) const {
  if (!transport.empty()) {
    usual.transport = transport == "udp"   ? network::Transport::kUdp
                      : transport == "raw" ? network::Transport::kRaw
                                           : network::Transport::kTcp;
  }
  if (priority) {
    usual.priority = static_cast<int>(*priority);
  }
  return usual;
}

void list_wish(Fields& fields, std::string_view key, Wish& wish, std::string_view doc) {
  fields.section(
      key, doc,
      [&](Fields& f) {
        f.field("of", wish.name, "name of the actor to use");
        list_manner(f, wish);
      },
      "of");
}

void list_wishes(Fields& fields, std::string_view key, std::vector<Wish>& wishes,
                 std::string_view doc) {
  named(fields, key, doc, wishes, list_manner);
}

}  // namespace longarm::cell
