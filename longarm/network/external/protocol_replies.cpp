// SPDX-License-Identifier: Apache-2.0
// What we understand of what a network simulator says. Nothing it says may surprise us.
#include <fmt/format.h>

#include "longarm/network/external/protocol.h"
#include "longarm/network/external/reply_members.h"

namespace longarm::network::external {
namespace {

using nlohmann::json;

std::optional<Fate> fate_of(const std::string& word) {
  if (word == "delivered") {
    return Fate::kDelivered;
  }
  if (word == "lost") {
    return Fate::kLost;
  }
  if (word == "connected") {
    return Fate::kConnected;
  }
  return word == "reset" ? std::optional(Fate::kReset) : std::nullopt;
}

/// Unknown ones are losses like any other.
DropReason reason_of(const std::string& word) {
  if (word == "queue_full") {
    return DropReason::kQueueFull;
  }
  return word == "corrupt" ? DropReason::kCorrupt : DropReason::kLoss;
}

Result<Consent> read_consent(std::string_view line, std::string_view kind) {
  const Result<json> reply = read_reply(line, {kind, "refused"});
  if (!reply) {
    return reply.error();
  }
  if ((*reply)["reply"] == kind) {
    return Consent{true, ""};
  }
  Members members(*reply);
  Consent consent{false, members.text("message")};
  if (!members.wrong().empty()) {
    return malformed(members.wrong(), line);
  }
  return consent;
}

/// Nothing if the entry makes no sense.
std::optional<Delivery> read_delivery(const json& entry) {
  Members members(entry);
  const std::optional<Fate> fate = fate_of(members.text("fate"));
  const std::int64_t flow = members.integer("flow", 0);
  const std::int64_t side = members.integer("side", 0);
  const std::int64_t time_ns = members.integer("time_ns", 0);
  const bool has_message = fate == Fate::kDelivered || fate == Fate::kLost;
  const std::uint64_t message = has_message ? members.count("message") : 0;
  const std::string reason = entry.contains("reason") ? members.text("reason") : "";
  if (!fate || side > 1 || flow > UINT32_MAX || !members.wrong().empty()) {
    return std::nullopt;
  }
  return Delivery{Time(Duration(time_ns)),
                  FlowId(static_cast<std::uint32_t>(flow)),
                  MessageId(message),
                  side == 0 ? Side::kOpener : Side::kPeer,
                  *fate,
                  reason_of(reason)};
}

std::optional<FatesWanted> read_wanted(const json& entry) {
  Members members(entry);
  const std::int64_t cable = members.integer("cable", 0);
  const std::int64_t direction = members.integer("direction", 0);
  const std::uint64_t first = members.count("first");
  if (cable > UINT32_MAX || direction > 1 || !members.wrong().empty()) {
    return std::nullopt;
  }
  return FatesWanted{CableId(static_cast<std::uint32_t>(cable)),
                     direction == 0 ? Direction::kForward : Direction::kBackward, first};
}

}  // namespace

Result<Hello> read_hello(std::string_view line) {
  const Result<json> reply = read_reply(line, {"hello"});
  if (!reply) {
    return reply.error();
  }
  Members members(*reply);
  const std::string protocol = members.text("protocol");
  const std::int64_t version = members.integer("version");
  if (members.wrong().empty() && (protocol != "longarm-network" || version != kProtocolVersion)) {
    return Error{fmt::format("uses version {} of '{}'; expected version {} of 'longarm-network'",
                             version, protocol, kProtocolVersion)};
  }
  Hello hello;
  hello.backend = members.text("backend");
  if (const json* const capabilities = members.list("capabilities")) {
    for (const json& capability : *capabilities) {
      if (capability.is_string()) {
        hello.capabilities.push_back(capability.get<std::string>());
      }
    }
  }
  if (!members.wrong().empty()) {
    return malformed(members.wrong(), line);
  }
  return hello;
}

Result<Consent> read_built(std::string_view line) {
  return read_consent(line, "built");
}

Result<Consent> read_opened(std::string_view line, FlowId flow) {
  Result<Consent> consent = read_consent(line, "opened");
  if (consent && consent->is_given) {
    const json value = json::parse(line, nullptr, false);
    Members members(value);
    if (members.integer("flow") != static_cast<std::int64_t>(flow) || !members.wrong().empty()) {
      return Error{"answered out of order: expected the answer for another flow"};
    }
  }
  return consent;
}

Result<Advanced> read_advanced(std::string_view line) {
  const Result<json> reply = read_reply(line, {"advanced"});
  if (!reply) {
    return reply.error();
  }
  Members members(*reply);
  Advanced advanced;
  advanced.time = Time(Duration(members.integer("time_ns", 0)));
  const bool is_idle = reply->contains("next_event_ns") && (*reply)["next_event_ns"].is_null();
  advanced.next_event = is_idle ? Time::max() : Time(Duration(members.integer("next_event_ns", 0)));
  if (const json* const deliveries = members.list("deliveries")) {
    for (const json& entry : *deliveries) {
      const std::optional<Delivery> delivery = read_delivery(entry);
      delivery ? advanced.deliveries.push_back(*delivery) : members.note("deliveries");
    }
  }
  if (const json* const wanted =
          reply->contains("fates_wanted") ? members.list("fates_wanted") : nullptr) {
    for (const json& entry : *wanted) {
      const std::optional<FatesWanted> fates = read_wanted(entry);
      fates ? advanced.fates_wanted.push_back(*fates) : members.note("fates_wanted");
    }
  }
  if (!members.wrong().empty()) {
    return malformed(members.wrong(), line);
  }
  return advanced;
}

}  // namespace longarm::network::external
