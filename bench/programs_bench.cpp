// SPDX-License-Identifier: Apache-2.0
// What it costs to run a program in simulated time: a system call that is handed over, a tick of
// 1 ms, and calls of ZeroC's Ice across a network, beside the same natively and beside simulated
// actors. Everything is on one core. What has to be exact is checked, too.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "longarm/network/network.h"
#include "longarm/programs/programs.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace {

using namespace longarm;

// --- the program that is measured: this one, with arguments
// ----------------------------------------

constexpr long kBillion = 1'000'000'000;

/// getsockopt(2) of a descriptor that is none: answered at once, natively and by us.
void make_calls(long count) {
  for (long i = 0; i < count; ++i) {
    ::syscall(SYS_getsockopt, -1, 0, 0, nullptr, nullptr);
  }
}

void sleep_ticks(long count) {
  timespec next{};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (long i = 0; i < count; ++i) {
    next.tv_nsec += 1'000'000;
    next.tv_sec += next.tv_nsec / kBillion;
    next.tv_nsec %= kBillion;
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != next.tv_sec || now.tv_nsec != next.tv_nsec) {
      std::exit(1);
    }
  }
}

void read_clock(long count) {
  for (long i = 0; i < count; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

int be_program(const std::string& what, long count) {
  if (what == "calls") {
    make_calls(count);
  } else if (what == "ticks") {
    sleep_ticks(count);
  } else if (what == "readings") {
    read_clock(count);
  }
  return 0;
}

// --- measuring
// --------------------------------------------------------------------------------------

double now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of the simulation alone: starting a program costs milliseconds.
double simulated_s(const std::vector<std::string>& command) {
  sim::Kernel clock;
  auto made = programs::Supervisor::make(clock);
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().message);
    std::exit(1);
  }
  std::unique_ptr<programs::Supervisor> supervisor = std::move(made).value();
  programs::KernelOptions options;
  options.free_calls = ~std::uint64_t{0};
  programs::Kernel kernel(clock, *supervisor, options);
  supervisor->set_kernel(kernel);
  int status = -1;
  programs::ProgramOptions program;
  program.command = command;
  program.host = &kernel.add_host({});
  program.ended = [&](int ending) { status = ending; };
  const auto launched = supervisor->launch(program);
  const double begin = now_s();
  const Result<Time> done = clock.run_until(Time(std::chrono::hours(1000)));
  const double end = now_s();
  if (!launched || !done || status != 0) {
    fmt::print(stderr, "the program failed: {}\n",
               !launched ? launched.error().message
               : !done   ? done.error().message
                         : "inexact");
    std::exit(1);
  }
  supervisor.reset();
  return end - begin;
}

double native_s(const std::string& what, long count) {
  const double begin = now_s();
  be_program(what, count);
  return now_s() - begin;
}

/// The least of several: what others do on this machine only adds.
template <typename Measure>
double least(const Measure& measure) {
  double best = measure();
  for (int i = 0; i < 4; ++i) {
    best = std::min(best, measure());
  }
  return best;
}

double per_unit_us(const std::string& self, const std::string& what, long count) {
  const auto run = [&](long times) { return simulated_s({self, what, std::to_string(times)}); };
  return (least([&] { return run(count); }) - least([&] { return run(0); })) * 1e6 /
         static_cast<double>(count);
}

/// A byte to another process and back through pipes, natively on one core: two of the changes from
/// one process to another that each handed-over call needs.
double hand_over_us(long count) {
  int there[2];
  int back[2];
  if (::pipe(there) != 0 || ::pipe(back) != 0) {
    std::exit(1);
  }
  char byte = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    while (::read(there[0], &byte, 1) == 1 && ::write(back[1], &byte, 1) == 1) {
    }
    ::_exit(0);
  }
  const double seconds = least([&] {
    const double begin = now_s();
    for (long i = 0; i < count; ++i) {
      if (::write(there[1], &byte, 1) != 1 || ::read(back[0], &byte, 1) != 1) {
        std::exit(1);
      }
    }
    return now_s() - begin;
  });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return seconds * 1e6 / static_cast<double>(count);
}

// --- across a network
// -------------------------------------------------------------------------------

constexpr Duration kOneWay = std::chrono::milliseconds(10);
// A call of Ice, see longarm/programs/test/programs_equal_test.cpp.
constexpr std::uint32_t kRequestBytes = 38;
constexpr std::uint32_t kReplyBytes = 25;
constexpr std::uint32_t kGreetingBytes = 14;  // of its server, before anything else

struct Calls {
  long shortest_ns = std::numeric_limits<long>::max();
  long longest_ns = 0;
  double wall_s = 0.0;
  std::uint64_t handed_over = 0;  ///< system calls
};

