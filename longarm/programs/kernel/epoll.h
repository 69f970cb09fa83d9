// SPDX-License-Identifier: Apache-2.0
// epoll(7): files that are watched, and a list of those that may be ready, kept as Linux keeps it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "longarm/programs/kernel/file.h"

namespace longarm::programs {

class EpollFile final : public File {
 public:
  using File::File;
  ~EpollFile() override;

  /// As epoll_ctl(2), of a file that is open as `descriptor`: an error number below zero, or zero.
  int add(const std::shared_ptr<File>& file, int descriptor, const epoll_event& event);
  int modify(const std::shared_ptr<File>& file, int descriptor, const epoll_event& event);
  int remove(const std::shared_ptr<File>& file, int descriptor);

  /// Writes down what is ready, as much as there is room for, and how many that are.
  std::size_t collect(std::span<epoll_event> out);

  bool can_read() const override { return false; }
  bool can_write() const override { return false; }
  std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument) override;
  std::uint32_t readiness() const override;

 private:
  struct Item final : FileWatcher {
    void file_changed(File&, std::uint32_t events) override { owner->item_changed(*this, events); }
    void file_gone(File&) override { owner->item_gone(*this); }
    bool is_exclusive() const { return (event.events & EPOLLEXCLUSIVE) != 0; }

    EpollFile* owner = nullptr;
    File* file = nullptr;
    int descriptor = -1;
    epoll_event event{};
    bool is_listed = false;
  };
  using Key = std::pair<File*, int>;

  void item_changed(Item& item, std::uint32_t events);
  void item_gone(Item& item);
  Item* find(const std::shared_ptr<File>& file, int descriptor);
  void list_if_ready(Item& item);
  void erase(std::map<Key, Item>::iterator place);
  /// How many epoll instances are inside each other below, and above.
  int depth_below() const;
  int depth_above() const;
  bool reaches(const EpollFile& other) const;
  std::vector<EpollFile*> nested() const;

  std::map<Key, Item> items_;  ///< never gone through from end to end for a result
  mutable std::list<Item*> listed_;
  std::vector<EpollFile*> watched_by_;
};

}  // namespace longarm::programs
