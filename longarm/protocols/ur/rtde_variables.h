// SPDX-License-Identifier: Apache-2.0
// The variables of RTDE by name: what the controller shows, and what clients write.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/rtde_types.h"

namespace longarm::protocols::ur {

/// What clients have written last, as it came; whoever holds a variable left its value here.
struct RtdeInputMemory {
  std::uint32_t slider_mask = 0;
  double slider_fraction = 0.0;
  /// Standard, configurable, tool.
  std::array<std::uint8_t, 3> digital_masks{};
  std::array<std::uint8_t, 3> digital_values{};
  std::uint8_t analog_mask = 0;
  std::uint8_t analog_types = 0;
  std::array<double, 2> analog_values{};
};

/// One variable that clients read.
struct RtdeOutput {
  using Read = RtdeValue (*)(const ControllerState& state, std::size_t index);

  RtdeType type = RtdeType::kDouble;
  Read read = nullptr;
  std::uint8_t index = 0;  ///< of a register or the like
};

/// One variable that clients write.
struct RtdeInput {
  /// Remembers a finite value of the type, and puts what follows from it, and from what was
  /// remembered before, into `inputs`. Variables of one packet may come in any order.
  using Write = void (*)(const RtdeValue& value, std::size_t index, RtdeInputMemory& memory,
                         RtdeInputs& inputs);

  RtdeType type = RtdeType::kDouble;
  Write write = nullptr;
  std::uint8_t index = 0;
  std::uint16_t number = 0;  ///< among all inputs, from 0
};

/// Of all inputs.
std::size_t rtde_input_count();

std::optional<RtdeOutput> find_rtde_output(std::string_view name);
std::optional<RtdeInput> find_rtde_input(std::string_view name);

/// Every name with its type, in the order of the tables.
void list_rtde_outputs(const std::function<void(const std::string&, RtdeType)>& take);
void list_rtde_inputs(const std::function<void(const std::string&, RtdeType)>& take);

}  // namespace longarm::protocols::ur
