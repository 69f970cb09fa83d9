// SPDX-License-Identifier: Apache-2.0
// For tests: a belt with its PLC and a door that repeats what it hears, served on real sockets.
#pragma once

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "longarm/core/hash.h"
#include "longarm/protocols/modbus/client.h"
#include "longarm/protocols/modbus/plc_door.h"
#include "longarm/serve/door_server.h"
#include "longarm/serve/live_run.h"
#include "longarm/serve/replay_run.h"
#include "longarm/system/descriptor.h"

namespace longarm::serve {

using namespace std::chrono_literals;
namespace modbus = protocols::modbus;

/// Clients of a door.
inline constexpr ConnectionId kOne{1};
inline constexpr ConnectionId kTwo{2};

/// Repeats whole lines with the time they came at; "bye" ends the talk, "flood N" is answered with
/// N bytes. Lines without an end are forgotten from 64 KiB on.
class EchoDoor final : public Door {
 public:
  EchoDoor() : Door("echo") {}

  static constexpr std::size_t kLongest = 64 * 1024;
  std::size_t clients() const { return talks_.size(); }

 private:
  struct Talk {
    std::string partial;
    std::string output;
    bool is_over = false;
  };

  void do_open(ConnectionId client, Time) override { talks_[client]; }
  void do_close(ConnectionId client, Time) override { talks_.erase(client); }
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override {
    Talk& talk = talks_[client];
    for (const char c : bytes) {
      if (c != '\n') {
        if (talk.partial.size() < kLongest) {
          talk.partial += c;
        }
        continue;
      }
      if (talk.partial == "bye") {
        talk.is_over = true;
      }
      if (talk.partial.starts_with("flood ")) {
        talk.output += std::string(std::stoul(talk.partial.substr(6)), 'x');
      }
      talk.output += std::to_string(now.time_since_epoch().count()) + " " + talk.partial + "\n";
      talk.partial.clear();
    }
  }
  std::string do_take_output(ConnectionId client) override {
    return std::exchange(talks_[client].output, {});
  }
  bool do_is_over(ConnectionId client) const override { return talks_.at(client).is_over; }

  std::map<ConnectionId, Talk> talks_;
};

/// A belt that follows its command with a time constant of 20 ms, so that its state remembers when
/// it was told what.
class BeltWorld final : public World {
 public:
  explicit BeltWorld(Time end = Time(1h)) : end_(end) {}

  Duration period() const override { return 1ms; }
  std::vector<Door*> doors() override { return {&plc, &echo}; }
  Time now() const override { return now_; }
  void step() override {
    plc.before_step(now_);
    speed_m_s += (target_m_s - speed_m_s) * 0.05;
    place_m += speed_m_s * 0.001;
    hash_.add(speed_m_s);
    hash_.add(place_m);
    now_ += period();
  }
  bool is_over() const override { return now_ >= end_; }
  std::string hash() const override { return hash_.text(); }

  double target_m_s = 0.0;
  double speed_m_s = 0.0;
  double place_m = 0.0;
  modbus::PlcDoor plc{"plc",
                      {.port = 0},
                      {.command = [this](double v) { target_m_s = v; },
                       .velocity_m_s = [this] { return speed_m_s; },
                       .encoder_m = [this] { return place_m; },
                       .is_jammed = [] { return false; },
                       .is_stopped = [] { return false; },
                       .is_safety_stopped = [] { return false; }}};
  EchoDoor echo;

 private:
  Time end_;
  Time now_{};
  Hash hash_;
};

/// A plain client's socket, which waits for no longer than five seconds.
class TestClient {
 public:
  explicit TestClient(std::uint16_t port, std::uint32_t host = INADDR_LOOPBACK)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{5, 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(host);
    is_connected_ =
        connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  bool is_connected() const { return is_connected_; }
  int descriptor() const { return socket_.number(); }
  bool say(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }
  /// What came, at least so much unless the other side has ended it.
  std::string hear(std::size_t least = 1) {
    std::string heard;
    std::string piece(4096, '\0');
    while (heard.size() < least) {
      const ssize_t size = recv(socket_.number(), piece.data(), piece.size(), 0);
      if (size <= 0) {
        break;
      }
      heard.append(piece, 0, static_cast<std::size_t>(size));
    }
    return heard;
  }
  /// Everything until the other side ends it; false if it does not.
  bool hear_end() {
    char ignored[4096];
    ssize_t size = 1;
    while (size > 0) {
      size = recv(socket_.number(), ignored, sizeof ignored, 0);
    }
    return size == 0 || errno == ECONNRESET;
  }
  void stop_talking() { shutdown(socket_.number(), SHUT_WR); }
  /// Ends it with a reset instead of a goodbye.
  void reset() {
    const linger now{1, 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    socket_.reset();
  }
  void close() { socket_.reset(); }

 private:
  system::Descriptor socket_;
  bool is_connected_ = false;
};

/// A world that goes on in a thread of its own.
template <typename WorldType>
class Served {
 public:
  explicit Served(const std::string& name, ServerConfig server = {}, double speed = 1.0)
      : file_(std::filesystem::path(testing::TempDir()) / ("longarm_serve_" + name + ".jsonl")) {
    std::vector<std::string> names;
    for (const Door* door : world.doors()) {
      names.push_back(door->name());
    }
    auto recording = RecordingWriter::make(file_, {world.period(), names});
    auto made = DoorServer::make(world.doors(), std::move(server), inbox_);
    EXPECT_TRUE(recording && made);
    recording_.emplace(std::move(recording).value());
    server_ = std::move(made).value();
    run_.emplace(world, LiveConfig{.speed = speed, .checkpoint_every = 100ms}, inbox_,
                 std::vector<Carrier*>(names.size(), server_.get()), *recording_);
    thread_ = std::thread(
        [this] { run_->run_until(Time::max(), [this] { return is_stopped_.load(); }); });
  }
  ~Served() {
    stop();
    std::filesystem::remove(file_);
  }

  /// Ends the run; the world may be looked at afterwards.
  void stop() {
    is_stopped_ = true;
    if (thread_.joinable()) {
      thread_.join();
      run_->finish("stopped");
    }
  }
  std::uint16_t port(std::size_t door) const { return server_->addresses().at(door).port; }
  ServerFigures figures() const { return server_->figures(); }
  const LiveRun& run() const { return *run_; }
  const std::filesystem::path& recording() const { return file_; }

  WorldType world;

 private:
  std::filesystem::path file_;
  Inbox inbox_;
  std::optional<RecordingWriter> recording_;
  std::unique_ptr<DoorServer> server_;
  std::optional<LiveRun> run_;
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
};

class ServedWorld : public Served<BeltWorld> {
 public:
  using Served::Served;
  std::uint16_t plc_port() const { return port(0); }
  std::uint16_t echo_port() const { return port(1); }
};

/// The recording on a world that nobody has touched.
template <typename WorldType = BeltWorld>
ReplayReport replay_file(const std::filesystem::path& file) {
  WorldType world;
  auto reader = RecordingReader::make(file);
  EXPECT_TRUE(reader);
  RecordingReader recording = std::move(reader).value();
  return replay(world, recording);
}

}  // namespace longarm::serve
