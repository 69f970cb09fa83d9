// SPDX-License-Identifier: Apache-2.0
// ROS 2 messages as ROS 1 messages of the same name: other bytes, and a few other fields.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/record/bag/ros1_types.h"
#include "longarm/record/cdr.h"

namespace longarm::record {

/// For one type. Numbers stay as they are, bit by bit. Fields that ROS 1 lacks are left out;
/// header.seq, which ROS 2 lacks, is zero. Times before zero, which ROS 1 cannot write, are zero.
class Ros1Transcoder {
 public:
  /// `type` as ROS 1 writes it; has_ros1_type(type), and it is in ros_schemas.cpp.
  explicit Ros1Transcoder(std::string_view type);

  const Ros1Type& type() const { return type_; }
  /// Fills `out` from its start. False: these bytes are no such message.
  bool transcode(std::span<const std::byte> cdr, ByteBuffer& out) const;

 private:
  struct Pair {
    MessageFields from, to;
  };
  void learn(const std::string& type);
  void copy_message(const std::string& type, CdrReader& in, ByteBuffer* out) const;
  void copy_field(const MessageField& field, CdrReader& in, ByteBuffer* out) const;
  void copy_value(const std::string& type, CdrReader& in, ByteBuffer* out) const;

  Ros1Type type_;
  std::map<std::string, Pair> types_;
};

}  // namespace longarm::record
