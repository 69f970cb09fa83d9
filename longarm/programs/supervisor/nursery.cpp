// SPDX-License-Identifier: Apache-2.0
// Starts the nursery and, in it, programs. Between clone(2) and execve(2) only system calls are
// made: another thread of ours may have held any lock when we were copied.
#include "longarm/programs/supervisor/nursery.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/programs/supervisor/process_files.h"

namespace longarm::programs {
namespace {

using system::Descriptor;

/// What was being done when it failed.
enum class Step : int {
  kNone,
  kMount,
  kProc,
  kSession,
  kStandard,
  kFolder,
  kLimit,
  kAddresses,
  kPrivileges,
  kFilter,
  kFork,
};

constexpr std::string_view kWayOut =
    "; without it, programs can still run in real time through `longarm proxy --tun`";

std::string describe(Step step) {
  switch (step) {
    case Step::kMount:
      return "cannot make mounts private in a mount namespace";
    case Step::kProc:
      return "cannot mount /proc for a PID namespace";
    case Step::kSession:
      return "cannot start a session";
    case Step::kStandard:
      return "cannot set up the standard streams";
    case Step::kFolder:
      return "cannot change to the working folder";
    case Step::kLimit:
      return "cannot limit the number of descriptors";
    case Step::kAddresses:
      return "cannot turn off the randomisation of addresses";
    case Step::kPrivileges:
      return "cannot set no_new_privs";
    case Step::kFilter:
      return "cannot install a seccomp filter with a listener";
    case Step::kFork:
      return "cannot start a process";
    case Step::kNone:
      break;
  }
  return "the process that starts programs has ended";
}

/// What follows it, at the offsets, is one block of memory.
struct Parcel {
  std::uint64_t size = 0;  ///< of all
  std::uint64_t path = 0;
  std::uint64_t folder = 0;  ///< 0: stays where we are
  std::uint64_t words = 0;   ///< an array of offsets, ended by 0, that become pointers
  std::uint64_t environment = 0;
  std::uint64_t filter = 0;
  std::uint64_t filter_size = 0;
  std::uint64_t most_descriptors = 0;
};

struct Request {
  enum class Kind : std::uint64_t { kGo, kPlant, kReap };
  Kind kind = Kind::kGo;
  std::uint64_t size = 0;
  int has_standard[3] = {};  ///< which of the standard streams come with it
};

constexpr std::size_t kMostDescriptors = 4;

bool send_with(int socket, const void* bytes, std::size_t size, const int* descriptors,
               std::size_t count) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  iovec piece{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

/// False: the other side is gone.
bool receive_with(int socket, void* bytes, std::size_t size, int* descriptors, std::size_t& count) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  iovec piece{bytes, size};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  count = 0;
  if (got != static_cast<ssize_t>(size)) {
    return false;
  }
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
      header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(descriptors, CMSG_DATA(header), count * sizeof(int));
  }
  return true;
}

void append(std::string& block, const std::string& text, std::uint64_t& offset) {
  offset = block.size();
  block.append(text.c_str(), text.size() + 1);
}

void append(std::string& block, const std::vector<std::string>& texts, std::uint64_t& offset) {
  std::vector<std::uint64_t> offsets(texts.size() + 1, 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    append(block, texts[i], offsets[i]);
  }
  block.resize((block.size() + 7) / 8 * 8);
  offset = block.size();
  block.append(reinterpret_cast<const char*>(offsets.data()), offsets.size() * 8);
}

std::string pack(const Seedling& seedling, const std::vector<sock_filter>& filter) {
  Parcel parcel;
  std::string block(sizeof parcel, '\0');
  append(block, seedling.path, parcel.path);
  if (!seedling.folder.empty()) {
    append(block, seedling.folder, parcel.folder);
  }
  append(block, seedling.words, parcel.words);
  append(block, seedling.environment, parcel.environment);
  block.resize((block.size() + 7) / 8 * 8);
  parcel.filter = block.size();
  parcel.filter_size = filter.size();
  block.append(reinterpret_cast<const char*>(filter.data()), filter.size() * sizeof(sock_filter));
  parcel.most_descriptors = seedling.most_descriptors;
  parcel.size = block.size();
  std::memcpy(block.data(), &parcel, sizeof parcel);
  return block;
}

pid_t clone_process(std::uint64_t flags, int* pidfd) {
  clone_args arguments{};
  arguments.flags = flags | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  arguments.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

}  // namespace

struct Nursery::Page {
  std::atomic<int> listener{-1};  ///< its number in the process that begins
  std::atomic<Step> failed{Step::kNone};
  std::atomic<int> error{0};
};

namespace {

// --- in the nursery and in what it starts: system calls only
// --------------------------------------

template <typename Page>
[[noreturn]] void give_up(Page& page, Step step) {
  page.error = errno;
  page.failed = step;
  ::_exit(126);
}

template <typename Page>
void need(bool claim, Page& page, Step step) {
  if (!claim) {
    give_up(page, step);
  }
}

char** pointers(char* base, std::uint64_t offset) {
  auto* words = reinterpret_cast<std::uint64_t*>(base + offset);
  for (std::uint64_t* word = words; *word != 0; ++word) {
    *word += reinterpret_cast<std::uint64_t>(base);
  }
  return reinterpret_cast<char**>(words);
}

void set_default_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);  // some cannot be changed
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

template <typename Page>
[[noreturn]] void become_program(Page& page, char* block, const int* standard) {
  const auto& parcel = *reinterpret_cast<const Parcel*>(block);
  need(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::setsid() >= 0, page, Step::kSession);
  set_default_signals();
  // first out of the way of 0, 1 and 2
  int high[3];
  for (int i = 0; i < 3; ++i) {
    const int from = standard[i] >= 0 ? standard[i] : ::open("/dev/null", O_RDWR | O_CLOEXEC);
    high[i] = ::fcntl(from, F_DUPFD, 10);
    need(high[i] >= 0, page, Step::kStandard);
  }
  for (int i = 0; i < 3; ++i) {
    need(::dup2(high[i], i) == i, page, Step::kStandard);
  }
  need(::close_range(3, ~0U, 0) == 0, page, Step::kStandard);
  need(parcel.folder == 0 || ::chdir(block + parcel.folder) == 0, page, Step::kFolder);
  const rlimit limit{parcel.most_descriptors, parcel.most_descriptors};
  need(::setrlimit(RLIMIT_NOFILE, &limit) == 0, page, Step::kLimit);
  const int persona = ::personality(0xffffffff);
  need(persona >= 0 && ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0,
       page, Step::kAddresses);
  need(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, page, Step::kPrivileges);
  char** words = pointers(block, parcel.words);
  char** environment = pointers(block, parcel.environment);
  const sock_fprog filter{static_cast<unsigned short>(parcel.filter_size),
                          reinterpret_cast<sock_filter*>(block + parcel.filter)};
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
  need(listener >= 0, page, Step::kFilter);
  page.listener = static_cast<int>(listener);
  // from here on calls stop; whoever takes them tells a failure from the number
  ::execve(block + parcel.path, words, environment);
  ::_exit(errno);
}

template <typename Page>
void plant_in_nursery(Page& page, const Request& request, int socket, const int* descriptors,
                      std::size_t count) {
  int standard[3] = {-1, -1, -1};
  std::size_t used = 1;
  for (int i = 0; i < 3; ++i) {
    if (request.has_standard[i] != 0 && used < count) {
      standard[i] = descriptors[used++];
    }
  }
  void* block =
      ::mmap(nullptr, request.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptors[0], 0);
  int pidfd = -1;
  const pid_t child = block == MAP_FAILED ? -1 : clone_process(0, &pidfd);
  if (child == 0) {
    become_program(page, static_cast<char*>(block), standard);
  }
  if (child < 0) {
    page.error = errno;
    page.failed = Step::kFork;
  }
  if (block != MAP_FAILED) {
    ::munmap(block, request.size);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ::close(descriptors[i]);
  }
  const char answer = child < 0 ? 'n' : 'y';
  send_with(socket, &answer, 1, &pidfd, child < 0 ? 0 : 1);
  if (child > 0) {
    ::close(pidfd);
  }
}

template <typename Page>
[[noreturn]] void be_nursery(Page& page, int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "longarm-nursery");
  set_default_signals();
  ::setsid();
  // nothing of ours stays open in it, least of all terminals, ports and our end of the socket
  ::dup2(socket, 3);
  ::close_range(4, ~0U, 0);
  constexpr int kSocket = 3;
  const int null = ::open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i) {
    ::dup2(null, i);
  }
  ::close(null);
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  for (;;) {
    Request request;
    int descriptors[kMostDescriptors];
    std::size_t count = 0;
    if (!receive_with(kSocket, &request, sizeof request, descriptors, count)) {
      ::_exit(0);  // we are gone
    }
    char done = 'y';
    switch (request.kind) {
      case Request::Kind::kGo:
        need(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, page, Step::kMount);
        need(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0, page,
             Step::kProc);
        send_with(kSocket, &done, 1, nullptr, 0);
        break;
      case Request::Kind::kPlant:
        plant_in_nursery(page, request, kSocket, descriptors, count);
        break;
      case Request::Kind::kReap:
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        send_with(kSocket, &done, 1, nullptr, 0);
        break;
    }
  }
}

}  // namespace

