// SPDX-License-Identifier: Apache-2.0
// ROS 1 message bytes: little-endian, without gaps, texts and sequences after their length.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/record/bag/bag_format.h"
#include "longarm/record/byte_buffer.h"

namespace longarm::record {

/// Answers what CdrReader answers. What is missing or absurd reads as zero or empty, and
/// has_failed() says so.
class Ros1Reader {
 public:
  explicit Ros1Reader(std::span<const std::byte> bytes) : in_(bytes) {}

  bool has_failed() const { return !in_.is_good(); }

  template <typename T>
  T get() {
    return in_.get<T>();
  }
  std::string get_string() { return std::string(in_.get_string()); }
  Time get_time() { return get_bag_time(in_); }
  std::vector<double> get_numbers() {
    std::vector<double> numbers(get_length(sizeof(double)));
    in_.get(numbers);
    return numbers;
  }
  std::vector<std::string> get_strings() {
    std::vector<std::string> texts(get_length(sizeof(std::uint32_t)));
    for (std::string& text : texts) {
      text = get_string();
    }
    return texts;
  }
  /// Of a sequence whose elements take at least `smallest` bytes each; more than there are bytes
  /// left is a failure, and zero.
  std::size_t get_length(std::size_t smallest) {
    const std::size_t count = in_.get<std::uint32_t>();
    if (count > in_.size() / smallest) {
      in_.skip(in_.size() + 1);
      return 0;
    }
    return count;
  }

 private:
  ByteReader in_;
};

}  // namespace longarm::record
