// SPDX-License-Identifier: Apache-2.0
// Runs the same random programs of system calls on Linux and on the emulated kernel, and compares
// results, data and what is ready, call by call. A difference is shrunk and printed.
//
//   compare_with_linux [PROGRAMS [SEED [FAMILY...]]]
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/core/hash.h"
#include "longarm/programs/test/test_machine.h"
#include "longarm/sim/kernel.h"
#include "tests/programs/random_programs.h"

namespace longarm::programs {
namespace {

alignas(4096) std::byte memory[kMemoryBytes];

void prepare(const Step& step) {
  for (std::size_t index = 0; index < step.data_bytes; ++index) {
    memory[index] = static_cast<std::byte>(step.pattern + index * 7);
  }
  for (const Step::Input& input : step.inputs) {
    if (input.is_pointer) {
      std::uint64_t offset = 0;
      std::memcpy(&offset, input.bytes.data(), sizeof offset);
      const std::byte* pointer = memory + offset;
      std::memcpy(memory + input.offset, &pointer, sizeof pointer);
    } else {
      std::memcpy(memory + input.offset, input.bytes.data(), input.bytes.size());
    }
  }
}

std::uint64_t value_of(const Argument& argument) {
  return argument.is_place ? reinterpret_cast<std::uint64_t>(memory + argument.value)
                           : argument.value;
}

std::uint64_t digest_of(const Step& step, std::int64_t result) {
  Hash hash;
  const auto add = [&](std::size_t offset, std::size_t size) {
    hash.add(std::string_view(reinterpret_cast<const char*>(memory) + offset, size));
  };
  if (step.returns_data && result > 0) {
    add(0, static_cast<std::size_t>(result));
  }
  for (const auto& [offset, size] : step.outputs) {
    if (result >= 0) {
      add(offset, size);
    }
  }
  return hash.value();
}

void emulate(Program& program) {
  std::memset(memory + kDataBytes, 0, kStructureBytes);
  sim::Kernel clock;
  TestMachine machine;
  KernelOptions options;
  options.free_calls = ~std::uint64_t{0};
  Kernel kernel(clock, machine, options);
  machine.set_kernel(kernel);
  Host& host = kernel.add_host({"host"});
  Thread& thread =
      machine.start(host, "program", [](TestMachine::Running&) -> Script { co_return; });
  // so that what has expired a nanosecond after the clocks' beginning has expired
  [[maybe_unused]] const auto reached = clock.run_until(Time(std::chrono::seconds(1)));
  for (Step& step : program) {
    prepare(step);
    Call call;
    call.number = step.number;
    for (std::size_t index = 0; index < step.arguments.size(); ++index) {
      call.arguments[index] = value_of(step.arguments[index]);
    }
    const std::optional<std::int64_t> result = machine.call(thread, call);
    step.blocks = !result;
    if (result) {
      step.result = *result;
    } else {
      const std::optional<Reply> reply = kernel.interrupt(thread);
      step.result = reply && reply->kind == Reply::Kind::kDone ? reply->value : -EINTR;
    }
    step.digest = digest_of(step, step.result);
  }
}

// --- natively ---------------------------------------------------------------------------------

/// Where a native run differed first.
struct Difference {
  std::size_t program = ~std::size_t{0};
  std::size_t step = 0;
  std::int64_t result = 0;
  bool is_there() const { return program != ~std::size_t{0}; }
};

void interrupt_every(long microseconds) {
  itimerval timer{};
  timer.it_value.tv_usec = timer.it_interval.tv_usec = microseconds;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

bool runs_alike(const Step& step, std::int64_t& result) {
  prepare(step);
  if (step.blocks) {
    interrupt_every(2'000);
  }
  long value = 0;
  value = ::syscall(step.number, value_of(step.arguments[0]), value_of(step.arguments[1]),
                    value_of(step.arguments[2]), value_of(step.arguments[3]),
                    value_of(step.arguments[4]), value_of(step.arguments[5]));
  result = value < 0 ? -errno : value;
  if (step.blocks) {
    interrupt_every(400'000);
  }
  return result == step.result && digest_of(step, result) == step.digest;
}

/// In a process of its own, whose descriptors 0, 1 and 2 are all that is open.
void run_natively(const std::vector<Program>& programs, Difference& difference) {
  for (int number = 0; number < 3; ++number) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, number);
    ::close(null);
  }
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  interrupt_every(400'000);
  for (std::size_t index = 0; index < programs.size(); ++index) {
    ::syscall(SYS_close_range, 3, ~0U, 0);
    std::memset(memory + kDataBytes, 0, kStructureBytes);
    const Program& program = programs[index];
    for (std::size_t step = 0; step < program.size(); ++step) {
      std::int64_t result = 0;
      if (!runs_alike(program[step], result)) {
        difference = {index, step, result};
        return;
      }
    }
  }
}

Difference compare(const std::vector<Program>& programs) {
  void* page = ::mmap(nullptr, sizeof(Difference), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* difference = new (page) Difference;
  const pid_t child = ::fork();
  if (child == 0) {
    run_natively(programs, *difference);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const Difference found = *difference;
  ::munmap(page, sizeof(Difference));
  if (status != 0) {
    std::fprintf(stderr, "a native run ended with status %d\n", status);
    std::exit(3);
  }
  return found;
}

/// Leaves out whatever the difference does not need.
void shrink(Program& program, Difference& difference) {
  program.resize(difference.step + 1);
  for (bool has_shrunk = true; has_shrunk;) {
    has_shrunk = false;
    for (std::size_t index = program.size(); index-- > 0;) {
      Program smaller = program;
      smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(index));
      emulate(smaller);
      const Difference found = compare({smaller});
      if (found.is_there()) {
        smaller.resize(found.step + 1);
        program = smaller;
        difference = found;
        has_shrunk = true;
        break;
      }
    }
  }
}

void print(const Program& program, const Difference& difference) {
  for (const Step& step : program) {
    fmt::print("  {} = {}{}\n", describe_step(step), step.result, step.blocks ? " (waits)" : "");
  }
  fmt::print("  the last one gives {} on Linux\n", difference.result);
  const auto& outputs = program.back().outputs;
  emulate(const_cast<Program&>(program));
  for (const auto& [offset, size] : outputs) {
    fmt::print("  emulated [{}]:", offset - kDataBytes);
    for (std::size_t index = 0; index < size; ++index) {
      fmt::print(" {:02x}", static_cast<unsigned>(memory[offset + index]));
    }
    fmt::print("\n");
  }
}

int run(std::size_t count, std::uint64_t seed, std::uint64_t families) {
  constexpr std::size_t kBatch = 250;
  constexpr std::size_t kWaitingEvery = 50;  // 2 ms for each call that waits
  RandomStream random(seed, "programs");
  std::size_t calls = 0;
  std::size_t differences = 0;
  std::map<std::string, std::array<std::size_t, 3>>
      outcomes;  // refused, done, of those with more than zero
  for (std::size_t done = 0; done < count;) {
    std::vector<Program> programs;
    for (std::size_t index = 0; index < std::min(kBatch, count - done); ++index) {
      emulate(programs.emplace_back(random_program(random, families, index % kWaitingEvery == 0)));
      calls += programs.back().size();
      for (const Step& step : programs.back()) {
        std::array<std::size_t, 3>& outcome = outcomes[name_of_call(step.number)];
        ++outcome[step.result < 0 ? 0 : 1];
        outcome[2] += step.result > 0 ? 1 : 0;
      }
    }
    done += programs.size();
    Difference difference = compare(programs);
    if (difference.is_there()) {
      ++differences;
      Program program = programs[difference.program];
      fmt::print("a difference, found within the first {} programs of seed {}:\n", done, seed);
      shrink(program, difference);
      print(program, difference);
      std::fflush(stdout);
      if (differences >= 5) {
        break;
      }
    }
  }
  for (const auto& [name, outcome] : outcomes) {
    fmt::print("{:16} {:8} refused or waiting, {:8} done, {:8} with a result above zero\n", name,
               outcome[0], outcome[1], outcome[2]);
  }
  fmt::print("{} programs, {} calls, {} differences\n", count, calls, differences);
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace longarm::programs

int main(int argc, char** argv) {
  using namespace longarm::programs;
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::vector<std::string> names = family_names();
  std::uint64_t families = argc > 3 ? 0 : ~std::uint64_t{0};
  for (int index = 3; index < argc; ++index) {
    const auto found = std::find(names.begin(), names.end(), argv[index]);
    if (found == names.end()) {
      fmt::print(stderr, "unknown family '{}' (known: {})\n", argv[index], fmt::join(names, ", "));
      return 2;
    }
    families |= std::uint64_t{1} << (found - names.begin());
  }
  return run(count, seed, families);
}
