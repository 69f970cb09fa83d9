// SPDX-License-Identifier: Apache-2.0
// Writes rosbag files of format 2.0: messages in chunks, with the index that rosbag play and info
// need.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/bag/bag_format.h"

namespace longarm::record {

struct BagOptions {
  BagCompression compression = BagCompression::kNone;
  std::size_t chunk_size_bytes = 768 * 1024;  ///< as rosbag record has it
};

/// One file. The same calls make the same bytes. What fails is told by close(), never thrown.
class BagWriter {
 public:
  static Result<std::unique_ptr<BagWriter>> open(const std::string& path, BagOptions options);

  /// Its id is set here. Connections without messages are not in the file.
  std::uint32_t add_connection(BagConnection connection);
  /// A message that was received then. Times need not rise.
  void write(std::uint32_t connection, Time time, std::span<const std::byte> data);

  /// Writes what waits, and the index. Fails if the disk was full or the file went away.
  Result<bool> close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Entry {
    Time time;
    std::uint32_t offset = 0;  ///< in the chunk
  };
  struct Chunk {
    std::uint64_t at = 0;  ///< in the file
    Time first, last;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;  ///< messages by connection
  };
  BagWriter(std::string path, std::FILE* file, BagOptions options);

  void flush_chunk();
  void put_file_header(std::uint64_t index_at);
  void put_out();

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  BagOptions options_;
  std::vector<BagConnection> connections_;
  std::vector<bool> is_written_;  // connections that some chunk has
  ByteBuffer content_;            // of the chunk that is being filled
  std::map<std::uint32_t, std::vector<Entry>> entries_;
  std::vector<Chunk> chunks_;
  ByteBuffer out_;
  std::vector<std::byte> compressed_;
  std::uint64_t file_size_ = 0;
  int error_ = 0;  // errno of the first failure; nothing is written after it
};

}  // namespace longarm::record
