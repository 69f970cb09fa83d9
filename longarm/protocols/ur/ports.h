// SPDX-License-Identifier: Apache-2.0
// At which TCP ports a UR controller can be reached, and which of its doors are open at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"

namespace longarm::protocols::ur {

/// A port of 0 is any free one; kClosed: the door is not there. Make one of another profile by
/// ports_of(); reading keys does so by itself.
struct PortsConfig {
  static constexpr std::int64_t kClosed = -1;

  std::string profile = "real";  ///< or two-ports
  std::int64_t primary = 30001;
  std::int64_t primary_ro = 30011;
  std::int64_t secondary = 30002;
  std::int64_t secondary_ro = 30012;
  std::int64_t realtime = 30003;
  std::int64_t realtime_ro = 30013;
  std::int64_t rtde = 30004;
  std::int64_t dashboard = 29999;
  std::int64_t gripper = 63352;

  /// No key: the profile whose numbers the ones above were, before any of them was set.
  std::string profile_of_numbers = "real";
};

/// real: the numbers of every UR controller. two-ports: 50001 is the primary one, 50003 the
/// real-time one, and there are no others.
PortsConfig ports_of(std::string_view profile);

/// Rejects what judge() calls an error. Ports that are not given are those of the profile.
void list_fields(Fields& fields, PortsConfig& config);

/// What is wrong with the value of a key (an error), or worth knowing about it (a warning).
struct PortRemark {
  std::string key;
  std::string message;
  std::string hint;
  Severity severity = Severity::kError;
};

std::vector<PortRemark> judge(const PortsConfig& config);

/// A door that is to be opened.
struct OpenPort {
  std::string_view door;  ///< what stands behind the robot's name and a dot: "primary_ro"
  std::uint16_t port = 0;
};

/// All of them, in the order of the struct; a port that makes no sense is not among them.
std::vector<OpenPort> open_ports(const PortsConfig& config);

}  // namespace longarm::protocols::ur
