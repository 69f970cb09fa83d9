// SPDX-License-Identifier: Apache-2.0
// What a Modbus master that writes a thousand times a second costs the simulation of a cell, by the
// wall clock and as fast as it goes. Arguments: seconds, scenario, speed (1, or 0 for max).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/cell/plugin.h"
#include "longarm/protocols/modbus/client.h"
#include "longarm/protocols/modbus/plc_door.h"
#include "longarm/serve/door_server.h"
#include "longarm/serve/live_run.h"
#include "longarm/serve/run_world.h"

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

/// A master that does not wait for an answer before it writes again, and reads all of them.
class Master {
 public:
  explicit Master(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int one = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_fine_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Master() { close(socket_); }
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Until told to stop; writes while it is on.
  void run(const std::atomic<bool>& is_on, const std::atomic<bool>& is_over) {
    auto due = Clock::now();
    while (!is_over && is_fine_) {
      std::this_thread::sleep_until(due += kWriteEvery);
      if (is_on) {
        write();
      } else {
        due = Clock::now();
      }
      listen();
    }
  }
  const MasterFigures& figures() const { return figures_; }

 private:
  void write() {
    const auto value = static_cast<std::uint16_t>(figures_.written % 0x2000);
    const std::string request = words_.write_register(0x8002, value).bytes;
    ++figures_.written;
    sent_.push_back(Clock::now());
    is_fine_ = send(socket_, request.data(), request.size(), MSG_NOSIGNAL) > 0;
  }
  void listen() {
    char bytes[4096];
    const ssize_t size = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size <= 0) {
      return;
    }
    for (std::size_t i = words_.hear({bytes, static_cast<std::size_t>(size)}).size(); i > 0; --i) {
      ++figures_.answered;
      figures_.slowest = std::max(figures_.slowest, Clock::now() - sent_.front());
      sent_.pop_front();
    }
  }

  int socket_ = -1;
  bool is_fine_ = false;
  protocols::modbus::Client words_;
  std::deque<Clock::time_point> sent_;
  MasterFigures figures_;
};

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
  std::vector<double> us_a_step[2];  ///< of each turn
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

int run(int seconds, const std::string& scenario, double speed) {
  cell::LoadOptions options;
  options.overrides = {"length=60min", "actors.plc={kind: plc, belt: belt, port: 0}"};
  const auto prepared = cell::load_scenario(scenario, options, labs::built_in_plugins());
  cell::Run experiment(prepared);
  serve::RunWorld plain(experiment, prepared.scenario.physics_period);
  TimedWorld world(plain);
  serve::Inbox inbox;
  serve::ServerConfig config;
  config.looks_for_answers = speed > 0.0;
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
  Master talker(port);
  std::thread thread([&] { talker.run(is_on, is_over); });
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
    const double spent = cpu_s() - start;
    turns.cpu_s[kind] += spent;
    turns.us_a_step[kind].push_back(1e6 * spent / static_cast<double>(live.steps() - steps));
    turns.inside_s[kind] += world.inside_s() - inside;
    turns.steps[kind] += live.steps() - steps;
    turns.late_steps[kind] += live.pace().late_steps - late_steps;
  }
  is_on = false;
  // the last answers
  live.run_until(world.now() + 100ms, [] { return false; });
  is_over = true;
  thread.join();
  const MasterFigures& master = talker.figures();
  std::filesystem::remove(file);

  const double without_us = 1e6 * turns.cpu_s[0] / static_cast<double>(turns.steps[0]);
  const double with_us = 1e6 * turns.cpu_s[1] / static_cast<double>(turns.steps[1]);
  fmt::print("{} {}, a master on for {} s of {}\n", scenario,
             speed > 0.0 ? "by the wall clock" : "as fast as it goes", seconds, 2 * seconds);
  fmt::print("writes sent {}, answered {}, counted by the PLC {}, in its log {}\n", master.written,
             master.answered, plc->counters().writes, plc->log().size());
  fmt::print("slowest answer {:.3f} ms\n",
             std::chrono::duration<double, std::milli>(master.slowest).count());
  double between_us[2];
  for (const std::size_t kind : {0, 1}) {
    between_us[kind] =
        1e6 * (turns.cpu_s[kind] - turns.inside_s[kind]) / static_cast<double>(turns.steps[kind]);
  }
  fmt::print(
      "CPU time of the stepping thread: {:.1f} us a step without, {:.1f} us with: {:+.2f} %\n",
      without_us, with_us, 100.0 * (with_us / without_us - 1.0));
  fmt::print("of it between steps: {:.2f} us without, {:.2f} us with: {:+.2f} % of all\n",
             between_us[0], between_us[1], 100.0 * (between_us[1] - between_us[0]) / without_us);
  const double usual_without_us = median(turns.us_a_step[0]);
  const double usual_with_us = median(turns.us_a_step[1]);
  fmt::print("median of the turns: {:.1f} us a step without, {:.1f} us with: {:+.2f} %\n",
             usual_without_us, usual_with_us, 100.0 * (usual_with_us / usual_without_us - 1.0));
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