/// Two hosts, `edge` and `robot`, 10 ms apart at 1 Gbit/s.
struct Wire {
  Wire() {
    topology.nodes = {{"edge"}, {"robot"}};
    network::Cable cable;
    cable.name = "cable";
    cable.ends[1] = network::NodeId{1};
    cable.rate_bit_s = 1e9;
    cable.propagation = kOneWay;
    topology.cables.push_back(cable);
    std::vector<network::Host> hosts(2);
    hosts[0].name = "edge";
    hosts[1].name = "robot";
    network = std::make_unique<network::Network>(clock, network::make_builtin_backend(topology, {}),
                                                 hosts, 1);
  }

  network::Topology topology;
  sim::Kernel clock;
  std::unique_ptr<network::Network> network;
};

/// What two simulated actors take that send each other messages of the same sizes.
Calls calls_of_actors(long count) {
  Wire wire;
  Calls calls;
  network::FlowId flow{};
  Time began{};
  long left = count;
  const auto call = [&] {
    if (left-- > 0) {
      began = wire.clock.now();
      wire.network->send(flow, network::Side::kOpener, kRequestBytes);
    }
  };
  network::FlowEvents events;
  const sim::SourceId source = wire.clock.add_source("client");
  events.connected = [&](network::Side side) {
    if (side == network::Side::kPeer) {
      wire.network->send(flow, network::Side::kPeer, kGreetingBytes);
    }
  };
  events.delivered = [&](network::Side side, network::MessageId) {
    if (side == network::Side::kPeer) {
      wire.network->send(flow, network::Side::kPeer, kReplyBytes);
      return;
    }
    if (left == count) {
      wire.clock.at(wire.clock.now() + std::chrono::seconds(1), sim::Phase::kControl, source,
                    [&](Time) { call(); });
      return;
    }
    const long took = (wire.clock.now() - began).count();
    calls.shortest_ns = std::min(calls.shortest_ns, took);
    calls.longest_ns = std::max(calls.longest_ns, took);
    call();
  };
  flow = *wire.network->open({network::NodeId{1}, network::NodeId{0}, {}}, events);
  const double begin = now_s();
  if (!wire.clock.run_until(Time(std::chrono::hours(1)))) {
    std::exit(1);
  }
  calls.wall_s = now_s() - begin;
  return calls;
}

#ifdef LONGARM_ICE_ECHO
/// Two programs of Ice; the client rests before it calls, so that nothing else is under way.
Calls calls_of_programs(long count, long pause_s) {
  Wire wire;
  auto made = programs::Programs::make(wire.clock, *wire.network, 2, 1, {}, Log());
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().message);
    std::exit(1);
  }
  programs::Programs& programs = **made;
  std::string output;
  const auto start = [&](std::uint32_t host, std::vector<std::string> words) {
    programs::Program program;
    program.name = words[1];
    program.command = std::move(words);
    program.written = [&, is_client = host == 1](int, std::string_view bytes) {
      output += is_client ? bytes : "";
    };
    program.ended = [&](int) { wire.clock.stop(); };
    if (!programs.start(network::NodeId{host}, std::move(program))) {
      std::exit(1);
    }
  };
  const double begin = now_s();
  start(0, {LONGARM_ICE_ECHO, "serve", "10000"});
  start(1, {LONGARM_ICE_ECHO, "call", "edge", "10000", std::to_string(count),
            std::to_string(pause_s)});
  if (!wire.clock.run_until(Time(std::chrono::hours(1000)))) {
    std::exit(1);
  }
  Calls calls;
  calls.wall_s = now_s() - begin;
  calls.handed_over = programs.call_count();
  if (std::sscanf(output.c_str(), "%ld %ld", &calls.shortest_ns, &calls.longest_ns) != 2) {
    fmt::print(stderr, "the program of Ice failed: {}\n", output);
    std::exit(1);
  }
  return calls;
}

pid_t spawn(std::vector<std::string> words, int output) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(output, 1);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  return child;
}

/// The same two programs natively, on this core.
double native_call_us(long count) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int port_pipe[2];
  std::array<char, 16> port{};
  if (::pipe2(port_pipe, O_CLOEXEC) != 0) {
    std::exit(1);
  }
  const pid_t server = spawn({LONGARM_ICE_ECHO, "serve", "0"}, port_pipe[1]);
  if (::read(port_pipe[0], port.data(), port.size() - 1) <= 0) {
    std::exit(1);
  }
  const std::string number = std::to_string(std::atoi(port.data()));
  const auto run = [&](long times) {
    const double begin = now_s();
    const pid_t client =
        spawn({LONGARM_ICE_ECHO, "call", "127.0.0.1", number, std::to_string(times)}, nowhere);
    int status = 0;
    if (::waitpid(client, &status, 0) != client || status != 0) {
      std::exit(1);
    }
    return now_s() - begin;
  };
  const double seconds = least([&] { return run(count); }) - least([&] { return run(0); });
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  ::close(nowhere);
  ::close(port_pipe[0]);
  ::close(port_pipe[1]);
  return seconds * 1e6 / static_cast<double>(count);
}

