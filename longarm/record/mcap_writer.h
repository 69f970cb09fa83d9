// SPDX-License-Identifier: Apache-2.0
// Writes MCAP files: messages with the time they happened, in compressed and indexed chunks that
// are on disk as soon as they are full.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/byte_buffer.h"
#include "longarm/record/crc32.h"
#include "longarm/record/mcap_chunk.h"
#include "longarm/record/mcap_format.h"

namespace longarm::record {

struct McapOptions {
  std::string profile = "ros2";
  std::size_t chunk_size_bytes = 1 << 20;  ///< a chunk is written once it is as large as this,
  Duration chunk_span{1'000'000'000};      ///< or holds as much simulated time as this
  int compression_level = 1;               ///< of zstd
};

/// What a channel carries.
struct McapTopic {
  std::string topic;
  std::string schema_name;
  std::string schema_text;
  McapMetadata metadata;
  std::string schema_encoding = "ros2msg";
  std::string message_encoding = "cdr";
};

enum class McapChannelId : std::uint16_t {};

/// One file. The same calls make the same bytes: nothing here knows what time it is outside. If the
/// run is killed, all full chunks are there and readable; what fails is told by close(), never
/// thrown.
class McapWriter {
 public:
  static Result<std::unique_ptr<McapWriter>> open(const std::string& path, McapOptions options);
  /// Without close(), writes the messages that wait, and no summary: the file says it was cut
  /// short.
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  /// Topics of equal schema name share one schema.
  McapChannelId add_channel(const McapTopic& topic);
  /// A whole file beside the messages, e.g. the scenario.
  void attach(std::string_view name, std::string_view media_type, std::string_view content);
  /// `log_time` is the simulated instant, not before zero, at which the message happened where it
  /// was seen. It is the publish time too: no other clock is trusted here. Allocates nothing once
  /// chunks have reached their size.
  void write(McapChannelId channel, Time log_time, std::span<const std::byte> data);

  /// Writes what waits and the summary. Fails if the disk was full or the file went away.
  Result<bool> close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  McapWriter(std::string path, std::FILE* file, McapOptions options);

  void flush_chunk();
  void put_statistics(ByteBuffer& out) const;
  void put_summary_and_footer(ByteBuffer& out) const;
  /// To the file and into the checksum of its data.
  void put_out(const ByteBuffer& bytes);
  void note_error(int error);

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  McapOptions options_;
  McapChunk chunk_;
  ByteBuffer out_;
  Crc32 data_crc_;
  std::uint64_t file_size_ = 0;
  int error_ = 0;  // errno of the first failure; nothing is written after it

  std::vector<McapSchema> schemas_;
  std::vector<McapChannel> channels_;
  std::vector<std::uint64_t> message_counts_;  // by channel
  std::vector<McapChunkIndex> chunks_;
  std::vector<McapAttachmentIndex> attachments_;
};

}  // namespace longarm::record
