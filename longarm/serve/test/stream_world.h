// SPDX-License-Identifier: Apache-2.0
// For tests: a door that streams a packet every 8 ms and one that calls out, in a small world.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/hash.h"
#include "longarm/protocols/broadcast_door.h"
#include "longarm/serve/test/served_world.h"

namespace longarm::serve {

constexpr std::size_t kPacketBytes = 1116;

/// Ten digits, a letter that says what the world is doing, and dots.
inline std::string packet(std::uint64_t number, char letter = '-') {
  std::string digits = std::to_string(number);
  std::string out = std::string(10 - digits.size(), '0') + digits + letter;
  out.resize(kPacketBytes, '.');
  return out;
}

inline std::uint64_t number_of(std::string_view packet_text) {
  return std::stoull(std::string(packet_text.substr(0, 10)));
}

/// The numbers of whole packets, as far as there are any.
inline std::vector<std::uint64_t> numbers_of(const std::string& bytes) {
  std::vector<std::uint64_t> out;
  for (std::size_t at = 0; at + kPacketBytes <= bytes.size(); at += kPacketBytes) {
    out.push_back(number_of(std::string_view(bytes).substr(at)));
    EXPECT_EQ(bytes.substr(at + 11, kPacketBytes - 11), std::string(kPacketBytes - 11, '.'));
  }
  return out;
}

/// Says "welcome" to who comes, then streams; the last letter that a client says is in the packets.
class StreamDoor final : public protocols::BroadcastDoor {
 public:
  StreamDoor() : BroadcastDoor("stream") {}

  void publish(std::uint64_t number) {
    for (auto& [id, talk] : talks_) {
      talk.cyclic = packet(number, letter);
    }
  }
  char letter = '-';
  std::string said;  ///< by all clients, since the world took it

 private:
  struct Talk {
    std::string output = "welcome\n";
    std::string cyclic;
  };

  void do_open(ConnectionId client, Time) override { talks_[client]; }
  void do_close(ConnectionId client, Time) override { talks_.erase(client); }
  void do_receive(ConnectionId, std::string_view bytes, Time) override {
    letter = bytes.back();
    said += bytes;
  }
  std::string do_take_output(ConnectionId client) override {
    return std::exchange(talks_[client].output, {});
  }
  std::string do_take_cyclic(ConnectionId client) override {
    return std::exchange(talks_[client].cyclic, {});
  }
  bool do_is_over(ConnectionId) const override { return false; }

  std::map<ConnectionId, Talk> talks_;
};

/// Calls whom it is told to, one after the other, says hello and hangs up at "bye".
class CallingDoor final : public Door {
 public:
  CallingDoor() : Door("calls", std::nullopt) {}

  std::deque<protocols::Call> whom;
  std::string heard;  ///< of all that were called, with "+" where one came and "!" where none did

 private:
  void do_open(ConnectionId client, Time) override {
    talks_[client] = "hello\n";
    heard += "+";
    is_calling_ = false;
  }
  void do_close(ConnectionId client, Time) override { talks_.erase(client); }
  void do_receive(ConnectionId, std::string_view bytes, Time) override { heard += bytes; }
  std::string do_take_output(ConnectionId client) override {
    return std::exchange(talks_[client], {});
  }
  bool do_is_over(ConnectionId) const override { return heard.ends_with("bye\n"); }
  std::optional<protocols::Call> do_take_call() override {
    if (is_calling_ || whom.empty()) {
      return std::nullopt;
    }
    is_calling_ = true;
    const protocols::Call next = whom.front();
    whom.pop_front();
    return next;
  }
  void do_call_failed(Time) override {
    heard += "!";
    is_calling_ = false;
  }

  std::map<ConnectionId, std::string> talks_;
  bool is_calling_ = false;
};

/// A client of the stream says "12345;" to have port 12345 of the loopback called.
class StreamWorld final : public World {
 public:
  Duration period() const override { return 1ms; }
  std::vector<Door*> doors() override { return {&stream, &calls}; }
  Time now() const override { return now_; }
  void step() override {
    for (auto end = stream.said.find(';'); end != std::string::npos; end = stream.said.find(';')) {
      calls.whom.push_back(
          {"127.0.0.1", static_cast<std::uint16_t>(std::stoi(stream.said.substr(0, end)))});
      stream.said.erase(0, end + 1);
    }
    now_ += period();
    hash_.add(std::string_view(calls.heard));
    hash_.add(static_cast<std::uint64_t>(stream.letter));
    if (now_.time_since_epoch() % 8ms == 0ms) {
      stream.publish(static_cast<std::uint64_t>(now_.time_since_epoch() / 8ms));
    }
  }
  bool is_over() const override { return false; }
  std::string hash() const override { return hash_.text(); }

  StreamDoor stream;
  CallingDoor calls;

 private:
  Time now_{};
  Hash hash_;
};

}  // namespace longarm::serve
