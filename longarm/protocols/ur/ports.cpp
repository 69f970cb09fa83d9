// SPDX-License-Identifier: Apache-2.0
// The keys of a UR controller's ports, with what each may be.
#include "longarm/protocols/ur/ports.h"

#include <array>

#include <fmt/format.h>

namespace longarm::protocols::ur {
namespace {

struct PortKey {
  std::string_view key;
  std::int64_t PortsConfig::*port;
  std::string_view doc;
};

constexpr std::array<PortKey, 9> kPortKeys{{
    {"primary", &PortsConfig::primary,
     "TCP port of the primary interface: states at 10 Hz, messages, scripts; 0: a free port, -1: "
     "none"},
    {"primary_ro", &PortsConfig::primary_ro, "the same, read only; 0: a free port, -1: none"},
    {"secondary", &PortsConfig::secondary,
     "TCP port of the secondary interface: states at 10 Hz, scripts; 0: a free port, -1: none"},
    {"secondary_ro", &PortsConfig::secondary_ro, "the same, read only; 0: a free port, -1: none"},
    {"realtime", &PortsConfig::realtime,
     "TCP port of the real-time interface: a packet per control cycle, scripts; 0: a free port, "
     "-1: none"},
    {"realtime_ro", &PortsConfig::realtime_ro, "the same, read only; 0: a free port, -1: none"},
    {"rtde", &PortsConfig::rtde,
     "TCP port of the real-time data exchange; 0: a free port, -1: none"},
    {"dashboard", &PortsConfig::dashboard,
     "TCP port of the dashboard server; 0: a free port, -1: none"},
    {"gripper", &PortsConfig::gripper,
     "TCP port of a Robotiq gripper's server, if there is such a gripper; 0: a free port, -1: "
     "none"},
}};

bool is_port(std::int64_t port) {
  return port >= PortsConfig::kClosed && port <= 65535;
}

}  // namespace

PortsConfig ports_of(std::string_view profile) {
  PortsConfig config;
  config.profile = profile;
  config.profile_of_numbers = profile;
  if (profile != "two-ports") {
    return config;
  }
  for (const PortKey& key : kPortKeys) {
    config.*key.port = PortsConfig::kClosed;
  }
  config.primary = 50001;
  config.realtime = 50003;
  return config;
}

void list_fields(Fields& fields, PortsConfig& config) {
  fields.choice(
      "profile", config.profile, {"real", "two-ports"},
      "default ports: real, those of every UR controller; two-ports, 50001 for commands and "
      "50003 for status");
  if (config.profile != config.profile_of_numbers) {
    config = ports_of(config.profile);
  }
  for (const PortKey& key : kPortKeys) {
    fields.field(key.key, config.*key.port, key.doc);
  }
  for (const PortRemark& remark : judge(config)) {
    if (remark.severity == Severity::kError) {
      fields.reject(remark.key, remark.message, remark.hint);
    }
  }
}

std::vector<PortRemark> judge(const PortsConfig& config) {
  std::vector<PortRemark> remarks;
  const PortsConfig usual = ports_of(config.profile);
  for (std::size_t i = 0; i < kPortKeys.size(); ++i) {
    const std::string key(kPortKeys[i].key);
    const std::int64_t port = config.*kPortKeys[i].port;
    if (!is_port(port)) {
      remarks.push_back({key, fmt::format("{} is not a TCP port", port),
                         "use 1 to 65535; 0: a free port; -1: disabled"});
      continue;
    }
    for (std::size_t j = 0; j < i && port > 0; ++j) {
      if (config.*kPortKeys[j].port == port) {
        // to blame is the one that was given; of two, the later
        const bool is_usual = port == usual.*kPortKeys[i].port;
        const std::string_view blamed = is_usual ? kPortKeys[j].key : kPortKeys[i].key;
        const std::string_view other = is_usual ? kPortKeys[i].key : kPortKeys[j].key;
        remarks.push_back({std::string(blamed),
                           fmt::format("port {} is already used by '{}'", port, other),
                           "give each its own port; 0: a free port"});
        break;
      }
    }
  }
  if (config.primary == 50001 || config.realtime == 50001) {
    remarks.push_back({config.primary == 50001 ? "primary" : "realtime",
                       "UR drivers listen at 50001 for the robot's program",
                       "run such a driver on another host, or give it another reverse port",
                       Severity::kWarning});
  }
  if (open_ports(config).empty() && remarks.empty()) {
    remarks.push_back({"profile", "every port is -1: no client can reach this robot",
                       "enable at least one", Severity::kWarning});
  }
  return remarks;
}

std::vector<OpenPort> open_ports(const PortsConfig& config) {
  std::vector<OpenPort> open;
  for (const PortKey& key : kPortKeys) {
    const std::int64_t port = config.*key.port;
    if (port != PortsConfig::kClosed && is_port(port)) {
      open.push_back({key.key, static_cast<std::uint16_t>(port)});
    }
  }
  return open;
}

}  // namespace longarm::protocols::ur
