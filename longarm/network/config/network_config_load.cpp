// SPDX-License-Identifier: Apache-2.0
// Judges the `network` section: each rule with its message.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/network/config/network_config.h"
#include "longarm/network/config/network_schedule.h"
#include "longarm/network/external/external_backend.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

constexpr std::int64_t kMostHosts = 2'000;
constexpr Duration kLongest = std::chrono::hours(24);
constexpr std::int64_t kMaxRate_bit_s = 1'000'000'000'000'000;

class Judge {
 public:
  void error(std::string key, std::string message, std::string hint) {
    remarks.push_back({std::move(key), std::move(message), std::move(hint), Severity::kError});
  }
  void add(const std::string& prefix, std::vector<KeyRemark> more) {
    for (KeyRemark& remark : more) {
      remark.key = remark.key.empty() ? prefix : prefix + "." + remark.key;
      remarks.push_back(std::move(remark));
    }
  }
  void not_negative(const std::string& key, Duration time) {
    if (time < Duration(0)) {
      error(key, "a time must not be negative", "use 0s or more");
    } else if (time > kLongest) {
      error(key, "a time of more than a day", "use a shorter time");
    }
  }
  void between(const std::string& key, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) {
      const std::size_t dot = key.rfind('.');
      error(
          key,
          fmt::format("{} must be between {} and {}",
                      dot == std::string::npos ? key : key.substr(dot + 1), low, high),
          value < low ? fmt::format("use at least {}", low) : fmt::format("use at most {}", high));
    }
  }

  std::vector<KeyRemark> remarks;
};

/// Names stand in dotted keys and are those of files.
void judge_name(Judge& judge, const std::string& group, const std::string& name) {
  const bool is_good = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (!is_good) {
    judge.error(group, fmt::format("'{}' is not a valid name in {}", name, group),
                "use letters, digits, - and _");
  }
}

/// What a host has taken over from the defaults is read once.
void load_time(Judge& judge, const std::string& key, VaryingTime& time, const VaryingTime* defaults,
               InputFiles& files) {
  if (defaults != nullptr && defaults->sorted_s && !time.file.empty() &&
      time.file == defaults->file && time.column == defaults->column) {
    time.sorted_s = defaults->sorted_s;
    return;
  }
  judge.add(key, load(time, files));
}

