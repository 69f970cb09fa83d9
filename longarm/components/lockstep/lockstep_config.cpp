// SPDX-License-Identifier: Apache-2.0
// Keys of the lock-step door and what makes no sense about their values.
#include "longarm/components/lockstep/lockstep_config.h"

#include <utility>

#include "longarm/system/address.h"

namespace longarm::components {

void list_fields(Fields& fields, LockstepConfig& config) {
  fields.field("socket", config.socket,
               "address at which external processes connect: HOST:PORT (0: a free port) or a path");
  fields.choice(
      "mode", config.mode, {"exact", "collect"},
      "exact: clients report when they are idle; collect: the simulation waits for fixed times");
  fields.field("join_within", config.join_within, "real time for all of them to connect");
  fields.field("answer_timeout", config.answer_timeout,
               "real time without an answer after which a client counts as hung");
  fields.field("step", config.step, "collect: how often clients receive the simulated time");
  fields.section(
      "timeouts", "collect: real time to wait for messages of clients",
      [&](Fields& f) {
        f.field("all", config.timeouts.all, "in every phase without a time of its own");
        f.field("step", config.timeouts.step, "after each step");
        f.field("request", config.timeouts.request,
                "after a request or a message has reached a client");
        f.field("execution", config.timeouts.execution, "after the execution of a client's method");
        f.field("reply", config.timeouts.reply, "after a reply has reached a client");
      },
      "all");
}

std::vector<network::KeyRemark> check_config(const LockstepConfig& config) {
  std::vector<network::KeyRemark> remarks;
  if (config.socket.find('/') == std::string::npos) {
    const Result<system::Address> address = system::parse_address(config.socket);
    if (!address) {
      remarks.push_back({"socket", address.error().message,
                         "127.0.0.1:0 picks a free port; a path contains a '/'"});
    }
  }
  const std::pair<const char*, Duration> spans[] = {{"join_within", config.join_within},
                                                    {"answer_timeout", config.answer_timeout},
                                                    {"step", config.step}};
  for (const auto& [key, span] : spans) {
    if (span <= Duration::zero()) {
      remarks.push_back({key, "must be longer than zero", "give a time such as 10s"});
    }
  }
  const std::pair<const char*, std::optional<Duration>> timeouts[] = {
      {"timeouts.all", config.timeouts.all},
      {"timeouts.step", config.timeouts.step},
      {"timeouts.request", config.timeouts.request},
      {"timeouts.execution", config.timeouts.execution},
      {"timeouts.reply", config.timeouts.reply}};
  for (const auto& [key, span] : timeouts) {
    if (span && *span < Duration::zero()) {
      remarks.push_back({key, "is negative", "give a time such as 20ms, or 0s for none"});
    }
  }
  return remarks;
}

}  // namespace longarm::components
