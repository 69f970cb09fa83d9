// SPDX-License-Identifier: Apache-2.0
// What the writer and the reader of bags agree on: rosbag's format 2.0, record by record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "longarm/core/time.h"
#include "longarm/record/byte_buffer.h"

namespace longarm::record {

inline constexpr std::string_view kBagMagic = "#ROSBAG V2.0\n";

enum class BagOpcode : std::uint8_t {
  kMessage = 0x02,
  kFileHeader = 0x03,
  kIndex = 0x04,
  kChunk = 0x05,
  kChunkInfo = 0x06,
  kConnection = 0x07,
};

/// The header of the file is padded to this, so that it can be filled in at the end.
inline constexpr std::size_t kBagFileHeaderSize = 4096;

enum class BagCompression { kNone, kBz2, kLz4 };
/// "none", "bz2", "lz4", as bags spell them.
std::string_view compression_name(BagCompression compression);

/// Where messages come from.
struct BagConnection {
  std::uint32_t id = 0;
  std::string topic;
  std::string type;        ///< e.g. "sensor_msgs/JointState"
  std::string md5;         ///< of the type
  std::string definition;  ///< with all types in it
  std::string publisher;   ///< name of the node; may be empty
  bool is_latched = false;
};

/// ROS 1 has no time before zero and none after 2106; what is outside becomes the nearest.
void put_bag_time(ByteBuffer& out, Time time);
Time get_bag_time(ByteReader& in);

}  // namespace longarm::record
