// SPDX-License-Identifier: Apache-2.0
// URScript's inputs, outputs, registers, messages, payload and tool.
#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {
namespace {

namespace script = protocols::ur::script;
using protocols::ur::Registers;
using protocols::ur::RobotMessage;

constexpr std::size_t kAnalogs = 2;
constexpr std::size_t kFlags = 32;
constexpr double kMostPayload_kg = 5.0;  // of a UR5

/// Bits kFirst … of all digital signals.
template <std::size_t kFirst, std::size_t kCount>
UrOutcome set_digital(UrCall& call) {
  const std::size_t which = kFirst + call.arguments.index(0, kCount);
  const bool is_on = call.arguments.boolean(1);
  if (call.arguments.is_good()) {
    call.core.set_digital_output(which, is_on);
  }
  return ur_done();
}

template <std::size_t kFirst, std::size_t kCount>
UrOutcome get_digital_in(UrCall& call) {
  const std::size_t which = kFirst + call.arguments.index(0, kCount);
  return ur_done(script::boolean((call.core.digital_inputs() >> which & 1U) != 0));
}

template <std::size_t kFirst, std::size_t kCount>
UrOutcome get_digital_out(UrCall& call) {
  const std::size_t which = kFirst + call.arguments.index(0, kCount);
  return ur_done(script::boolean((call.core.live.digital_outputs >> which & 1U) != 0));
}

UrOutcome set_analog(UrCall& call) {
  const std::size_t which = call.arguments.index(0, kAnalogs);
  const double fraction = call.arguments.number(1);
  if (call.arguments.is_good()) {
    call.core.set_analog_output(which, fraction);
  }
  return ur_done();
}

/// Bits kFirst, kFirst + 1 of the types; domain 0 is current, 1 voltage.
template <std::size_t kFirst>
UrOutcome set_analog_domain(UrCall& call) {
  const std::size_t which = call.arguments.index(0, kAnalogs);
  const std::size_t domain = call.arguments.index(1, 2);
  if (call.arguments.is_good()) {
    call.core.set_analog_type(kFirst + which, domain == 1);
  }
  return ur_done();
}

UrOutcome get_analog_in(UrCall& call) {
  return ur_done(script::number(call.core.live.analog_inputs[call.arguments.index(0, kAnalogs)]));
}

UrOutcome get_analog_out(UrCall& call) {
  return ur_done(
      script::number(call.core.analog_output_fraction(call.arguments.index(0, kAnalogs))));
}

UrOutcome get_tool_analog_in(UrCall& call) {
  return ur_done(
      script::number(call.core.live.tool_analog_inputs[call.arguments.index(0, kAnalogs)]));
}

UrOutcome set_tool_analog_domain(UrCall& call) {
  const std::size_t which = call.arguments.index(0, kAnalogs);
  const std::size_t domain = call.arguments.index(1, 2);
  const std::uint32_t bit = std::uint32_t{1} << which;
  if (call.arguments.is_good()) {
    std::uint32_t& types = call.core.live.tool_analog_types;
    types = domain == 1 ? types | bit : types & ~bit;
  }
  return ur_done();
}

UrOutcome set_tool_voltage(UrCall& call) {
  const std::int32_t voltage = call.arguments.integer(0);
  if (voltage != 0 && voltage != 12 && voltage != 24) {
    return ur_failed("set_tool_voltage: the tool gets 0, 12 or 24 V");
  }
  call.core.live.tool_voltage_V = voltage;
  return ur_done();
}

UrOutcome set_flag(UrCall& call) {
  const std::uint32_t bit = std::uint32_t{1} << call.arguments.index(0, kFlags);
  const bool is_on = call.arguments.boolean(1);
  if (call.arguments.is_good()) {
    call.core.flags = is_on ? call.core.flags | bit : call.core.flags & ~bit;
  }
  return ur_done();
}

UrOutcome get_flag(UrCall& call) {
  return ur_done(script::boolean((call.core.flags >> call.arguments.index(0, kFlags) & 1U) != 0));
}

template <Registers protocols::ur::ControllerState::*kWhich>
UrOutcome read_boolean(UrCall& call) {
  const Registers& registers = call.core.live.*kWhich;
  return ur_done(script::boolean(registers.bits[call.arguments.index(0, Registers::kBits)]));
}

template <Registers protocols::ur::ControllerState::*kWhich>
UrOutcome read_integer(UrCall& call) {
  const Registers& registers = call.core.live.*kWhich;
  return ur_done(script::integer(registers.integers[call.arguments.index(0, Registers::kNumbers)]));
}

template <Registers protocols::ur::ControllerState::*kWhich>
UrOutcome read_float(UrCall& call) {
  const Registers& registers = call.core.live.*kWhich;
  return ur_done(script::number(registers.doubles[call.arguments.index(0, Registers::kNumbers)]));
}

UrOutcome write_boolean(UrCall& call) {
  const std::size_t which = call.arguments.index(0, Registers::kBits);
  const bool value = call.arguments.boolean(1);
  if (call.arguments.is_good()) {
    call.core.live.outputs.bits[which] = value;
  }
  return ur_done();
}

UrOutcome write_integer(UrCall& call) {
  const std::size_t which = call.arguments.index(0, Registers::kNumbers);
  const std::int32_t value = call.arguments.integer(1);
  if (call.arguments.is_good()) {
    call.core.live.outputs.integers[which] = value;
  }
  return ur_done();
}

UrOutcome write_float(UrCall& call) {
  const std::size_t which = call.arguments.index(0, Registers::kNumbers);
  const double value = call.arguments.number(1);
  if (call.arguments.is_good()) {
    call.core.live.outputs.doubles[which] = value;
  }
  return ur_done();
}

// as a Modbus client sees them: bits 0–15 are digital inputs, 16–31 outputs; register 0 has the
// inputs, register 1 the outputs. The others are for programs.
constexpr std::size_t kPorts = 65536;
constexpr std::size_t kWord = 16;

UrOutcome read_port_bit(UrCall& call) {
  const std::size_t address = call.arguments.index(0, kPorts);
  const std::uint64_t signals =
      address < kWord ? call.core.digital_inputs() : call.core.live.digital_outputs;
  if (address < 2 * kWord) {
    return ur_done(script::boolean((signals >> (address % kWord) & 1U) != 0));
  }
  return ur_done(script::boolean(call.core.port_bits.contains(address)));
}

UrOutcome write_port_bit(UrCall& call) {
  const std::size_t address = call.arguments.index(0, kPorts);
  const bool is_on = call.arguments.boolean(1);
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  if (address < kWord) {
    return ur_failed("write_port_bit: bits 0 to 15 are inputs");
  }
  if (address < 2 * kWord) {
    call.core.set_digital_output(address - kWord, is_on);
  } else if (is_on) {
    call.core.port_bits.insert(address);
  } else {
    call.core.port_bits.erase(address);
  }
  return ur_done();
}

UrOutcome read_port_register(UrCall& call) {
  const std::size_t address = call.arguments.index(0, kPorts);
  constexpr std::uint64_t kWordMask = 0xFFFF;
  if (address < 2) {
    const std::uint64_t signals =
        address == 0 ? call.core.digital_inputs() : call.core.live.digital_outputs;
    return ur_done(script::integer(static_cast<std::int32_t>(signals & kWordMask)));
  }
  const auto found = call.core.port_registers.find(address);
  return ur_done(script::integer(found == call.core.port_registers.end() ? 0 : found->second));
}

UrOutcome write_port_register(UrCall& call) {
  const std::size_t address = call.arguments.index(0, kPorts);
  const std::int32_t value = call.arguments.integer(1);
  if (call.arguments.is_good() && (value < -32768 || value > 65535)) {
    return ur_failed("write_port_register: a register has 16 bits");
  }
  if (call.arguments.is_good()) {
    call.core.port_registers[address] = value & 0xFFFF;
  }
  return ur_done();
}

/// What has no effect in this controller.
UrOutcome take_note(UrCall&) {
  return ur_done();
}

UrOutcome textmsg(UrCall& call) {
  call.core.say(RobotMessage::Kind::kText, script::to_text(call.arguments.value(0)) +
                                               script::to_text(call.arguments.value(1)));
  return ur_done();
}

/// One that blocks stays until somebody closes it.
UrOutcome popup(UrCall& call) {
  const bool is_blocking = call.arguments.boolean(4);
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  UrCore* core = &call.core;
  core->say(RobotMessage::Kind::kText, script::to_text(call.arguments.value(0)));
  if (!is_blocking) {
    return ur_done();
  }
  call.wait.go_on = [core, closed = core->closed_popups] {
    return core->closed_popups > closed ? ur_done() : ur_waiting();
  };
  return ur_waiting();
}

UrOutcome powerdown(UrCall& call) {
  call.core.wants_power_off = true;
  return ur_done();
}

UrOutcome set_watchdog(UrCall& call) {
  UrArguments& a = call.arguments;
  const std::string variable = a.text(0);
  const double frequency_Hz = a.number(1);
  const std::string action = a.text(2);
  if (!a.is_good()) {
    return ur_done();
  }
  const Result<bool> set = call.core.watchdogs.set(variable, frequency_Hz, action, call.core.now);
  return set ? ur_done() : ur_failed("rtde_set_watchdog: " + set.error().message);
}

/// The world knows which way is down; a program need not tell.
UrOutcome set_gravity(UrCall&) {
  return ur_done();
}

std::optional<UrOutcome> refuse_mass(const UrCall& call, double mass_kg) {
  if (mass_kg >= 0.0 && mass_kg <= kMostPayload_kg) {
    return std::nullopt;
  }
  return ur_failed(fmt::format("{}: a payload of {:g} kg; this robot carries 0 to {:g} kg",
                               call.arguments.function(), mass_kg, kMostPayload_kg));
}

UrOutcome set_payload(UrCall& call) {
  const double mass_kg = call.arguments.number(0);
  protocols::ur::Vector3 cog_m = call.core.live.payload_cog_m;
  if (call.arguments.has(1)) {
    const auto given = script::to_three(call.arguments.value(1));
    if (!given) {
      return ur_failed("set_payload: the centre of gravity is three numbers");
    }
    cog_m = *given;
  }
  if (const auto refusal = refuse_mass(call, mass_kg)) {
    return *refusal;
  }
  call.core.set_payload(mass_kg, cog_m);
  return ur_done();
}

UrOutcome set_payload_mass(UrCall& call) {
  const double mass_kg = call.arguments.number(0);
  if (const auto refusal = refuse_mass(call, mass_kg)) {
    return *refusal;
  }
  call.core.set_payload(mass_kg, call.core.live.payload_cog_m);
  return ur_done();
}

UrOutcome set_payload_cog(UrCall& call) {
  const auto cog_m = script::to_three(call.arguments.value(0));
  if (!cog_m) {
    return ur_failed("set_payload_cog: the centre of gravity is three numbers");
  }
  call.core.set_payload(call.core.live.payload_kg, *cog_m);
  return ur_done();
}

UrOutcome set_tcp(UrCall& call) {
  const Vector6 offset = call.arguments.six(0);
  if (call.arguments.is_good()) {
    call.core.set_tool(offset);
  }
  return ur_done();
}

using protocols::ur::ControllerState;
constexpr UrNamedFunction kSignalsFunctions[] = {
    {"get_analog_in", get_analog_in},
    {"get_analog_out", get_analog_out},
    {"get_configurable_digital_in", get_digital_in<8, 8>},
    {"get_configurable_digital_out", get_digital_out<8, 8>},
    {"get_digital_in", get_digital_in<0, 18>},
    {"get_digital_out", get_digital_out<0, 18>},
    {"get_flag", get_flag},
    {"get_standard_analog_in", get_analog_in},
    {"get_standard_analog_out", get_analog_out},
    {"get_standard_digital_in", get_digital_in<0, 8>},
    {"get_standard_digital_out", get_digital_out<0, 8>},
    {"get_tool_analog_in", get_tool_analog_in},
    {"get_tool_digital_in", get_digital_in<16, 2>},
    {"get_tool_digital_out", get_digital_out<16, 2>},
    {"popup", popup},
    {"powerdown", powerdown},
    {"read_input_boolean_register", read_boolean<&ControllerState::inputs>},
    {"read_input_float_register", read_float<&ControllerState::inputs>},
    {"read_input_integer_register", read_integer<&ControllerState::inputs>},
    {"read_output_boolean_register", read_boolean<&ControllerState::outputs>},
    {"read_output_float_register", read_float<&ControllerState::outputs>},
    {"read_output_integer_register", read_integer<&ControllerState::outputs>},
    {"read_port_bit", read_port_bit},
    {"read_port_register", read_port_register},
    {"rtde_set_watchdog", set_watchdog},
    {"set_analog_inputrange", take_note},
    {"set_analog_out", set_analog},
    {"set_analog_outputdomain", set_analog_domain<2>},
    {"set_configurable_digital_out", set_digital<8, 8>},
    {"set_digital_out", set_digital<0, 18>},
    {"set_flag", set_flag},
    {"set_gravity", set_gravity},
    {"set_payload", set_payload},
    {"set_payload_cog", set_payload_cog},
    {"set_payload_mass", set_payload_mass},
    {"set_standard_analog_input_domain", set_analog_domain<0>},
    {"set_standard_analog_out", set_analog},
    {"set_standard_digital_out", set_digital<0, 8>},
    {"set_tcp", set_tcp},
    {"set_tool_analog_input_domain", set_tool_analog_domain},
    {"set_tool_digital_out", set_digital<16, 2>},
    {"set_tool_voltage", set_tool_voltage},
    {"set_configurable_digital_input_action", take_note},
    {"set_gp_boolean_input_action", take_note},
    {"set_input_actions_to_default", take_note},
    {"set_runstate_configurable_digital_output_to_value", take_note},
    {"set_runstate_gp_boolean_output_to_value", take_note},
    {"set_runstate_outputs", take_note},
    {"set_runstate_standard_analog_output_to_value", take_note},
    {"set_runstate_standard_digital_output_to_value", take_note},
    {"set_runstate_tool_digital_output_to_value", take_note},
    {"set_safety_mode_transition_hardness", take_note},
    {"set_standard_digital_input_action", take_note},
    {"set_tool_digital_input_action", take_note},
    {"set_tool_output_mode", take_note},
    {"textmsg", textmsg},
    {"write_output_boolean_register", write_boolean},
    {"write_output_float_register", write_float},
    {"write_output_integer_register", write_integer},
    {"write_port_bit", write_port_bit},
    {"write_port_register", write_port_register}};

}  // namespace

std::span<const UrNamedFunction> ur_signal_functions() {
  return kSignalsFunctions;
}

}  // namespace longarm::robots
