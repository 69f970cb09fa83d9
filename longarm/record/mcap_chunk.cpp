// SPDX-License-Identifier: Apache-2.0
// Fills and compresses chunks.
#include "longarm/record/mcap_chunk.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <zstd.h>

#include "longarm/record/crc32.h"

namespace longarm::record {

void McapChunk::FreeCompressor::operator()(ZSTD_CCtx_s* compressor) const {
  ZSTD_freeCCtx(compressor);
}

McapChunk::McapChunk(int compression_level) : compressor_(ZSTD_createCCtx()) {
  if (compressor_ == nullptr) {
    throw std::bad_alloc();
  }
  ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, compression_level);
}

void McapChunk::add(const McapChannel& channel) {
  put_record(records_, channel);
  if (entries_.size() <= channel.id) {
    entries_.resize(channel.id + std::size_t{1});
  }
}

void McapChunk::add_message(std::uint16_t channel, std::uint32_t sequence,
                            std::uint64_t log_time_ns, std::span<const std::byte> data) {
  start_time_ns_ = message_count_ == 0 ? log_time_ns : std::min(start_time_ns_, log_time_ns);
  end_time_ns_ = message_count_ == 0 ? log_time_ns : std::max(end_time_ns_, log_time_ns);
  ++message_count_;
  entries_[channel].push_back({log_time_ns, records_.size()});

  records_.put(static_cast<std::uint8_t>(McapOpcode::kMessage));
  records_.put(static_cast<std::uint64_t>(kMcapMessageHeaderSize + data.size()));
  records_.put(channel);
  records_.put(sequence);
  records_.put(log_time_ns);
  records_.put(log_time_ns);  // publish time: it is logged the instant it happens
  records_.put(data);
}

bool McapChunk::finish(ByteBuffer& out, std::uint64_t file_offset, McapChunkIndex& index) {
  const std::size_t before = out.size();
  index.start_time_ns = start_time_ns_;
  index.end_time_ns = end_time_ns_;
  index.chunk_start = file_offset;
  const bool is_put = put_chunk(out, index);
  if (is_put) {
    index.chunk_length = out.size() - before;
    put_message_indexes(out, file_offset + index.chunk_length, index);
  }
  records_.clear();
  message_count_ = 0;
  start_time_ns_ = 0;
  end_time_ns_ = 0;
  for (std::vector<Entry>& entries : entries_) {
    entries.clear();
  }
  return is_put;
}

bool McapChunk::put_chunk(ByteBuffer& out, McapChunkIndex& index) {
  const std::span<const std::byte> records = records_.bytes();
  const std::size_t room = ZSTD_compressBound(records.size());
  if (compressed_.size() < room) {
    compressed_.resize(room);
  }
  const std::size_t size = ZSTD_compress2(compressor_.get(), compressed_.data(), compressed_.size(),
                                          records.data(), records.size());
  if (ZSTD_isError(size) != 0) {
    return false;
  }
  index.uncompressed_size = records.size();
  index.compressed_size = size;

  McapRecord record(out, McapOpcode::kChunk);
  out.put(start_time_ns_);
  out.put(end_time_ns_);
  out.put(index.uncompressed_size);
  out.put(crc32(records));
  out.put_string("zstd");
  out.put(index.compressed_size);
  out.put(std::span<const std::byte>(compressed_.data(), size));
  record.finish();
  return true;
}

void McapChunk::put_message_indexes(ByteBuffer& out, std::uint64_t file_offset,
                                    McapChunkIndex& index) {
  const std::size_t before = out.size();
  for (std::size_t channel = 0; channel < entries_.size(); ++channel) {
    const std::vector<Entry>& entries = entries_[channel];
    if (entries.empty()) {
      continue;
    }
    index.message_indexes.emplace_back(static_cast<std::uint16_t>(channel),
                                       file_offset + out.size() - before);
    McapRecord record(out, McapOpcode::kMessageIndex);
    out.put(static_cast<std::uint16_t>(channel));
    out.put(static_cast<std::uint32_t>(entries.size() * sizeof(Entry)));
    // an Entry is laid out as in the file: two 64-bit numbers
    out.put(std::as_bytes(std::span(entries)));
    record.finish();
  }
  index.message_index_length = out.size() - before;
}

}  // namespace longarm::record
