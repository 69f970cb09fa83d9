// SPDX-License-Identifier: Apache-2.0
// How threads and processes come, become other programs, and go.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/core/check.h"
#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/supervisor/process_files.h"
#include "longarm/programs/supervisor/supervised.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {

/// What clone(2), clone3(2), fork(2) or vfork(2) was asked for.
struct Supervisor::Making {
  std::uint64_t flags = 0;
  std::uint64_t child_thread_id = 0;  ///< an address
};

namespace {

using system::Descriptor;

Descriptor open_process(pid_t id) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id, 0)));
}

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
         signal == SIGABRT || signal == SIGSYS || signal == SIGTRAP;
}

std::string executable_of(const std::string& process) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + process + "/exe", error);
}

}  // namespace

// --- calls that are ours
// --------------------------------------------------------------------------------

bool Supervisor::handle_here(Task& task, const Call& call) {
  switch (call.number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
      make(task, call);
      return true;
    case SYS_execve:
    case SYS_execveat:
      execute(task, call);
      return true;
    case SYS_exit:
      leave(task);
      return true;
    case SYS_exit_group:
      leave_all(task);
      return true;
    case SYS_rseq:
      // it would tell the number of the core
      answer(task, Reply::error(ENOSYS));
      return true;
    case SYS_set_tid_address:
      task.thread->clear_at_exit = call.arguments[0];
      answer(task, Reply::native());
      return true;
    case SYS_arch_prctl:
    case SYS_sigaltstack:
      answer(task, Reply::native());
      return true;
    default:
      return false;
  }
}

Supervisor::Making Supervisor::making_of(const Thread& thread, const Call& call) const {
  switch (call.number) {
    case SYS_clone:
      return {call.arguments[0], call.arguments[3]};
    case SYS_clone3: {
      clone_args arguments{};
      kernel_->get(thread, call.arguments[0], arguments.flags);
      kernel_->get(thread, call.arguments[0] + offsetof(clone_args, child_tid),
                   arguments.child_tid);
      return {arguments.flags, arguments.child_tid};
    }
    case SYS_vfork:
      return {CLONE_VFORK | CLONE_VM, 0};
    default:
      return {};
  }
}

void Supervisor::make(Task& task, const Call& call) {
  if (members_.size() >= options_.most_processes) {
    fail(fmt::format("{} made more than {} processes at {}", describe(task),
                     options_.most_processes, time_text()));
    return;
  }
  const pid_t id = task.id;
  const Making making = making_of(*task.thread, call);
  answer(task, Reply::native());
  // The newborn stops before it does anything that others could see. Its maker goes on meanwhile
  // and stops at its next call, unless it waits for the newborn.
  while (!newborn_) {
    if (running_ != &task || (task.is_held && !has_unborn(task, making.flags))) {
      return;  // killed, or refused
    }
    collect();
  }
  if (find_task(id) == nullptr) {
    newborn_.reset();
    return;
  }
  add_newborn(task, making);
  if ((making.flags & CLONE_VFORK) != 0) {
    task.is_vforking = true;
    running_ = nullptr;
  }
}

void Supervisor::add_newborn(Task& maker, const Making& making) {
  const std::unique_ptr<seccomp_notif> notification = std::move(newborn_);
  const auto id = static_cast<pid_t>(notification->pid);
  const std::optional<TaskStatus> status = read_task_status(id);
  if (!status) {
    return;  // killed
  }
  const std::uint64_t clear =
      (making.flags & CLONE_CHILD_CLEARTID) != 0 ? making.child_thread_id : 0;
  Task* task = nullptr;
  if ((making.flags & CLONE_THREAD) != 0) {
    Thread& thread = kernel_->add_thread(*maker.thread->process, status->inner_id, clear);
    task = &add_task(*maker.member, thread, id);
  } else {
    Process& process =
        kernel_->fork(*maker.thread, status->inner_id, (making.flags & CLONE_VM) != 0,
                      (making.flags & CLONE_FILES) != 0);
    Thread& thread = kernel_->add_thread(process, status->inner_id, clear);
    Member& member = add_member(process, id, open_process(id), maker.member->listener);
    const Space& space = *maker.member->space;
    if ((making.flags & CLONE_VM) != 0) {
      member.space = maker.member->space;
    } else {
      member.space = std::make_shared<Space>();
      member.space->memory =
          Descriptor(::open(fmt::format("/proc/{}/mem", id).c_str(), O_RDWR | O_CLOEXEC));
      member.space->vdso = space.vdso;
      member.space->published = space.published;
      member.space->reads_by_calls = space.reads_by_calls;
    }
    member.maker = (making.flags & CLONE_VFORK) != 0 ? maker.id : 0;
    task = &add_task(member, thread, id);
  }
  task->notification = notification->id;
  task->data = notification->data;
  task->is_held = true;
  kernel_->finish(*task->thread, Reply::native());
}

