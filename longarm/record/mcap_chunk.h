// SPDX-License-Identifier: Apache-2.0
// The part of an MCAP file that is being filled: records, and where each channel's messages are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "longarm/record/byte_buffer.h"
#include "longarm/record/mcap_format.h"

struct ZSTD_CCtx_s;

namespace longarm::record {

/// Gathers messages, then becomes a Chunk record with its Message Index records. Memory is kept
/// from one chunk to the next.
class McapChunk {
 public:
  /// Throws std::bad_alloc if the compressor cannot be had.
  explicit McapChunk(int compression_level);

  bool is_empty() const { return records_.size() == 0; }
  std::size_t size() const { return records_.size(); }
  bool has_messages() const { return message_count_ > 0; }
  std::uint64_t start_time_ns() const { return start_time_ns_; }

  void add(const McapSchema& schema) { put_record(records_, schema); }
  void add(const McapChannel& channel);
  void add_message(std::uint16_t channel, std::uint32_t sequence, std::uint64_t log_time_ns,
                   std::span<const std::byte> data);

  /// Puts the records into `out`, which will be at `file_offset`, and empties the chunk. False
  /// if they could not be compressed, which only a lack of memory explains.
  bool finish(ByteBuffer& out, std::uint64_t file_offset, McapChunkIndex& index);

 private:
  struct FreeCompressor {
    void operator()(ZSTD_CCtx_s* compressor) const;
  };
  struct Entry {
    std::uint64_t log_time_ns = 0;
    std::uint64_t offset = 0;
  };

  bool put_chunk(ByteBuffer& out, McapChunkIndex& index);
  void put_message_indexes(ByteBuffer& out, std::uint64_t file_offset, McapChunkIndex& index);

  std::unique_ptr<ZSTD_CCtx_s, FreeCompressor> compressor_;
  ByteBuffer records_;
  std::vector<std::byte> compressed_;
  std::vector<std::vector<Entry>> entries_;  // by channel
  std::uint64_t message_count_ = 0;
  std::uint64_t start_time_ns_ = 0;
  std::uint64_t end_time_ns_ = 0;
};

}  // namespace longarm::record
