// SPDX-License-Identifier: Apache-2.0
// The table of a process's open files.
#include "longarm/programs/kernel/process.h"

#include <utility>

namespace longarm::programs {

std::shared_ptr<File> Descriptors::find(int number) const {
  const auto found = entries_.find(number);
  return found == entries_.end() ? nullptr : found->second.file;
}

Descriptors::Entry* Descriptors::entry(int number) {
  const auto found = entries_.find(number);
  return found == entries_.end() ? nullptr : &found->second;
}

void Descriptors::set(int number, std::shared_ptr<File> file, bool closes_on_exec) {
  // what stood there is released when the table is in order again
  std::swap(entries_[number].file, file);
  entries_[number].closes_on_exec = closes_on_exec;
}

bool Descriptors::close(int number) {
  const auto found = entries_.find(number);
  if (found == entries_.end()) {
    return false;
  }
  const std::shared_ptr<File> last = std::move(found->second.file);
  entries_.erase(found);
  return true;
}

void Descriptors::close_range(int first, int last) {
  for (auto next = entries_.lower_bound(first); next != entries_.end() && next->first <= last;
       next = entries_.lower_bound(first)) {
    close(next->first);
  }
}

void Descriptors::close_range_on_exec(int first, int last) {
  for (auto next = entries_.lower_bound(first); next != entries_.end() && next->first <= last;
       ++next) {
    next->second.closes_on_exec = true;
  }
}

void Descriptors::close_on_exec() {
  std::vector<int> numbers;
  for (const auto& [number, entry] : entries_) {
    if (entry.closes_on_exec) {
      numbers.push_back(number);
    }
  }
  for (const int number : numbers) {
    close(number);
  }
}

}  // namespace longarm::programs
