// SPDX-License-Identifier: Apache-2.0
// RTDE's variables: names, types, what is read, and what follows from what is written.
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "longarm/protocols/ur/rtde_variables.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) {
    result.push_back(word);
  }
  return result;
}

RtdeValue read(const ControllerState& state, std::string_view name) {
  const auto variable = find_rtde_output(name);
  EXPECT_TRUE(variable) << name;
  const RtdeValue value = variable->read(state, variable->index);
  EXPECT_EQ(type_of(value), variable->type) << name;
  return value;
}

void write(RtdeInputs& inputs, RtdeInputMemory& memory, std::string_view name,
           const RtdeValue& value) {
  const auto variable = find_rtde_input(name);
  ASSERT_TRUE(variable) << name;
  ASSERT_EQ(type_of(value), variable->type) << name;
  variable->write(value, variable->index, memory, inputs);
}

TEST(RtdeVariables, HaveTheNamesAndTypesOfTheRealOnes) {
  // the list of the RTDE guide, type by type
  const std::pair<RtdeType, std::string> rows[] = {
      {RtdeType::kVector6d,
       "target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
       "actual_current joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force "
       "target_TCP_pose target_TCP_speed joint_temperatures actual_joint_voltage tcp_offset "
       "payload_inertia ft_raw_wrench actual_current_window"},
      {RtdeType::kUint64, "actual_digital_input_bits actual_digital_output_bits"},
      {RtdeType::kDouble,
       "timestamp actual_execution_time speed_scaling target_speed_fraction actual_momentum "
       "actual_main_voltage actual_robot_voltage actual_robot_current standard_analog_input0 "
       "standard_analog_input1 standard_analog_output0 standard_analog_output1 io_current "
       "tool_analog_input0 tool_analog_input1 tool_output_current tool_temperature "
       "tcp_force_scalar joint_position_deviation_ratio payload output_double_register_0 "
       "output_double_register_47 input_double_register_0 input_double_register_47"},
      {RtdeType::kInt32,
       "robot_mode safety_mode safety_status tool_output_voltage output_int_register_0 "
       "output_int_register_47 input_int_register_0 input_int_register_47"},
      {RtdeType::kVector6Int32, "joint_mode"},
      {RtdeType::kVector3d, "actual_tool_accelerometer elbow_position elbow_velocity payload_cog"},
      {RtdeType::kUint32,
       "runtime_state robot_status_bits safety_status_bits analog_io_types tool_mode "
       "tool_analog_input_types output_bit_registers0_to_31 output_bit_registers32_to_63 "
       "input_bit_registers0_to_31 input_bit_registers32_to_63 script_control_line "
       "euromap67_input_bits euromap67_output_bits"},
      {RtdeType::kUint8, "tool_output_mode tool_digital_output0_mode tool_digital_output1_mode"},
      {RtdeType::kBool,
       "output_bit_register_64 output_bit_register_127 input_bit_register_64 "
       "input_bit_register_127"}};
  for (const auto& [type, names] : rows) {
    for (const std::string& name : words(names)) {
      const auto variable = find_rtde_output(name);
      ASSERT_TRUE(variable) << name;
      EXPECT_EQ(variable->type, type) << name;
      read(ControllerState{}, name);
    }
  }
}

TEST(RtdeVariables, CanBeWrittenUnderTheNamesOfTheRealOnes) {
  const std::pair<RtdeType, std::string> rows[] = {
      {RtdeType::kUint32,
       "speed_slider_mask input_bit_registers0_to_31 input_bit_registers32_to_63"},
      {RtdeType::kDouble,
       "speed_slider_fraction standard_analog_output_0 standard_analog_output_1 "
       "input_double_register_0 input_double_register_47"},
      {RtdeType::kUint8,
       "standard_digital_output_mask standard_digital_output configurable_digital_output_mask "
       "configurable_digital_output tool_digital_output_mask tool_digital_output "
       "standard_analog_output_mask standard_analog_output_type"},
      {RtdeType::kVector6d, "external_force_torque"},
      {RtdeType::kBool, "input_bit_register_64 input_bit_register_127"},
      {RtdeType::kInt32, "input_int_register_0 input_int_register_47"}};
  for (const auto& [type, names] : rows) {
    for (const std::string& name : words(names)) {
      const auto variable = find_rtde_input(name);
      ASSERT_TRUE(variable) << name;
      EXPECT_EQ(variable->type, type) << name;
    }
  }
}

TEST(RtdeVariables, AreNotFoundUnderOtherNames) {
  for (const char* name :
       {"", " timestamp", "timestamp ", "Timestamp", "actual_tcp_pose", "output_int_register_48",
        "output_int_register_", "output_int_register_07", "output_int_register_-1",
        "output_int_register_+1", "output_int_register_1x", "output_bit_register_63",
        "output_bit_register_128", "standard_analog_input2", "speed_slider_mask",
        "output_int_register_99999999999999999999"}) {
    EXPECT_FALSE(find_rtde_output(name)) << name;
  }
  for (const char* name : {"", "timestamp", "output_int_register_0", "input_bit_register_63",
                           "standard_analog_output_2", "input_double_register_48"}) {
    EXPECT_FALSE(find_rtde_input(name)) << name;
  }
}

