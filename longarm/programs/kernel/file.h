// SPDX-License-Identifier: Apache-2.0
// What descriptors of a process stand for: an open file as the emulated kernel has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/programs/kernel/machine.h"

namespace longarm::programs {

class File;
class Kernel;
struct Thread;

/// Who wants to know when a file changes: a waiting thread, or an epoll instance.
class FileWatcher {
 public:
  virtual ~FileWatcher() = default;
  /// `events`: which bits of its readiness may be there now, or be there again.
  virtual void file_changed(File& file, std::uint32_t events) = 0;
  /// It is being destroyed.
  virtual void file_gone(File&) {}
};

inline constexpr std::uint32_t kAllEvents = ~std::uint32_t{0};

/// Destroying it is its release: descriptors, waiting calls and messages under way hold it.
class File : public std::enable_shared_from_this<File> {
 public:
  explicit File(Kernel& kernel) : kernel_(kernel) {}
  virtual ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  virtual Placeholder placeholder() const { return Placeholder::kAnonymous; }
  /// As poll(2) has it: POLLIN, POLLOUT, POLLHUP, …
  virtual std::uint32_t readiness() const = 0;
  /// epoll(7) takes no regular files.
  virtual bool can_epoll() const { return true; }
  /// O_RDONLY, O_WRONLY or O_RDWR.
  virtual int access() const;
  /// EINVAL otherwise, whatever is asked for.
  virtual bool can_read() const { return true; }
  virtual bool can_write() const { return true; }
  /// Its placeholder is read when it is ready, by the machine's own kernel.
  virtual bool is_read_natively() const { return false; }
  /// At once, as much as there is; -EAGAIN: nothing now.
  virtual std::int64_t read(std::span<std::byte> out);
  /// At once, as much as there is room for; -EAGAIN: none now.
  virtual std::int64_t write(std::span<const std::byte> bytes);
  /// A blocking write goes on until all is written; else what is taken at once is all.
  virtual bool is_stream() const { return true; }
  /// How long a blocking read or write waits at most; nothing: as long as it takes.
  virtual std::optional<Duration> read_limit() const { return std::nullopt; }
  virtual std::optional<Duration> write_limit() const { return std::nullopt; }
  /// Requests of ioctl(2) that are not about descriptors. -ENOTTY if it knows none.
  virtual std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument);

  bool is_nonblocking() const { return is_nonblocking_; }
  void set_nonblocking(bool is_nonblocking) { is_nonblocking_ = is_nonblocking; }
  /// O_APPEND is kept for F_GETFL, and means nothing to files of ours.
  bool is_appending() const { return is_appending_; }
  void set_appending(bool is_appending) { is_appending_ = is_appending; }

  void watch(FileWatcher& watcher) { watchers_.push_back(&watcher); }
  /// It hears of changes before all others.
  void watch_first(FileWatcher& watcher) { watchers_.insert(watchers_.begin(), &watcher); }
  void unwatch(FileWatcher& watcher);

 protected:
  /// Says that readiness may be another now, or that there is more of the same. Edge-triggered
  /// epoll reports each. Nobody acts on it before the caller has returned to the kernel, except
  /// files that watch files.
  void changed(std::uint32_t events = kAllEvents);
  Kernel& kernel() const { return kernel_; }

 private:
  Kernel& kernel_;
  bool is_nonblocking_ = false;
  bool is_appending_ = false;
  std::vector<FileWatcher*> watchers_;  ///< in the order in which they hear
};

/// No descriptor stands for it: calls wait for it to ring.
class Bell final : public File {
 public:
  using File::File;
  std::uint32_t readiness() const override { return 0; }
  void ring() { changed(); }
};

}  // namespace longarm::programs
