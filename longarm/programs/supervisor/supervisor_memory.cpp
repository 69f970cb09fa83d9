// SPDX-License-Identifier: Apache-2.0
// Memory and descriptors of programs, as the kernel asks for them.
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "longarm/programs/supervisor/process_files.h"
#include "longarm/programs/supervisor/supervised.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {
namespace {

using system::Descriptor;

class TakenFile final : public NativeFile {
 public:
  explicit TakenFile(Descriptor file) : file_(std::move(file)) {}
  int number() const { return file_.number(); }

 private:
  Descriptor file_;
};

/// Whether a page belongs to no file and to this process alone; false: perhaps. Finding the mapping
/// instead costs a hundred times as much.
bool is_surely_private(const Descriptor& pages, std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kIsPresent = std::uint64_t{1} << 63;
  constexpr std::uint64_t kIsOfFileOrShared = std::uint64_t{1} << 61;
  std::uint64_t entry = 0;
  return ::pread(pages.number(), &entry, sizeof entry,
                 static_cast<off_t>(address / kPage * sizeof entry)) == sizeof entry &&
         (entry & (kIsPresent | kIsOfFileOrShared)) == kIsPresent;
}

}  // namespace

// --- memory
// --------------------------------------------------------------------------------------------

/// A thread of it: the first one may have ended before the others.
pid_t Supervisor::memory_of(const Process& process) const {
  const Member* member = find_member(process);
  return member == nullptr || member->tasks.empty() ? -1 : member->tasks.front()->id;
}

