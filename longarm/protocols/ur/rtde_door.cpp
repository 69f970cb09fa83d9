// SPDX-License-Identifier: Apache-2.0
// Conversations at the RTDE port: versions, recipes, data in and out.
#include "longarm/protocols/ur/rtde_door.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/ur/bytes.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::size_t kMaxInputRecipes = 255;
constexpr std::uint8_t kOutputRecipe = 1;
constexpr std::string_view kNotFound = "NOT_FOUND";
constexpr std::string_view kInUse = "IN_USE";

/// The names whose answer is no type.
std::string names_refused(const std::vector<std::string>& names,
                          const std::vector<std::string>& types) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (types[i] == kNotFound || types[i] == kInUse) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", types[i], names[i].substr(0, 64));
    }
    if (text.size() > 200) {
      return text.substr(0, 200) + "...";
    }
  }
  return text;
}

std::string empty_expected(std::string_view what, std::size_t size) {
  return fmt::format("{} of {} bytes, 0 expected", what, size);
}

}  // namespace

RtdeDoor::RtdeDoor(std::string name, std::uint16_t port, ControllerPort& controller)
    : TalkDoor(std::move(name), port), controller_(controller), holders_(rtde_input_count()) {}

void RtdeDoor::do_close(ConnectionId client, Time) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  // what it wrote stays; what it held is free, and masks of digital outputs with it
  RtdeInputs unused;
  for (const auto& recipe : found->second.inputs) {
    for (const RtdeInput& input : recipe) {
      holders_[input.number].reset();
      input.write(rtde_zero(input.type), input.index, memory_, unused);
    }
  }
  clients_.erase(found);
}

void RtdeDoor::do_receive(ConnectionId client, std::string_view bytes, Time) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.is_over) {
    return;
  }
  Talk& talk = found->second;
  talk.reader.add(bytes, [&](const RtdePacket& packet) {
    if (talk.output.size() <= kMaxOutputBytes) {
      ++counters_.packets;
      serve(client, talk, packet);
    }
  });
  if (talk.reader.is_lost()) {
    refuse(talk, "a packet of less than 3 bytes: the conversation ends", RtdeLevel::kException);
  }
  if (talk.reader.is_lost() || talk.output.size() > kMaxOutputBytes) {
    talk.is_over = true;
    talk.is_started = false;
    ++counters_.lost;
  }
}

std::string RtdeDoor::do_take_cyclic(ConnectionId client) {
  const auto found = clients_.find(client);
  const std::uint64_t cycle = controller_.cycles();
  if (found == clients_.end() || !found->second.is_started || cycle < found->second.next_cycle) {
    return {};
  }
  Talk& talk = found->second;
  // cycles that nobody asked for are left out; the ones that follow stay where they were
  talk.next_cycle += talk.every * ((cycle - talk.next_cycle) / talk.every + 1);
  const bool has_recipe = talk.version == RtdeVersion::k2;
  const std::size_t size = kRtdeHeaderBytes + (has_recipe ? 1 : 0) + talk.output_bytes;
  ByteWriter out;
  out.reserve(size);
  out.put(static_cast<std::uint16_t>(size));
  out.put(static_cast<std::uint8_t>(RtdePacketType::kData));
  if (has_recipe) {
    out.put(kOutputRecipe);
  }
  const ControllerState& state = controller_.state();
  for (const RtdeOutput& variable : talk.outputs) {
    put_rtde(out, variable.read(state, variable.index));
  }
  return out.str();
}

void RtdeDoor::refuse(Talk& talk, std::string message, RtdeLevel level) {
  ++counters_.refusals;
  talk.output += encode_text({std::move(message), "RTDE", level}, talk.version);
}

