// SPDX-License-Identifier: Apache-2.0
// URScript's sockets: the program calls, sends and waits for what comes.
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/protocols/ur/script/convert.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {
namespace {

namespace script = protocols::ur::script;
using protocols::ur::RobotMessage;
using script::List;

// more numbers than that are never asked for at once
constexpr std::size_t kMostNumbers = 100;
// a call that nobody answers, in case nobody carries calls at all
constexpr double kCallTime_s = 10.0;
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();

/// What came of looking into a socket's buffer: nothing yet, or an answer.
using Look = std::function<std::optional<UrValue>(UrSockets& sockets)>;

std::uint64_t cycles_of_timeout(double timeout_s) {
  return timeout_s > 0.0 ? ur_cycles_of(timeout_s) : kForEver;
}

/// Looks once per cycle. `nothing` is the answer when the time is over or the peer is gone; the
/// latter takes a cycle, so that a program that reads on and on is not in an infinite loop.
UrOutcome listen(UrCall& call, const std::string& socket, double timeout_s, Look look,
                 UrValue nothing) {
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  UrCore* core = &call.core;
  call.wait.go_on = [core, socket, look = std::move(look), nothing = std::move(nothing),
                     left = cycles_of_timeout(timeout_s), is_first = true]() mutable {
    const bool can_give_up = !std::exchange(is_first, false);
    if (std::optional<UrValue> answer = look(core->sockets)) {
      UrOutcome outcome = ur_done(std::move(*answer));
      outcome.took_input = true;
      return outcome;
    }
    if (core->sockets.state(socket) != UrSockets::State::kOpen) {
      return can_give_up ? ur_done(nothing) : ur_waiting();
    }
    if (left != kForEver && left-- == 0) {
      core->figures.socket_timeouts.add(core->now);
      return ur_done(nothing);
    }
    return ur_waiting();
  };
  // what is there already needs no cycle
  UrOutcome at_once = call.wait.go_on();
  return at_once;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char each : bytes.substr(0, 4)) {
    value = value << 8U | static_cast<unsigned char>(each);
  }
  return value;
}

/// A count and as many numbers; the count is zero if they did not come.
UrValue no_numbers(std::size_t count) {
  List list(count + 1, script::integer(0));
  return {list};
}

UrOutcome socket_open(UrCall& call) {
  const std::string host = call.arguments.text(0);
  const std::int32_t port = call.arguments.integer(1);
  const std::string socket = call.arguments.text(2);
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  UrCore* core = &call.core;
  const auto refuse = [core, whom = fmt::format("{}:{}", host, port)](std::string_view why) {
    core->say(RobotMessage::Kind::kText, fmt::format("socket_open to '{}': {}", whom, why));
    return ur_done(script::boolean(false));
  };
  const Result<std::uint64_t> called = core->sockets.call(socket, host, port);
  if (!called) {
    return refuse(called.error().message);
  }
  call.wait.go_on = [core, socket, refuse, number = *called,
                     left = ur_cycles_of(kCallTime_s)]() mutable {
    // another thread may have opened or closed a socket of that name meanwhile
    if (core->sockets.call_number(socket) != number) {
      return refuse("there is no connection");
    }
    switch (core->sockets.state(socket)) {
      case UrSockets::State::kOpen:
        return ur_done(script::boolean(true));
      case UrSockets::State::kClosed:
        return refuse("there is no connection");
      case UrSockets::State::kCalling:
        break;
    }
    if (left-- > 0) {
      return ur_waiting();
    }
    core->sockets.hang_up(socket);
    return refuse(fmt::format("no answer within {} s", kCallTime_s));
  };
  return ur_waiting();
}

UrOutcome socket_close(UrCall& call) {
  const std::string socket = call.arguments.text(0);
  if (call.arguments.is_good()) {
    call.core.sockets.hang_up(socket);
  }
  return ur_done();
}

UrOutcome socket_read_binary_integer(UrCall& call) {
  const std::size_t count = call.arguments.index(0, kMostNumbers + 1);
  const std::string socket = call.arguments.text(1);
  Look look = [count, socket](UrSockets& sockets) -> std::optional<UrValue> {
    const std::string_view bytes = sockets.received(socket);
    if (bytes.size() < 4 * count) {
      return std::nullopt;
    }
    List list{script::integer(static_cast<std::int64_t>(count))};
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back(script::integer(static_cast<std::int32_t>(big_endian(bytes.substr(4 * i)))));
    }
    sockets.consume(socket, 4 * count);
    return UrValue{std::move(list)};
  };
  return listen(call, socket, call.arguments.number(2), std::move(look), no_numbers(count));
}

UrOutcome socket_read_byte_list(UrCall& call) {
  const std::size_t count = call.arguments.index(0, kMostNumbers + 1);
  const std::string socket = call.arguments.text(1);
  Look look = [count, socket](UrSockets& sockets) -> std::optional<UrValue> {
    const std::string_view bytes = sockets.received(socket);
    if (bytes.size() < count) {
      return std::nullopt;
    }
    List list{script::integer(static_cast<std::int64_t>(count))};
    for (const char each : bytes.substr(0, count)) {
      list.push_back(script::integer(static_cast<unsigned char>(each)));
    }
    sockets.consume(socket, count);
    return UrValue{std::move(list)};
  };
  return listen(call, socket, call.arguments.number(2), std::move(look), no_numbers(count));
}

