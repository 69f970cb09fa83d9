// SPDX-License-Identifier: Apache-2.0
// An RTDE client without a socket: requests to bytes, bytes to what the robot said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longarm/protocols/ur/rtde_codec.h"

namespace longarm::protocols::ur {

/// One conversation. Requests are answered in their order; texts and data come in between.
class RtdeClient {
 public:
  struct VersionAnswer {
    bool is_accepted = false;
  };
  struct OutputsAnswer {
    bool is_accepted = false;
    std::vector<std::string> types;  ///< or NOT_FOUND
  };
  struct InputsAnswer {
    std::uint8_t recipe = 0;         ///< 0: refused
    std::vector<std::string> types;  ///< or NOT_FOUND, IN_USE
  };
  struct StartAnswer {
    bool is_accepted = false;
  };
  struct PauseAnswer {
    bool is_accepted = false;
  };
  /// In the order in which the outputs were named.
  struct Data {
    std::vector<RtdeValue> values;
  };
  using Heard = std::variant<VersionAnswer, RtdeControllerVersion, OutputsAnswer, InputsAnswer,
                             StartAnswer, PauseAnswer, Data, RtdeText>;

  // Bytes to be sent.
  /// The answer decides what is spoken from then on; 1 until then.
  std::string ask_version(RtdeVersion version);
  std::string ask_controller_version() const;
  std::string set_up_outputs(const std::vector<std::string>& names, double frequency_hz) const;
  std::string set_up_inputs(const std::vector<std::string>& names) const;
  std::string start() const;
  std::string pause() const;
  std::string write(std::uint8_t recipe, const std::vector<RtdeValue>& values) const;
  std::string say(const RtdeText& text) const;

  /// What is complete now. What cannot be understood is counted and left out.
  std::vector<Heard> hear(std::string_view bytes);

  RtdeVersion version() const { return version_; }
  std::uint64_t not_understood() const { return not_understood_; }
  /// The stream makes no sense any more; begin anew.
  bool is_lost() const { return reader_.is_lost(); }

 private:
  std::optional<Heard> understand(const RtdePacket& packet);
  std::optional<Heard> understand_outputs(std::string_view payload);
  std::optional<Heard> understand_data(std::string_view payload);

  RtdeVersion version_ = RtdeVersion::k1;
  RtdeVersion asked_version_ = RtdeVersion::k1;
  RtdePacketReader reader_;
  std::vector<RtdeType> output_types_;
  std::uint8_t output_recipe_ = 0;
  std::uint64_t not_understood_ = 0;
};

}  // namespace longarm::protocols::ur
