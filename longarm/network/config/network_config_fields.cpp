// SPDX-License-Identifier: Apache-2.0
// The keys of the `network` section and what they mean to the user.
#include <algorithm>

#include "longarm/network/config/network_config.h"

namespace longarm::network {
namespace {

/// `words` are in the order of the enumerators.
template <typename Enum>
void list_word(Fields& fields, std::string_view key, Enum& value,
               const std::vector<std::string>& words, std::string_view doc) {
  std::string word = words[static_cast<std::size_t>(value)];
  fields.choice(key, word, words, doc);
  const auto found = std::find(words.begin(), words.end(), word);
  value = static_cast<Enum>(found - words.begin());
}

void list_int(Fields& fields, std::string_view key, int& value, std::string_view doc) {
  std::int64_t number = value;
  fields.field(key, number, doc);
  // what is out of range is so for the judge, too
  value = static_cast<int>(std::clamp<std::int64_t>(number, -1, 1'000'000));
}

void list_host(Fields& fields, Host& host) {
  list_fields(fields, "stack_send",
              "operating system: from a program's write to the first bit on the wire",
              host.stack_send);
  list_fields(fields, "stack_receive",
              "operating system: from the last bit on the wire to the program", host.stack_receive);
  list_fields(fields, "loopback", "loopback: from program to program on this host", host.loopback);
  fields.field("stack_uses_cores", host.stack_uses_cores,
               "whether these three times occupy one of the host's cores, per packet");
  list_fields(fields, "serialise", "computing time of the sender per message", host.serialise);
  list_fields(fields, "deserialise", "computing time of the receiver per message",
              host.deserialise);
  fields.field("cores", host.cores, "number of cores; 0: unlimited");
  fields.field("speed", host.speed,
               "speed relative to the machine on which computing times were measured");
  fields.field("load", host.load, "fraction of every core used by other programs, below 1");
  list_word(fields, "scheduling", host.scheduling, {"fair", "fifo"},
            "fair: jobs share the cores equally; fifo: each job keeps its core until it is done");
  fields.field("shares_cores_with", host.shares_cores_with,
               "host on the same machine whose cores this host uses");
  fields.rare("clock_offset", host.clock_offset, "0s",
              "how far its clock is ahead at the start, as programs read it");
  fields.rare("clock_drift_ppm", host.clock_drift_ppm, "0",
              "how fast its clock gains time, in microseconds per second");
}

/// Like named(), but what an entry leaves out is as in host_defaults.
void list_hosts(Fields& fields, NetworkConfig& config) {
  std::vector<std::string> names;
  for (const Host& host : config.hosts) {
    names.push_back(host.name);
  }
  fields.entries("hosts", "hosts (computers), by name", names,
                 [&](Fields& group, std::size_t index) {
                   if (index == Fields::kAnyName) {
                     Host any = config.host_defaults;
                     list_host(group, any);
                     return;
                   }
                   if (index >= config.hosts.size()) {
                     config.hosts.resize(index + 1);
                   }
                   Host& host = config.hosts[index];
                   if (host.name != names[index]) {
                     host = config.host_defaults;
                     host.name = names[index];
                   }
                   list_host(group, host);
                 });
  config.hosts.resize(names.size());
}

void list_impairment(Fields& fields, ImpairmentConfig& config, const LinkModelRegistry& models) {
  const std::string before = config.model;
  fields.choice("model", config.model, models.names(), "additional effects on each packet");
  if (!config.plugin || config.model != before) {
    config.plugin = models.make(config.model);
  }
  config.plugin->list_fields(fields);
}

void list_queue(Fields& fields, QueueSettings& queue) {
  list_word(fields, "kind", queue.kind, {"drop-tail", "codel"},
            "queue discipline, which decides when packets are dropped");
  fields.field("limit_packets", queue.limit_packets,
               "packets that may wait, without the one being sent; per priority");
  fields.field("limit_bytes", queue.limit_bytes, "bytes that may wait; 0: unlimited");
  fields.field("target", queue.target, "codel: tolerated waiting time");
  fields.field("interval", queue.interval, "codel: how long it may be exceeded");
  list_int(fields, "priorities", queue.priorities, "number of priorities; 0 is always sent first");
}

void list_cable(Fields& fields, CableConfig& cable, const LinkModelRegistry& models) {
  fields.field("rate", cable.rate,
               "rate in tc syntax, e.g. 1Gbit, 100kbit; empty: sending takes no time");
  fields.field("propagation", cable.propagation, "propagation time from one end to the other");
  list_word(fields, "framing", cable.framing, {"ethernet", "ppp", "none"},
            "ethernet: 18 bytes, preamble, gap, at least 64 bytes; ppp: 2 bytes; none: no headers, "
            "not even IP");
  fields.section(
      "queue", "queue at each end of the cable", [&](Fields& f) { list_queue(f, cable.queue); },
      "kind");
  fields.section("forward",
                 "link model from the first end to the second; keys directly in the link apply to "
                 "both directions",
                 [&](Fields& f) { list_impairment(f, cable.forward, models); });
  fields.section("backward", "link model from the second end to the first",
                 [&](Fields& f) { list_impairment(f, cable.backward, models); });
  fields.field("may_overtake", cable.may_overtake,
               "whether packets may overtake those in flight when the propagation time drops");
  fields.field("schedule", cable.schedule,
               "rate and propagation time over time: darpa, or phases such as \"60s rate 1mbit "
               "delay 50ms\", \"5s down\"");
  fields.field("schedule_repeats", cable.schedule_repeats,
               "whether the phases repeat; otherwise the last one continues");
}

void list_tcp(Fields& fields, TcpOptions& tcp) {
  fields.field("mss_bytes", tcp.mss_bytes, "largest payload of one segment");
  fields.field("initial_window_segments", tcp.initial_window_segments,
               "segments sent before the first ACK");
  fields.field("timestamps", tcp.has_timestamps,
               "timestamps: 12 bytes per segment; measures the RTT of each ACK");
  fields.field("sack", tcp.has_sack, "selective acknowledgements");
  fields.field("nodelay", tcp.is_nodelay, "whether Nagle's algorithm is off");
  fields.field("delayed_ack_segments", tcp.delayed_ack_segments, "segments per delayed ACK");
  fields.field("delayed_ack_timeout", tcp.delayed_ack_timeout, "longest delay of an ACK");
  list_word(fields, "rto_rule", tcp.rto_rule, {"linux", "rfc6298"},
            "linux: SRTT + max(4 RTTVAR, min_rto); rfc6298: max(SRTT + 4 RTTVAR, min_rto)");
  fields.field("min_rto", tcp.min_rto, "least retransmission timeout");
  fields.field("initial_rto", tcp.initial_rto,
               "retransmission timeout before the first RTT is known");
  fields.field("max_retries", tcp.max_retries,
               "retransmissions of one segment before the connection is reset");
  list_word(fields, "congestion", tcp.congestion, {"reno", "cubic"}, "congestion control");
  fields.field("send_buffer_bytes", tcp.send_buffer_bytes, "send buffer");
  fields.field("receive_buffer_bytes", tcp.receive_buffer_bytes, "receive buffer");
  fields.field("keep_alive_after", tcp.keep_alive_after,
               "idle time before keep-alive probes; 0s: never");
  fields.field("keep_alive_every", tcp.keep_alive_every, "time between unanswered probes");
  fields.field("keep_alive_probes", tcp.keep_alive_probes,
               "unanswered probes before the connection is reset");
  fields.field("send_latency", tcp.send_latency, "delay between write and send; ns-3 has 1ns");
}

}  // namespace

void list_fields(Fields& fields, FlowOptions& options) {
  list_word(fields, "transport", options.transport, {"raw", "udp", "tcp"},
            "transport; raw: each message is one packet without IP headers");
  list_int(fields, "priority", options.priority, "default priority of packets; 0 is the highest");
  fields.section("tcp", "TCP options; defaults as in Linux",
                 [&](Fields& f) { list_tcp(f, options.tcp); });
}

void list_fields(Fields& fields, NetworkConfig& config, const LinkModelRegistry& models) {
  fields.choice("backend", config.backend, {"builtin", "ideal", "ns3", "external"},
                "network simulator; ideal: messages arrive instantly");
  fields.field("command", config.command, "external: command that starts the backend");
  fields.field("answer_timeout", config.answer_timeout,
               "ns3, external: real time without an answer after which the backend counts as hung");
  fields.section("host_defaults", "defaults of all hosts",
                 [&](Fields& f) { list_host(f, config.host_defaults); });
  list_hosts(fields, config);
  named(fields, "switches", "switches, by name", config.switches,
        [](Fields& f, SwitchEntry& entry) {
          f.field("forwarding", entry.forwarding,
                  "processing time between receiving a packet and queueing it");
        });
  named(fields, "links", "cables between hosts or switches, by name", config.links,
        [&](Fields& f, LinkEntry& entry) {
          f.field("between", entry.between, "its two ends: [edge, robot]");
          list_cable(f, entry, models);
        });
  named(fields, "routes", "routes other than the shortest, by a name of your choice", config.routes,
        [](Fields& f, RouteEntry& entry) {
          f.field("at", entry.at, "host or switch that forwards packets");
          f.field("to", entry.to, "destination host");
          f.field("link", entry.link, "link to use");
        });
  fields.section("star", "a star: hosts pc1, pc2, … around one switch", [&](Fields& f) {
    f.field("hosts", config.star.hosts, "number of hosts; 0: no star");
    list_cable(f, config.star.cable, models);
  });
  fields.section(
      "flows", "default transport of messages", [&](Fields& f) { list_fields(f, config.flows); },
      "transport");
  fields.field("capture", config.capture, "write pcap files of every interface");
}

}  // namespace longarm::network
