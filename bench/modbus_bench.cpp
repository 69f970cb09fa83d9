// SPDX-License-Identifier: Apache-2.0
// What a Modbus master that writes a thousand times a second costs the simulation of a cell, by the
// wall clock and as fast as it goes. Arguments: seconds, scenario, speed (1, or 0 for max).
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "longarm/protocols/modbus/client.h"
#include "longarm/protocols/modbus/plc_door.h"
#include "longarm/scenario/plugin.h"
#include "longarm/serve/door_server.h"
#include "longarm/serve/experiment_world.h"
#include "longarm/serve/live_run.h"

namespace longarm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kWriteEvery = 1ms;
// with and without the master by turns, so that both see the same cell and the same machine
constexpr auto kTurn = 1s;

/// Of the calling thread.
double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct MasterFigures {
  std::uint64_t written = 0;
  std::uint64_t answered = 0;
  Clock::duration slowest{0};
};

/// Writes while it is its turn; each write waits for its answer.
MasterFigures write_on_and_on(std::uint16_t port, const std::atomic<bool>& is_on,
                              const std::atomic<bool>& is_over) {
  MasterFigures figures;
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return figures;
  }
  protocols::modbus::Client words;
  auto due = Clock::now();
  char bytes[260];
  while (!is_over) {
    if (!is_on) {
      std::this_thread::sleep_for(1ms);
      due = Clock::now();
      continue;
    }
    std::this_thread::sleep_until(due += kWriteEvery);
    const auto start = Clock::now();
    const std::string request =
        words.write_register(0x8002, static_cast<std::uint16_t>(figures.written % 0x2000)).bytes;
    ++figures.written;
    if (send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) {
      break;
    }
    while (words.pending() > 0) {
      const ssize_t size = recv(socket, bytes, sizeof bytes, 0);
      if (size <= 0) {
        break;
      }
      figures.answered += words.hear({bytes, static_cast<std::size_t>(size)}).size();
    }
    figures.slowest = std::max(figures.slowest, Clock::now() - start);
  }
  close(socket);
  return figures;
}

/// A world whose steps are timed apart from all that happens between them.
class TimedWorld final : public serve::World {
 public:
  explicit TimedWorld(serve::World& world) : world_(world) {}

  Duration period() const override { return world_.period(); }
  std::vector<protocols::Door*> doors() override { return world_.doors(); }
  Time now() const override { return world_.now(); }
  void step() override {
    const double start = cpu_s();
    world_.step();
    inside_s_ += cpu_s() - start;
  }
  bool is_over() const override { return world_.is_over(); }
  std::string hash() const override { return world_.hash(); }
  double inside_s() const { return inside_s_; }

 private:
  serve::World& world_;
  double inside_s_ = 0.0;
};

struct Turns {
  double inside_s[2] = {};
  double cpu_s[2] = {};
  std::uint64_t steps[2] = {};
  std::uint64_t late_steps[2] = {};
};