/// Whether a thread or process is there that nobody knows.
bool Supervisor::has_unborn(const Task& maker, std::uint64_t flags) const {
  std::vector<pid_t> made;
  if ((flags & CLONE_THREAD) != 0) {
    made = read_threads(maker.member->id);
  } else if ((flags & CLONE_PARENT) != 0) {
    const std::optional<TaskStatus> status = read_task_status(maker.id);
    made = status ? read_children(status->parent, status->parent) : made;
  } else {
    made = read_children(maker.member->id, maker.id);
  }
  return std::any_of(made.begin(), made.end(), [&](pid_t id) {
    return find_task(id) == nullptr && members_.count(id) == 0 && read_task_state(id, id) != 'Z';
  });
}

void Supervisor::execute(Task& task, const Call& call) {
  const std::size_t path_at = call.number == SYS_execve ? 0 : 1;
  const std::string path = kernel_->read_string(*task.thread, call.arguments[path_at]).value_or("");
  executing_ = &task;
  answer(task, Reply::native());
  while (running_ == &task && !task.is_held) {
    collect();
  }
  executing_ = nullptr;
  if (running_ != &task) {
    return;
  }
  Member& member = *task.member;
  if (!member.has_begun) {
    if (task.data.nr == SYS_exit_group &&
        executable_of(std::to_string(member.id)) == executable_of("self")) {
      fail(fmt::format("{} cannot be executed: {}", path,
                       std::strerror(static_cast<int>(task.data.args[0]))));
      return;
    }
    member.has_begun = true;
  } else {
    // code of ours in the vDSO: it is the old program, which hears of an error
    const std::uint64_t vdso = read_auxiliary_vector(task.id).vdso;
    const Descriptor memory(
        ::open(fmt::format("/proc/{}/mem", task.id).c_str(), O_RDONLY | O_CLOEXEC));
    if (vdso_.is_there() && vdso != 0 && vdso_.is_replaced(memory.number(), vdso)) {
      return;
    }
  }
  // other threads are gone
  const std::vector<Task*> tasks = member.tasks;
  for (const Task* other : tasks) {
    if (other != &task) {
      remove_task(other->id);
    }
  }
  task.thread->id = member.process->id;
  // the program keeps the name that it was given
  const std::string name = std::filesystem::path(path).filename();
  kernel_->executed(*task.thread, member.ended ? member.process->name : name);
  if (!renew_space(task)) {
    return;
  }
  publish(task);
  release_maker(member);
}

void Supervisor::leave(Task& task) {
  Member& member = *task.member;
  if (member.tasks.size() == 1) {
    leave_all(task);
    return;
  }
  Thread& thread = *task.thread;
  const pid_t process = member.id;
  const pid_t id = task.id;
  answer(task, Reply::native());
  // its memory is tidied up before others go on
  for (std::optional<char> state = read_task_state(process, id); state && *state != 'Z';
       state = read_task_state(process, id)) {
    ::sched_yield();
  }
  remove_task(id);
  kernel_->thread_ended(thread);
}

void Supervisor::leave_all(Task& task) {
  Member& member = *task.member;
  const pid_t id = member.id;
  member.announced = static_cast<int>(task.data.args[0] & 0xff) << 8;
  answer(task, Reply::native());
  while (members_.count(id) != 0) {
    collect();
  }
}

// --- tables
// ------------------------------------------------------------------------------------------------

Supervisor::Task& Supervisor::add_task(Member& member, Thread& thread, pid_t id) {
  auto owned = std::make_unique<Task>();
  Task& task = *owned;
  task.id = id;
  task.thread = &thread;
  task.member = &member;
  tasks_[id] = std::move(owned);
  tasks_of_threads_[&thread] = &task;
  member.tasks.push_back(&task);
  return task;
}

