// SPDX-License-Identifier: Apache-2.0
// Walks over the records of a mapped file once, keeping the indexes behind its chunks; opens a
// chunk when somebody wants its messages.
#include "longarm/record/mcap_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "longarm/record/crc32.h"
#include "longarm/record/mcap_decompress.h"
#include "longarm/system/descriptor.h"

namespace longarm::record {
namespace {

constexpr std::size_t kOpenedChunks = 48;
constexpr std::size_t kEntrySize = 16;

Time to_time(std::uint64_t ns) {
  return Time(Duration(static_cast<std::int64_t>(
      std::min<std::uint64_t>(ns, std::numeric_limits<std::int64_t>::max()))));
}

}  // namespace

Result<std::unique_ptr<McapFile>> McapFile::open(const std::string& path) {
  const system::Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0) {
    return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{fmt::format("cannot read {}: it is not a file", path)};
  }
  std::unique_ptr<McapFile> file(new McapFile());
  file->size_ = static_cast<std::size_t>(status.st_size);
  if (file->size_ > 0) {
    void* const data = mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
    if (data == MAP_FAILED) {
      file->size_ = 0;
      return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
    }
    file->data_ = static_cast<const std::byte*>(data);
  }
  if (!file->scan()) {
    return Error{path + " is not an MCAP file: it does not start with the MCAP magic bytes"};
  }
  return file;
}

McapFile::~McapFile() {
  if (data_ != nullptr) {
    munmap(const_cast<std::byte*>(data_), size_);
  }
}

bool McapFile::scan() {
  if (size_ < kMcapMagic.size() || !std::equal(kMcapMagic.begin(), kMcapMagic.end(), data_)) {
    return false;
  }
  std::size_t at = kMcapMagic.size();
  while (true) {
    ByteReader in(std::span(data_ + at, size_ - at));
    const auto opcode = static_cast<McapOpcode>(in.get<std::uint8_t>());
    const auto length = in.get<std::uint64_t>();
    if (!in.is_good() || length > in.size()) {
      problem_ = fmt::format("cut short at byte {}", at);
      return true;
    }
    const std::size_t content_at = at + kMcapPrefixSize;
    if (opcode == McapOpcode::kFooter) {
      return true;
    }
    if (!scan_record(opcode, content_at, in.get_bytes(length))) {
      problem_ = fmt::format("damaged at byte {}", at);
      return true;
    }
    at = content_at + static_cast<std::size_t>(length);
  }
}

/// False: it is not what it says.
bool McapFile::scan_record(McapOpcode opcode, std::uint64_t at,
                           std::span<const std::byte> content) {
  switch (opcode) {
    case McapOpcode::kSchema:
    case McapOpcode::kChannel:
      // with its prefix, as they stand in chunks
      learn_channels(std::span(content.data() - kMcapPrefixSize, content.size() + kMcapPrefixSize));
      return true;
    case McapOpcode::kChunk: {
      chunks_.push_back({at, content.size()});
      // whoever adds a channel later has it in the summary, or in a chunk whose index names it
      if (chunks_.size() == 1) {
        const auto records = open_chunk(0);
        if (!records) {
          return false;
        }
        learn_channels(**records);
      }
      return true;
    }
    case McapOpcode::kMessageIndex:
      add_index(content);
      return true;
    default:
      return true;
  }
}

void McapFile::add_index(std::span<const std::byte> content) {
  ByteReader in(content);
  const auto channel = in.get<std::uint16_t>();
  const auto size = in.get<std::uint32_t>();
  if (!in.is_good() || chunks_.empty() || size != in.size() || size == 0 ||
      size % kEntrySize != 0) {
    return;
  }
  if (find_record(channels_, channel) == nullptr) {
    if (const auto records = open_chunk(chunks_.size() - 1)) {
      learn_channels(**records);
    }
  }
  std::vector<Piece>& pieces = pieces_[channel];
  Piece piece;
  piece.chunk = chunks_.size() - 1;
  piece.first_row = pieces.empty() ? 0 : pieces.back().first_row + pieces.back().count;
  piece.count = size / kEntrySize;
  piece.entries = content.data() + content.size() - size;
  piece.last_time_ns = piece.entry(piece.count - 1).time_ns;
  pieces.push_back(piece);
}

