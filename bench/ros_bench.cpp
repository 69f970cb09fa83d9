// SPDX-License-Identifier: Apache-2.0
// What programs that join the ROS port cost the thread that steps the cell: joint states every
// millisecond to nobody, to one that reads, and to one that reads beside one that does not, by
// turns in one run, by the wall clock. Arguments: seconds of each, scenario.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "longarm/actors/kinds.h"
#include "longarm/cell/plugin.h"
#include "longarm/serve/door_server.h"
#include "longarm/serve/live_run.h"
#include "longarm/serve/run_world.h"

namespace longarm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTurn = 1s;
// after a change, before it counts
constexpr auto kSettle = 100ms;
constexpr std::size_t kKinds = 3;
constexpr const char* kKindNames[kKinds] = {"nobody", "one that reads",
                                            "one that reads, one that does not"};

/// Of the calling thread.
double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A program at the port; leaves when it goes.
class Client {
 public:
  Client(std::uint16_t port, bool reads) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int bytes = 4096;
    if (!reads) {
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      fmt::print(stderr, "cannot connect to port {}\n", port);
      std::exit(1);
    }
    if (reads) {
      thread_ = std::thread([this] { read_all(); });
    }
  }
  ~Client() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) {
      thread_.join();
    }
    close(socket_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Packets with joint states so far.
  std::uint64_t packets() const { return packets_; }

 private:
  void read_all() {
    static constexpr std::string_view kMark = "\"joints\":{";
    std::string rest;
    std::vector<char> piece(64 * 1024);
    for (ssize_t size = 0; (size = recv(socket_, piece.data(), piece.size(), 0)) > 0;) {
      rest.append(piece.data(), static_cast<std::size_t>(size));
      std::size_t at = 0;
      while ((at = rest.find(kMark, at)) != std::string::npos) {
        ++packets_;
        at += kMark.size();
        rest.erase(0, at);
        at = 0;
      }
      rest.erase(0, rest.size() - std::min(rest.size(), kMark.size() - 1));
    }
  }

  int socket_;
  std::atomic<std::uint64_t> packets_{0};
  std::thread thread_;
};

struct Turn {
  double us_a_step = 0.0;
  double share_of_time = 0.0;  ///< CPU time by time
};

double median(std::vector<Turn> turns, double Turn::*what) {
  std::sort(turns.begin(), turns.end(),
            [&](const Turn& a, const Turn& b) { return a.*what < b.*what; });
  return turns.empty() ? 0.0 : turns[turns.size() / 2].*what;
}

int run(int seconds, const std::string& scenario) {
  cell::LoadOptions options;
  options.overrides = {"length=60min", "actors.ros={kind: ros, port: 0, states_period: 1ms}"};
  if (scenario == "ur5-ros") {
    options.overrides = {"length=60min", "actors.ros.port=0", "actors.ros.states_period=1ms"};
  }
  const auto prepared = cell::load_scenario(scenario, options, actors::built_in_plugins());
  cell::Run experiment(prepared);
  serve::RunWorld world(experiment, prepared.scenario.physics_period);
  serve::Inbox inbox;
  serve::ServerConfig config;
  std::vector<std::string> names;
  for (protocols::Door* door : world.doors()) {
    names.push_back(door->name());
    config.ports[door->name()] = 0;
  }
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("longarm_ros_bench_{}.jsonl", getpid());
  auto recording = serve::RecordingWriter::make(file, {world.period(), names, {}});
  auto server = serve::DoorServer::make(world.doors(), config, inbox);
  if (!recording || !server) {
    fmt::print("{} cannot be served\n", scenario);
    return 1;
  }
  std::uint16_t port = 0;
  for (const auto& address : (*server)->addresses()) {
    port = names[address.door] == "ros" ? address.port : port;
  }
  serve::RecordingWriter writer = std::move(recording).value();
  serve::LiveConfig pace;
  serve::LiveRun live(world, pace, inbox, std::vector<serve::Carrier*>(names.size(), server->get()),
                      writer);
  const auto run_for = [&](Clock::duration span) {
    const auto end = Clock::now() + span;
    live.run_until(Time::max(), [&] { return Clock::now() >= end; });
  };

  std::vector<Turn> turns[kKinds];
  std::uint64_t packets[kKinds] = {};
  std::uint64_t late_steps[kKinds] = {};
  std::uint64_t steps[kKinds] = {};
  for (int turn = 0; turn < static_cast<int>(kKinds) * seconds; ++turn) {
    const std::size_t kind = static_cast<std::size_t>(turn) % kKinds;
    const auto reader = kind > 0 ? std::make_unique<Client>(port, true) : nullptr;
    const auto sleeper = kind > 1 ? std::make_unique<Client>(port, false) : nullptr;
    run_for(kSettle);
    const std::uint64_t steps_before = live.steps();
    const std::uint64_t late_before = live.pace().late_steps;
    const std::uint64_t packets_before = reader ? reader->packets() : 0;
    const auto begin = Clock::now();
    const double cpu = cpu_s();
    run_for(kTurn);
    const double spent_s = cpu_s() - cpu;
    const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::uint64_t made = live.steps() - steps_before;
    steps[kind] += made;
    late_steps[kind] += live.pace().late_steps - late_before;
    packets[kind] += reader ? reader->packets() - packets_before : 0;
    turns[kind].push_back({1e6 * spent_s / static_cast<double>(made), spent_s / wall_s});
  }
  std::filesystem::remove(file);

  fmt::print("{}, {} s for each, steps of {:g} ms, joint states every 1 ms\n", scenario, seconds,
             1e3 * to_seconds(world.period()));
  fmt::print("{:<36}{:>14}{:>16}{:>16}{:>12}{:>12}\n", "joined", "us a step", "ratio",
             "share of time", "packets", "late steps");
  const double alone_us = median(turns[0], &Turn::us_a_step);
  const double alone = median(turns[0], &Turn::share_of_time);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    fmt::print("{:<36}{:>14.2f}{:>16.3f}{:>14.2f} %{:>12}{:>12}\n", kKindNames[kind],
               median(turns[kind], &Turn::us_a_step),
               median(turns[kind], &Turn::us_a_step) / alone_us,
               100.0 * median(turns[kind], &Turn::share_of_time), packets[kind], late_steps[kind]);
  }
  fmt::print(
      "of the stepping thread's time, one that reads takes {:.2f} %, one that does not "
      "{:+.2f} %\n",
      100.0 * (median(turns[1], &Turn::share_of_time) - alone),
      100.0 * (median(turns[2], &Turn::share_of_time) - median(turns[1], &Turn::share_of_time)));
  return 0;
}

}  // namespace
}  // namespace longarm

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 20;
  return longarm::run(seconds > 0 ? seconds : 20, argc > 2 ? argv[2] : "ur5-ros");
}
