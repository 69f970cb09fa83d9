// SPDX-License-Identifier: Apache-2.0
// One program while it runs: its variables and threads; private to the Machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/protocols/ur/script/code.h"
#include "longarm/protocols/ur/script/host.h"
#include "longarm/protocols/ur/script/machine.h"
#include "longarm/protocols/ur/script/program.h"

namespace longarm::protocols::ur::script {

inline constexpr auto kFailed = ProgramEnd::Kind::kFailed;

/// What all programs of a machine have in common.
struct Shared {
  Host& host;
  std::uint32_t next_thread = 1;
  std::size_t threads = 0;
  std::size_t held = 0;  ///< values, as of the last count of each program
};

/// A function that is being executed.
struct Frame {
  std::size_t function = 0;
  std::size_t at = 0;    ///< the next instruction
  std::size_t base = 0;  ///< of its variables in the stack
};

struct Thread {
  enum class State : std::uint8_t {
    kReady,
    kAtHost,  ///< waits for a call
    kJoining,
    kResting,  ///< until the next cycle
    kEnded
  };
  ThreadId id{};
  State state = State::kReady;
  std::vector<Frame> frames;
  std::vector<Value> stack;
  std::uint32_t joined = 0;
  int budget = 0;           ///< instructions it may still execute in this cycle
  bool has_looped = false;  ///< in this cycle, since it took something from outside
  int busy_cycles = 0;      ///< in a row that ended in a loop, and without waiting
};

class Run {
 public:
  Run(Program program, Shared& shared);
  /// Threads that wait are abandoned.
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run_cycle();

  const Program& program() const { return program_; }
  /// Set once the program has ended by itself.
  const std::optional<ProgramEnd>& ended() const { return ended_; }

 private:
  // threads: run.cpp
  void begin_thread(std::size_t function);
  void take_turn(Thread& thread);
  bool is_held_up(const Thread& thread);
  bool is_awake(Thread& thread);
  void end_thread(Thread& thread);
  void remove_ended_threads();
  void count();
  Thread* find(std::uint32_t id);
  void finish(ProgramEnd::Kind kind, const Instruction& where, std::string text = {});

  // instructions: run_instructions.cpp
  void execute(Thread& thread);
  bool step(Thread& thread, const Instruction& now);
  void control(Thread& thread, const Instruction& now);
  void load(Thread& thread, const Instruction& now);
  void element(Thread& thread, const Instruction& now);
  void set(Thread& thread, const Instruction& now);
  void make_list(Thread& thread, const Instruction& now);
  void make_pose(Thread& thread, const Instruction& now);
  void jump(Thread& thread, const Instruction& now);
  void call_pure(Thread& thread, const Instruction& now);
  void call_host(Thread& thread, const Instruction& now);
  void call_function(Thread& thread, const Instruction& now);
  void give_back(Thread& thread);
  void start_thread(Thread& thread, const Instruction& now);
  void take_handle(Thread& thread, const Instruction& now);
  void accept(Thread& thread, Outcome outcome, const Instruction& now);
  void push(Thread& thread, Value value, const Instruction& now);
  Value pop(Thread& thread);
  Value& variable(Thread& thread, const Instruction& now, bool is_global);
  void charge(Thread& thread, const Value& value);
  /// Of the instruction that was begun last.
  const Instruction& last(const Thread& thread) const;

  Program program_;
  const Code& code_;
  Shared& shared_;
  std::vector<Value> globals_;
  std::vector<std::unique_ptr<Thread>> threads_;  ///< the first is the program's
  std::uint32_t critical_ = 0;                    ///< the thread inside, 0: none
  std::size_t work_ = 0;                          ///< values made since the last count
  std::size_t held_ = 0;
  std::optional<ProgramEnd> ended_;
};

}  // namespace longarm::protocols::ur::script
