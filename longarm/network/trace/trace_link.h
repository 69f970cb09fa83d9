// SPDX-License-Identifier: Apache-2.0
// Link model `trace`: delays and losses as they were measured.
#pragma once

#include <memory>
#include <string>

#include "longarm/network/link.h"
#include "longarm/network/trace/delay_trace.h"

namespace longarm::network {

struct TraceConfig {
  std::string trace;           ///< a file: CSV, output of ping or iperf3, or a capture
  std::string trace_received;  ///< the capture at the receiver
  bool trace_repeat = true;
  std::string trace_by = "time";
  bool overtaking = true;
};
void list_fields(Fields& fields, TraceConfig& config);

std::unique_ptr<Link> make_trace_link(const TraceConfig& config, DelayTrace trace);

void register_trace_link(LinkModelRegistry& registry);

}  // namespace longarm::network
