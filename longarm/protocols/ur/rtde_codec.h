// SPDX-License-Identifier: Apache-2.0
// RTDE packets: what each carries, to bytes and back, in both versions of the protocol.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/protocols/ur/rtde_types.h"

namespace longarm::protocols::ur {

/// uint16 size (of all of it), uint8 type, payload.
inline constexpr std::size_t kRtdeHeaderBytes = 3;
inline constexpr std::size_t kRtdeMaxPayloadBytes = 65'535 - kRtdeHeaderBytes;

enum class RtdePacketType : std::uint8_t {
  kProtocolVersion = 'V',
  kControllerVersion = 'v',
  kText = 'M',
  kData = 'U',
  kSetupOutputs = 'O',
  kSetupInputs = 'I',
  kStart = 'S',
  kPause = 'P'
};

/// The versions differ in texts, in the setup of outputs and in data from the robot.
enum class RtdeVersion : std::uint8_t { k1 = 1, k2 = 2 };

struct RtdePacket {
  std::uint8_t type = 0;
  std::string payload;
  bool operator==(const RtdePacket&) const = default;
};

/// No more than kRtdeMaxPayloadBytes of payload.
std::string encode_rtde(RtdePacketType type, std::string_view payload);

/// Packets out of a stream that is cut anywhere.
class RtdePacketReader {
 public:
  /// Calls `take` for each packet that is complete now.
  void add(std::string_view bytes, const std::function<void(const RtdePacket&)>& take);
  /// A size that cannot be: where the next packet begins is not known any more.
  bool is_lost() const { return is_lost_; }
  std::size_t pending_bytes() const { return pending_.size(); }

 private:
  std::string pending_;
  bool is_lost_ = false;
};

enum class RtdeLevel : std::uint8_t { kException, kError, kWarning, kInfo };

struct RtdeText {
  std::string message;  ///< version 2: no more than 255 bytes, cut when written
  std::string source;   ///< version 2 only; likewise
  RtdeLevel level = RtdeLevel::kInfo;
  bool operator==(const RtdeText&) const = default;
};

/// Commas between names; no names, no recipe.
struct RtdeOutputSetup {
  double frequency_hz = 0.0;  ///< version 2 only
  std::vector<std::string> names;
  bool operator==(const RtdeOutputSetup&) const = default;
};

struct RtdeSetupAnswer {
  std::uint8_t recipe = 0;  ///< 0: refused. Of outputs in version 1: not said.
  /// Types' names, or NOT_FOUND, IN_USE; as many as were asked for.
  std::vector<std::string> types;
  bool operator==(const RtdeSetupAnswer&) const = default;
};

std::string join_names(const std::vector<std::string>& names);
std::vector<std::string> split_names(std::string_view text);

std::string encode_text(const RtdeText& text, RtdeVersion version);
Result<RtdeText> decode_text(std::string_view payload, RtdeVersion version);

std::string encode_output_setup(const RtdeOutputSetup& setup, RtdeVersion version);
Result<RtdeOutputSetup> decode_output_setup(std::string_view payload, RtdeVersion version);

/// `has_recipe`: of inputs in both versions, of outputs in version 2.
std::string encode_setup_answer(RtdePacketType type, const RtdeSetupAnswer& answer,
                                bool has_recipe);
Result<RtdeSetupAnswer> decode_setup_answer(std::string_view payload, bool has_recipe);

std::string encode_version_request(std::uint16_t version);
Result<std::uint16_t> decode_version_request(std::string_view payload);

/// To 'V', 'S' and 'P'.
std::string encode_accepted(RtdePacketType type, bool is_accepted);
Result<bool> decode_accepted(std::string_view payload);

/// major, minor, bugfix, build
using RtdeControllerVersion = std::array<std::uint32_t, 4>;
std::string encode_controller_version(const RtdeControllerVersion& version);
Result<RtdeControllerVersion> decode_controller_version(std::string_view payload);

/// The values of a recipe, one after the other. `recipe` absent: outputs in version 1.
std::string encode_data(std::optional<std::uint8_t> recipe, const std::vector<RtdeValue>& values);
/// Exactly those types; too few or too many bytes are an error.
Result<std::vector<RtdeValue>> decode_values(std::string_view bytes,
                                             const std::vector<RtdeType>& types);

}  // namespace longarm::protocols::ur
