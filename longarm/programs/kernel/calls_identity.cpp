// SPDX-License-Identifier: Apache-2.0
// System calls about the computer that a program believes it runs on: its name, its one processor,
// its random numbers. And those that are answered with "no such thing", on which programs do
// without.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/output_file.h"

namespace longarm::programs {
namespace {

// younger than our headers
constexpr int kFutexWake = 454;
constexpr int kFutexWait = 455;
constexpr int kFutexRequeue = 456;

template <std::size_t kSize>
void set_text(char (&field)[kSize], std::string_view text) {
  std::memset(field, 0, kSize);
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), field);
}

Reply uname_call(Kernel& kernel, Thread& thread, const Call& call) {
  utsname names{};
  set_text(names.sysname, "Linux");
  set_text(names.nodename, thread.process->host->name);
  set_text(names.release, "6.1.0");
  set_text(names.version, "#1 longarm");
  set_text(names.machine, "x86_64");
  set_text(names.domainname, "(none)");
  return kernel.put(thread, call.arguments[0], names) ? Reply::done(0) : Reply::error(EFAULT);
}

Reply sysinfo_call(Kernel& kernel, Thread& thread, const Call& call) {
  constexpr unsigned long kMemory = 8UL << 30;
  struct sysinfo info {};
  info.uptime = timespec_of(*kernel.read_clock(thread, CLOCK_BOOTTIME)).tv_sec;
  info.totalram = kMemory;
  info.freeram = kMemory / 2;
  info.procs = static_cast<unsigned short>(kernel.processes().size());
  info.mem_unit = 1;
  return kernel.put(thread, call.arguments[0], info) ? Reply::done(0) : Reply::error(EFAULT);
}

// --- scheduling: one processor, and who runs when is the simulation's affair ---------------------

Reply sched_yield_call(Kernel& kernel, Thread& thread, const Call&) {
  return kernel.yield(thread);
}

Reply getaffinity_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::uint64_t first_only = 1;
  if (static_cast<std::uint32_t>(call.arguments[1]) < sizeof first_only ||
      call.arguments[1] % sizeof first_only != 0) {
    return Reply::error(EINVAL);
  }
  return kernel.put(thread, call.arguments[2], first_only) ? Reply::done(sizeof first_only)
                                                           : Reply::error(EFAULT);
}

Reply getcpu_call(Kernel& kernel, Thread& thread, const Call& call) {
  const unsigned zero = 0;
  const bool is_written = (call.arguments[0] == 0 || kernel.put(thread, call.arguments[0], zero)) &&
                          (call.arguments[1] == 0 || kernel.put(thread, call.arguments[1], zero));
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply accept_and_ignore(Kernel&, Thread&, const Call&) {
  return Reply::done(0);
}

// --- random numbers -----------------------------------------------------------------------------

Reply getrandom_call(Kernel& kernel, Thread& thread, const Call& call) {
  constexpr std::uint64_t kMostAtOnce = 1 << 20;
  constexpr std::uint64_t kFlags = GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE;
  if ((static_cast<std::uint32_t>(call.arguments[2]) & ~kFlags) != 0) {
    return Reply::error(EINVAL);
  }
  std::vector<std::byte> bytes(std::min(call.arguments[1], kMostAtOnce));
  fill_random(*thread.process->random, bytes);
  return kernel.write(thread, call.arguments[0], bytes)
             ? Reply::done(static_cast<std::int64_t>(bytes.size()))
             : Reply::error(EFAULT);
}

// --- refused ------------------------------------------------------------------------------------

Reply no_such_call(Kernel&, Thread&, const Call&) {
  return Reply::error(ENOSYS);
}

Reply not_permitted(Kernel&, Thread&, const Call&) {
  return Reply::error(EPERM);
}

}  // namespace

void add_identity_calls(CallTable& table) {
  table[SYS_uname] = uname_call;
  table[SYS_sysinfo] = sysinfo_call;
  table[SYS_sched_yield] = sched_yield_call;
  table[SYS_sched_getaffinity] = getaffinity_call;
  table[SYS_getcpu] = getcpu_call;
  table[SYS_getrandom] = getrandom_call;
  for (const int number : {SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
                           SYS_sched_setattr, SYS_setpriority, SYS_ioprio_set}) {
    table[static_cast<std::size_t>(number)] = accept_and_ignore;
  }
  // what waits where nobody sees it, or tells the time; programs have other ways
  for (const int number : {SYS_io_uring_setup,
                           SYS_io_uring_enter,
                           SYS_io_uring_register,
                           SYS_io_setup,
                           SYS_io_destroy,
                           SYS_io_getevents,
                           SYS_io_pgetevents,
                           SYS_io_submit,
                           SYS_io_cancel,
                           SYS_futex_waitv,
                           SYS_inotify_init,
                           SYS_inotify_init1,
                           SYS_inotify_add_watch,
                           SYS_inotify_rm_watch,
                           SYS_fanotify_init,
                           SYS_fanotify_mark,
                           SYS_userfaultfd,
                           SYS_perf_event_open,
                           SYS_pidfd_open,
                           SYS_pidfd_send_signal,
                           SYS_pidfd_getfd,
                           SYS_mq_open,
                           SYS_mq_unlink,
                           SYS_mq_timedsend,
                           SYS_mq_timedreceive,
                           SYS_mq_notify,
                           SYS_mq_getsetattr,
                           SYS_rseq,
                           kFutexWake,
                           kFutexWait,
                           kFutexRequeue}) {
    table[static_cast<std::size_t>(number)] = no_such_call;
  }
  // what is for those who run the machine
  for (const int number :
       {SYS_sethostname, SYS_setdomainname, SYS_bpf, SYS_syslog, SYS_vhangup, SYS_acct, SYS_swapon,
        SYS_swapoff, SYS_reboot, SYS_iopl, SYS_ioperm, SYS_init_module, SYS_delete_module,
        SYS_finit_module, SYS_kexec_load, SYS_kexec_file_load, SYS_quotactl, SYS_quotactl_fd}) {
    table[static_cast<std::size_t>(number)] = not_permitted;
  }
}

}  // namespace longarm::programs
