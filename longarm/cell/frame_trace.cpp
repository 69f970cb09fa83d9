// SPDX-License-Identifier: Apache-2.0
// Rows are put together as text: there may be ten thousands of them for each second of a run.
#include "longarm/cell/frame_trace.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/core/index.h"

namespace longarm::cell {
namespace {

constexpr Duration kSecond{1'000'000'000};
constexpr Duration kBurst{100'000'000};  // frames of so long may come at once
constexpr Duration kInterval{1'000'000};
constexpr Duration kCountersPeriod{100'000'000};

std::int64_t interval_of(Time now) {
  return now.time_since_epoch() / kInterval;
}

}  // namespace

FrameTrace::FrameTrace(std::int64_t frames_per_second)
    : per_frame_(frames_per_second > 0
                     ? Duration(std::max<std::int64_t>(1, kSecond.count() / frames_per_second))
                     : Duration(0)) {}

void FrameTrace::set_trace(record::RosTrace& trace, const network::Topology& topology) {
  frames_ = trace.add_json("/network/frames", "longarm/Frame",
                           {{"frame", "integer"},
                            {"port", "integer"},
                            {"from", "integer"},
                            {"to", "integer"},
                            {"flow", "integer"},
                            {"message", "integer"},
                            {"size_bytes", "integer"},
                            {"kind", "integer"},
                            {"fate", "integer"},
                            {"retransmission", "boolean"},
                            {"waited_s", "number"},
                            {"sending_s", "number"},
                            {"travelling_s", "number"}});
  record::JsonProperties counters{{"not_followed", "integer"}};
  for (const network::Cable& cable : topology.cables) {
    for (const network::NodeId end : cable.ends) {
      const std::string& node = topology.nodes[index_of(end)].name;
      Port& port = ports_.emplace_back(Port{node + "-" + cable.name});
      port.queue = trace.add_json(
          "/network/queues/" + port.name, "longarm/Queue of " + port.name,
          {{port.name + ".packets", "integer"}, {port.name + ".queued_bytes", "integer"}});
      for (const char* what : {".frames", ".lost", ".retransmitted"}) {
        counters.emplace_back(port.name + what, "integer");
      }
    }
  }
  counters_ = trace.add_json("/network/counters", "longarm/Counters", counters);
}

bool FrameTrace::follows(Time now) {
  if (per_frame_ == Duration(0) || paid_until_ > now + kBurst) {
    ++not_followed_;
    return false;
  }
  paid_until_ = std::max(paid_until_, now) + per_frame_;
  return true;
}

void FrameTrace::hop(const network::FrameHop& hop) {
  if (ports_.empty()) {
    return;
  }
  if (hop.ended >= next_counters_) {
    write_counters(hop.ended);
  }
  const bool is_lost = hop.fate != network::FrameFate::kArrived;
  Port& port = ports_[index_of(hop.port)];
  ++port.frames;
  port.lost += is_lost ? 1 : 0;
  port.retransmitted += hop.is_retransmission ? 1 : 0;
  has_counted_ = true;
  last_ = hop.ended;
  if (hop.is_followed || is_lost) {
    write_hop(hop);
  }
}

void FrameTrace::write_hop(const network::FrameHop& hop) {
  text_.clear();
  const auto out = std::back_inserter(text_);
  fmt::format_to(out, R"({{"frame":{},"port":{},"from":{},"to":{},"flow":{},)", hop.frame,
                 index_of(hop.port), index_of(hop.from), index_of(hop.to), index_of(hop.flow));
  if (hop.message) {
    fmt::format_to(out, R"("message":{},)", static_cast<std::uint64_t>(*hop.message));
  }
  fmt::format_to(out, R"("size_bytes":{},"kind":{},"fate":{},)", hop.bytes,
                 static_cast<int>(hop.kind), static_cast<int>(hop.fate));
  if (hop.is_retransmission) {
    text_ += R"("retransmission":true,)";
  }
  fmt::format_to(out, R"("waited_s":{})", to_seconds(hop.began.value_or(hop.ended) - hop.queued));
  if (hop.began && hop.left) {
    fmt::format_to(out, R"(,"sending_s":{},"travelling_s":{})", to_seconds(*hop.left - *hop.began),
                   to_seconds(hop.ended - *hop.left));
  }
  text_ += '}';
  frames_->write_text(hop.ended, text_);
}

void FrameTrace::queue(Time now, network::PortId id, std::uint64_t packets, std::uint64_t bytes) {
  if (ports_.empty()) {
    return;
  }
  Port& port = ports_[index_of(id)];
  if (const std::int64_t interval = interval_of(now); interval != port.interval) {
    close_interval(port, interval);
  }
  port.now = {packets, bytes};
  port.longest = {std::max(port.longest.packets, packets), std::max(port.longest.bytes, bytes)};
}

/// The millisecond of the last change is over, and maybe some more in which nothing changed.
void FrameTrace::close_interval(Port& port, std::int64_t next) {
  write_queue(port, port.interval, port.longest);
  if (next > port.interval + 1) {
    write_queue(port, port.interval + 1, port.now);
  }
  port.interval = next;
  port.longest = port.now;
}

void FrameTrace::write_queue(Port& port, std::int64_t interval, const Length& length) {
  if (length == port.written) {
    return;
  }
  port.written = length;
  port.queue->write(
      Time((interval + 1) * kInterval),
      {{port.name + ".packets", length.packets}, {port.name + ".queued_bytes", length.bytes}});
}

/// All that ended before `now`.
void FrameTrace::write_counters(Time now) {
  next_counters_ = Time((now.time_since_epoch() / kCountersPeriod + 1) * kCountersPeriod);
  if (!has_counted_) {
    return;
  }
  has_counted_ = false;
  nlohmann::ordered_json row{{"not_followed", not_followed_}};
  for (const Port& port : ports_) {
    row[port.name + ".frames"] = port.frames;
    row[port.name + ".lost"] = port.lost;
    row[port.name + ".retransmitted"] = port.retransmitted;
  }
  counters_->write(now, row);
}

void FrameTrace::finish() {
  for (Port& port : ports_) {
    close_interval(port, port.interval + 2);
  }
  if (!ports_.empty()) {
    write_counters(last_ + Duration(1));
  }
}

}  // namespace longarm::cell
