// SPDX-License-Identifier: Apache-2.0
// The table of RTDE variables that clients write, and what follows from them.
#include <algorithm>

#include "longarm/protocols/ur/rtde_family.h"
#include "longarm/protocols/ur/rtde_variables.h"

namespace longarm::protocols::ur {
namespace {

using Memory = RtdeInputMemory;
using enum RtdeType;

// Each of the next three takes what is remembered: masks and values may come in packets of their
// own, and within a packet in any order.

void apply_slider(const Memory& memory, RtdeInputs& inputs) {
  inputs.speed_slider.reset();
  if ((memory.slider_mask & 1U) != 0) {
    inputs.speed_slider = std::clamp(memory.slider_fraction, 0.0, 1.0);
  }
}

void apply_digital(const Memory& memory, std::size_t group, RtdeInputs& inputs) {
  constexpr std::array<std::uint8_t, 3> kExisting{0xFF, 0xFF, 0x03};
  const std::size_t shift = 8 * group;
  const std::uint64_t place = std::uint64_t{0xFF} << shift;
  const auto mask = static_cast<std::uint64_t>(memory.digital_masks[group] & kExisting[group]);
  const auto values = static_cast<std::uint64_t>(memory.digital_values[group]);
  inputs.digital_output_mask = (inputs.digital_output_mask & ~place) | mask << shift;
  inputs.digital_output_values = (inputs.digital_output_values & ~place) | (values & mask) << shift;
}

void apply_analog(const Memory& memory, RtdeInputs& inputs) {
  inputs.analog_output_mask = memory.analog_mask & 3U;
  inputs.analog_output_types = memory.analog_types & 3U;
  for (std::size_t i = 0; i < 2; ++i) {
    inputs.analog_outputs[i] = std::clamp(memory.analog_values[i], 0.0, 1.0);
  }
}

void write_digital_mask(const RtdeValue& value, std::size_t group, Memory& memory,
                        RtdeInputs& inputs) {
  memory.digital_masks[group] = std::get<std::uint8_t>(value);
  apply_digital(memory, group, inputs);
}

void write_digital(const RtdeValue& value, std::size_t group, Memory& memory, RtdeInputs& inputs) {
  memory.digital_values[group] = std::get<std::uint8_t>(value);
  apply_digital(memory, group, inputs);
}

template <RtdeInput::Write WriteGroup, std::size_t Group>
void in_group(const RtdeValue& value, std::size_t, Memory& memory, RtdeInputs& inputs) {
  WriteGroup(value, Group, memory, inputs);
}

void write_slider_mask(const RtdeValue& value, std::size_t, Memory& memory, RtdeInputs& inputs) {
  memory.slider_mask = std::get<std::uint32_t>(value);
  apply_slider(memory, inputs);
}

void write_slider(const RtdeValue& value, std::size_t, Memory& memory, RtdeInputs& inputs) {
  memory.slider_fraction = std::get<double>(value);
  apply_slider(memory, inputs);
}

void write_analog_mask(const RtdeValue& value, std::size_t, Memory& memory, RtdeInputs& inputs) {
  memory.analog_mask = std::get<std::uint8_t>(value);
  apply_analog(memory, inputs);
}

void write_analog_types(const RtdeValue& value, std::size_t, Memory& memory, RtdeInputs& inputs) {
  memory.analog_types = std::get<std::uint8_t>(value);
  apply_analog(memory, inputs);
}

void write_analog(const RtdeValue& value, std::size_t index, Memory& memory, RtdeInputs& inputs) {
  memory.analog_values[index] = std::get<double>(value);
  apply_analog(memory, inputs);
}

void write_force(const RtdeValue& value, std::size_t, Memory&, RtdeInputs& inputs) {
  inputs.external_force = std::get<Vector6>(value);
}

template <std::size_t First>
void write_word(const RtdeValue& value, std::size_t, Memory&, RtdeInputs& inputs) {
  for (std::size_t i = 0; i < 32; ++i) {
    inputs.registers.bits[First + i] = (std::get<std::uint32_t>(value) >> i & 1U) != 0;
    inputs.has_bit[First + i] = true;
  }
}

void write_bit(const RtdeValue& value, std::size_t index, Memory&, RtdeInputs& inputs) {
  inputs.registers.bits[index] = std::get<bool>(value);
  inputs.has_bit[index] = true;
}

void write_integer(const RtdeValue& value, std::size_t index, Memory&, RtdeInputs& inputs) {
  inputs.registers.integers[index] = std::get<std::int32_t>(value);
  inputs.has_integer |= std::uint64_t{1} << index;
}

void write_double(const RtdeValue& value, std::size_t index, Memory&, RtdeInputs& inputs) {
  inputs.registers.doubles[index] = std::get<double>(value);
  inputs.has_double |= std::uint64_t{1} << index;
}

struct InputRow {
  RtdeFamily family;
  RtdeType type;
  RtdeInput::Write write;
};

constexpr InputRow kInputRows[] = {
    {{"speed_slider_mask"}, kUint32, write_slider_mask},
    {{"speed_slider_fraction"}, kDouble, write_slider},
    {{"standard_digital_output_mask"}, kUint8, in_group<write_digital_mask, 0>},
    {{"standard_digital_output"}, kUint8, in_group<write_digital, 0>},
    {{"configurable_digital_output_mask"}, kUint8, in_group<write_digital_mask, 1>},
    {{"configurable_digital_output"}, kUint8, in_group<write_digital, 1>},
    {{"tool_digital_output_mask"}, kUint8, in_group<write_digital_mask, 2>},
    {{"tool_digital_output"}, kUint8, in_group<write_digital, 2>},
    {{"standard_analog_output_mask"}, kUint8, write_analog_mask},
    {{"standard_analog_output_type"}, kUint8, write_analog_types},
    {{"standard_analog_output_", 0, 1}, kDouble, write_analog},
    {{"external_force_torque"}, kVector6d, write_force},
    {{"input_bit_registers0_to_31"}, kUint32, write_word<0>},
    {{"input_bit_registers32_to_63"}, kUint32, write_word<32>},
    {{"input_bit_register_", 64, kLastBit}, kBool, write_bit},
    {{"input_int_register_", 0, kLastNumber}, kInt32, write_integer},
    {{"input_double_register_", 0, kLastNumber}, kDouble, write_double},
};

}  // namespace

std::size_t rtde_input_count() {
  std::size_t count = 0;
  for (const InputRow& row : kInputRows) {
    count += row.family.count();
  }
  return count;
}

std::optional<RtdeInput> find_rtde_input(std::string_view name) {
  std::size_t before = 0;
  for (const InputRow& row : kInputRows) {
    if (const auto index = row.family.find(name)) {
      const int place = row.family.first == RtdeFamily::kNone ? 0 : *index - row.family.first;
      return RtdeInput{row.type, row.write, *index,
                       static_cast<std::uint16_t>(before + static_cast<std::size_t>(place))};
    }
    before += row.family.count();
  }
  return std::nullopt;
}

void list_rtde_inputs(const std::function<void(const std::string&, RtdeType)>& take) {
  for (const InputRow& row : kInputRows) {
    for (std::size_t i = 0; i < row.family.count(); ++i) {
      take(row.family.member(i), row.type);
    }
  }
}

}  // namespace longarm::protocols::ur