void load_host(Judge& judge, const std::string& key, Host& host, const Host* defaults,
               InputFiles& files) {
  const auto time = [&](const char* name, VaryingTime Host::*member) {
    load_time(judge, key + "." + name, host.*member,
              defaults == nullptr ? nullptr : &(defaults->*member), files);
  };
  time("stack_send", &Host::stack_send);
  time("stack_receive", &Host::stack_receive);
  time("loopback", &Host::loopback);
  time("serialise", &Host::serialise);
  time("deserialise", &Host::deserialise);
  judge.between(key + ".cores", host.cores, 0, 100'000);
  if (!(host.speed > 0.0) || !std::isfinite(host.speed)) {
    judge.error(key + ".speed", "the speed of a host must be greater than 0", "1 is usual");
  }
  if (!(host.load >= 0.0) || !(host.load < 1.0)) {
    judge.error(key + ".load", "load must be at least 0 and below 1",
                "it is the fraction of every core used by other programs");
  }
}

void judge_queue(Judge& judge, const std::string& key, const QueueSettings& queue) {
  judge.between(key + ".limit_packets", queue.limit_packets, 0, 1'000'000'000);
  judge.between(key + ".limit_bytes", queue.limit_bytes, 0, 1'000'000'000'000);
  judge.between(key + ".priorities", queue.priorities, 1, 64);
  judge.not_negative(key + ".target", queue.target);
  judge.not_negative(key + ".interval", queue.interval);
  if (queue.kind == QueueKind::kCoDel &&
      (queue.target <= Duration(0) || queue.interval <= queue.target)) {
    judge.error(key + ".interval", "codel needs a target above 0s and a longer interval",
                "5ms and 100ms are usual");
  }
}

void judge_schedule(Judge& judge, const std::string& key, const CableConfig& cable) {
  if (cable.schedule.empty()) {
    return;
  }
  if (!cable.rate.empty() || cable.propagation != Duration(0)) {
    judge.error(key + ".schedule", "a schedule sets rate and propagation itself",
                "remove the keys rate and propagation, or the schedule");
  }
  const Result<std::vector<CablePhase>> phases = parse_schedule(cable.schedule);
  if (!phases) {
    judge.error(key + ".schedule", phases.error().message,
                "for example darpa, or [\"60s rate 1mbit delay 50ms\", \"5s down\"]");
  } else if (!phases->front().is_up) {
    judge.error(key + ".schedule", "a schedule cannot start with the cable down",
                "start with a phase that has a rate");
  }
}

void load_cable(Judge& judge, const std::string& key, CableConfig& cable, InputFiles& files) {
  if (!cable.rate.empty()) {
    const std::optional<std::int64_t> rate = parse_tc_rate(cable.rate);
    if (!rate || *rate > kMaxRate_bit_s) {
      judge.error(key + ".rate", fmt::format("'{}' is not a rate", cable.rate),
                  "use tc syntax: 1Gbit, 100Mbit, 250kbit");
    } else if (*rate == 0) {
      judge.error(key + ".rate", "a rate of 0 never sends anything",
                  "use a rate above 0, or remove it to send in no time");
    }
  }
  judge.not_negative(key + ".propagation", cable.propagation);
  judge_queue(judge, key + ".queue", cable.queue);
  judge_schedule(judge, key, cable);
  for (const auto& [name, impairment] :
       {std::pair{".forward", &cable.forward}, std::pair{".backward", &cable.backward}}) {
    if (impairment->plugin) {
      judge.add(key + name, impairment->plugin->load(files));
    }
  }
}

void judge_names(Judge& judge, const NetworkConfig& config) {
  std::set<std::string> used;
  for (const Host& host : config.hosts) {
    judge_name(judge, "hosts", host.name);
    used.insert(host.name);
  }
  for (const SwitchEntry& each : config.switches) {
    judge_name(judge, "switches", each.name);
    judge.not_negative("switches." + each.name + ".forwarding", each.forwarding);
    if (!used.insert(each.name).second) {
      judge.error("switches." + each.name,
                  fmt::format("a host and a switch are both called '{}'", each.name),
                  "rename one of them");
    }
  }
  for (const LinkEntry& link : config.links) {
    judge_name(judge, "links", link.name);
  }
}

std::vector<std::string> node_names(const NetworkConfig& config) {
  std::vector<std::string> names;
  for (const Host& host : config.hosts) {
    names.push_back(host.name);
  }
  for (const SwitchEntry& each : config.switches) {
    names.push_back(each.name);
  }
  return names;
}

void judge_ends(Judge& judge, const NetworkConfig& config) {
  const std::vector<std::string> nodes = node_names(config);
  for (const LinkEntry& link : config.links) {
    const std::string key = "links." + link.name + ".between";
    if (link.between.size() != 2) {
      judge.error(key,
                  fmt::format("link '{}' has {} ends instead of 2", link.name, link.between.size()),
                  "for example between: [edge, robot]");
      continue;
    }
    for (const std::string& end : link.between) {
      if (std::find(nodes.begin(), nodes.end(), end) == nodes.end()) {
        judge.error(
            key,
            fmt::format("link '{}' ends at '{}', which is not a host or switch", link.name, end),
            suggest(end, nodes));
      }
    }
    if (link.between[0] == link.between[1]) {
      judge.error(key,
                  fmt::format("link '{}' goes from '{}' to itself", link.name, link.between[0]),
                  "programs on one host use its loopback and need no link");
    }
  }
}

void judge_routes(Judge& judge, const NetworkConfig& config) {
  const std::vector<std::string> nodes = node_names(config);
  std::vector<std::string> hosts;
  for (const Host& host : config.hosts) {
    hosts.push_back(host.name);
  }
  std::set<std::pair<std::string, std::string>> given;
  for (const RouteEntry& route : config.routes) {
    const std::string key = "routes." + route.name;
    const bool is_node = std::find(nodes.begin(), nodes.end(), route.at) != nodes.end();
    if (!is_node) {
      judge.error(key + ".at", fmt::format("'{}' is not a host or switch", route.at),
                  suggest(route.at, nodes));
    }
    if (std::find(hosts.begin(), hosts.end(), route.to) == hosts.end()) {
      judge.error(key + ".to", fmt::format("'{}' is not a host", route.to),
                  suggest(route.to, hosts));
    }
    const auto link =
        std::find_if(config.links.begin(), config.links.end(),
                     [&](const LinkEntry& candidate) { return candidate.name == route.link; });
    if (link == config.links.end()) {
      std::vector<std::string> names;
      for (const LinkEntry& each : config.links) {
        names.push_back(each.name);
      }
      judge.error(key + ".link", fmt::format("'{}' is not a link", route.link),
                  suggest(route.link, names));
    } else if (is_node && std::find(link->between.begin(), link->between.end(), route.at) ==
                              link->between.end()) {
      judge.error(key + ".link",
                  fmt::format("link '{}' is not connected to '{}'", route.link, route.at),
                  "a route uses a link of the host or switch it is at");
    }
    if (!given.emplace(route.at, route.to).second) {
      judge.error(key, fmt::format("there are two routes at '{}' to '{}'", route.at, route.to),
                  "keep one of them");
    }
  }
}

void judge_star(Judge& judge, const NetworkConfig& config) {
  judge.between("star.hosts", config.star.hosts, 0, kMostHosts);
  if (config.star.hosts <= 0) {
    return;
  }
  for (const auto& [key, is_there] :
       {std::pair{"links", !config.links.empty()}, std::pair{"switches", !config.switches.empty()},
        std::pair{"routes", !config.routes.empty()}}) {
    if (is_there) {
      judge.error(key, fmt::format("a star cannot be combined with {}", key),
                  "remove the star, or the other key");
    }
  }
  for (const Host& host : config.hosts) {
    std::set<std::string> names;
    for (std::int64_t i = 1; i <= std::min(config.star.hosts, kMostHosts); ++i) {
      names.insert(fmt::format("pc{}", i));
    }
    if (!names.contains(host.name)) {
      judge.error("hosts." + host.name,
                  fmt::format("a star of {} has no host '{}'", config.star.hosts, host.name),
                  fmt::format("its hosts are pc1 … pc{}", config.star.hosts));
    }
  }
}

/// The machine must be there, and may not be a part of yet another one.
void judge_shared_cores(Judge& judge, const NetworkConfig& config) {
  const std::vector<Host> hosts = make_hosts(config);
  std::vector<std::string> names;
  for (const Host& host : hosts) {
    names.push_back(host.name);
  }
  for (const Host& host : hosts) {
    const std::string& machine = host.shares_cores_with;
    if (machine.empty() || machine == host.name) {
      continue;
    }
    const std::string key = "hosts." + host.name + ".shares_cores_with";
    const auto found = std::find(names.begin(), names.end(), machine);
    if (found == names.end()) {
      judge.error(key, fmt::format("there is no host '{}'", machine), suggest(machine, names));
      continue;
    }
    const std::string& next =
        hosts[static_cast<std::size_t>(found - names.begin())].shares_cores_with;
    if (!next.empty() && next != machine) {
      judge.error(key, fmt::format("'{}' has no cores of its own", machine),
                  fmt::format("name '{}' instead", next));
    }
  }
}

/// Where as many cores are there as are wanted, nothing ever waits for one.
void judge_stack_cores(Judge& judge, const NetworkConfig& config) {
  const std::vector<Host> hosts = make_hosts(config);
  const auto machine_of = [&](const Host& host) -> const Host& {
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& other) {
      return other.name == host.shares_cores_with;
    });
    return found == hosts.end() ? host : *found;
  };
  for (const Host& host : hosts) {
    const Host& machine = machine_of(host);
    if (host.stack_uses_cores && machine.cores == 0) {
      const bool is_listed =
          std::any_of(config.hosts.begin(), config.hosts.end(),
                      [&](const Host& listed) { return listed.name == host.name; });
      judge.error(
          (is_listed ? "hosts." + host.name : "host_defaults") + ".stack_uses_cores",
          fmt::format(
              "stack_uses_cores of '{}' has no effect: '{}' has an unlimited number of cores",
              host.name, machine.name),
          fmt::format("give '{}' a number of cores, for example cores: 4", machine.name));
      if (!is_listed) {
        return;  // the others of a star say the same
      }
    }
  }
}

