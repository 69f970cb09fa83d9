// SPDX-License-Identifier: Apache-2.0
// Reads lines about a gripper's variables, and answers each.
#include "longarm/protocols/ur/gripper_door.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace longarm::protocols::ur {
namespace {

// more than all variables with their values; what is longer is no command
constexpr std::size_t kMaxLineBytes = 256;
constexpr const char* kNotUnderstood = "?";

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
      return words;
    }
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::optional<int> number_in(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value)
                                                                  : std::nullopt;
}

}  // namespace

GripperDoor::GripperDoor(std::string name, std::uint16_t port, GripperPort& gripper)
    : TalkDoor(std::move(name), port), gripper_(gripper) {}

void GripperDoor::do_receive(ConnectionId client, std::string_view bytes, Time) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  Talk& talk = found->second;
  hear_lines(talk, bytes, kMaxLineBytes, [&](const std::string& line) {
    talk.output += line.size() > kMaxLineBytes ? kNotUnderstood : answer_to(line);
  });
}

std::string GripperDoor::answer_to(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() == 2 && words[0] == "GET") {
    const std::optional<int> value = gripper_.get(words[1]);
    return value ? fmt::format("{} {}", words[1], *value) : kNotUnderstood;
  }
  if (words.size() < 3 || words.size() % 2 == 0 || words[0] != "SET") {
    return kNotUnderstood;
  }
  std::vector<GripperPort::Setting> settings;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::optional<int> value = number_in(words[i + 1]);
    if (!value) {
      return kNotUnderstood;
    }
    settings.emplace_back(words[i], *value);
  }
  return gripper_.set(settings) ? "ack" : kNotUnderstood;
}

}  // namespace longarm::protocols::ur
