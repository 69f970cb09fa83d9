// SPDX-License-Identifier: Apache-2.0
// Little-endian numbers and strings in and out of bytes, without alignment, as MCAP stores them.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace longarm::record {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

/// The bytes of a text.
inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Grows as needed and keeps its memory when cleared.
class ByteBuffer {
 public:
  void clear() { used_ = 0; }
  std::size_t size() const { return used_; }
  std::span<const std::byte> bytes() const { return {store_.data(), used_}; }

  /// Room for `count` more bytes, to be filled by the caller.
  std::byte* extend(std::size_t count) {
    if (store_.size() - used_ < count) {
      store_.resize(std::max(2 * store_.size(), used_ + count));
    }
    std::byte* place = store_.data() + used_;
    used_ += count;
    return place;
  }
  void put(std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
    }
  }
  template <std::integral T>
  void put(T number) {
    std::memcpy(extend(sizeof number), &number, sizeof number);
  }
  /// Its length in 32 bits, then its bytes.
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put(as_bytes(text));
  }
  /// Overwrites a number that was put before its value was known.
  template <std::integral T>
  void patch(std::size_t at, T number) {
    std::memcpy(store_.data() + at, &number, sizeof number);
  }
  void patch(std::size_t at, std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      std::memcpy(store_.data() + at, bytes.data(), bytes.size());
    }
  }

 private:
  std::vector<std::byte> store_;
  std::size_t used_ = 0;
};

/// Reads such bytes. Asking for more than there is gives zeros and is remembered.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool has_failed() const { return has_failed_; }
  std::size_t position() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  std::span<const std::byte> get_bytes(std::uint64_t count) {
    if (count > left()) {
      has_failed_ = true;
      at_ = bytes_.size();
      return {};
    }
    at_ += static_cast<std::size_t>(count);
    return bytes_.subspan(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }
  template <std::integral T>
  T get() {
    T number{};
    if (const auto bytes = get_bytes(sizeof number); !bytes.empty()) {
      std::memcpy(&number, bytes.data(), sizeof number);
    }
    return number;
  }
  std::string_view get_string() {
    const auto bytes = get_bytes(get<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool has_failed_ = false;
};

}  // namespace longarm::record
