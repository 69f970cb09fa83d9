// SPDX-License-Identifier: Apache-2.0
// The lines that Longarm and processes that are not ours say to each other, one JSON object each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longarm/components/message.h"
#include "longarm/core/result.h"

namespace longarm::components {

/// Both sides must say the same.
constexpr std::int64_t kLockstepVersion = 1;

/// A line of any type. Each type has only some of these; docs/how-to/processes.md says which.
struct LockstepMessage {
  std::string type;
  std::int64_t version = kLockstepVersion;
  std::int64_t id = 0;
  std::int64_t turn = 0;
  std::int64_t time_ns = 0;
  std::int64_t execution_ns = 0;  ///< 0 where it is left out
  std::int64_t timeout_ns = 0;    ///< 0: none
  bool announces_idle = true;
  std::string component;
  std::string host;
  std::string server;
  std::string method;
  std::string topic;
  std::string message_type;
  std::string transport;  ///< "tcp" where it is left out
  std::string error;      ///< why there is no answer; empty: there is one
  Bytes data;             ///< base64 on the line
};

/// Never throws; says what is wrong with a line that is no message.
Result<LockstepMessage> parse_lockstep(std::string_view line);
/// Without the line's end.
std::string to_line(const LockstepMessage& message);

}  // namespace longarm::components