void RtdeDoor::serve(ConnectionId client, Talk& talk, const RtdePacket& packet) {
  switch (static_cast<RtdePacketType>(packet.type)) {
    case RtdePacketType::kProtocolVersion:
      return serve_version(talk, packet.payload);
    case RtdePacketType::kControllerVersion:
      return serve_controller_version(talk, packet.payload);
    case RtdePacketType::kSetupOutputs:
      return serve_output_setup(talk, packet.payload);
    case RtdePacketType::kSetupInputs:
      return serve_input_setup(client, talk, packet.payload);
    case RtdePacketType::kStart:
      return serve_start(talk, packet.payload);
    case RtdePacketType::kPause:
      return serve_pause(talk, packet.payload);
    case RtdePacketType::kData:
      return serve_data(talk, packet.payload);
    case RtdePacketType::kText:
      return;  // for the log of the real one
  }
  refuse(talk, fmt::format("unknown packet type {}", packet.type));
}

void RtdeDoor::serve_version(Talk& talk, std::string_view payload) {
  const auto asked = decode_version_request(payload);
  const bool is_known = asked && (*asked == 1 || *asked == 2);
  if (is_known) {
    talk.version = static_cast<RtdeVersion>(*asked);
  }
  talk.output += encode_accepted(RtdePacketType::kProtocolVersion, is_known);
  if (!is_known) {
    refuse(talk, asked ? fmt::format("unsupported protocol version {}; supported: 1 and 2", *asked)
                       : asked.error().message);
  }
}

void RtdeDoor::serve_controller_version(Talk& talk, std::string_view payload) {
  if (!payload.empty()) {
    return refuse(talk, empty_expected("a request of the controller's version", payload.size()));
  }
  const Firmware& firmware = controller_.info().firmware;
  talk.output += encode_controller_version({firmware.major, firmware.minor,
                                            static_cast<std::uint32_t>(firmware.bugfix),
                                            static_cast<std::uint32_t>(firmware.build)});
}

double RtdeDoor::highest_hz() const {
  return 1e9 / static_cast<double>(controller_.info().cycle.count());
}

std::optional<std::uint64_t> RtdeDoor::cycles_between(double frequency_hz) const {
  if (!(frequency_hz >= 1.0 && frequency_hz <= highest_hz())) {
    return std::nullopt;
  }
  // as doubles, 125 / (125 / 15) is less than 15
  return static_cast<std::uint64_t>(std::floor(highest_hz() / frequency_hz + 1e-9));
}

void RtdeDoor::serve_output_setup(Talk& talk, std::string_view payload) {
  // an older recipe is gone in any case, and data with it until the next start
  talk.outputs.clear();
  talk.output_bytes = 0;
  talk.is_started = false;
  RtdeSetupAnswer answer;
  const std::string problem = set_up_outputs(talk, payload, answer);
  talk.output +=
      encode_setup_answer(RtdePacketType::kSetupOutputs, answer, talk.version == RtdeVersion::k2);
  if (!problem.empty()) {
    talk.outputs.clear();
    refuse(talk, problem);
  }
}

std::string RtdeDoor::set_up_outputs(Talk& talk, std::string_view payload,
                                     RtdeSetupAnswer& answer) const {
  const auto setup = decode_output_setup(payload, talk.version);
  if (!setup) {
    return setup.error().message;
  }
  if (setup->names.empty()) {
    return "no outputs are named";
  }
  std::size_t answer_bytes = 0;
  for (const std::string& name : setup->names) {
    const auto variable = find_rtde_output(name);
    answer.types.emplace_back(variable ? rtde_type_name(variable->type) : kNotFound);
    answer_bytes += answer.types.back().size() + 1;
    if (variable) {
      talk.outputs.push_back(*variable);
      talk.output_bytes += rtde_size_bytes(variable->type);
    }
  }
  if (std::max(talk.output_bytes, answer_bytes) + 1 > kRtdeMaxPayloadBytes) {
    answer.types.clear();
    return "more outputs than a packet can hold";
  }
  if (talk.outputs.size() < setup->names.size()) {
    return names_refused(setup->names, answer.types);
  }
  const auto every =
      talk.version == RtdeVersion::k2 ? cycles_between(setup->frequency_hz) : std::uint64_t{1};
  if (!every) {
    return fmt::format("outputs at {} Hz, 1 to {} expected", setup->frequency_hz, highest_hz());
  }
  talk.every = *every;
  answer.recipe = kOutputRecipe;
  return {};
}

