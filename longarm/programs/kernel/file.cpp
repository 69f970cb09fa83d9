// SPDX-License-Identifier: Apache-2.0
// Files tell those who watch them; what a kind of file cannot do, it refuses.
#include "longarm/programs/kernel/file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>

namespace longarm::programs {

File::~File() {
  const std::vector<FileWatcher*> watchers = std::move(watchers_);
  for (FileWatcher* watcher : watchers) {
    watcher->file_gone(*this);
  }
}

int File::access() const {
  return O_RDWR;
}

std::int64_t File::read(std::span<std::byte>) {
  return -EINVAL;
}

std::int64_t File::write(std::span<const std::byte>) {
  return -EINVAL;
}

std::int64_t File::control(Thread&, std::uint64_t, std::uint64_t) {
  return -ENOTTY;
}

void File::unwatch(FileWatcher& watcher) {
  const auto found = std::find(watchers_.begin(), watchers_.end(), &watcher);
  if (found != watchers_.end()) {
    watchers_.erase(found);
  }
}

void File::changed(std::uint32_t events) {
  // those who hear of it may leave, and take others with them
  const std::vector<FileWatcher*> watchers = watchers_;
  for (FileWatcher* watcher : watchers) {
    if (std::find(watchers_.begin(), watchers_.end(), watcher) != watchers_.end()) {
      watcher->file_changed(*this, events);
    }
  }
}

}  // namespace longarm::programs