McapFile::Entry McapFile::Piece::entry(std::size_t index) const {
  Entry entry;
  static_assert(sizeof entry == kEntrySize);
  std::memcpy(&entry, entries + index * kEntrySize, kEntrySize);
  return entry;
}

void McapFile::learn_channels(std::span<const std::byte> records) {
  ByteReader in(records);
  while (in.size() > 0 && in.is_good()) {
    const auto opcode = static_cast<McapOpcode>(in.get<std::uint8_t>());
    ByteReader content(in.get_bytes(in.get<std::uint64_t>()));
    if (opcode == McapOpcode::kSchema) {
      if (McapSchema schema = get_schema(content);
          content.is_good() && find_record(schemas_, schema.id) == nullptr) {
        schemas_.push_back(std::move(schema));
      }
    } else if (opcode == McapOpcode::kChannel) {
      if (McapChannel channel = get_channel(content);
          content.is_good() && find_record(channels_, channel.id) == nullptr) {
        channels_.push_back(std::move(channel));
      }
    }
  }
}

Result<std::shared_ptr<const McapFile::Records>> McapFile::open_chunk(std::size_t number) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(opened_.begin(), opened_.end(),
                                    [&](const Opened& one) { return one.chunk == number; });
    if (found != opened_.end()) {
      opened_.splice(opened_.begin(), opened_, found);
      return opened_.front().records;
    }
  }
  auto records = std::make_shared<Records>();
  if (const Result<bool> opened = decompress_chunk(number, *records); !opened) {
    return opened.error();
  }
  const std::lock_guard lock(mutex_);
  opened_.push_front({number, records});
  if (opened_.size() > kOpenedChunks) {
    opened_.pop_back();
  }
  return std::shared_ptr<const Records>(std::move(records));
}

Result<bool> McapFile::decompress_chunk(std::size_t number, Records& records) const {
  const Chunk& chunk = chunks_[number];
  ByteReader in(std::span(data_ + chunk.at, chunk.length));
  in.get_bytes(8 + 8);  // earliest and latest time
  const auto size = in.get<std::uint64_t>();
  const auto crc = in.get<std::uint32_t>();
  const std::string_view compression = in.get_string();
  const auto stored = in.get_bytes(in.get<std::uint64_t>());
  if (!in.is_good()) {
    return Error{fmt::format("damaged at byte {}", chunk.at)};
  }
  if (const Result<bool> opened = decompress(compression, stored, size, records); !opened) {
    return Error{fmt::format("damaged at byte {}: {}", chunk.at, opened.error().message)};
  }
  if (records.size() != size || (crc != 0 && crc32(records) != crc)) {
    return Error{fmt::format("damaged at byte {}", chunk.at)};
  }
  return true;
}

const McapSchema& McapFile::schema_of(const McapChannel& channel) const {
  static const McapSchema kNone;
  const McapSchema* const schema = find_record(schemas_, channel.schema_id);
  return schema != nullptr ? *schema : kNone;
}

const std::vector<McapFile::Piece>& McapFile::pieces(std::uint16_t channel) const {
  static const std::vector<Piece> kNone;
  const auto found = pieces_.find(channel);
  return found == pieces_.end() ? kNone : found->second;
}

std::size_t McapFile::rows(std::uint16_t channel) const {
  const std::vector<Piece>& all = pieces(channel);
  return all.empty() ? 0 : all.back().first_row + all.back().count;
}

