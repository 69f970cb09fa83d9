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
  list_fields(fields, "stack_send", "operating system, from a program's write to the first bit",
              host.stack_send);
  list_fields(fields, "stack_receive", "operating system, from the last bit to the program",
              host.stack_receive);
  list_fields(fields, "loopback", "from program to program on this host", host.loopback);
  fields.field("stack_uses_cores", host.stack_uses_cores,
               "these three times are work for one of the host's cores, per packet of a message");
  list_fields(fields, "serialise", "computing of the sender, for each message", host.serialise);
  list_fields(fields, "deserialise", "computing of the receiver, for each message",
              host.deserialise);
  fields.field("cores", host.cores, "what computes; 0: as many as are wanted");
  fields.field("speed", host.speed, "how much faster than where computing times were measured");
  fields.field("load", host.load, "share of every core that others use, below 1");
  list_word(fields, "scheduling", host.scheduling, {"fair", "fifo"},
            "fair: equal shares of the cores; fifo: each job keeps its core until it is done");
  fields.field("shares_cores_with", host.shares_cores_with,
               "a host that is really the same machine: it computes on that one's cores");
}

/// Like named(), but what an entry leaves out is as in host_defaults.
void list_hosts(Fields& fields, NetworkConfig& config) {
  std::vector<std::string> names;
  for (const Host& host : config.hosts) {
    names.push_back(host.name);
  }
  fields.entries("hosts", "the computers, by name", names, [&](Fields& group, std::size_t index) {
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
  fields.choice("model", config.model, models.names(), "what else happens to each packet");
  if (!config.plugin || config.model != before) {
    config.plugin = models.make(config.model);
  }
  config.plugin->list_fields(fields);
}

void list_queue(Fields& fields, QueueSettings& queue) {
  list_word(fields, "kind", queue.kind, {"drop-tail", "codel"}, "who is dropped, and when");
  fields.field("limit_packets", queue.limit_packets,
               "waiting, without the one being sent; per priority");
  fields.field("limit_bytes", queue.limit_bytes, "the same in bytes; 0: no such limit");
  fields.field("target", queue.target, "codel: waiting that is tolerated");
  fields.field("interval", queue.interval, "codel: for how long");
  list_int(fields, "priorities", queue.priorities, "how many; 0 always goes first");
}

void list_cable(Fields& fields, CableConfig& cable, const LinkModelRegistry& models) {
  fields.field(
      "rate", cable.rate,
      "as tc writes it: 1Gbit, 100kbit; leave it out, or write \"\": sending takes no time");
  fields.field("propagation", cable.propagation, "from one end to the other");
  list_word(fields, "framing", cable.framing, {"ethernet", "ppp", "none"},
            "ethernet: 18 bytes, preamble, gap, at least 64; ppp: 2 bytes; none: no headers at all,"
            " not even of IP");
  fields.section(
      "queue", "where packets wait for the cable, at each end",
      [&](Fields& f) { list_queue(f, cable.queue); }, "kind");
  fields.section("forward",
                 "from the first end to the second: keys of a link model; directly in the link: "
                 "both ways",
                 [&](Fields& f) { list_impairment(f, cable.forward, models); });
  fields.section("backward", "from the second end to the first",
                 [&](Fields& f) { list_impairment(f, cable.backward, models); });
  fields.field("may_overtake", cable.may_overtake,
               "whether a shorter propagation lets packets pass those in flight");
  fields.field("schedule", cable.schedule,
               "rate and propagation over time: darpa, or phases such as \"60s rate 1mbit delay "
               "50ms\", \"5s down\"");
  fields.field("schedule_repeats", cable.schedule_repeats,
               "phases over and over; otherwise the last one goes on");
}

void list_tcp(Fields& fields, TcpOptions& tcp) {
  fields.field("mss_bytes", tcp.mss_bytes, "largest piece of data in one segment");
  fields.field("initial_window_segments", tcp.initial_window_segments, "sent before any ACK");
  fields.field("timestamps", tcp.has_timestamps, "12 bytes in every segment; RTT of each ACK");
  fields.field("sack", tcp.has_sack, "selective acknowledgements");
  fields.field("nodelay", tcp.is_nodelay, "false: Nagle's algorithm");
  fields.field("delayed_ack_segments", tcp.delayed_ack_segments, "one ACK for so many");
  fields.field("delayed_ack_timeout", tcp.delayed_ack_timeout, "and after so long at the latest");
  list_word(fields, "rto_rule", tcp.rto_rule, {"linux", "rfc6298"},
            "linux: SRTT + max(4 RTTVAR, min_rto); rfc6298: max(SRTT + 4 RTTVAR, min_rto)");
  fields.field("min_rto", tcp.min_rto, "of the retransmission time-out");
  fields.field("initial_rto", tcp.initial_rto, "before the first RTT is known");
  fields.field("max_retries", tcp.max_retries, "of one segment, then the connection is reset");
  list_word(fields, "congestion", tcp.congestion, {"reno", "cubic"}, "congestion control");
  fields.field("send_buffer_bytes", tcp.send_buffer_bytes, "at the sender");
  fields.field("receive_buffer_bytes", tcp.receive_buffer_bytes, "at the receiver");
  fields.field("keep_alive_after", tcp.keep_alive_after, "of silence; 0s: never");
  fields.field("keep_alive_every", tcp.keep_alive_every, "between unanswered probes");
  fields.field("keep_alive_probes", tcp.keep_alive_probes, "unanswered ones until it is reset");
  fields.field("send_latency", tcp.send_latency, "written data waits so long; ns-3 has 1ns");
}

}  // namespace

void list_fields(Fields& fields, FlowOptions& options) {
  list_word(fields, "transport", options.transport, {"raw", "udp", "tcp"},
            "raw: each message is one packet, without headers of IP");
  list_int(fields, "priority", options.priority, "0 goes first where queues have priorities");
  fields.section("tcp", "options of TCP; the defaults are those of Linux",
                 [&](Fields& f) { list_tcp(f, options.tcp); });
}

void list_fields(Fields& fields, NetworkConfig& config, const LinkModelRegistry& models) {
  fields.choice("backend", config.backend, {"builtin", "ideal", "ns3", "external"},
                "who simulates it; ideal: messages arrive at once");
  fields.field("command", config.command, "external: the program and its arguments");
  fields.field("patience", config.patience,
               "ns3, external: wall-clock time after which a backend that says nothing has hung");
  fields.section("host_defaults", "what hosts are like that say nothing else",
                 [&](Fields& f) { list_host(f, config.host_defaults); });
  list_hosts(fields, config);
  named(fields, "switches", "by name", config.switches, [](Fields& f, SwitchEntry& entry) {
    f.field("forwarding", entry.forwarding, "between the last bit in and the queue out");
  });
  named(fields, "links", "cables between hosts or switches, by name", config.links,
        [&](Fields& f, LinkEntry& entry) {
          f.field("between", entry.between, "its two ends: [edge, robot]");
          list_cable(f, entry, models);
        });
  named(fields, "routes", "ways that are not the shortest, by a name of your own", config.routes,
        [](Fields& f, RouteEntry& entry) {
          f.field("at", entry.at, "the host or switch that sends on");
          f.field("to", entry.to, "the host that packets are for");
          f.field("link", entry.link, "the link that they take");
        });
  fields.section("star", "so many hosts pc1, pc2, … around one switch", [&](Fields& f) {
    f.field("hosts", config.star.hosts, "how many; 0: no star");
    list_cable(f, config.star.cable, models);
  });
  fields.section(
      "flows", "how messages cross where nothing else is said",
      [&](Fields& f) { list_fields(f, config.flows); }, "transport");
  fields.field("capture", config.capture, "write pcap files of every interface");
}

}  // namespace longarm::network
