// SPDX-License-Identifier: Apache-2.0
// ROS 2 message bytes: little-endian CDR, each number aligned to its size after a four-byte header.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/record/byte_buffer.h"

namespace longarm::record {

template <typename T>
concept CdrNumber = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

/// The encapsulation header {0, 1, 0, 0}: plain CDR, little-endian, no options.
inline constexpr std::size_t kCdrHeaderSize = 4;

/// Fills a buffer from its start; alignment counts from after the header.
class CdrWriter {
 public:
  explicit CdrWriter(ByteBuffer& out);

  template <CdrNumber T>
  void put(T number) {
    align(sizeof number);
    out_.put(number);
  }
  /// Its length with the closing zero, its characters, the zero.
  void put(std::string_view text);
  /// builtin_interfaces/Time: whole seconds, rounded down, and nanoseconds.
  void put(Time time);
  /// Their number, then they; no padding goes before none.
  void put(std::span<const double> numbers);
  void put(std::span<const std::string> texts);
  /// Of elements that the caller puts next.
  void put_length(std::size_t count) { put(static_cast<std::uint32_t>(count)); }

  /// Where the next byte goes.
  std::size_t position() const { return out_.size(); }

 private:
  void align(std::size_t size);

  ByteBuffer& out_;
};

/// Reads such bytes, whoever wrote them. What is missing or absurd reads as zero or empty, and
/// has_failed() says so.
class CdrReader {
 public:
  explicit CdrReader(std::span<const std::byte> bytes);

  bool has_failed() const { return has_failed_; }

  template <CdrNumber T>
  T get() {
    T number{};
    if (const std::byte* place = take(sizeof number, sizeof number, 1)) {
      std::memcpy(&number, place, sizeof number);
    }
    return number;
  }
  std::string get_string();
  Time get_time();
  std::vector<double> get_numbers();
  std::vector<std::string> get_strings();
  /// The same without keeping them. Of numbers as many as there are, at most what `out` has room
  /// for; the rest of it stays as it is.
  void get_numbers(std::span<double> out);
  void skip_strings();
  /// Of a sequence whose elements take at least `smallest` bytes each; more than there are bytes
  /// left is a failure, and zero.
  std::size_t get_length(std::size_t smallest);

 private:
  const std::byte* take(std::size_t alignment, std::size_t size, std::size_t count);

  std::span<const std::byte> bytes_;
  std::size_t at_ = kCdrHeaderSize;
  bool has_failed_ = false;
};

/// Seconds rounded down and the nanoseconds that remain, as ROS writes an instant.
struct RosTime {
  std::int32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};
RosTime to_ros_time(Time time);

}  // namespace longarm::record
