// SPDX-License-Identifier: Apache-2.0
// What the dashboard server understands, and how it answers.
#include "longarm/protocols/ur/dashboard_door.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::protocols::ur {
namespace {

constexpr std::string_view kGreeting = "Connected: Universal Robots Dashboard Server\n";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view mode_name(RobotMode mode) {
  constexpr std::array<std::string_view, 10> kNames{
      "NO_CONTROLLER", "DISCONNECTED", "CONFIRM_SAFETY", "BOOTING", "POWER_OFF",
      "POWER_ON",      "IDLE",         "BACKDRIVE",      "RUNNING", "UPDATING"};
  return kNames[static_cast<std::size_t>(static_cast<int>(mode) + 1)];
}

std::string_view mode_name(SafetyMode mode) {
  constexpr std::array<std::string_view, 9> kNames{"NORMAL",
                                                   "REDUCED",
                                                   "PROTECTIVE_STOP",
                                                   "RECOVERY",
                                                   "SAFEGUARD_STOP",
                                                   "SYSTEM_EMERGENCY_STOP",
                                                   "ROBOT_EMERGENCY_STOP",
                                                   "VIOLATION",
                                                   "FAULT"};
  return kNames[static_cast<std::size_t>(mode) - 1];
}

std::string_view program_state_name(RuntimeState state) {
  switch (state) {
    case RuntimeState::kStopping:
    case RuntimeState::kStopped:
      return "STOPPED";
    case RuntimeState::kPausing:
    case RuntimeState::kPaused:
      return "PAUSED";
    case RuntimeState::kPlaying:
    case RuntimeState::kResuming:
      return "PLAYING";
  }
  return "STOPPED";
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Without its folders.
std::string program_name(const ControllerPort& robot) {
  const std::string name = robot.loaded_program();
  return name.empty() ? "<unnamed>" : std::string(file_name(name));
}

std::string robot_mode(ControllerPort& robot) {
  return fmt::format("Robotmode: {}", mode_name(robot.state().robot_mode));
}

std::string safety_mode(ControllerPort& robot) {
  return fmt::format("Safetymode: {}", mode_name(robot.state().safety_mode));
}

std::string safety_status(ControllerPort& robot) {
  return fmt::format("Safetystatus: {}", mode_name(robot.state().safety_mode));
}

std::string program_state(ControllerPort& robot) {
  return fmt::format("{} {}", program_state_name(robot.state().runtime_state), program_name(robot));
}

std::string running(ControllerPort& robot) {
  return fmt::format("Program running: {}",
                     program_state_name(robot.state().runtime_state) == "PLAYING");
}

std::string loaded_program(ControllerPort& robot) {
  const std::string name = robot.loaded_program();
  return name.empty() ? "No program loaded" : "Loaded program: " + name;
}

std::string is_program_saved(ControllerPort& robot) {
  return fmt::format("{} {}", !robot.loaded_program().empty(), program_name(robot));
}

std::string version(ControllerPort& robot) {
  const Firmware& firmware = robot.info().firmware;
  return fmt::format("{}.{}.{}.{}", firmware.major, firmware.minor, firmware.bugfix,
                     firmware.build);
}

std::string polyscope_version(ControllerPort& robot) {
  return fmt::format("URSoftware {} (Longarm)", version(robot));
}

std::string serial_number(ControllerPort& robot) {
  return robot.info().serial_number;
}

std::string load(ControllerPort& robot, std::string_view file) {
  const Result<bool> loaded = robot.load(file);
  return loaded ? fmt::format("Loading program: {}", file) : loaded.error().message;
}

/// There is but the one that it was made with.
std::string load_installation(ControllerPort&, std::string_view file) {
  return file_name(file) == "default.installation" ? fmt::format("Loading installation: {}", file)
                                                   : fmt::format("File not found: {}", file);
}

std::string add_to_log(ControllerPort& robot, std::string_view text) {
  robot.add_to_log(text);
  return "Added log message";
}

std::string popup(ControllerPort& robot, std::string_view text) {
  robot.show_popup(text);
  return "showing popup";
}

std::string close_popup(ControllerPort& robot) {
  robot.show_popup({});
  return "closing popup";
}

// The words of all tables are in small letters.

struct Order {
  std::string_view words;
  Result<bool> (ControllerPort::*give)();
  std::string_view success;
};

constexpr Order kOrders[] = {
    {"power on", &ControllerPort::power_on, "Powering on"},
    {"power off", &ControllerPort::power_off, "Powering off"},
    {"brake release", &ControllerPort::release_brakes, "Brake releasing"},
    {"play", &ControllerPort::play, "Starting program"},
    {"pause", &ControllerPort::pause, "Pausing program"},
    {"stop", &ControllerPort::stop, "Stopped"},
    {"unlock protective stop", &ControllerPort::unlock_protective_stop,
     "Protective stop releasing"},
    {"restart safety", &ControllerPort::restart_safety, "Restarting safety"},
};

struct Question {
  std::string_view words;
  std::string (*answer)(ControllerPort& robot);
};

constexpr Question kQuestions[] = {
    {"robotmode", robot_mode},
    {"safetymode", safety_mode},
    {"safetystatus", safety_status},
    {"programstate", program_state},
    {"running", running},
    {"get loaded program", loaded_program},
    {"isprogramsaved", is_program_saved},
    {"is program saved", is_program_saved},
    {"close popup", close_popup},
    {"polyscopeversion", polyscope_version},
    {"version", version},
    {"get serial number", serial_number},
};

struct Remark {
  std::string_view words;
  std::string_view answer;
};

constexpr Remark kRemarks[] = {
    {"close safety popup", "closing safety popup"},
    {"get robot model", "UR5"},
    {"savelog", "Log saved to disk"},
    {"shutdown", "Failed to execute: shutdown"},
};

/// The rest of the line, after a blank, belongs to it; it may be empty. The first that fits counts.
struct Sentence {
  std::string_view words;
  std::string (*answer)(ControllerPort& robot, std::string_view rest);
};

constexpr Sentence kSentences[] = {
    {"load installation", load_installation},
    {"load", load},
    {"popup", popup},
    {"addtolog", add_to_log},
};

constexpr std::string_view kUserRoles[] = {"PROGRAMMER", "OPERATOR", "NONE", "LOCKED",
                                           "RESTRICTED"};

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return out;
}

/// What follows `words` on a line that begins with them, or nothing. `lower` is the line in small
/// letters.
std::optional<std::string_view> rest_after(std::string_view words, std::string_view line,
                                           std::string_view lower) {
  if (!lower.starts_with(words) || (lower.size() > words.size() && lower[words.size()] != ' ')) {
    return std::nullopt;
  }
  return trimmed(line.substr(words.size()));
}

std::string answer_to(std::string_view line, ControllerPort& robot) {
  const std::string words = to_lower(line);
  for (const Order& order : kOrders) {
    if (words == order.words) {
      const Result<bool> result = (robot.*order.give)();
      return result ? std::string(order.success) : result.error().message;
    }
  }
  for (const Question& question : kQuestions) {
    if (words == question.words) {
      return question.answer(robot);
    }
  }
  for (const Remark& remark : kRemarks) {
    if (words == remark.words) {
      return std::string(remark.answer);
    }
  }
  for (const Sentence& sentence : kSentences) {
    if (const auto rest = rest_after(sentence.words, line, words)) {
      return sentence.answer(robot, *rest);
    }
  }
  return fmt::format("could not understand: '{}'", line);
}

}  // namespace

