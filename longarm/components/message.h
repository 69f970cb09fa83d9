// SPDX-License-Identifier: Apache-2.0
// One definition of a message gives its schema, its size on the wire and its codec.
//
//   struct JointTarget {
//     static constexpr std::string_view kTypeName = "longarm/JointTarget";
//     Header header;
//     std::vector<double> velocity;
//     template <typename Self, typename Visitor>
//     static void list_fields(Self& self, Visitor& visitor) {
//       visitor("header", self.header);
//       visitor("velocity", self.velocity);
//     }
//   };
//
// Bytes are those of ROS 1: little-endian, no padding, uint32 before strings and arrays of variable
// length, nothing before std::array, one byte per bool, time and duration as two 32-bit numbers.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::components {

using Bytes = std::vector<std::byte>;

/// Bool, the eight integers, two floats, string, time and duration; arrays of them; messages.
template <typename T>
std::string schema();
template <typename T>
std::size_t wire_size(const T& message);
template <typename T>
Bytes encode(const T& message);
/// Fails on bytes that are too short, too long, or claim lengths that do not fit.
template <typename T>
Result<T> decode(std::span<const std::byte> bytes);

/// As in ROS.
struct Header {
  static constexpr std::string_view kTypeName = "std_msgs/Header";
  std::uint32_t seq = 0;
  Time stamp{};
  std::string frame_id;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("seq", self.seq);
    visitor("stamp", self.stamp);
    visitor("frame_id", self.frame_id);
  }
};

/// So many bytes that mean nothing: traffic whose size is all that matters.
struct Blob {
  static constexpr std::string_view kTypeName = "longarm/Blob";
  std::vector<std::uint8_t> data;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("data", self.data);
  }
};

}  // namespace longarm::components

#include "longarm/components/message_codec.h"
