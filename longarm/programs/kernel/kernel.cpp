// SPDX-License-Identifier: Apache-2.0
// Who runs, who waits and for what; the calls themselves are in calls_….cpp.
#include "longarm/programs/kernel/kernel.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/programs/kernel/calls.h"

namespace longarm::programs {

/// The wait of one thread, which hears of changes of its files.
struct Thread::Waiting final : FileWatcher {
  Waiting(Kernel& of_kernel, Thread& of_thread, Wait of_wait)
      : kernel(of_kernel), thread(of_thread), wait(std::move(of_wait)) {
    for (const std::shared_ptr<File>& file : wait.files) {
      file->watch(*this);
    }
    if (wait.deadline && *wait.deadline != Time::max()) {
      deadline = kernel.at(*wait.deadline, [this] {
        has_deadline = false;
        // what came at this very instant counts
        const std::optional<Reply> reply = wait.attempt ? wait.attempt() : std::nullopt;
        kernel.finish(thread, reply ? *reply : wait.at_deadline());
      });
      has_deadline = true;
    }
  }
  ~Waiting() override {
    for (const std::shared_ptr<File>& file : wait.files) {
      file->unwatch(*this);
    }
    if (has_deadline) {
      kernel.cancel(deadline);
    }
    if (wait.ended) {
      wait.ended();
    }
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void file_changed(File&, std::uint32_t) override {
    if (wait.attempt && !std::exchange(is_called, true)) {
      kernel.look_again(thread);
    }
  }

  Kernel& kernel;
  Thread& thread;
  Wait wait;
  sim::EventId deadline;
  bool has_deadline = false;
  bool is_called = false;  ///< to attempt what it waits for
};

Thread::Thread() = default;
Thread::~Thread() = default;

Kernel::Kernel(sim::Kernel& clock, Machine& machine, const KernelOptions& options)
    : clock_(clock), source_(clock.add_source("programs")), machine_(machine), options_(options) {}

Kernel::~Kernel() {
  // waits hold files, and files speak to waits
  for (const std::unique_ptr<Thread>& thread : threads_) {
    thread->waiting.reset();
  }
  for (const std::unique_ptr<Process>& process : processes_) {
    process->descriptors.reset();
  }
  states_.clear();
}

Host& Kernel::add_host(Host host) {
  constexpr std::uint32_t kSubnet = 0x0A00'0000;  // 10.0.0.0/16
  Host& added = *hosts_.emplace_back(std::make_unique<Host>(std::move(host)));
  if (added.address == 0) {
    added.address = kSubnet + static_cast<std::uint32_t>(hosts_.size());
  }
  return added;
}

// --- processes -------------------------------------------------------------------------------

Thread& Kernel::start(Host& host, const ProgramStart& start) {
  Process& process = *processes_.emplace_back(std::make_unique<Process>(*this));
  process.id = start.id;
  process.group = start.id;
  process.name = start.name;
  process.host = &host;
  process.descriptors = std::make_shared<Descriptors>();
  process.address_space = next_address_space_++;
  process.random = std::make_shared<RandomStream>(options_.seed, "program " + start.name);
  process.computing = start.computing;
  for (int number = 0; number < 3; ++number) {
    if (start.standard[number]) {
      process.descriptors->set(number, start.standard[number], false);
    }
  }
  Thread& thread = add_thread(process, start.id, 0);
  make_runnable(thread, Reply::native());
  return thread;
}

Thread& Kernel::add_thread(Process& process, pid_t id, std::uint64_t clear_at_exit) {
  Thread& thread = *threads_.emplace_back(std::make_unique<Thread>());
  thread.id = id;
  thread.process = &process;
  thread.clear_at_exit = clear_at_exit;
  process.threads.push_back(&thread);
  return thread;
}

Process& Kernel::fork(Thread& maker, pid_t id, bool shares_memory, bool shares_descriptors) {
  Process& parent = *maker.process;
  Process& child = *processes_.emplace_back(std::make_unique<Process>(*this));
  child.id = id;
  child.group = parent.group;
  child.name = parent.name;
  child.host = parent.host;
  child.parent = &parent;
  child.descriptors =
      shares_descriptors ? parent.descriptors : std::make_shared<Descriptors>(*parent.descriptors);
  child.address_space = shares_memory ? parent.address_space : next_address_space_++;
  child.random = parent.random;
  child.computing = parent.computing;
  parent.children.push_back(&child);
  return child;
}

void Kernel::executed(Thread& thread, const std::string& name) {
  Process& process = *thread.process;
  const std::vector<Thread*> threads = process.threads;
  for (Thread* other : threads) {
    if (other != &thread) {
      thread_ended(*other);
    }
  }
  forget_timers(*this, process, true);
  process.name = name;
  process.address_space = next_address_space_++;
  thread.clear_at_exit = 0;
  thread.robust_list = 0;
  // a copy: those who shared the table keep theirs
  process.descriptors = std::make_shared<Descriptors>(*process.descriptors);
  process.descriptors->close_on_exec();
}

void Kernel::thread_ended(Thread& thread) {
  if (thread.process == nullptr) {
    return;
  }
  stop_waiting(thread);
  std::erase_if(runnable_, [&](const Runnable& one) { return one.thread == &thread; });
  Process& process = *thread.process;
  release_robust_list(*this, thread);
  if (thread.clear_at_exit != 0) {
    wake_futex(*this, process, thread.clear_at_exit);
  }
  std::erase(process.threads, &thread);
  thread.process = nullptr;
}

void Kernel::process_ended(Process& process, int status) {
  if (process.status) {
    return;
  }
  process.status = status;
  forget_timers(*this, process, false);
  const std::vector<Thread*> threads = process.threads;
  for (Thread* thread : threads) {
    thread->clear_at_exit = 0;
    thread_ended(*thread);
  }
  const std::shared_ptr<Descriptors> files = std::move(process.descriptors);
  for (Process* child : process.children) {
    child->parent = nullptr;
  }
  process.children.clear();
  if (process.parent != nullptr) {
    child_ended(*this, *process.parent);
  }
}

Process* Kernel::find_process(pid_t id) const {
  // the newest: numbers come again
  const auto found = std::find_if(processes_.rbegin(), processes_.rend(),
                                  [&](const auto& process) { return process->id == id; });
  return found == processes_.rend() ? nullptr : found->get();
}

Thread* Kernel::find_thread(pid_t id) const {
  const auto found = std::find_if(threads_.rbegin(), threads_.rend(), [&](const auto& thread) {
    return thread->id == id && thread->process != nullptr;
  });
  return found == threads_.rend() ? nullptr : found->get();
}

// --- running and waiting -----------------------------------------------------------------------

Reply Kernel::call(Thread& thread, const Call& call) {
  thread.call = call;
  thread.owed = Duration(0);
  thread.has_waited = false;
  if (thread.last_call != now()) {
    thread.last_call = now();
    thread.calls_at_once = 0;
  }
  const CallHandler handler = handler_of(call.number);
  if (handler == nullptr) {
    return class_of(call.number) == CallClass::kNative ? Reply::native() : Reply::unsupported();
  }
  const Reply reply = handler(*this, thread, call);
  return reply.kind == Reply::Kind::kDone ? charge(thread, reply) : reply;
}

bool Kernel::computes_first(Thread& thread, const Call& call, Duration measured) {
  thread.call = call;
  Computing* computing = thread.process->computing.get();
  if (computing == nullptr) {
    return false;
  }
  Duration work = computing->on_call(call.number);
  if (computing->is_measured()) {
    work += computing->on_measured(measured);
  }
  if (work == Duration(0)) {
    return false;
  }
  compute(thread, work, Reply::native(), Reply::restart());
  return true;
}

void Kernel::received(Thread& thread, std::span<const std::byte> bytes) {
  if (thread.process->computing) {
    thread.owed += thread.process->computing->on_receive(bytes);
  }
}

Reply Kernel::compute(Thread& thread, Duration work, const Reply& reply, const Reply& interrupted) {
  thread.charged += work;
  thread.process->charged += work;
  Wait wait;
  wait.interrupted = [interrupted] { return interrupted; };
  if (options_.compute) {
    const auto is_over = std::make_shared<bool>(false);
    wait.ended = [is_over] { *is_over = true; };
    options_.compute(*thread.process->host, work, [this, &thread, reply, is_over] {
      if (!*is_over) {
        finish(thread, reply);
      }
    });
  } else {
    wait.deadline = now() + work;
    wait.at_deadline = [reply] { return reply; };
  }
  this->wait(thread, std::move(wait));
  thread.has_waited = false;
  return Reply::waits();
}

Reply Kernel::charge(Thread& thread, const Reply& reply) {
  if (thread.owed > Duration(0)) {
    return compute(thread, std::exchange(thread.owed, Duration(0)), reply, reply);
  }
  if (thread.process == nullptr || ++thread.calls_at_once <= options_.free_calls) {
    return reply;
  }
  Wait cost;
  cost.deadline = now() + options_.cost_of_further_calls;
  cost.at_deadline = [this, &thread, reply] {
    thread.last_call = now();  // it has only paid, and goes on in the same row of calls
    return reply;
  };
  // whatever it has done is done
  cost.interrupted = [reply] { return reply; };
  thread.charged += options_.cost_of_further_calls;
  thread.process->charged += options_.cost_of_further_calls;
  wait(thread, std::move(cost));
  thread.has_waited = false;
  return Reply::waits();
}

Reply Kernel::yield(Thread& thread) {
  const Reply reply = charge(thread, Reply::done(0));
  if (reply.kind == Reply::Kind::kDone) {
    make_runnable(thread, reply);
  }
  return Reply::waits();
}

Reply Kernel::wait(Thread& thread, Wait wait) {
  check(!thread.waiting, "a thread waits twice");
  thread.has_waited = true;
  thread.waiting = std::make_unique<Thread::Waiting>(*this, thread, std::move(wait));
  return Reply::waits();
}

void Kernel::finish(Thread& thread, const Reply& reply) {
  stop_waiting(thread);
  make_runnable(thread, reply);
}

void Kernel::break_off(Thread& thread) {
  if (!thread.waiting) {
    return;
  }
  const Wait& wait = thread.waiting->wait;
  // what has come already comes first
  const std::optional<Reply> reply =
      thread.waiting->is_called && wait.attempt ? wait.attempt() : std::nullopt;
  finish(thread, reply ? *reply : wait.interrupted ? wait.interrupted() : Reply::restart());
}

std::optional<Reply> Kernel::interrupt(Thread& thread) {
  std::optional<Reply> reply;
  if (thread.waiting && thread.waiting->wait.interrupted) {
    reply = thread.waiting->wait.interrupted();
  }
  stop_waiting(thread);
  for (const Runnable& one : runnable_) {
    if (one.thread == &thread && one.reply) {
      reply = one.reply;
    }
  }
  std::erase_if(runnable_, [&](const Runnable& one) { return one.thread == &thread; });
  return reply;
}

void Kernel::stop_waiting(Thread& thread) {
  if (!thread.waiting) {
    return;
  }
  if (thread.waiting->is_called) {
    std::erase_if(runnable_, [&](const Runnable& one) { return one.thread == &thread; });
  }
  // its end may look at the thread
  const std::unique_ptr<Thread::Waiting> over = std::move(thread.waiting);
}

void Kernel::make_runnable(Thread& thread, const Reply& reply) {
  runnable_.push_back({&thread, reply});
  schedule();
}

void Kernel::look_again(Thread& thread) {
  runnable_.push_back({&thread, std::nullopt});
  schedule();
}

void Kernel::schedule() {
  if (!is_running_ && !std::exchange(is_scheduled_, true)) {
    clock_.deliver(now(), source_, [this](Time) { run(); });
  }
}

void Kernel::run() {
  is_scheduled_ = false;
  is_running_ = true;
  while (!runnable_.empty() && !clock_.is_stopped()) {
    Runnable next = runnable_.front();
    runnable_.pop_front();
    Thread& thread = *next.thread;
    if (!next.reply) {
      thread.waiting->is_called = false;
      next.reply = thread.waiting->wait.attempt();
      if (!next.reply) {
        continue;
      }
      stop_waiting(thread);
    }
    if (next.reply->kind == Reply::Kind::kDone && thread.process->computing) {
      if (std::exchange(thread.has_waited, false)) {
        thread.owed += thread.process->computing->on_wake();
      }
      if (thread.owed > Duration(0)) {
        compute(thread, std::exchange(thread.owed, Duration(0)), *next.reply, *next.reply);
        continue;
      }
    }
    machine_.resume(thread, *next.reply);
  }
  is_running_ = false;
}

sim::EventId Kernel::at(Time when, std::function<void()> action) {
  return clock_.deliver(std::max(when, now()), source_,
                        [action = std::move(action)](Time) { action(); });
}

// --- what calls need ----------------------------------------------------------------------------

int Kernel::open(Thread& thread, std::shared_ptr<File> file, bool closes_on_exec) {
  const int number = machine_.add_descriptor(thread, file->placeholder(), closes_on_exec);
  if (number >= 0) {
    thread.process->descriptors->set(number, std::move(file), closes_on_exec);
  }
  return number;
}

int Kernel::open_at(Thread& thread, int number, std::shared_ptr<File> file, bool closes_on_exec) {
  const int result = machine_.add_descriptor(thread, file->placeholder(), closes_on_exec, number);
  if (result >= 0) {
    thread.process->descriptors->set(number, std::move(file), closes_on_exec);
  }
  return result;
}

bool Kernel::read(const Thread& thread, std::uint64_t address, std::span<std::byte> out) {
  return machine_.read_memory(*thread.process, address, out) == out.size();
}

bool Kernel::write(const Thread& thread, std::uint64_t address, std::span<const std::byte> in) {
  return machine_.write_memory(*thread.process, address, in) == in.size();
}

std::optional<std::string> Kernel::read_string(const Thread& thread, std::uint64_t address,
                                               std::size_t most) {
  constexpr std::uint64_t kPage = 4096;
  std::string text;
  while (text.size() < most) {
    // never beyond a page: the next one may not be there
    const std::uint64_t left = kPage - (address + text.size()) % kPage;
    std::string piece(std::min<std::size_t>(left, most - text.size()), '\0');
    const std::size_t count = machine_.read_memory(*thread.process, address + text.size(),
                                                   std::as_writable_bytes(std::span(piece)));
    const std::size_t end = piece.substr(0, count).find('\0');
    if (end != std::string::npos) {
      return text + piece.substr(0, end);
    }
    if (count < piece.size()) {
      return std::nullopt;
    }
    text += piece;
  }
  return text;
}

}  // namespace longarm::programs