Supervisor::Member& Supervisor::add_member(Process& process, pid_t id, Descriptor handle,
                                           std::shared_ptr<Listener> listener) {
  auto owned = std::make_unique<Member>();
  Member& member = *owned;
  member.process = &process;
  member.id = id;
  member.handle = std::move(handle);
  member.listener = std::move(listener);
  ++member.listener->member_count;
  members_[id] = std::move(owned);
  members_of_processes_[&process] = &member;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(id);
  check(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, member.handle.number(), &event) == 0,
        "a process cannot be watched");
  return member;
}

void Supervisor::remove_task(pid_t id) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) {
    return;
  }
  Task& task = *found->second;
  if (running_ == &task) {
    running_ = nullptr;
  }
  tasks_of_threads_.erase(task.thread);
  std::erase(task.member->tasks, &task);
  tasks_.erase(found);
}

void Supervisor::end_member(Member& ending) {
  // It is a zombie now, or gone if its parent ignores SIGCHLD.
  const auto found = members_.find(ending.id);
  const std::unique_ptr<Member> member = std::move(found->second);
  members_.erase(found);
  const std::optional<TaskStatus> last = read_task_status(member->id);
  const int status = read_exit_status(member->id).value_or(member->announced.value_or(SIGKILL));
  const std::vector<Task*> tasks = member->tasks;
  for (const Task* task : tasks) {
    remove_task(task->id);
  }
  members_of_processes_.erase(member->process);
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, member->handle.number(), nullptr);
  if (--member->listener->member_count == 0) {
    const int file = member->listener->file.number();
    ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, file, nullptr);
    listeners_.erase(file);
  }
  const Process& process = *member->process;
  if (WIFSIGNALED(status) && (member->ended || is_crash(WTERMSIG(status)))) {
    options_.log.warning(clock_.now(), process.host->name,
                         fmt::format("{} (pid {}) was killed by signal {} ({})", process.name,
                                     process.id, WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  release_maker(*member);
  Process* const parent = member->process->parent;
  kernel_->process_ended(*member->process, status);
  if (parent != nullptr) {
    hear_of_child(*parent);
  }
  if (last && last->parent == nursery_->id()) {
    nursery_->reap();
  }
  if (member->ended) {
    member->ended(status);
  }
}

void Supervisor::stop_telling(const Process& process) {
  if (Member* member = find_member(process)) {
    member->ended = nullptr;
  }
}

/// A SIGCHLD that the machine's own kernel has sent ends a wait, if there is a handler.
void Supervisor::hear_of_child(Process& parent) {
  constexpr std::uint64_t kBit = std::uint64_t{1} << (SIGCHLD - 1);
  Thread* taker = signal_taker(*kernel_, parent, SIGCHLD);
  if (taker == nullptr || (signals(*taker).pending & kBit) == 0) {
    return;
  }
  if (taker != parent.threads.front() && !taker->call_mask) {
    // Linux may have chosen another one, and a wait must not end without a signal
    send_signal(parent, taker, {SIGCHLD, SI_QUEUE, 0, 0, 0});
  }
  if (const Task* task = find_task(*taker)) {
    settle(*task);
  }
  kernel_->break_off(*taker);
}

/// The thread that waits in vfork(2) for this goes on, natively up to its next call.
void Supervisor::release_maker(Member& member) {
  const pid_t maker = std::exchange(member.maker, 0);
  if (maker == 0) {
    return;
  }
  Task* task = find_task(maker);
  while (task != nullptr && !task->is_held) {
    collect();
    task = find_task(maker);
  }
  if (task != nullptr) {
    task->is_vforking = false;
    kernel_->finish(*task->thread, Reply::native());
  }
}

Supervisor::Task* Supervisor::find_task(pid_t id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second.get();
}

Supervisor::Task* Supervisor::find_task(const Thread& thread) const {
  const auto found = tasks_of_threads_.find(&thread);
  return found == tasks_of_threads_.end() ? nullptr : found->second;
}

Supervisor::Member* Supervisor::find_member(const Process& process) const {
  const auto found = members_of_processes_.find(&process);
  return found == members_of_processes_.end() ? nullptr : found->second;
}

}  // namespace longarm::programs
