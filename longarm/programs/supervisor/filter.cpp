// SPDX-License-Identifier: Apache-2.0
// Builds the filter from the classes of calls, as one comparison per run of numbers.
#include "longarm/programs/supervisor/filter.h"

#include <cstddef>

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {
namespace {

constexpr std::uint32_t kEnd = 512;  // beyond all numbers of x86-64

sock_filter statement(int code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}

/// Skips so many statements if true, none otherwise.
sock_filter jump(int code, std::uint32_t value, std::uint8_t skip) {
  return {static_cast<std::uint16_t>(BPF_JMP | code | BPF_K), skip, 0, value};
}

bool is_stopped(std::int64_t number) {
  return class_of(number) != CallClass::kNative || is_watched(number);
}

sock_filter verdict(bool stops) {
  return statement(BPF_RET | BPF_K, stops ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
}

}  // namespace

bool is_watched(std::int64_t number) {
  switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_arch_prctl:
    case SYS_rseq:
    case SYS_set_robust_list:
    case SYS_set_tid_address:
    case SYS_sigaltstack:
      return true;
    default:
      return false;
  }
}

std::vector<sock_filter> make_filter() {
  std::vector<sock_filter> filter;
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  filter.push_back(jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1));
  filter.push_back(verdict(true));
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  // runs from the highest: the first whose beginning is not above the number is its run
  filter.push_back(statement(BPF_JMP | BPF_JGE | BPF_K, kEnd));
  filter.back().jf = 1;
  filter.push_back(verdict(true));
  for (std::uint32_t first = kEnd; first > 0;) {
    const bool stops = is_stopped(first - 1);
    std::uint32_t begin = first - 1;
    while (begin > 0 && is_stopped(begin - 1) == stops) {
      --begin;
    }
    if (begin > 0) {
      filter.push_back(statement(BPF_JMP | BPF_JGE | BPF_K, begin));
      filter.back().jf = 1;
    }
    filter.push_back(verdict(stops));
    first = begin;
  }
  return filter;
}

}  // namespace longarm::programs