void RtdeDoor::serve_input_setup(ConnectionId client, Talk& talk, std::string_view payload) {
  RtdeSetupAnswer answer;
  const std::string problem = set_up_inputs(client, talk, payload, answer);
  talk.output += encode_setup_answer(RtdePacketType::kSetupInputs, answer, true);
  if (!problem.empty()) {
    refuse(talk, problem);
  }
}

std::string RtdeDoor::set_up_inputs(ConnectionId client, Talk& talk, std::string_view payload,
                                    RtdeSetupAnswer& answer) {
  const std::vector<std::string> names = split_names(payload);
  if (names.empty()) {
    return "no inputs are named";
  }
  if (talk.inputs.size() >= kMaxInputRecipes) {
    return "255 recipes are set up already";
  }
  std::vector<RtdeInput> inputs;
  std::vector<bool> is_named(holders_.size());
  std::size_t answer_bytes = 0;
  for (const std::string& name : names) {
    const auto variable = find_rtde_input(name);
    std::string_view type = kNotFound;
    if (variable) {
      const auto& holder = holders_[variable->number];
      const bool is_free = (!holder || *holder == client) && !is_named[variable->number];
      is_named[variable->number] = true;
      type = is_free ? rtde_type_name(variable->type) : kInUse;
      if (is_free) {
        inputs.push_back(*variable);
      }
    }
    answer.types.emplace_back(type);
    answer_bytes += type.size() + 1;
  }
  if (answer_bytes + 1 > kRtdeMaxPayloadBytes) {
    answer.types.clear();
    return "more inputs than a packet can hold";
  }
  if (inputs.size() < names.size()) {
    return names_refused(names, answer.types);
  }
  for (const RtdeInput& input : inputs) {
    holders_[input.number] = client;
  }
  talk.inputs.push_back(std::move(inputs));
  answer.recipe = static_cast<std::uint8_t>(talk.inputs.size());
  return {};
}

void RtdeDoor::serve_start(Talk& talk, std::string_view payload) {
  const bool can_start = payload.empty() && !talk.outputs.empty();
  if (can_start && !talk.is_started) {
    talk.is_started = true;
    talk.next_cycle = controller_.cycles() + 1;
  }
  talk.output += encode_accepted(RtdePacketType::kStart, can_start);
  if (!can_start) {
    refuse(talk,
           payload.empty() ? "no outputs are set up" : empty_expected("a start", payload.size()));
  }
}

void RtdeDoor::serve_pause(Talk& talk, std::string_view payload) {
  if (payload.empty()) {
    talk.is_started = false;
  }
  talk.output += encode_accepted(RtdePacketType::kPause, payload.empty());
  if (!payload.empty()) {
    refuse(talk, empty_expected("a pause", payload.size()));
  }
}

void RtdeDoor::serve_data(Talk& talk, std::string_view payload) {
  if (payload.empty()) {
    return refuse(talk, "data without a recipe");
  }
  const auto recipe = static_cast<std::uint8_t>(payload[0]);
  if (recipe == 0 || recipe > talk.inputs.size()) {
    return refuse(talk, fmt::format("data of recipe {}, which is not set up", recipe));
  }
  const std::vector<RtdeInput>& inputs = talk.inputs[recipe - 1U];
  std::vector<RtdeType> types;
  for (const RtdeInput& input : inputs) {
    types.push_back(input.type);
  }
  const auto values = decode_values(payload.substr(1), types);
  if (!values) {
    return refuse(talk, values.error().message);
  }
  if (!std::all_of(values->begin(), values->end(), is_finite)) {
    // said once: whoever computes nonsense does so in every cycle
    if (!std::exchange(talk.has_warned, true)) {
      refuse(talk, "values that are not finite: such packets are ignored", RtdeLevel::kWarning);
    }
    return;
  }
  RtdeInputs written;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].write((*values)[i], inputs[i].index, memory_, written);
  }
  controller_.write_inputs(written);
  ++counters_.writes;
}

}  // namespace longarm::protocols::ur