void judge_backend(Judge& judge, const NetworkConfig& config) {
  if (config.backend == "external" && config.command.empty()) {
    judge.error("command", "an external backend needs the command that starts it",
                "for example command: python3 backend.py");
  } else if (config.backend == "external") {
    const Result<std::vector<std::string>> words = split_command(config.command);
    if (!words || words->empty()) {
      judge.error("command", words ? "the command is empty" : words.error().message,
                  "for example command: python3 backend.py");
    }
  }
  if (config.backend != "external" && !config.command.empty()) {
    judge.error("command", fmt::format("backend '{}' ignores 'command'", config.backend),
                "remove it, or use backend external");
  }
  if (config.answer_timeout <= Duration(0)) {
    judge.error("answer_timeout", "answer_timeout must be greater than zero", "10s is usual");
  }
}

}  // namespace

std::vector<KeyRemark> judge(const FlowOptions& options) {
  Judge judge;
  const TcpOptions& tcp = options.tcp;
  judge.between("priority", options.priority, 0, 63);
  judge.between("tcp.initial_window_segments", tcp.initial_window_segments, 1, 1'000'000);
  judge.between("tcp.delayed_ack_segments", tcp.delayed_ack_segments, 1, 1'000);
  judge.between("tcp.max_retries", tcp.max_retries, 0, 1'000);
  judge.between("tcp.send_buffer_bytes", tcp.send_buffer_bytes, 1, 1LL << 40);
  judge.between("tcp.receive_buffer_bytes", tcp.receive_buffer_bytes, 1, 1LL << 30);
  judge.between("tcp.keep_alive_probes", tcp.keep_alive_probes, 1, 1'000);
  judge.not_negative("tcp.delayed_ack_timeout", tcp.delayed_ack_timeout);
  judge.not_negative("tcp.keep_alive_after", tcp.keep_alive_after);
  judge.not_negative("tcp.send_latency", tcp.send_latency);
  for (const auto& [key, time] :
       {std::pair{"tcp.min_rto", tcp.min_rto}, std::pair{"tcp.initial_rto", tcp.initial_rto},
        std::pair{"tcp.keep_alive_every", tcp.keep_alive_every}}) {
    if (time <= Duration(0)) {
      judge.error(key, "this time must be greater than zero", "200ms is usual for min_rto");
    }
  }
  return judge.remarks;
}

std::vector<KeyRemark> load(NetworkConfig& config, InputFiles& files) {
  Judge judge;
  judge_backend(judge, config);
  config.command = with_found_files(config.command, files);
  load_host(judge, "host_defaults", config.host_defaults, nullptr, files);
  for (Host& host : config.hosts) {
    load_host(judge, "hosts." + host.name, host, &config.host_defaults, files);
  }
  judge.add("flows", network::judge(config.flows));
  judge.add("flows", judge_flows(config));
  judge_star(judge, config);
  judge_names(judge, config);
  if (config.star.hosts > 0) {
    load_cable(judge, "star", config.star.cable, files);
  }
  for (LinkEntry& link : config.links) {
    load_cable(judge, "links." + link.name, link, files);
  }
  judge_ends(judge, config);
  judge_routes(judge, config);
  if (!has_errors(judge.remarks)) {
    judge_shared_cores(judge, config);
    judge_stack_cores(judge, config);
  }

  // ways are looked for once everything is where it says
  if (!has_errors(judge.remarks) && !config.is_empty()) {
    const Result<RoutingTable> ways = RoutingTable::make(make_topology(config));
    if (!ways) {
      judge.error(config.routes.empty() ? "links" : "routes", ways.error().message,
                  "every host must be able to reach every other; add a link or change a route");
    }
  }
  return judge.remarks;
}

}  // namespace longarm::network
