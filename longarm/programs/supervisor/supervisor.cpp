// SPDX-License-Identifier: Apache-2.0
// How a thread runs: its calls come as notifications, go to the kernel, and are answered.
#include "longarm/programs/supervisor/supervisor.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "longarm/core/check.h"
#include "longarm/programs/supervisor/filter.h"
#include "longarm/programs/supervisor/process_files.h"
#include "longarm/programs/supervisor/supervised.h"

namespace longarm::programs {
namespace {

using system::Descriptor;

constexpr long kLookEvery_ns = 100'000'000;
// what epoll tells: an id of a member, or a listener's descriptor with this bit
constexpr std::uint64_t kListenerBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kTimerTag = 0;
// of the kernel's insides: interrupted, to be made again if the handler's SA_RESTART says so
constexpr int kRestartSystemCall = 512;
constexpr std::uint64_t kX32Bit = 0x40000000;

bool is_executable(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// As a shell finds it.
std::optional<std::string> find_program(const ProgramOptions& options) {
  const std::string& name = options.command.front();
  if (name.find('/') != std::string::npos) {
    const std::filesystem::path path = std::filesystem::path(options.folder) / name;
    return is_executable(path) ? std::optional<std::string>(name) : std::nullopt;
  }
  std::string folders = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& variable : options.environment) {
    if (variable.rfind("PATH=", 0) == 0) {
      folders = variable.substr(5);
    }
  }
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::filesystem::path path = std::filesystem::path(folders.substr(at, end - at)) / name;
    if (is_executable(path)) {
      return path;
    }
    at = end + 1;
  }
  return std::nullopt;
}

void add_to(const Descriptor& epoll, int descriptor, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  check(::epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event) == 0,
        "a descriptor cannot be watched");
}

}  // namespace

// --- beginning and end
// ----------------------------------------------------------------------------

Supervisor::Supervisor(sim::Kernel& clock, const SupervisorOptions& options)
    : clock_(clock), options_(options), filter_(make_filter()) {}

Result<std::unique_ptr<Supervisor>> Supervisor::make(sim::Kernel& clock,
                                                     const SupervisorOptions& options) {
  std::unique_ptr<Supervisor> supervisor(new Supervisor(clock, options));
  if (Result<bool> prepared = supervisor->prepare(); !prepared) {
    return prepared.error();
  }
  return supervisor;
}

Result<bool> Supervisor::prepare() {
  Result<Vdso> vdso = Vdso::find();
  if (!vdso) {
    return vdso.error();
  }
  vdso_ = std::move(vdso).value();
  epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  // none is ever ready: nobody connects, nothing is written or read, nothing is watched
  Descriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr address{AF_UNIX, {}};
  int empty[2];
  int full[2];
  if (!epoll_.is_open() || !listening.is_open() ||
      ::bind(listening.number(), &address, sizeof(sa_family_t)) != 0 ||
      ::listen(listening.number(), 0) != 0 || ::pipe2(empty, O_CLOEXEC) != 0 ||
      ::pipe2(full, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Error{"cannot prepare descriptors for programs: " + system::last_system_error()};
  }
  other_ends_.emplace_back(empty[1]);
  other_ends_.emplace_back(full[0]);
  const std::vector<char> zeros(65536);
  while (::write(full[1], zeros.data(), zeros.size()) > 0) {
  }
  ::fcntl(full[1], F_SETFL, O_WRONLY);
  placeholders_[static_cast<int>(Placeholder::kSocket)] = std::move(listening);
  placeholders_[static_cast<int>(Placeholder::kPipeRead)] = Descriptor(empty[0]);
  placeholders_[static_cast<int>(Placeholder::kPipeWrite)] = Descriptor(full[1]);
  placeholders_[static_cast<int>(Placeholder::kAnonymous)] =
      Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  placeholders_[static_cast<int>(Placeholder::kNull)] =
      Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // a limit of each wait would cost a tenth of a call
  timer_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec every{{0, kLookEvery_ns}, {0, kLookEvery_ns}};
  if (!timer_.is_open() || ::timerfd_settime(timer_.number(), 0, &every, nullptr) != 0) {
    return Error{"cannot make a timer: " + system::last_system_error()};
  }
  add_to(epoll_, timer_.number(), kTimerTag);
  if (!pin()) {
    return Error{"cannot stay on one processor core: " + system::last_system_error()};
  }
  Result<std::unique_ptr<Nursery>> nursery = Nursery::start();
  if (!nursery) {
    return nursery.error();
  }
  nursery_ = std::move(nursery).value();
  return true;
}

bool Supervisor::pin() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) {
    return false;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&cores);
  old_cores_.assign(bytes, bytes + sizeof cores);
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &cores);
  return ::sched_setaffinity(0, sizeof cores, &cores) == 0;
}