/// "(1.5, 2)": the numbers, or nothing if they are not that.
std::optional<List> parse_floats(std::string_view text, std::size_t count) {
  List list{script::integer(static_cast<std::int64_t>(count))};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (!word.empty() && word.front() == ' ') {
      word.remove_prefix(1);
    }
    while (!word.empty() && word.back() == ' ') {
      word.remove_suffix(1);
    }
    const std::optional<double> number = parse_number(word);
    if (!number || !std::isfinite(*number) || list.size() > count) {
      return std::nullopt;
    }
    list.push_back(script::number(*number));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list.size() == count + 1 ? std::optional(std::move(list)) : std::nullopt;
}

UrOutcome socket_read_ascii_float(UrCall& call) {
  const std::size_t count = call.arguments.index(0, kMostNumbers + 1);
  const std::string socket = call.arguments.text(1);
  Look look = [count, socket](UrSockets& sockets) -> std::optional<UrValue> {
    const std::string_view bytes = sockets.received(socket);
    const std::size_t end = bytes.find(')');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::size_t begin = bytes.substr(0, end).rfind('(');
    std::optional<List> list;
    if (begin != std::string_view::npos) {
      list = parse_floats(bytes.substr(begin + 1, end - begin - 1), count);
    }
    sockets.consume(socket, end + 1);
    return list ? UrValue{std::move(*list)} : no_numbers(count);
  };
  return listen(call, socket, call.arguments.number(2), std::move(look), no_numbers(count));
}

/// Up to `suffix`, which is not part of it; what stands before `prefix` is thrown away.
Look look_for_text(const std::string& socket, const std::string& prefix,
                   const std::string& suffix) {
  return [socket, prefix, suffix](UrSockets& sockets) -> std::optional<UrValue> {
    const std::string_view bytes = sockets.received(socket);
    const std::size_t start = bytes.find(prefix);
    if (bytes.empty() || start == std::string_view::npos) {
      return std::nullopt;
    }
    const std::size_t begin = start + prefix.size();
    const std::size_t end = suffix.empty() ? bytes.size() : bytes.find(suffix, begin);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string text(bytes.substr(begin, end - begin));
    sockets.consume(socket, end + suffix.size());
    return script::text(std::move(text));
  };
}

UrOutcome socket_read_line(UrCall& call) {
  const std::string socket = call.arguments.text(0);
  Look look = look_for_text(socket, "", "\n");
  Look without_return = [look](UrSockets& sockets) {
    std::optional<UrValue> line = look(sockets);
    if (line) {
      auto& text = std::get<std::string>(line->kind);
      if (text.ends_with('\r')) {
        text.pop_back();
      }
    }
    return line;
  };
  return listen(call, socket, call.arguments.number(1), std::move(without_return),
                script::text(""));
}

UrOutcome socket_read_string(UrCall& call) {
  const std::string socket = call.arguments.text(0);
  Look look = look_for_text(socket, call.arguments.text(1), call.arguments.text(2));
  return listen(call, socket, call.arguments.number(4), std::move(look), script::text(""));
}

/// Asks "GET name" and takes the number behind the name in the answer.
UrOutcome socket_get_var(UrCall& call) {
  constexpr double kTime_s = 2.0;
  const std::string name = call.arguments.text(0);
  const std::string socket = call.arguments.text(1);
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  call.core.sockets.send(socket, "GET " + name + "\n");
  Look look = [line = look_for_text(socket, "", "\n"),
               name](UrSockets& sockets) -> std::optional<UrValue> {
    const std::optional<UrValue> answer = line(sockets);
    if (!answer) {
      return std::nullopt;
    }
    std::string_view text = std::get<std::string>(answer->kind);
    if (text.starts_with(name)) {
      text.remove_prefix(name.size());
    }
    while (!text.empty() && (text.front() == ' ' || text.front() == ':')) {
      text.remove_prefix(1);
    }
    std::int32_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return script::integer(number);
  };
  return listen(call, socket, kTime_s, std::move(look), script::integer(0));
}

UrOutcome send(UrCall& call, const std::string& socket, const std::string& bytes) {
  return ur_done(
      script::boolean(call.arguments.is_good() && call.core.sockets.send(socket, bytes)));
}

UrOutcome socket_set_var(UrCall& call) {
  const std::string bytes =
      fmt::format("SET {} {}\n", call.arguments.text(0), call.arguments.integer(1));
  return send(call, call.arguments.text(2), bytes);
}

UrOutcome socket_send_byte(UrCall& call) {
  const std::size_t value = call.arguments.index(0, 256);
  return send(call, call.arguments.text(1), std::string(1, static_cast<char>(value)));
}

UrOutcome socket_send_int(UrCall& call) {
  const auto value = static_cast<std::uint32_t>(call.arguments.integer(0));
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xFFU);
  }
  return send(call, call.arguments.text(1), bytes);
}

UrOutcome socket_send_line(UrCall& call) {
  return send(call, call.arguments.text(1), script::to_text(call.arguments.value(0)) + "\n");
}

UrOutcome socket_send_string(UrCall& call) {
  return send(call, call.arguments.text(1), script::to_text(call.arguments.value(0)));
}

constexpr UrNamedFunction kSocketsFunctions[] = {
    {"socket_close", socket_close},
    {"socket_get_var", socket_get_var},
    {"socket_open", socket_open},
    {"socket_read_ascii_float", socket_read_ascii_float},
    {"socket_read_binary_integer", socket_read_binary_integer},
    {"socket_read_byte_list", socket_read_byte_list},
    {"socket_read_line", socket_read_line},
    {"socket_read_string", socket_read_string},
    {"socket_send_byte", socket_send_byte},
    {"socket_send_int", socket_send_int},
    {"socket_send_line", socket_send_line},
    {"socket_send_string", socket_send_string},
    {"socket_set_var", socket_set_var}};

}  // namespace

std::span<const UrNamedFunction> ur_socket_functions() {
  return kSocketsFunctions;
}

}  // namespace longarm::robots
