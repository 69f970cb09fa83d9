// SPDX-License-Identifier: Apache-2.0
// What descriptors of a process stand for: an open file as the emulated kernel has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "longarm/programs/kernel/machine.h"

namespace longarm::programs {

class Kernel;
struct Thread;

/// Who wants to know when a file changes: a waiting thread, or an epoll instance.
class FileWatcher {
 public:
  virtual ~FileWatcher() = default;
  virtual void file_changed() = 0;
};

/// Destroying it is its release: descriptors, waiting calls and messages under way hold it.
class File : public std::enable_shared_from_this<File> {
 public:
  explicit File(Kernel& kernel) : kernel_(kernel) {}
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  virtual Placeholder placeholder() const { return Placeholder::kAnonymous; }
  /// As poll(2) has it: POLLIN, POLLOUT, POLLHUP, …
  virtual std::uint32_t readiness() const = 0;
  /// At once, as much as there is; -EAGAIN: nothing now.
  virtual std::int64_t read(std::span<std::byte> out);
  /// At once, as much as there is room for; -EAGAIN: none now.
  virtual std::int64_t write(std::span<const std::byte> bytes);
  /// Requests of ioctl(2) that are not about descriptors. -ENOTTY if it knows none.
  virtual std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument);

  bool is_nonblocking() const { return is_nonblocking_; }
  void set_nonblocking(bool is_nonblocking) { is_nonblocking_ = is_nonblocking; }

  /// How often something happened that edge-triggered epoll reports.
  std::uint64_t changes() const { return changes_; }
  void watch(FileWatcher& watcher) { watchers_.push_back(&watcher); }
  void unwatch(FileWatcher& watcher);

 protected:
  /// Says that readiness may be another now, or that there is more of the same.
  void changed();
  Kernel& kernel() const { return kernel_; }

 private:
  Kernel& kernel_;
  bool is_nonblocking_ = false;
  std::uint64_t changes_ = 0;
  std::vector<FileWatcher*> watchers_;  ///< in the order in which they came
};

}  // namespace longarm::programs
