// SPDX-License-Identifier: Apache-2.0
// Counts of flows and cables.
#include "longarm/network/network_json.h"

#include <nlohmann/json.hpp>

namespace longarm::network {

using Json = nlohmann::ordered_json;

Json network_json(const Network& network) {
  const NetworkFigures figures = network.figures();
  Json out;
  out["backend"] = network.backend().name();
  for (const FlowFigures& flow : figures.flows) {
    out["flows"].push_back({{"name", flow.name},
                            {"messages_sent", flow.messages_sent},
                            {"messages_delivered", flow.messages_delivered},
                            {"bytes_delivered", flow.bytes_delivered},
                            {"packets_sent", flow.packets_sent},
                            {"packets_lost", flow.packets_lost},
                            {"retransmissions", flow.retransmissions},
                            {"timeouts", flow.timeouts},
                            {"duplicate_acks", flow.duplicate_acks}});
  }
  for (const CableFigures& cable : figures.cables) {
    out["cables"].push_back({{"name", cable.name},
                             {"packets", cable.packets},
                             {"bytes", cable.bytes},
                             {"dropped_queue", cable.dropped_queue},
                             {"dropped_loss", cable.dropped_loss},
                             {"longest_queue_packets", cable.longest_queue_packets},
                             {"busy_s", to_seconds(cable.busy)}});
  }
  return out;
}

}  // namespace longarm::network
