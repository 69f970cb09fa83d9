// SPDX-License-Identifier: Apache-2.0
// Numbers as UR controllers put them on the wire: big-endian, one after the other.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace longarm::protocols::ur {

/// Appends to a string that it owns until take().
class ByteWriter {
 public:
  template <std::integral Number>
  void put(Number number) {
    using Bits = std::make_unsigned_t<Number>;
    const auto bits = static_cast<std::uint64_t>(static_cast<Bits>(number));
    std::array<char, sizeof(Number)> big_endian{};
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      big_endian[i] = static_cast<char>(bits >> (8 * (sizeof(Number) - 1 - i)) & 0xFF);
    }
    bytes_.append(big_endian.data(), big_endian.size());
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value ? 1 : 0)); }
  void put(float number) { put(std::bit_cast<std::uint32_t>(number)); }
  void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  void put(std::span<const double> numbers) {
    for (const double number : numbers) {
      put(number);
    }
  }
  void put_text(std::string_view text) { bytes_ += text; }
  void put_zeros(std::size_t count) { bytes_.append(count, '\0'); }

  /// Overwrites what was put at `offset` before, e.g. a size that was not known then.
  template <std::integral Number>
  void put_at(std::size_t offset, Number number) {
    ByteWriter patch;
    patch.put(number);
    bytes_.replace(offset, sizeof(Number), patch.bytes_);
  }

  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads from the front of bytes that somebody else keeps. Reading beyond their end gives zeros
/// and makes it bad for good; nothing throws.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  /// Whether everything asked for was there.
  bool is_good() const { return is_good_; }
  std::string_view rest() const { return rest_; }
  std::size_t size() const { return rest_.size(); }

  /// get<std::int32_t>(), get<double>(), get<bool>() (any byte but 0) and so on.
  template <typename Number>
  requires std::is_arithmetic_v<Number> Number get() {
    if constexpr (std::is_same_v<Number, bool>) {
      return get<std::uint8_t>() != 0;
    } else if constexpr (std::is_same_v<Number, float>) {
      return std::bit_cast<float>(get<std::uint32_t>());
    } else if constexpr (std::is_same_v<Number, double>) {
      return std::bit_cast<double>(get<std::uint64_t>());
    } else {
      std::uint64_t bits = 0;
      for (const char byte : get_text(sizeof(Number))) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
      }
      return static_cast<Number>(static_cast<std::make_unsigned_t<Number>>(bits));
    }
  }
  void get(std::span<double> numbers) {
    for (double& number : numbers) {
      number = get<double>();
    }
  }
  /// The next `count` bytes; nothing if there are fewer.
  std::string_view get_text(std::size_t count) {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return text;
  }
  void skip(std::size_t count) { get_text(count); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace longarm::protocols::ur