std::size_t Supervisor::read_memory(const Process& process, std::uint64_t address,
                                    std::span<std::byte> out) {
  constexpr std::size_t kSmall = 1024;
  const Member* member = find_member(process);
  if (out.size() <= kSmall && member != nullptr && member->space->memory.is_open()) {
    // half the cost, for what most calls point to
    const ssize_t count = ::pread(member->space->memory.number(), out.data(), out.size(),
                                  static_cast<off_t>(address));
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  const iovec here{out.data(), out.size()};
  const iovec there{reinterpret_cast<void*>(address), out.size()};
  const ssize_t count = ::process_vm_readv(memory_of(process), &here, 1, &there, 1, 0);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::size_t Supervisor::write_memory(const Process& process, std::uint64_t address,
                                     std::span<const std::byte> in) {
  const iovec here{const_cast<std::byte*>(in.data()), in.size()};
  const iovec there{reinterpret_cast<void*>(address), in.size()};
  const ssize_t count = ::process_vm_writev(memory_of(process), &here, 1, &there, 1, 0);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Supervisor::shared_place(
    const Process& process, std::uint64_t address) {
  const Member* member = find_member(process);
  if (member == nullptr) {
    return std::nullopt;
  }
  Descriptor& pages = member->space->pages;
  if (!pages.is_open()) {
    pages = Descriptor(
        ::open(fmt::format("/proc/{}/pagemap", memory_of(process)).c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (is_surely_private(pages, address)) {
    return std::nullopt;
  }
  const std::optional<Mapping> mapping = find_mapping(memory_of(process), address);
  if (!mapping || !mapping->is_shared) {
    return std::nullopt;
  }
  return std::pair(mapping->file, mapping->offset + (address - mapping->begin));
}

/// For a program that was just executed: our code and random bytes instead of the machine's.
bool Supervisor::renew_space(Task& task) {
  const AuxiliaryVector vector = read_auxiliary_vector(task.id);
  auto space = std::make_shared<Space>();
  space->memory =
      Descriptor(::open(fmt::format("/proc/{}/mem", task.id).c_str(), O_RDWR | O_CLOEXEC));
  if (!space->memory.is_open()) {
    fail(fmt::format("the memory of {} cannot be opened: {}", describe(task),
                     system::last_system_error()));
    return false;
  }
  if (vdso_.is_there() && vector.vdso != 0) {
    space->vdso = vector.vdso;
    if (!vdso_.replace(space->memory.number(), vector.vdso)) {
      fail(fmt::format(
          "the vDSO of {} cannot be replaced ({}): this machine's kernel seals it or "
          "does not permit writing to /proc/PID/mem\n"
          "  hint: boot with proc_mem.force_override=always, or run the program in real "
          "time through `longarm proxy --tun`",
          describe(task), system::last_system_error()));
      return false;
    }
  }
  if (vector.random != 0) {
    RandomStream& random = *task.member->process->random;
    const std::uint64_t bytes[2] = {random.bits(), random.bits()};
    write_memory(*task.member->process, vector.random, std::as_bytes(std::span(bytes)));
  }
  task.member->space = std::move(space);
  return true;
}

/// Before a thread goes on: what its program reads is the present.
void Supervisor::publish(Task& task) {
  Space& space = *task.member->space;
  const Time now = clock_.now();
  if (space.vdso == 0 || space.published == now || space.reads_by_calls) {
    return;
  }
  space.published = now;
  const VdsoTime time{kernel_->read_clock(*task.thread, CLOCK_REALTIME).value_or(Duration(0)),
                      kernel_->read_clock(*task.thread, CLOCK_MONOTONIC).value_or(Duration(0))};
  vdso_.write_time(space.memory.number(), space.vdso, time);
}

// --- descriptors
// -------------------------------------------------------------------------------------------

int Supervisor::add_file(Thread& thread, int file, bool closes_on_exec,
                         std::optional<int> exactly) {
  const Task* task = find_task(thread);
  if (task == nullptr) {
    return -ESRCH;
  }
  seccomp_notif_addfd request{};
  request.id = task->notification;
  request.srcfd = static_cast<std::uint32_t>(file);
  request.newfd_flags = closes_on_exec ? O_CLOEXEC : 0;
  if (exactly) {
    request.flags = SECCOMP_ADDFD_FLAG_SETFD;
    request.newfd = static_cast<std::uint32_t>(*exactly);
  }
  const int number =
      ::ioctl(task->member->listener->file.number(), SECCOMP_IOCTL_NOTIF_ADDFD, &request);
  return number < 0 ? -errno : number;
}

int Supervisor::add_descriptor(Thread& thread, Placeholder kind, bool closes_on_exec,
                               std::optional<int> exactly) {
  return add_file(thread, placeholders_[static_cast<int>(kind)].number(), closes_on_exec, exactly);
}

int Supervisor::add_content(Thread& thread, const std::string& content, bool closes_on_exec) {
  const Descriptor file(::memfd_create("content", MFD_CLOEXEC));
  if (!file.is_open() || ::write(file.number(), content.data(), content.size()) !=
                             static_cast<ssize_t>(content.size())) {
    return -errno;
  }
  const Descriptor reader(
      ::open(fmt::format("/proc/self/fd/{}", file.number()).c_str(), O_RDONLY | O_CLOEXEC));
  return reader.is_open() ? add_file(thread, reader.number(), closes_on_exec, std::nullopt)
                          : -errno;
}

Descriptor Supervisor::get_native(const Process& process, int descriptor) const {
  const Member* member = find_member(process);
  return Descriptor(
      member == nullptr
          ? -1
          : static_cast<int>(::syscall(SYS_pidfd_getfd, member->handle.number(), descriptor, 0)));
}

std::shared_ptr<NativeFile> Supervisor::take_native(const Process& process, int descriptor) {
  Descriptor file = get_native(process, descriptor);
  return file.is_open() ? std::make_shared<TakenFile>(std::move(file)) : nullptr;
}

int Supervisor::add_native(Thread& thread, const NativeFile& file, bool closes_on_exec) {
  return add_file(thread, static_cast<const TakenFile&>(file).number(), closes_on_exec,
                  std::nullopt);
}

std::int64_t Supervisor::read_native(const Process& process, int descriptor,
                                     std::optional<std::int64_t> offset, std::span<std::byte> out) {
  const Descriptor file = get_native(process, descriptor);
  if (!file.is_open()) {
    return -EBADF;
  }
  const ssize_t count = offset ? ::pread(file.number(), out.data(), out.size(), *offset)
                               : ::read(file.number(), out.data(), out.size());
  return count < 0 ? -errno : count;
}

std::int64_t Supervisor::native_position(const Process& process, int descriptor) {
  const Descriptor file = get_native(process, descriptor);
  const off_t position = file.is_open() ? ::lseek(file.number(), 0, SEEK_CUR) : -1;
  return position >= 0 ? position : file.is_open() ? -errno : -EBADF;
}

bool Supervisor::is_native_open(const Process& process, int descriptor) {
  return get_native(process, descriptor).is_open();
}

int Supervisor::add_signal_descriptor(Thread& thread, std::uint64_t mask, bool closes_on_exec) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal = 1; signal <= 64; ++signal) {
    if ((mask >> (signal - 1) & 1) != 0) {
      sigaddset(&set, signal);
    }
  }
  const Descriptor file(::signalfd(-1, &set, SFD_CLOEXEC));
  return file.is_open() ? add_file(thread, file.number(), closes_on_exec, std::nullopt) : -errno;
}

}  // namespace longarm::programs