// --- here
// --------------------------------------------------------------------------------------------

namespace {

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good();
}

/// Those who are one user here are the same in the namespace.
bool map_ids(pid_t process) {
  const std::string folder = fmt::format("/proc/{}/", process);
  const auto line = [](auto id) { return fmt::format("{} {} 1\n", id, id); };
  return write_file(folder + "setgroups", "deny") &&
         write_file(folder + "uid_map", line(::geteuid())) &&
         write_file(folder + "gid_map", line(::getegid()));
}

Error cannot(const std::string& what, int error) {
  return Error{fmt::format("{}: {}", what, std::strerror(error))};
}

}  // namespace

Result<std::unique_ptr<Nursery>> Nursery::start() {
  std::unique_ptr<Nursery> nursery(new Nursery);
  void* page =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int sockets[2];
  if (page == MAP_FAILED || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return cannot("cannot start programs", errno);
  }
  nursery->page_ = new (page) Page;
  nursery->socket_ = Descriptor(sockets[0]);
  Descriptor theirs(sockets[1]);
  int pidfd = -1;
  bool is_user = false;
  pid_t id = clone_process(CLONE_NEWPID | CLONE_NEWNS, &pidfd);
  if (id < 0 && errno == EPERM) {
    is_user = true;
    id = clone_process(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUSER, &pidfd);
  }
  if (id == 0) {
    be_nursery(*nursery->page_, theirs.number());
  }
  if (id < 0) {
    return Error{
        fmt::format("cannot make a PID namespace for programs: {}\n  hint: run as root, or "
                    "permit user namespaces (sysctl user.max_user_namespaces, "
                    "kernel.unprivileged_userns_clone){}",
                    std::strerror(errno), kWayOut)};
  }
  const Descriptor process(pidfd);
  nursery->id_ = id;
  if (is_user && !map_ids(id)) {
    return Error{fmt::format("cannot map this user into a user namespace: {}{}",
                             std::strerror(errno), kWayOut)};
  }
  const Request go;
  if (!send_with(nursery->socket_.number(), &go, sizeof go, nullptr, 0)) {
    return cannot("cannot start programs", errno);
  }
  theirs.reset();  // so that we hear of its end if it cannot begin, as in a plain chroot
  if (Result<bool> ready = nursery->await_ready(); !ready) {
    return ready.error();
  }
  return nursery;
}

