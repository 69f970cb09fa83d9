// SPDX-License-Identifier: Apache-2.0
// Runs URScript programs, one control cycle at a time: one program, and `sec`s beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/protocols/ur/script/host.h"
#include "longarm/protocols/ur/script/program.h"

namespace longarm::protocols::ur::script {

// What ends a program with a runtime exception instead of a controller without memory or time.
constexpr int kMaximumInstructions = 10'000;   ///< of a thread in one cycle, see run_cycle()
constexpr int kMaximumBusyCycles = 10;         ///< that a thread fills with turns of loops
constexpr std::size_t kMaximumThreads = 64;    ///< of all programs together
constexpr std::size_t kMaximumFrames = 4096;   ///< of functions that call functions, per thread
constexpr std::size_t kMaximumStack = 65'536;  ///< values of a thread: variables and temporaries
constexpr std::size_t kMaximumElements = 100'000;  ///< of a list, those of lists in it counted
constexpr std::size_t kMaximumListDepth = 8;       ///< lists in lists
constexpr std::size_t kMaximumText = 1 << 20;      ///< bytes of a string
/// Values that all programs hold; 64 bytes of text are one.
constexpr std::size_t kMaximumHeld = 1'000'000;
/// Instructions of all `sec`s that have not ended, and how many of those there may be.
constexpr std::size_t kMaximumSecondaryCode = 1'000'000;
constexpr std::size_t kMaximumSecondaries = 64;

class Run;
struct Shared;

/// How a program ended.
struct ProgramEnd {
  enum class Kind : std::uint8_t {
    kFinished,  ///< its last statement was done
    kHalted,    ///< by `halt`
    kStopped,   ///< by stop(), or another program took its place
    kFailed     ///< a runtime exception: text, line and column say what and where
  };
  Kind kind = Kind::kFinished;
  std::string program;
  bool is_secondary = false;
  std::string text;
  int line = 0;
  int column = 0;
};

/// Neither start() nor stop() may be called by the Host while it answers: wait for run_cycle() to
/// return.
class Machine {
 public:
  /// The host is borrowed and must live longer.
  explicit Machine(Host& host);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Replaces the program that runs, if any; begins in the next run_cycle().
  void start(Program program);
  /// Runs beside the program, and goes on when that ends or is paused.
  void start_secondary(Program program);
  /// Ends the program and all `sec`s. Threads that wait are abandoned.
  void stop();
  /// No thread of the program runs, and those that wait are not asked; `sec`s go on.
  void pause();
  void resume();

  /// Is there a program that has not ended? (`sec`s do not count.)
  bool is_running() const;
  bool is_paused() const;
  /// Of the program that runs, otherwise empty.
  std::string program_name() const;

  /// One control cycle: every thread runs until it waits or ends, in the order in which threads
  /// began; a thread that `run` begins still runs in the same cycle, after all others.
  /// - A call the Host answers with kWaiting waits; go_on() is asked once per cycle, at the
  ///   thread's turn, and the thread goes on in that very cycle when it is done.
  /// - `sync()` gives up the rest of the cycle; it never reaches the Host.
  /// - `join` waits until the other thread has ended, asked at the thread's turn.
  /// - Between `enter_critical` and `exit_critical` no other thread of the program gets a turn
  ///   unless the one inside waits: drivers' programs call servoj and read sockets in there.
  /// - A program ends with its first thread; its others are killed then.
  /// - A thread that has executed kMaximumInstructions in a cycle goes on in the next one; after
  ///   kMaximumBusyCycles such cycles without a wait, each with a jump back in it, it is in an
  ///   infinite loop: a runtime exception. Whatever comes from outside (a socket's bytes) counts as
  ///   a wait, and statements in a row count not at all. An
  ///   instruction is one operation of the compiled code: a constant or variable read, an operator,
  ///   an assignment, a call, a jump; 16 copied list elements or 1 KiB of copied text count as one
  ///   more. `i = i + 1` is 4 of them.
  /// `after_end` is called as soon as a program has ended, before the next has its turn: so what
  /// they say comes in the order in which it arose.
  void run_cycle(const std::function<void()>& after_end = {});

  /// What ended since this was asked last, in order.
  std::vector<ProgramEnd> take_ends();

 private:
  void end(Run& run, ProgramEnd::Kind kind);

  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Run> primary_;
  std::vector<std::unique_ptr<Run>> secondaries_;
  bool is_paused_ = false;
  std::vector<ProgramEnd> ends_;
};

}  // namespace longarm::protocols::ur::script
