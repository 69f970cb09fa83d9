// SPDX-License-Identifier: Apache-2.0
// Bytes in the order in which they were written, counted from the start of a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace longarm::network {

/// In one block of memory that grows to what was ever kept at once.
class ByteQueue {
 public:
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }

  void append(std::span<const std::byte> bytes) {
    if (end_ - begin_ + bytes.size() > block_.size()) {
      grow(end_ - begin_ + bytes.size());
    }
    for_pieces(block_, end_, bytes.size(),
               [&](std::byte* piece, std::size_t done, std::size_t size) {
                 std::memcpy(piece, bytes.data() + done, size);
               });
    end_ += bytes.size();
  }

  /// What is there from `offset` on, as far as it is kept; returns how much.
  std::size_t copy(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset < begin_ || offset >= end_) {
      return 0;
    }
    const std::size_t size = std::min<std::uint64_t>(out.size(), end_ - offset);
    for_pieces(block_, offset, size,
               [&](const std::byte* piece, std::size_t done, std::size_t bytes) {
                 std::memcpy(out.data() + done, piece, bytes);
               });
    return size;
  }

  /// What lies before `offset` is not needed any more.
  void forget_before(std::uint64_t offset) { begin_ = std::clamp(offset, begin_, end_); }
  void clear() { *this = ByteQueue(); }

 private:
  template <typename Block, typename Piece>
  static void for_pieces(Block& block, std::uint64_t offset, std::size_t size, const Piece& piece) {
    if (size == 0) {
      return;
    }
    const std::size_t place = offset & (block.size() - 1);
    const std::size_t first = std::min(size, block.size() - place);
    piece(block.data() + place, 0, first);
    if (first < size) {
      piece(block.data(), first, size - first);
    }
  }

  void grow(std::size_t size) {
    std::size_t larger = std::max<std::size_t>(block_.size(), 512);
    while (larger < size) {
      larger *= 2;
    }
    std::vector<std::byte> kept(end_ - begin_);
    copy(begin_, kept);
    block_.resize(larger);
    for_pieces(block_, begin_, kept.size(),
               [&](std::byte* piece, std::size_t done, std::size_t bytes) {
                 std::memcpy(piece, kept.data() + done, bytes);
               });
  }

  std::vector<std::byte> block_;  // a power of two long
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace longarm::network