int run(int seconds, const std::string& scenario, double speed) {
  scenario::LoadOptions options;
  options.overrides = {"length=60min", "plc.is_on=true", "plc.port=0"};
  const auto prepared =
      experiments::load_experiment(scenario, options, scenario::built_in_plugins());
  experiments::ExperimentRun experiment(prepared);
  serve::ExperimentWorld plain(experiment, prepared.scenario.physics_period);
  TimedWorld world(plain);
  serve::Inbox inbox;
  serve::ServerConfig config;
  protocols::modbus::PlcDoor* plc = nullptr;
  std::size_t plc_number = 0;
  std::vector<std::string> names;
  for (protocols::Door* door : world.doors()) {
    if (auto* found = dynamic_cast<protocols::modbus::PlcDoor*>(door)) {
      plc = found;
      plc_number = names.size();
    }
    names.push_back(door->name());
    config.ports[door->name()] = 0;
  }
  const auto file = std::filesystem::temp_directory_path() / "longarm_modbus_bench.jsonl";
  auto recording = serve::RecordingWriter::make(file, {world.period(), names});
  auto server = serve::DoorServer::make(world.doors(), config, inbox);
  if (plc == nullptr || !recording || !server) {
    fmt::print("{} cannot be served\n", scenario);
    return 1;
  }
  std::uint16_t port = 0;
  for (const auto& address : (*server)->addresses()) {
    port = address.door == plc_number ? address.port : port;
  }
  serve::RecordingWriter writer = std::move(recording).value();
  serve::LiveConfig pace;
  pace.speed = speed;
  serve::LiveRun live(world, pace, inbox, std::vector<serve::Carrier*>(names.size(), server->get()),
                      writer);

  std::atomic<bool> is_on{false};
  std::atomic<bool> is_over{false};
  MasterFigures master;
  std::thread thread([&] { master = write_on_and_on(port, is_on, is_over); });
  Turns turns;
  for (int turn = 0; turn < 2 * seconds; ++turn) {
    const std::size_t kind = static_cast<std::size_t>(turn % 2);
    is_on = kind == 1;
    const std::uint64_t steps = live.steps();
    const std::uint64_t late_steps = live.pace().late_steps;
    const double inside = world.inside_s();
    const double start = cpu_s();
    const auto end = Clock::now() + kTurn;
    live.run_until(Time::max(), [&] { return Clock::now() >= end; });
    turns.cpu_s[kind] += cpu_s() - start;
    turns.inside_s[kind] += world.inside_s() - inside;
    turns.steps[kind] += live.steps() - steps;
    turns.late_steps[kind] += live.pace().late_steps - late_steps;
  }
  is_on = false;
  // the last answers
  live.run_until(world.now() + 100ms, [] { return false; });
  is_over = true;
  thread.join();
  std::filesystem::remove(file);

  const double without_us = 1e6 * turns.cpu_s[0] / static_cast<double>(turns.steps[0]);
  const double with_us = 1e6 * turns.cpu_s[1] / static_cast<double>(turns.steps[1]);
  fmt::print("{} {}, a master on for {} s of {}\n", scenario,
             speed > 0.0 ? "by the wall clock" : "as fast as it goes", seconds, 2 * seconds);
  fmt::print("writes sent {}, answered {}, counted by the PLC {}, in its log {}\n", master.written,
             master.answered, plc->counters().writes, plc->log().size());
  fmt::print("slowest answer {:.3f} ms\n",
             std::chrono::duration<double, std::milli>(master.slowest).count());
  fmt::print("of it inside of steps: {:.1f} us without, {:.1f} us with\n",
             1e6 * turns.inside_s[0] / static_cast<double>(turns.steps[0]),
             1e6 * turns.inside_s[1] / static_cast<double>(turns.steps[1]));
  const double extra_us = 1e6 * turns.cpu_s[1] - without_us * static_cast<double>(turns.steps[1]);
  fmt::print("{:.1f} us a write, {:.2f} % of a core\n",
             extra_us / static_cast<double>(master.answered), extra_us / (1e4 * seconds));
  fmt::print(
      "CPU time of the stepping thread: {:.1f} us a step without, {:.1f} us with: {:+.2f} %\n",
      without_us, with_us, 100.0 * (with_us / without_us - 1.0));
  fmt::print("late steps {} of {} without, {} of {} with, worst {:.3f} ms\n", turns.late_steps[0],
             turns.steps[0], turns.late_steps[1], turns.steps[1],
             1e3 * to_seconds(live.pace().worst));
  return 0;
}

}  // namespace
}  // namespace longarm

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  const std::string scenario = argc > 2 ? argv[2] : "aprs";
  if (argc > 3) {
    return longarm::run(seconds > 0 ? seconds : 60, scenario, std::atof(argv[3]));
  }
  const int paced = longarm::run(seconds > 0 ? seconds : 60, scenario, 1.0);
  return paced != 0 ? paced : longarm::run(seconds > 0 ? seconds : 60, scenario, 0.0);
}
