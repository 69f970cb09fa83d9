// SPDX-License-Identifier: Apache-2.0
// One client of a door, in the words of a test: say a command, ask for the status.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/protocols/crcl/codec.h"
#include "longarm/robots/crcl/door.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

class CrclTalk {
 public:
  CrclTalk(CrclDoor& door, std::uint32_t number, const Time& now)
      : door_(door), connection_(protocols::ConnectionId{number}), now_(now) {
    door_.open(connection_, now_);
  }

  /// Sends a command with the next number, which is given back.
  std::int64_t say(crcl::CommandBody body, std::vector<crcl::Guard> guards = {}) {
    return say_numbered(++id_, std::move(body), std::move(guards));
  }
  std::int64_t say_numbered(std::int64_t id, crcl::CommandBody body,
                            std::vector<crcl::Guard> guards = {}) {
    crcl::CommandInstance instance;
    instance.command = {.id = id, .name = {}, .guards = guards, .body = std::move(body)};
    Result<std::string> text = crcl::encode(instance);
    EXPECT_TRUE(text.has_value()) << (text ? "" : text.error().message);
    if (text) {
      say_text(*text);
    }
    return id;
  }
  void say_text(std::string_view text) { door_.receive(connection_, text, now_); }

  /// Asks, and reads the answer.
  crcl::Status status() {
    say_numbered(999'999, crcl::GetStatus{});
    return heard();
  }
  /// The first document that has come.
  crcl::Status heard() {
    last_text_ = door_.take_output(connection_);
    Result<crcl::Status> status = crcl::decode_status(last_text_);
    EXPECT_TRUE(status.has_value()) << (status ? "" : status.error().message) << last_text_;
    return status ? *status : crcl::Status{};
  }

  std::string description() { return status().command.description.value_or(""); }
  crcl::CommandState state() { return status().command.state; }
  const std::string& last_text() const { return last_text_; }
  std::string take_output() { return door_.take_output(connection_); }
  bool is_over() const { return door_.is_over(connection_); }
  void close() { door_.close(connection_, now_); }

 private:
  CrclDoor& door_;
  protocols::ConnectionId connection_;
  const Time& now_;
  std::int64_t id_ = 0;
  std::string last_text_;
};

inline crcl::Waypoint at(double x, double y, double z) {
  crcl::Waypoint waypoint;
  waypoint.pose.point = {x, y, z};
  return waypoint;
}

}  // namespace longarm::robots
