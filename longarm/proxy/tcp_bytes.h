// SPDX-License-Identifier: Apache-2.0
// Bytes on their way through a relay, first in, first out, in blocks that are given back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <span>

namespace longarm::proxy {

class TcpBytes {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (end_ == kBlock || blocks_.empty()) {
        blocks_.push_back(std::make_unique<Block>());
        end_ = 0;
      }
      const std::size_t count = std::min(bytes.size(), kBlock - end_);
      std::memcpy(blocks_.back()->data() + end_, bytes.data(), count);
      end_ += count;
      bytes = bytes.subspan(count);
    }
  }

  /// The first of them, as many as lie in one piece.
  std::span<const std::byte> front() const {
    if (size_ == 0) {
      return {};
    }
    const std::size_t end = blocks_.size() == 1 ? end_ : kBlock;
    return {blocks_.front()->data() + begin_, end - begin_};
  }

  /// No more than front() has.
  void pop(std::size_t count) {
    size_ -= count;
    begin_ += count;
    if (begin_ == kBlock || size_ == 0) {
      blocks_.pop_front();
      begin_ = 0;
      if (blocks_.empty()) {
        end_ = 0;
      }
    }
  }

  void clear() { *this = TcpBytes(); }

 private:
  static constexpr std::size_t kBlock = 16 * 1024;
  using Block = std::array<std::byte, kBlock>;

  std::deque<std::unique_ptr<Block>> blocks_;
  std::size_t begin_ = 0;  // in the first block
  std::size_t end_ = 0;    // in the last
  std::size_t size_ = 0;
};

}  // namespace longarm::proxy