Supervisor::~Supervisor() {
  nursery_.reset();
  if (!old_cores_.empty()) {
    ::sched_setaffinity(0, old_cores_.size(),
                        reinterpret_cast<const cpu_set_t*>(old_cores_.data()));
  }
}

Result<Thread*> Supervisor::launch(const ProgramOptions& options) {
  check(!options.command.empty() && options.host != nullptr, "a program lacks command or host");
  const std::optional<std::string> path = find_program(options);
  if (!path) {
    return Error{fmt::format("program '{}' not found or not executable", options.command.front())};
  }
  Seedling seedling;
  seedling.path = *path;
  seedling.words = options.command;
  seedling.environment = options.environment;
  seedling.folder = options.folder;
  for (std::size_t i = 0; i < 3; ++i) {
    if (const std::shared_ptr<File>& file = options.standard[i]) {
      seedling.standard[i] = placeholders_[static_cast<int>(file->placeholder())].number();
    }
  }
  Result<Sprout> planted = nursery_->plant(seedling, filter_);
  if (!planted) {
    return planted.error();
  }
  Sprout sprout = std::move(planted).value();
  const std::optional<TaskStatus> status = read_task_status(sprout.id);
  if (!status) {
    return Error{fmt::format("program '{}' was killed before it began", options.command.front())};
  }
  ProgramStart start;
  start.name =
      options.name.empty() ? std::filesystem::path(*path).filename().string() : options.name;
  start.id = status->inner_id;
  for (int i = 0; i < 3; ++i) {
    start.standard[i] = options.standard[i];
  }
  start.computing = options.computing;
  auto listener = std::make_shared<Listener>();
  listener->file = std::move(sprout.listener);
  add_to(epoll_, listener->file.number(),
         kListenerBit | static_cast<std::uint64_t>(listener->file.number()));
  listeners_[listener->file.number()] = listener;
  Thread& thread = kernel_->start(*options.host, start);
  Member& member = add_member(*thread.process, sprout.id, std::move(sprout.process), listener);
  member.space = std::make_shared<Space>();
  member.has_begun = false;
  member.ended = options.ended;
  Task& task = add_task(member, thread, sprout.id);
  task.is_vforking = true;  // nobody waits for it in vain: its execve(2) is on its way
  while (find_task(sprout.id) != nullptr && !task.is_held) {
    collect();
  }
  if (find_task(sprout.id) == nullptr) {
    return Error{fmt::format("program '{}' was killed before it began", options.command.front())};
  }
  task.is_vforking = false;
  return &thread;
}

// --- running
// -----------------------------------------------------------------------------------------

void Supervisor::resume(Thread& thread, const Reply& reply) {
  Task* task = find_task(thread);
  if (task == nullptr) {
    return;
  }
  running_ = task;
  while (running_ == task && task->is_back_soon) {
    collect();
  }
  if (running_ != task) {
    return;  // killed
  }
  const pid_t process = task->member->id;
  publish(*task);
  if (task->has_computed && reply.kind == Reply::Kind::kRestart) {
    task->is_held = false;  // a signal came before its call, which is then made again
    task->has_computed = false;
  }
  if (!task->is_held) {
    answer(*task, reply);
  }
  while (running_ == task) {
    if (task->is_held) {
      handle(*task);
    } else {
      collect();
    }
  }
  running_ = nullptr;
  wait_for_spinners(process);
}

void Supervisor::collect() {
  epoll_event event{};
  if (::epoll_wait(epoll_.number(), &event, 1, -1) <= 0) {
    return;
  }
  if (event.data.u64 == kTimerTag) {
    std::uint64_t expiries = 0;
    if (::read(timer_.number(), &expiries, sizeof expiries) == sizeof expiries) {
      watch();
    }
    return;
  }
  if ((event.data.u64 & kListenerBit) != 0) {
    Listener& listener = *listeners_.at(static_cast<int>(event.data.u64 & ~kListenerBit));
    if ((event.events & EPOLLIN) != 0) {
      receive(listener);
    } else {
      // Its last thread is ending and may need this core to get there: at a real-time priority,
      // asking again and again would keep it, and whoever needs its locks, waiting for ever.
      ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, listener.file.number(), nullptr);
    }
  } else if (const auto found = members_.find(static_cast<pid_t>(event.data.u64));
             found != members_.end()) {
    end_member(*found->second);
  }
}