std::vector<Time> McapFile::times(std::uint16_t channel, std::size_t from, std::size_t to) const {
  std::vector<Time> out;
  for (const Piece& piece : pieces(channel)) {
    const std::size_t first = std::max(from, piece.first_row);
    const std::size_t last = std::min(to, piece.first_row + piece.count);
    for (std::size_t row = first; row < last; ++row) {
      out.push_back(to_time(piece.entry(row - piece.first_row).time_ns));
    }
  }
  return out;
}

std::size_t McapFile::row_after(std::uint16_t channel, Time time) const {
  const auto ns =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.time_since_epoch().count()));
  const std::vector<Piece>& all = pieces(channel);
  const auto piece =
      std::find_if(all.begin(), all.end(), [&](const Piece& one) { return one.last_time_ns > ns; });
  if (piece == all.end()) {
    return rows(channel);
  }
  std::size_t low = 0;
  std::size_t high = piece->count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (piece->entry(middle).time_ns > ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return piece->first_row + low;
}

Result<std::span<const std::byte>> McapFile::message_at(const Piece& piece, std::size_t row,
                                                        const Records& records) const {
  const auto damaged = [&] {
    return Error{fmt::format("damaged at byte {}", chunks_[piece.chunk].at)};
  };
  const Entry entry = piece.entry(row - piece.first_row);
  if (entry.offset >= records.size()) {
    return damaged();
  }
  const std::span<const std::byte> all = records;
  ByteReader in(all.subspan(static_cast<std::size_t>(entry.offset)));
  in.skip(1);
  ByteReader message(in.get_bytes(in.get<std::uint64_t>()));
  message.skip(kMcapMessageHeaderSize);
  if (!message.is_good()) {
    return damaged();
  }
  return message.get_bytes(message.size());
}

Result<bool> McapFile::read_piece(const Piece& piece, std::size_t from, std::size_t to,
                                  const Records& records, const RowCallback& on_row) const {
  const std::size_t last = std::min(to, piece.first_row + piece.count);
  for (std::size_t row = std::max(from, piece.first_row); row < last; ++row) {
    const auto message = message_at(piece, row, records);
    if (!message) {
      return message.error();
    }
    on_row(row, to_time(piece.entry(row - piece.first_row).time_ns), *message);
  }
  return true;
}

Result<bool> McapFile::read(std::uint16_t channel, std::size_t from, std::size_t to,
                            const RowCallback& on_row) const {
  const std::vector<Piece>& all = pieces(channel);
  auto piece = std::upper_bound(
      all.begin(), all.end(), from,
      [](std::size_t row, const Piece& one) { return row < one.first_row + one.count; });
  Result<bool> outcome = true;
  for (; piece != all.end() && piece->first_row < to; ++piece) {
    const auto records = open_chunk(piece->chunk);
    const Result<bool> read =
        records ? read_piece(*piece, from, to, **records, on_row) : Result<bool>(records.error());
    if (outcome && !read) {
      outcome = read;
    }
  }
  return outcome;
}

Result<bool> McapFile::read_all(const MessageCallback& on_message) const {
  std::vector<std::vector<std::pair<std::uint16_t, const Piece*>>> by_chunk(chunks_.size());
  for (const auto& [channel, all] : pieces_) {
    for (const Piece& piece : all) {
      by_chunk[piece.chunk].emplace_back(channel, &piece);
    }
  }
  Records records;
  Result<bool> outcome = true;
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    records.clear();
    Result<bool> read = decompress_chunk(chunk, records);
    for (std::size_t i = 0; read && i < by_chunk[chunk].size(); ++i) {
      const auto& [channel, piece] = by_chunk[chunk][i];
      read = read_piece(*piece, 0, rows(channel), records,
                        [&, id = channel](std::size_t row, Time time, auto data) {
                          on_message(id, row, time, data);
                        });
    }
    if (outcome && !read) {
      outcome = read;
    }
  }
  return outcome;
}

}  // namespace longarm::record