TEST(RtdeVariables, AreListedOnceAndCanBeFound) {
  std::set<std::string> names;
  list_rtde_outputs([&](const std::string& name, RtdeType type) {
    EXPECT_TRUE(names.insert(name).second) << name;
    const auto variable = find_rtde_output(name);
    ASSERT_TRUE(variable) << name;
    EXPECT_EQ(variable->type, type) << name;
  });
  // 2 × (2 words + 64 bits + 48 integers + 48 doubles) registers
  EXPECT_GT(names.size(), 2U * 162U);
  std::set<std::uint16_t> numbers;
  list_rtde_inputs([&](const std::string& name, RtdeType type) {
    const auto variable = find_rtde_input(name);
    ASSERT_TRUE(variable) << name;
    EXPECT_EQ(variable->type, type) << name;
    EXPECT_TRUE(numbers.insert(variable->number).second) << name;
  });
  // 13 of I/O, force and slider, and 162 registers; numbered without gaps
  EXPECT_EQ(rtde_input_count(), 13U + 162U);
  EXPECT_EQ(numbers.size(), rtde_input_count());
  EXPECT_EQ(*numbers.rbegin(), rtde_input_count() - 1);
}

TEST(RtdeVariables, ShowTheControllersState) {
  ControllerState state;
  state.timestamp_s = 40.008;
  state.q_actual = {1, 2, 3, 4, 5, 6};
  state.q_target = {-1, -2, -3, -4, -5, -6};
  state.tcp_force = {3, 4, 12, 100, 100, 100};
  state.robot_mode = RobotMode::kNoController;
  state.safety_mode = SafetyMode::kProtectiveStop;
  state.runtime_state = RuntimeState::kPaused;
  state.joint_modes.fill(JointMode::kRunning);
  state.joint_modes[5] = JointMode::kIdle;
  state.digital_outputs = 0x30201;
  state.analog_inputs = {1.25, 2.5};
  state.outputs.bits[0] = state.outputs.bits[31] = state.outputs.bits[33] = true;
  state.outputs.bits[64] = true;
  state.outputs.integers[47] = -7;
  state.inputs.doubles[3] = 0.5;
  EXPECT_EQ(read(state, "timestamp"), RtdeValue(40.008));
  EXPECT_EQ(read(state, "actual_q"), RtdeValue(Vector6{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(state, "target_q"), RtdeValue(Vector6{-1, -2, -3, -4, -5, -6}));
  // sqrt(9 + 16 + 144) = 13; moments are no part of it
  EXPECT_EQ(read(state, "tcp_force_scalar"), RtdeValue(13.0));
  EXPECT_EQ(read(state, "robot_mode"), RtdeValue(std::int32_t{-1}));
  EXPECT_EQ(read(state, "safety_mode"), RtdeValue(std::int32_t{3}));
  EXPECT_EQ(read(state, "safety_status"), RtdeValue(std::int32_t{3}));
  EXPECT_EQ(read(state, "runtime_state"), RtdeValue(std::uint32_t{4}));
  EXPECT_EQ(read(state, "joint_mode"),
            RtdeValue(std::array<std::int32_t, 6>{253, 253, 253, 253, 253, 255}));
  EXPECT_EQ(read(state, "actual_digital_output_bits"), RtdeValue(std::uint64_t{0x30201}));
  EXPECT_EQ(read(state, "standard_analog_input0"), RtdeValue(1.25));
  EXPECT_EQ(read(state, "standard_analog_input1"), RtdeValue(2.5));
  EXPECT_EQ(read(state, "output_bit_registers0_to_31"), RtdeValue(std::uint32_t{0x80000001}));
  EXPECT_EQ(read(state, "output_bit_registers32_to_63"), RtdeValue(std::uint32_t{2}));
  EXPECT_EQ(read(state, "output_bit_register_64"), RtdeValue(true));
  EXPECT_EQ(read(state, "output_bit_register_65"), RtdeValue(false));
  EXPECT_EQ(read(state, "output_int_register_47"), RtdeValue(std::int32_t{-7}));
  EXPECT_EQ(read(state, "input_double_register_3"), RtdeValue(0.5));
}

TEST(RtdeVariables, PutStatusAndSafetyIntoBits) {
  ControllerState state;
  state.is_power_on = false;
  EXPECT_EQ(read(state, "robot_status_bits"), RtdeValue(std::uint32_t{0}));
  state.is_power_on = true;
  state.runtime_state = RuntimeState::kPlaying;
  EXPECT_EQ(read(state, "robot_status_bits"), RtdeValue(std::uint32_t{3}));
  // bit of the mode; 7 with either emergency stop; 10 with every stop
  const std::pair<SafetyMode, std::uint32_t> rows[] = {{SafetyMode::kNormal, 0x001},
                                                       {SafetyMode::kReduced, 0x002},
                                                       {SafetyMode::kProtectiveStop, 0x404},
                                                       {SafetyMode::kRecovery, 0x008},
                                                       {SafetyMode::kSafeguardStop, 0x410},
                                                       {SafetyMode::kSystemEmergencyStop, 0x4A0},
                                                       {SafetyMode::kRobotEmergencyStop, 0x4C0},
                                                       {SafetyMode::kViolation, 0x500},
                                                       {SafetyMode::kFault, 0x600}};
  for (const auto& [mode, bits] : rows) {
    state.safety_mode = mode;
    EXPECT_EQ(read(state, "safety_status_bits"), RtdeValue(bits)) << static_cast<int>(mode);
  }
}

TEST(RtdeVariables, MoveTheSliderOnlyUnderItsMask) {
  RtdeInputs inputs;
  RtdeInputMemory memory;
  write(inputs, memory, "speed_slider_fraction", 0.25);
  EXPECT_FALSE(inputs.speed_slider);
  write(inputs, memory, "speed_slider_mask", std::uint32_t{1});
  EXPECT_EQ(inputs.speed_slider, 0.25);
  write(inputs, memory, "speed_slider_fraction", 7.0);
  EXPECT_EQ(inputs.speed_slider, 1.0) << "no faster than full speed";
  write(inputs, memory, "speed_slider_fraction", -1.0);
  EXPECT_EQ(inputs.speed_slider, 0.0);
  write(inputs, memory, "speed_slider_mask", std::uint32_t{0});
  EXPECT_FALSE(inputs.speed_slider);
}

TEST(RtdeVariables, SetDigitalOutputsUnderTheirMasks) {
  RtdeInputs inputs;
  RtdeInputMemory memory;
  write(inputs, memory, "standard_digital_output", std::uint8_t{0xFF});
  write(inputs, memory, "standard_digital_output_mask", std::uint8_t{0x81});
  write(inputs, memory, "configurable_digital_output_mask", std::uint8_t{0x0F});
  write(inputs, memory, "configurable_digital_output", std::uint8_t{0x05});
  write(inputs, memory, "tool_digital_output_mask", std::uint8_t{0xFF});
  write(inputs, memory, "tool_digital_output", std::uint8_t{0x02});
  // standard 0–7, configurable 8–15, tool 16–17 and no more
  EXPECT_EQ(inputs.digital_output_mask, 0x30F81U);
  EXPECT_EQ(inputs.digital_output_values, 0x20581U);
}

TEST(RtdeVariables, RememberAMaskFromAnEarlierPacket) {
  RtdeInputMemory memory;
  RtdeInputs first;
  write(first, memory, "standard_digital_output_mask", std::uint8_t{0x02});
  RtdeInputs second;
  write(second, memory, "standard_digital_output", std::uint8_t{0x03});
  EXPECT_EQ(second.digital_output_mask, 0x02U);
  EXPECT_EQ(second.digital_output_values, 0x02U);
  RtdeInputs third;
  write(third, memory, "tool_digital_output", std::uint8_t{0x01});
  EXPECT_EQ(third.digital_output_mask, 0U) << "the other groups are no part of this packet";
}

TEST(RtdeVariables, SetAnalogOutputsAsFractions) {
  RtdeInputs inputs;
  RtdeInputMemory memory;
  write(inputs, memory, "standard_analog_output_mask", std::uint8_t{0x02});
  write(inputs, memory, "standard_analog_output_type", std::uint8_t{0xFE});
  write(inputs, memory, "standard_analog_output_0", -3.0);
  write(inputs, memory, "standard_analog_output_1", 0.75);
  EXPECT_EQ(inputs.analog_output_mask, 2);
  EXPECT_EQ(inputs.analog_output_types, 2);
  EXPECT_THAT(inputs.analog_outputs, ElementsAre(0.0, 0.75));
}

TEST(RtdeVariables, WriteRegistersAndSayWhich) {
  RtdeInputs inputs;
  RtdeInputMemory memory;
  write(inputs, memory, "input_bit_registers32_to_63", std::uint32_t{0x80000002});
  write(inputs, memory, "input_bit_register_127", true);
  write(inputs, memory, "input_int_register_47", std::int32_t{-9});
  write(inputs, memory, "input_double_register_0", 2.5);
  write(inputs, memory, "external_force_torque", Vector6{1, 2, 3, 4, 5, 6});
  for (std::size_t i = 0; i < Registers::kBits; ++i) {
    EXPECT_EQ(inputs.has_bit[i], (i >= 32 && i < 64) || i == 127) << i;
    EXPECT_EQ(inputs.registers.bits[i], i == 33 || i == 63 || i == 127) << i;
  }
  EXPECT_EQ(inputs.has_integer, std::uint64_t{1} << 47);
  EXPECT_EQ(inputs.registers.integers[47], -9);
  EXPECT_EQ(inputs.has_double, 1U);
  EXPECT_EQ(inputs.registers.doubles[0], 2.5);
  EXPECT_EQ(inputs.external_force, (Vector6{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace longarm::protocols::ur