void Supervisor::receive(Listener& listener) {
  seccomp_notif notification{};
  if (::ioctl(listener.file.number(), SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) {
    return;  // killed in the meantime
  }
  const auto id = static_cast<pid_t>(notification.pid);
  if (running_ != nullptr && running_->id == id) {
    take(*running_, notification);
  } else if (Task* task = find_task(id)) {
    take(*task, notification);
  } else {
    check(!newborn_, "two threads are born at once");
    newborn_ = std::make_unique<seccomp_notif>(notification);
  }
}

void Supervisor::take(Task& task, const seccomp_notif& notification) {
  Task* taker = &task;
  if (executing_ != nullptr && executing_ != &task && executing_->member == task.member) {
    // execve(2) of another thread has ended all but its own, and that has the process's id now
    Task& leader = task;
    taker = executing_;
    const pid_t id = leader.id;
    const pid_t old = taker->id;
    std::unique_ptr<Task> kept = std::move(tasks_.at(old));
    tasks_.erase(old);
    tasks_of_threads_.erase(leader.thread);
    std::erase(leader.member->tasks, &leader);
    kept->id = id;
    tasks_[id] = std::move(kept);
  }
  taker->notification = notification.id;
  taker->data = notification.data;
  if (std::exchange(taker->is_back_soon, false)) {
    return;  // in the call that it waits in
  }
  taker->is_held = true;
  taker->has_computed = false;
  if (taker->is_spinning) {
    return;  // wait_for_spinners looks for it
  }
  if (taker != running_ && taker != executing_ && !taker->is_vforking) {
    // something native has woken it; it has its turn
    kernel_->interrupt(*taker->thread);
    kernel_->finish(*taker->thread, Reply::native());
  }
}

void Supervisor::handle(Task& task) {
  task.is_held = false;
  Call call;
  call.number = task.data.nr;
  call.place = task.data.instruction_pointer;
  std::copy(std::begin(task.data.args), std::end(task.data.args), call.arguments.begin());
  const bool is_ours = task.data.arch == AUDIT_ARCH_X86_64 &&
                       (static_cast<std::uint32_t>(task.data.nr) & kX32Bit) == 0;
  if (!is_ours) {
    fail(
        fmt::format("{} made a system call of 32-bit programs (i386 or x32) at {}; only 64-bit "
                    "programs of x86-64 can run in simulated time",
                    describe(task), describe_place(task.id, call.place)));
    return;
  }
  if (computes_first(task, call)) {
    return;
  }
  ++call_count_;
  digest_.add(static_cast<std::uint64_t>(clock_.now().time_since_epoch().count()));
  digest_.add(static_cast<std::uint64_t>(task.thread->id));
  digest_.add(static_cast<std::uint64_t>(call.number));
  if (handle_here(task, call)) {
    return;
  }
  const Reply reply = kernel_->call(*task.thread, call);
  digest_.add(static_cast<std::uint64_t>(reply.kind));
  digest_.add(static_cast<std::uint64_t>(reply.value));
  if (running_ != &task) {
    return;  // it has ended itself
  }
  switch (reply.kind) {
    case Reply::Kind::kWaits:
      running_ = nullptr;
      break;
    case Reply::Kind::kUnsupported:
      fail(fmt::format(
          "{} made the system call {} at {} at {}, which Longarm does not emulate\n"
          "  hint: programs that need it can run in real time through `longarm proxy "
          "--tun`",
          describe(task), describe(call), describe_place(task.id, call.place), time_text()));
      break;
    default:
      answer(task, reply);
  }
}

/// What it computed since its last call, and what it is charged for this one, come before the call.
bool Supervisor::computes_first(Task& task, const Call& call) {
  if (std::exchange(task.has_computed, false)) {
    return false;
  }
  Duration measured{0};
  if (task.processor) {
    measured = read_processor_time(task.member->id).value_or(*task.processor) - *task.processor;
    task.processor.reset();
  }
  if (!kernel_->computes_first(*task.thread, call, measured)) {
    return false;
  }
  task.is_held = true;
  task.has_computed = true;
  running_ = nullptr;
  return true;
}

void Supervisor::answer(Task& task, const Reply& reply) {
  seccomp_notif_resp response{};
  response.id = task.notification;
  if (reply.kind == Reply::Kind::kNative) {
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else if (reply.kind == Reply::Kind::kRestart) {
    response.error = -kRestartSystemCall;
  } else if (reply.value < 0 && reply.value > -4096) {
    response.error = static_cast<std::int32_t>(reply.value);
  } else {
    response.val = reply.value;
  }
  task.notification = 0;
  if (task.member->process->computing && task.member->process->computing->is_measured()) {
    task.processor = read_processor_time(task.member->id);
  }
  // an error: it was killed, which its process's handle tells
  ::ioctl(task.member->listener->file.number(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

// --- words
// -------------------------------------------------------------------------------------------

void Supervisor::fail(const std::string& message) {
  clock_.fail(Error{message});
  running_ = nullptr;
}

std::string Supervisor::describe(const Task& task) const {
  const Process& process = *task.member->process;
  return fmt::format("{} (pid {}) on {}", process.name, process.id, process.host->name);
}

std::string Supervisor::describe(const Call& call) const {
  std::string text = name_of_call(call.number) + "(";
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    text += fmt::format("{}{:#x}", i == 0 ? "" : ", ", call.arguments[i]);
  }
  return text + ")";
}

std::string Supervisor::time_text() const {
  return fmt::format("{:.6f} s", to_seconds(clock_.now()));
}

}  // namespace longarm::programs