DashboardDoor::DashboardDoor(std::string name, std::uint16_t port, ControllerPort& controller)
    : TalkDoor(std::move(name), port), controller_(controller) {}

void DashboardDoor::do_open(ConnectionId client, Time) {
  if (clients_.size() < kMaxClients) {
    clients_[client].output = kGreeting;
  }
}

void DashboardDoor::do_receive(ConnectionId client, std::string_view bytes, Time) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  Talk& talk = found->second;
  hear_lines(talk, bytes, kMaxDashboardLineBytes,
             [&](std::string line) { answer_line(talk, std::move(line)); });
}

/// What the dashboard server knows by itself, without the controller.
std::optional<std::string> DashboardDoor::answer_own(std::string_view line) {
  const std::string lower = to_lower(line);
  if (lower == "getuserrole") {
    return user_role_;
  }
  if (const auto role = rest_after("setuserrole", line, lower)) {
    const std::string name = to_upper(*role);
    if (std::find(std::begin(kUserRoles), std::end(kUserRoles), name) == std::end(kUserRoles)) {
      return fmt::format("Failed setting user role: {}", *role);
    }
    user_role_ = name;
    return fmt::format("Setting user role: {}", *role);
  }
  if (rest_after("generate flight report", line, lower)) {
    return fmt::format("Flight Report generated with id: {}", ++reports_);
  }
  if (const auto folder = rest_after("generate support file", line, lower)) {
    return fmt::format("Completed successfully: {}/support_{}.zip", *folder, ++reports_);
  }
  return std::nullopt;
}

void DashboardDoor::answer_line(Talk& talk, std::string text) {
  const bool is_too_long = text.size() > kMaxDashboardLineBytes;
  // an answer is a line of its own, whatever it repeats
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter >= 0 && letter < ' '; }, ' ');
  const std::string_view line = trimmed(text);
  if (line.empty() && !is_too_long) {
    return;
  }
  if (to_lower(line) == "quit") {
    talk.output += "Disconnected\n";
    talk.is_over = true;
    return;
  }
  std::string answer = is_too_long
                           ? fmt::format("could not understand: '{}...'", line.substr(0, 64))
                           : answer_own(line).value_or("");
  if (answer.empty()) {
    answer = answer_to(line, controller_);
  }
  std::replace(answer.begin(), answer.end(), '\n', ' ');
  talk.output += answer + "\n";
}

}  // namespace longarm::protocols::ur