Nursery::~Nursery() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    // its end waits for the end of everything in the namespace
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (page_ != nullptr) {
    ::munmap(page_, sizeof(Page));
  }
}

Result<bool> Nursery::await_ready() {
  char answer = 0;
  int descriptors[kMostDescriptors];
  std::size_t count = 0;
  if (receive_with(socket_.number(), &answer, 1, descriptors, count)) {
    return true;
  }
  const std::string what = describe(page_->failed);
  return Error{fmt::format("{}: {}{}", what, std::strerror(page_->error), kWayOut)};
}

Result<Sprout> Nursery::plant(const Seedling& seedling, const std::vector<sock_filter>& filter) {
  const std::string block = pack(seedling, filter);
  const Descriptor parcel(::memfd_create("longarm program", MFD_CLOEXEC));
  if (!parcel.is_open() ||
      ::write(parcel.number(), block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
    return cannot("cannot start a program", errno);
  }
  Request request;
  request.kind = Request::Kind::kPlant;
  request.size = block.size();
  int descriptors[kMostDescriptors] = {parcel.number()};
  std::size_t count = 1;
  for (std::size_t i = 0; i < seedling.standard.size(); ++i) {
    if (seedling.standard[i] >= 0) {
      request.has_standard[i] = 1;
      descriptors[count++] = seedling.standard[i];
    }
  }
  page_->listener = -1;
  page_->failed = Step::kNone;
  char answer = 0;
  std::size_t received = 0;
  if (!send_with(socket_.number(), &request, sizeof request, descriptors, count) ||
      !receive_with(socket_.number(), &answer, 1, descriptors, received)) {
    return Error{describe(Step::kNone)};
  }
  Sprout sprout;
  if (received == 1) {
    sprout.process = Descriptor(descriptors[0]);
  }
  // it is about to install its filter, a matter of microseconds
  while (page_->listener < 0 && page_->failed == Step::kNone) {
    ::sched_yield();
  }
  if (const Step step = page_->failed; step != Step::kNone) {
    const int error = page_->error;
    reap();
    std::string message = fmt::format("{}: {}", describe(step), std::strerror(error));
    if (step == Step::kFilter && error == EBUSY) {
      message +=
          "\n  hint: this process is itself watched through a seccomp listener (a container's, or "
          "another Longarm's), and there can be only one";
    } else if (step == Step::kFilter && error == EINVAL) {
      message += "\n  hint: this needs Linux 5.19 or newer";
    } else if (step == Step::kFolder) {
      return Error{fmt::format("{} '{}'", message, seedling.folder)};
    }
    return Error{message + std::string(kWayOut)};
  }
  const std::string info =
      read_whole_file(fmt::format("/proc/self/fdinfo/{}", sprout.process.number()));
  const std::size_t at = info.find("Pid:");
  sprout.id = at == std::string::npos ? -1 : std::atoi(info.c_str() + at + 4);
  sprout.listener = Descriptor(static_cast<int>(
      ::syscall(SYS_pidfd_getfd, sprout.process.number(), page_->listener.load(), 0)));
  if (!sprout.listener.is_open() || sprout.id <= 0) {
    return Error{fmt::format("cannot take over a program's seccomp listener: {}{}",
                             std::strerror(errno), kWayOut)};
  }
  ::fcntl(sprout.listener.number(), F_SETFD, FD_CLOEXEC);
  return sprout;
}

void Nursery::reap() {
  Request request;
  request.kind = Request::Kind::kReap;
  char answer = 0;
  int descriptors[kMostDescriptors];
  std::size_t count = 0;
  if (send_with(socket_.number(), &request, sizeof request, nullptr, 0)) {
    receive_with(socket_.number(), &answer, 1, descriptors, count);
  }
}

}  // namespace longarm::programs
