// SPDX-License-Identifier: Apache-2.0
// A queue in one block of memory that grows and is used again: a steady stream allocates nothing.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace longarm::network {

template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& front() const { return items_[first_]; }
  T& front() { return items_[first_]; }
  const T& operator[](std::size_t i) const { return items_[place(i)]; }

  void push_back(T item) {
    if (size_ == items_.size()) {
      grow();
    }
    items_[place(size_)] = std::move(item);
    ++size_;
  }
  void pop_front() {
    first_ = place(1);
    --size_;
  }
  void clear() {
    first_ = 0;
    size_ = 0;
  }

 private:
  // sizes are powers of two
  std::size_t place(std::size_t i) const { return (first_ + i) & (items_.size() - 1); }
  void grow() {
    std::vector<T> larger(items_.empty() ? 8 : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) {
      larger[i] = std::move(items_[place(i)]);
    }
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace longarm::network
