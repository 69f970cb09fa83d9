// SPDX-License-Identifier: Apache-2.0
// The table of URScript functions, by subject; sorted by name while compiling.
#include "longarm/protocols/ur/script/builtins.h"

#include <algorithm>
#include <array>

namespace longarm::protocols::ur::script {

namespace {

using Default = Parameter::Default;

constexpr Parameter needed(std::string_view name) {
  return {name, Default::kRequired, 0.0, {}};
}
constexpr Parameter optional(std::string_view name) {
  return {name, Default::kNothing, 0.0, {}};
}
constexpr Parameter real(std::string_view name, double value) {
  return {name, Default::kFloat, value, {}};
}
constexpr Parameter whole(std::string_view name, int value) {
  return {name, Default::kInteger, static_cast<double>(value), {}};
}
constexpr Parameter flag(std::string_view name, bool value) {
  return {name, Default::kBoolean, value ? 1.0 : 0.0, {}};
}
constexpr Parameter word(std::string_view name, std::string_view value) {
  return {name, Default::kText, 0.0, value};
}

constexpr Parameter kSocket = word("socket_name", "socket_0");
constexpr Parameter kTimeout = real("timeout", 2.0);

template <typename... Parameters>
constexpr Builtin function(Effect effect, std::string_view name, Parameters... parameters) {
  return {name, effect, sizeof...(parameters), {parameters...}};
}
template <typename... Parameters>
constexpr Builtin pure(std::string_view name, Parameters... parameters) {
  return function(Effect::kPure, name, parameters...);
}
template <typename... Parameters>
constexpr Builtin robot(std::string_view name, Parameters... parameters) {
  return function(Effect::kRobot, name, parameters...);
}
template <typename... Parameters>
constexpr Builtin motion(std::string_view name, Parameters... parameters) {
  return function(Effect::kMotion, name, parameters...);
}

template <typename... Parameters>
constexpr Builtin force(std::string_view name, Parameters... parameters) {
  return function(Effect::kForce, name, parameters...);
}

constexpr auto kUnsorted = std::to_array<Builtin>({
    // Motion. SI units; `t` of speedj and speedl left out: until the next command.
    motion("movec", needed("pose_via"), needed("pose_to"), real("a", 1.2), real("v", 0.25),
           real("r", 0.0), whole("mode", 0)),
    motion("movej", needed("q"), real("a", 1.4), real("v", 1.05), real("t", 0.0), real("r", 0.0)),
    motion("movel", needed("pose"), real("a", 1.2), real("v", 0.25), real("t", 0.0),
           real("r", 0.0)),
    motion("movep", needed("pose"), real("a", 1.2), real("v", 0.25), real("r", 0.0)),
    motion("servoc", needed("pose"), real("a", 1.2), real("v", 0.25), real("r", 0.0)),
    motion("servoj", needed("q"), real("a", 0.0), real("v", 0.0), real("t", 0.008),
           real("lookahead_time", 0.1), real("gain", 300.0)),
    motion("speedj", needed("qd"), needed("a"), optional("t")),
    motion("speedl", needed("xd"), real("a", 0.5), optional("t"), optional("aRot")),
    motion("stopj", needed("a")),
    motion("stopl", needed("a"), optional("aRot")),

    // Giving way.
    force("end_force_mode"),
    force("end_freedrive_mode"),
    force("end_teach_mode"),
    force("force_mode", needed("task_frame"), needed("selection_vector"), needed("wrench"),
          needed("type"), needed("limits")),
    force("force_mode_set_damping", needed("damping")),
    force("force_mode_set_gain_scaling", needed("scaling")),
    force("freedrive_mode", optional("freeAxes"), optional("feature")),
    force("teach_mode"),
    robot("position_deviation_warning", needed("enabled"), real("threshold", 0.8)),
    robot("protective_stop"),
    robot("zero_ftsensor"),

    // What programs of drivers may come to call; whether there is such a thing the Host knows.
    robot("enable_external_ft_sensor", needed("enable"), optional("sensor_mass"),
          optional("sensor_measuring_offset"), optional("sensor_cog")),
    robot("ft_rtde_input_enable", needed("enable"), optional("sensor_mass"),
          optional("sensor_measuring_offset"), optional("sensor_cog")),
    robot("get_actual_joint_positions_history", whole("steps", 0)),
    robot("tool_contact", needed("direction")),

    // Time, messages, power.
    robot("popup", needed("s"), word("title", "Popup"), flag("warning", false),
          flag("error", false), flag("blocking", false)),
    robot("powerdown"),
    robot("rtde_set_watchdog", needed("variable_name"), needed("min_frequency"),
          word("action", "pause")),
    robot("sleep", needed("t")),
    // The machine's own: gives up the rest of the cycle.
    robot("sync"),
    robot("textmsg", needed("s1"), word("s2", "")),

    // Payload and tool.
    robot("set_gravity", needed("d")),
    robot("set_payload", needed("m"), optional("cog")),
    robot("set_payload_cog", needed("CoG")),
    robot("set_payload_mass", needed("m")),
    robot("set_tcp", needed("pose")),
    robot("set_tool_voltage", needed("voltage")),

    // Outputs.
    // domains and actions of signals: what this controller has no use for
    robot("set_analog_inputrange", needed("port"), needed("range")),
    robot("set_configurable_digital_input_action", needed("port"), needed("action")),
    robot("set_gp_boolean_input_action", needed("port"), needed("action")),
    robot("set_input_actions_to_default"),
    robot("set_runstate_configurable_digital_output_to_value", needed("outputId"), needed("state")),
    robot("set_runstate_gp_boolean_output_to_value", needed("outputId"), needed("state")),
    robot("set_runstate_outputs", needed("outputs")),
    robot("set_runstate_standard_analog_output_to_value", needed("outputId"), needed("state")),
    robot("set_runstate_standard_digital_output_to_value", needed("outputId"), needed("state")),
    robot("set_runstate_tool_digital_output_to_value", needed("outputId"), needed("state")),
    robot("set_safety_mode_transition_hardness", needed("type")),
    robot("set_standard_digital_input_action", needed("port"), needed("action")),
    robot("set_tool_digital_input_action", needed("port"), needed("action")),
    robot("set_tool_output_mode", needed("mode")),

    robot("set_analog_out", needed("n"), needed("f")),
    robot("set_analog_outputdomain", needed("port"), needed("domain")),
    robot("set_configurable_digital_out", needed("n"), needed("b")),
    robot("set_digital_out", needed("n"), needed("b")),
    robot("set_flag", needed("n"), needed("b")),
    robot("set_standard_analog_input_domain", needed("port"), needed("domain")),
    robot("set_standard_analog_out", needed("n"), needed("f")),
    robot("set_standard_digital_out", needed("n"), needed("b")),
    robot("set_tool_analog_input_domain", needed("port"), needed("domain")),
    robot("set_tool_digital_out", needed("n"), needed("b")),

    // Inputs, and outputs read back.
    robot("get_analog_in", needed("n")),
    robot("get_analog_out", needed("n")),
    robot("get_configurable_digital_in", needed("n")),
    robot("get_configurable_digital_out", needed("n")),
    robot("get_digital_in", needed("n")),
    robot("get_digital_out", needed("n")),
    robot("get_flag", needed("n")),
    robot("get_standard_analog_in", needed("n")),
    robot("get_standard_analog_out", needed("n")),
    robot("get_standard_digital_in", needed("n")),
    robot("get_standard_digital_out", needed("n")),
    robot("get_tool_analog_in", needed("n")),
    robot("get_tool_digital_in", needed("n")),
    robot("get_tool_digital_out", needed("n")),

    // State.
    robot("force"),
    robot("get_actual_joint_positions"),
    robot("get_actual_joint_speeds"),
    robot("get_actual_tcp_pose"),
    robot("get_actual_tcp_speed"),
    robot("get_actual_tool_flange_pose"),
    robot("get_controller_temp"),
    robot("get_freedrive_status"),
    robot("get_forward_kin", optional("q"), optional("tcp")),
    robot("get_inverse_kin", needed("x"), optional("qnear"), real("maxPositionError", 1e-10),
          real("maxOrientationError", 1e-10)),
    robot("get_inverse_kin_has_solution", needed("pose"), optional("qnear"),
          real("maxPositionError", 1e-10), real("maxOrientationError", 1e-10)),
    robot("get_joint_temp", needed("j")),
    robot("get_joint_torques"),
    robot("get_steptime"),
    robot("get_target_joint_accelerations"),
    robot("get_target_joint_moments"),
    robot("get_target_joint_positions"),
    robot("get_target_joint_speeds"),
    robot("get_target_payload"),
    robot("get_target_payload_cog"),
    robot("get_target_tcp_pose"),
    robot("get_target_tcp_speed"),
    robot("get_tcp_force"),
    robot("get_tcp_offset"),
    robot("get_tool_accelerometer_reading"),
    robot("get_tool_current"),
    robot("is_steady"),
    robot("is_within_safety_limits", needed("pose")),
    robot("random"),

    // Registers, and ports that Modbus clients would see.
    robot("read_port_bit", needed("address")),
    robot("read_port_register", needed("address")),
    robot("write_port_bit", needed("address"), needed("value")),
    robot("write_port_register", needed("address"), needed("value")),
    robot("read_input_boolean_register", needed("address")),
    robot("read_input_float_register", needed("address")),
    robot("read_input_integer_register", needed("address")),
    robot("read_output_boolean_register", needed("address")),
    robot("read_output_float_register", needed("address")),
    robot("read_output_integer_register", needed("address")),
    robot("write_output_boolean_register", needed("address"), needed("value")),
    robot("write_output_float_register", needed("address"), needed("value")),
    robot("write_output_integer_register", needed("address"), needed("value")),

    // Sockets, the robot being the client.
    robot("socket_close", kSocket),
    robot("socket_get_var", needed("name"), kSocket),
    robot("socket_open", needed("address"), needed("port"), kSocket),
    robot("socket_read_ascii_float", needed("number"), kSocket, kTimeout),
    robot("socket_read_binary_integer", needed("number"), kSocket, kTimeout),
    robot("socket_read_byte_list", needed("number"), kSocket, kTimeout),
    robot("socket_read_line", kSocket, kTimeout),
    robot("socket_read_string", kSocket, word("prefix", ""), word("suffix", ""),
          flag("interpret_escape", false), kTimeout),
    robot("socket_send_byte", needed("value"), kSocket),
    robot("socket_send_int", needed("value"), kSocket),
    robot("socket_send_line", needed("str"), kSocket),
    robot("socket_send_string", needed("str"), kSocket),
    robot("socket_set_var", needed("name"), needed("value"), kSocket),

    // Mathematics. log(b, f) is the logarithm of f to the base b.
    pure("acos", needed("f")),
    pure("asin", needed("f")),
    pure("atan", needed("f")),
    pure("atan2", needed("x"), needed("y")),
    pure("ceil", needed("f")),
    pure("cos", needed("f")),
    pure("d2r", needed("d")),
    pure("exp", needed("f")),
    pure("fabs", needed("f")),
    pure("floor", needed("f")),
    pure("log", needed("b"), needed("f")),
    pure("norm", needed("a")),
    pure("normalize", needed("v")),
    pure("pow", needed("base"), needed("exponent")),
    pure("r2d", needed("r")),
    pure("sin", needed("f")),
    pure("sqrt", needed("f")),
    pure("tan", needed("f")),

    // Poses.
    pure("interpolate_pose", needed("p_from"), needed("p_to"), needed("alpha")),
    pure("point_dist", needed("p_from"), needed("p_to")),
    pure("pose_add", needed("p_1"), needed("p_2")),
    pure("pose_dist", needed("p_from"), needed("p_to")),
    pure("pose_inv", needed("p_from")),
    pure("pose_sub", needed("p_to"), needed("p_from")),
    pure("pose_trans", needed("p_from"), needed("p_from_to")),
    pure("rotvec2rpy", needed("rotation_vector")),
    pure("rpy2rotvec", needed("rpy_vector")),

    // Lists and strings.
    pure("binary_list_to_integer", needed("l")),
    pure("get_list_length", needed("v")),
    pure("integer_to_binary_list", needed("x")),
    pure("length", needed("v")),
    pure("str_at", needed("src"), needed("index")),
    pure("str_cat", needed("op1"), needed("op2")),
    pure("str_empty", needed("str")),
    pure("str_find", needed("src"), needed("target"), whole("start_from", 0)),
    pure("str_len", needed("str")),
    pure("str_sub", needed("src"), needed("index"), optional("len")),
    pure("to_num", needed("str")),
    pure("to_str", needed("val")),
});

constexpr bool comes_first(const Builtin& one, const Builtin& other) {
  return one.name < other.name;
}

constexpr auto kBuiltins = [] {
  auto sorted = kUnsorted;
  std::sort(sorted.begin(), sorted.end(), comes_first);
  return sorted;
}();

}  // namespace

std::span<const Builtin> builtins() {
  return kBuiltins;
}

const Builtin* find_builtin(std::string_view name) {
  // older names that programs still use
  if (name == "get_joint_positions") {
    name = "get_actual_joint_positions";
  }
  if (name == "get_joint_speeds") {
    name = "get_actual_joint_speeds";
  }
  const auto* found = std::lower_bound(
      kBuiltins.begin(), kBuiltins.end(), name,
      [](const Builtin& one, std::string_view wanted) { return one.name < wanted; });
  if (found == kBuiltins.end() || found->name != name) {
    return nullptr;
  }
  return found;
}

const OldArray* find_old_array(std::string_view name) {
  static constexpr auto kArrays = std::to_array<OldArray>({
      {"analog_in", "get_analog_in", ""},
      {"analog_out", "get_analog_out", "set_analog_out"},
      {"digital_in", "get_digital_in", ""},
      {"digital_out", "get_digital_out", "set_digital_out"},
      {"flag", "get_flag", "set_flag"},
  });
  const auto* found = std::find_if(kArrays.begin(), kArrays.end(),
                                   [&](const OldArray& each) { return each.name == name; });
  return found == kArrays.end() ? nullptr : found;
}

Value default_value(const Parameter& parameter) {
  switch (parameter.kind) {
    case Default::kRequired:
    case Default::kNothing:
      return {};
    case Default::kFloat:
      return {parameter.number};
    case Default::kInteger:
      return {static_cast<std::int64_t>(parameter.number)};
    case Default::kBoolean:
      return {parameter.number != 0.0};
    case Default::kText:
      return {std::string(parameter.text)};
  }
  return {};
}

}  // namespace longarm::protocols::ur::script
