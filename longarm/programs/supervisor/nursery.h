// SPDX-License-Identifier: Apache-2.0
// The parent of all programs: a process in a PID namespace of its own, whose end is the end of
// everything in it. It ends with us, however we end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <linux/filter.h>
#include <sys/types.h>

#include "longarm/core/result.h"
#include "longarm/system/descriptor.h"

namespace longarm::programs {

struct Seedling {
  std::string path;  ///< of the file to execute
  std::vector<std::string> words;
  std::vector<std::string> environment;
  std::string folder;
  std::array<int, 3> standard{-1, -1, -1};  ///< -1: /dev/null
  std::uint64_t most_descriptors = 1024;
};

/// A process that stands in its first execve(2).
struct Sprout {
  system::Descriptor process;   ///< a pidfd
  pid_t id = 0;                 ///< as we see it
  system::Descriptor listener;  ///< for its calls, and those of all that it makes
};

class Nursery {
 public:
  /// Programs run on the cores that the calling thread may run on, and end at the latest with that
  /// thread. An error says what the machine does not permit.
  static Result<std::unique_ptr<Nursery>> start();
  /// Kills everything in it and returns when nothing is left.
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  Result<Sprout> plant(const Seedling& seedling, const std::vector<sock_filter>& filter);
  /// Buries those whose parent is gone, or is the nursery.
  void reap();
  pid_t id() const { return id_; }

 private:
  struct Page;  ///< shared with the nursery and with processes that begin
  Nursery() = default;
  Result<bool> await_ready();

  pid_t id_ = -1;
  system::Descriptor socket_;
  Page* page_ = nullptr;
};

}  // namespace longarm::programs
