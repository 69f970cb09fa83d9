// SPDX-License-Identifier: Apache-2.0
// What an RTDE client says and hears.
#include "longarm/protocols/ur/rtde_client.h"

#include <utility>

namespace longarm::protocols::ur {
namespace {

/// An acceptance as the answer it is.
template <typename Answer>
std::optional<RtdeClient::Heard> accepted(std::string_view payload) {
  const auto is_accepted = decode_accepted(payload);
  if (!is_accepted) {
    return std::nullopt;
  }
  return Answer{*is_accepted};
}

}  // namespace

std::string RtdeClient::ask_version(RtdeVersion version) {
  asked_version_ = version;
  return encode_version_request(static_cast<std::uint16_t>(version));
}

std::string RtdeClient::ask_controller_version() const {
  return encode_rtde(RtdePacketType::kControllerVersion, {});
}

std::string RtdeClient::set_up_outputs(const std::vector<std::string>& names,
                                       double frequency_hz) const {
  return encode_output_setup({frequency_hz, names}, version_);
}

std::string RtdeClient::set_up_inputs(const std::vector<std::string>& names) const {
  return encode_rtde(RtdePacketType::kSetupInputs, join_names(names));
}

std::string RtdeClient::start() const {
  return encode_rtde(RtdePacketType::kStart, {});
}

std::string RtdeClient::pause() const {
  return encode_rtde(RtdePacketType::kPause, {});
}

std::string RtdeClient::write(std::uint8_t recipe, const std::vector<RtdeValue>& values) const {
  return encode_data(recipe, values);
}

std::string RtdeClient::say(const RtdeText& text) const {
  return encode_text(text, version_);
}

std::vector<RtdeClient::Heard> RtdeClient::hear(std::string_view bytes) {
  std::vector<Heard> heard;
  reader_.add(bytes, [&](const RtdePacket& packet) {
    if (auto understood = understand(packet)) {
      heard.push_back(std::move(*understood));
    } else {
      ++not_understood_;
    }
  });
  return heard;
}

std::optional<RtdeClient::Heard> RtdeClient::understand(const RtdePacket& packet) {
  switch (static_cast<RtdePacketType>(packet.type)) {
    case RtdePacketType::kProtocolVersion: {
      const auto answer = accepted<VersionAnswer>(packet.payload);
      if (answer && std::get<VersionAnswer>(*answer).is_accepted) {
        version_ = asked_version_;
      }
      return answer;
    }
    case RtdePacketType::kControllerVersion: {
      const auto version = decode_controller_version(packet.payload);
      return version ? std::optional<Heard>(*version) : std::nullopt;
    }
    case RtdePacketType::kText: {
      const auto text = decode_text(packet.payload, version_);
      return text ? std::optional<Heard>(*text) : std::nullopt;
    }
    case RtdePacketType::kSetupOutputs:
      return understand_outputs(packet.payload);
    case RtdePacketType::kSetupInputs: {
      const auto answer = decode_setup_answer(packet.payload, true);
      return answer ? std::optional<Heard>(InputsAnswer{answer->recipe, answer->types})
                    : std::nullopt;
    }
    case RtdePacketType::kStart:
      return accepted<StartAnswer>(packet.payload);
    case RtdePacketType::kPause:
      return accepted<PauseAnswer>(packet.payload);
    case RtdePacketType::kData:
      return understand_data(packet.payload);
  }
  return std::nullopt;
}

std::optional<RtdeClient::Heard> RtdeClient::understand_outputs(std::string_view payload) {
  const bool has_recipe = version_ == RtdeVersion::k2;
  const auto answer = decode_setup_answer(payload, has_recipe);
  if (!answer) {
    return std::nullopt;
  }
  // version 1 says no more than the types
  bool is_accepted = !answer->types.empty() && (!has_recipe || answer->recipe != 0);
  output_recipe_ = answer->recipe;
  output_types_.clear();
  for (const std::string& name : answer->types) {
    const auto type = rtde_type_named(name);
    is_accepted = is_accepted && type.has_value();
    output_types_.push_back(type.value_or(RtdeType::kBool));
  }
  if (!is_accepted) {
    output_types_.clear();
  }
  return OutputsAnswer{is_accepted, answer->types};
}

std::optional<RtdeClient::Heard> RtdeClient::understand_data(std::string_view payload) {
  if (output_types_.empty()) {
    return std::nullopt;
  }
  if (version_ == RtdeVersion::k2) {
    if (payload.empty() || static_cast<std::uint8_t>(payload[0]) != output_recipe_) {
      return std::nullopt;
    }
    payload.remove_prefix(1);
  }
  auto values = decode_values(payload, output_types_);
  return values ? std::optional<Heard>(Data{std::move(values).value()}) : std::nullopt;
}

}  // namespace longarm::protocols::ur
