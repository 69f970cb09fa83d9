// SPDX-License-Identifier: Apache-2.0
// Numbers in and out of bytes, in the order that is asked for: big-endian as on networks, or
// little-endian as in most files.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace longarm::system {

template <typename T>
concept Number = std::is_arithmetic_v<T>;

template <std::endian kOrder, Number T>
void store(T number, void* to) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(number);
  if constexpr (kOrder != std::endian::native) {
    std::reverse(bytes.begin(), bytes.end());
  }
  std::memcpy(to, bytes.data(), sizeof(T));
}

/// load<std::endian::big, std::int32_t>(place); the place needs no alignment.
template <std::endian kOrder, Number T>
T load(const void* from) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (kOrder != std::endian::native) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<T>(bytes);
}

/// The bytes of a text.
inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Keeps its memory when cleared. In a vector, not a string: a string's bytes may lie within it, so
/// that each number put costs twice the time, and recordings put some ten a message.
template <std::endian kOrder>
class ByteWriter {
 public:
  template <Number T>
  void put(T number) {
    store<kOrder>(number, extend(sizeof(T)));
  }
  void put(std::span<const double> numbers) {
    for (const double number : numbers) {
      put(number);
    }
  }
  void put(std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
    }
  }
  /// The lowest bits, for fields that are computed in wider numbers.
  void put8(std::uint64_t number) { put(static_cast<std::uint8_t>(number)); }
  void put16(std::uint64_t number) { put(static_cast<std::uint16_t>(number)); }
  void put32(std::uint64_t number) { put(static_cast<std::uint32_t>(number)); }
  void put_text(std::string_view text) { put(as_bytes(text)); }
  /// Its length in 32 bits, then its bytes.
  void put_string(std::string_view text) {
    put32(text.size());
    put_text(text);
  }
  void put_zeros(std::size_t count) { std::fill_n(extend(count), count, '\0'); }

  /// Overwrites what was put at `offset` before, e.g. a size that was not known then.
  template <Number T>
  void put_at(std::size_t offset, T number) {
    store<kOrder>(number, store_.data() + offset);
  }
  void put_at(std::size_t offset, std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      std::memcpy(store_.data() + offset, bytes.data(), bytes.size());
    }
  }

  void clear() { used_ = 0; }
  void reserve(std::size_t bytes) { store_.resize(std::max(store_.size(), bytes)); }
  /// Cuts, or fills up with zeros.
  void resize(std::size_t bytes) {
    put_zeros(bytes - std::min(bytes, used_));
    used_ = bytes;
  }
  std::size_t size() const { return used_; }
  std::string_view text() const { return {store_.data(), used_}; }
  std::span<const std::byte> bytes() const { return as_bytes(text()); }
  std::string str() const { return std::string(text()); }

 private:
  /// Room for `count` more bytes.
  char* extend(std::size_t count) {
    if (store_.size() - used_ < count) {
      store_.resize(std::max(2 * store_.size(), used_ + count));
    }
    used_ += count;
    return store_.data() + used_ - count;
  }

  std::vector<char> store_;
  std::size_t used_ = 0;
};

/// Reads from the front of bytes that somebody else keeps. Reading beyond their end gives zeros
/// and makes it bad for good; nothing throws.
template <std::endian kOrder>
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  explicit ByteReader(std::span<const std::byte> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  /// Whether everything asked for was there.
  bool is_good() const { return is_good_; }
  std::string_view rest() const { return rest_; }
  std::size_t size() const { return rest_.size(); }

  /// get<std::int32_t>(), get<double>(), get<bool>() (any byte but 0) and so on.
  template <Number T>
  T get() {
    if constexpr (std::is_same_v<T, bool>) {
      return get<std::uint8_t>() != 0;
    } else {
      const std::string_view bytes = get_text(sizeof(T));
      return bytes.empty() ? T{} : load<kOrder, T>(bytes.data());
    }
  }
  void get(std::span<double> numbers) {
    for (double& number : numbers) {
      number = get<double>();
    }
  }
  /// The next `count` bytes; nothing if there are fewer.
  std::string_view get_text(std::uint64_t count) {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return text;
  }
  std::span<const std::byte> get_bytes(std::uint64_t count) { return as_bytes(get_text(count)); }
  /// After its length in 32 bits.
  std::string_view get_string() { return get_text(get<std::uint32_t>()); }
  void skip(std::size_t count) { get_text(count); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace longarm::system
