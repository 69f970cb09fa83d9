// SPDX-License-Identifier: Apache-2.0
// Reads MCAP files from anywhere in them: how many messages a channel has, when, and any of them,
// without reading what lies before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/mcap_format.h"

namespace longarm::record {

/// Messages of a channel are its rows, numbered in the order in which they were written. A file
/// that was cut short ends with its last whole chunk. Calls may come from several threads.
class McapFile {
 public:
  /// Fails on what cannot be read or is no MCAP file; everything else is a problem().
  static Result<std::unique_ptr<McapFile>> open(const std::string& path);
  ~McapFile();
  McapFile(const McapFile&) = delete;
  McapFile& operator=(const McapFile&) = delete;

  const std::vector<McapChannel>& channels() const { return channels_; }
  /// Of a channel; empty if it has none.
  const McapSchema& schema_of(const McapChannel& channel) const;
  /// Why it does not go on to its end, e.g. "cut short at byte 70"; empty: it does.
  const std::string& problem() const { return problem_; }

  std::size_t rows(std::uint16_t channel) const;
  /// Their log times; sorted as they were written.
  std::vector<Time> times(std::uint16_t channel, std::size_t from, std::size_t to) const;
  /// The first row later than that; rows() if there is none.
  std::size_t row_after(std::uint16_t channel, Time time) const;

  using RowCallback =
      std::function<void(std::size_t row, Time log_time, std::span<const std::byte> data)>;
  /// Hands out rows from ≤ row < to. Those of damaged chunks are left out; the error is that of the
  /// first one.
  Result<bool> read(std::uint16_t channel, std::size_t from, std::size_t to,
                    const RowCallback& on_row) const;
  using MessageCallback = std::function<void(std::uint16_t channel, std::size_t row, Time log_time,
                                             std::span<const std::byte> data)>;
  /// Hands out all rows of all channels in the same way, opening each chunk once.
  Result<bool> read_all(const MessageCallback& on_message) const;

 private:
  /// As the file has it: two 64-bit numbers.
  struct Entry {
    std::uint64_t time_ns = 0;
    std::uint64_t offset = 0;  ///< in the opened chunk
  };
  /// The rows of a channel that are in one chunk.
  struct Piece {
    std::size_t chunk = 0;
    std::size_t first_row = 0;
    std::uint64_t last_time_ns = 0;
    std::size_t count = 0;
    const std::byte* entries = nullptr;  ///< not aligned
    Entry entry(std::size_t index) const;
  };
  struct Chunk {
    std::uint64_t at = 0;  ///< of its content in the file
    std::uint64_t length = 0;
  };
  using Records = std::vector<std::byte>;

  McapFile() = default;
  bool scan();
  bool scan_record(McapOpcode opcode, std::uint64_t at, std::span<const std::byte> content);
  void add_index(std::span<const std::byte> content);
  void learn_channels(std::span<const std::byte> records);
  Result<bool> decompress_chunk(std::size_t chunk, Records& records) const;
  Result<std::shared_ptr<const Records>> open_chunk(std::size_t chunk) const;
  Result<std::span<const std::byte>> message_at(const Piece& piece, std::size_t row,
                                                const Records& records) const;
  Result<bool> read_piece(const Piece& piece, std::size_t from, std::size_t to,
                          const Records& records, const RowCallback& on_row) const;
  const std::vector<Piece>& pieces(std::uint16_t channel) const;

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::string problem_;
  std::vector<McapSchema> schemas_;
  std::vector<McapChannel> channels_;
  std::vector<Chunk> chunks_;
  std::map<std::uint16_t, std::vector<Piece>> pieces_;

  /// The chunks that were opened last; a scene at one instant needs one, a curve a row of them.
  struct Opened {
    std::size_t chunk = 0;
    std::shared_ptr<const Records> records;
  };
  mutable std::mutex mutex_;
  mutable std::list<Opened> opened_;
};

}  // namespace longarm::record
