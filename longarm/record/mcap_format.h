// SPDX-License-Identifier: Apache-2.0
// What the writer and the reader of MCAP files agree on: magic bytes, record kinds, and how each
// record is laid out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longarm/record/byte_buffer.h"

namespace longarm::record {

/// Opens and closes every file; the 0 is the format's major version.
inline constexpr std::array<std::byte, 8> kMcapMagic = {
    std::byte{0x89}, std::byte{'M'}, std::byte{'C'},  std::byte{'A'},
    std::byte{'P'},  std::byte{'0'}, std::byte{'\r'}, std::byte{'\n'}};

enum class McapOpcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0a,
  kStatistics = 0x0b,
  kMetadata = 0x0c,
  kMetadataIndex = 0x0d,
  kSummaryOffset = 0x0e,
  kDataEnd = 0x0f,
};

/// Kind and 64-bit length come before every record's content.
inline constexpr std::size_t kMcapPrefixSize = 9;
/// What a message has before its data: channel, sequence, log time, publish time.
inline constexpr std::size_t kMcapMessageHeaderSize = 2 + 4 + 8 + 8;
/// What a chunk has before the name of its compression.
inline constexpr std::size_t kMcapChunkHeaderSize = 8 + 8 + 8 + 4;
inline constexpr std::size_t kMcapFooterSize = 8 + 8 + 4;

/// Puts kind and length before the record whose content is put between construction and finish().
class McapRecord {
 public:
  McapRecord(ByteBuffer& out, McapOpcode opcode) : out_(out), start_(out.size()) {
    out_.put(static_cast<std::uint8_t>(opcode));
    out_.put(std::uint64_t{0});
  }
  /// Where the record starts.
  std::size_t start() const { return start_; }
  /// The whole record's length.
  std::size_t finish() {
    out_.put_at(start_ + 1, static_cast<std::uint64_t>(out_.size() - start_ - kMcapPrefixSize));
    return out_.size() - start_;
  }

 private:
  ByteBuffer& out_;
  std::size_t start_;
};

using McapMetadata = std::vector<std::pair<std::string, std::string>>;

struct McapSchema {
  std::uint16_t id = 0;
  std::string name;
  std::string encoding;
  std::string text;
};

struct McapChannel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;
  std::string topic;
  std::string message_encoding;
  McapMetadata metadata;
};

/// Of the content of such a record; whether it was one, the reader tells.
McapSchema get_schema(ByteReader& in);
McapChannel get_channel(ByteReader& in);

/// By its id; null if there is none.
template <typename Record>
const Record* find_record(const std::vector<Record>& all, std::uint16_t id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Record& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

void put_record(ByteBuffer& out, const McapSchema& schema);
void put_record(ByteBuffer& out, const McapChannel& channel);

/// Where a chunk is and what it holds, for the summary.
struct McapChunkIndex {
  std::uint64_t start_time_ns = 0;
  std::uint64_t end_time_ns = 0;
  std::uint64_t chunk_start = 0;
  std::uint64_t chunk_length = 0;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> message_indexes;  ///< channel, file offset
  std::uint64_t message_index_length = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t uncompressed_size = 0;
};

struct McapAttachmentIndex {
  std::uint64_t start = 0;
  std::uint64_t length = 0;
  std::uint64_t log_time_ns = 0;
  std::uint64_t data_size = 0;
  std::string name;
  std::string media_type;
};

void put_record(ByteBuffer& out, const McapChunkIndex& index);
void put_record(ByteBuffer& out, const McapAttachmentIndex& index);

}  // namespace longarm::record