/// False: a call took another time than those of simulated actors.
bool measure_ice() {
  constexpr long kIceCalls = 5000;
  constexpr long kIdle_s = 50 * 3600;
  const Calls actors = calls_of_actors(kIceCalls);
  Calls programs = calls_of_programs(kIceCalls, 1);
  Calls rest = calls_of_programs(1, 1);
  Calls idle = calls_of_programs(1, kIdle_s);
  programs.wall_s =
      std::min(programs.wall_s, least([&] { return calls_of_programs(kIceCalls, 1).wall_s; }));
  rest.wall_s = std::min(rest.wall_s, least([&] { return calls_of_programs(1, 1).wall_s; }));
  idle.wall_s = std::min(idle.wall_s, calls_of_programs(1, kIdle_s).wall_s);
  const double of_actors = least([&] { return calls_of_actors(kIceCalls).wall_s; });
  const double each = (programs.wall_s - rest.wall_s) * 1e6 / (kIceCalls - 1);
  const double actors_each = of_actors * 1e6 / kIceCalls;
  const double native = native_call_us(kIceCalls);
  const double handed_over =
      static_cast<double>(programs.handed_over - rest.handed_over) / (kIceCalls - 1);
  const bool is_exact = programs.shortest_ns == programs.longest_ns &&
                        actors.shortest_ns == actors.longest_ns &&
                        programs.longest_ns == actors.longest_ns;
  fmt::print("\nIce, {} calls, 10 ms each way      shortest       longest\n", kIceCalls);
  fmt::print("two programs                   {:>12} ns {:>10} ns\n", programs.shortest_ns,
             programs.longest_ns);
  fmt::print("two simulated actors           {:>12} ns {:>10} ns  {}\n", actors.shortest_ns,
             actors.longest_ns, is_exact ? "equal" : "DIFFERENT");
  fmt::print(
      "of real time, per call: programs {:.1f} us, of which {:.1f} us are the network's "
      "(simulated actors); natively {:.1f} us\n",
      each, actors_each, native);
  fmt::print("programs / natively {:.2f}; {:.1f} system calls of {:.2f} us without the network\n",
             each / native, handed_over, (each - actors_each) / handed_over);
  fmt::print("50 idle hours of both programs: {:.3f} s, of which {:.3f} s start and end them\n",
             idle.wall_s, rest.wall_s);
  return is_exact;
}
#endif

}  // namespace

int main(int count, char** words) {
  if (count == 3) {
    return be_program(words[1], std::atol(words[2]));
  }
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &core);
  ::sched_setaffinity(0, sizeof core, &core);

  std::array<char, 4096> self{};
  if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) {
    return 1;
  }
  constexpr long kCalls = 100'000;
  constexpr long kReadings = 10'000'000;
  const double hand_over = hand_over_us(kCalls);
  const double native_call = least([&] { return native_s("calls", kCalls); }) * 1e6 / kCalls;
  const double native_reading =
      least([&] { return native_s("readings", kReadings); }) * 1e9 / kReadings;
  const double call = per_unit_us(self.data(), "calls", kCalls);
  const double tick = per_unit_us(self.data(), "ticks", kCalls);
  const double reading = per_unit_us(self.data(), "readings", kReadings) * 1e3;
  fmt::print("on one core                     native     simulated     ratio\n");
  fmt::print("a byte through pipes and back  {:6.2f} us\n", hand_over);
  fmt::print("a system call                  {:6.2f} us {:9.2f} us {:9.1f}\n", native_call, call,
             call / native_call);
  fmt::print("a tick of 1 ms                1000.00 us {:9.2f} us {:9.4f}\n", tick, tick / 1000.0);
  fmt::print("reading a clock                {:6.2f} ns {:9.2f} ns {:9.2f}\n", native_reading,
             reading, reading / native_reading);
  fmt::print("a call costs {:.2f} of the byte's way, a tick {:.2f}\n", call / hand_over,
             tick / hand_over);
  fmt::print("{} ticks, all exact\n", kCalls);
#ifdef LONGARM_ICE_ECHO
  return measure_ice() ? 0 : 1;
#endif
}
