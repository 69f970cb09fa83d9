// SPDX-License-Identifier: Apache-2.0
// Records of a bag, written one after another; the file's header is filled in at the end.
#include "longarm/record/bag/bag_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/record/bag/bag_compression.h"

namespace longarm::record {
namespace {

/// The fields of a record's header: put between construction and finish().
class BagHeader {
 public:
  explicit BagHeader(ByteBuffer& out) : out_(out), start_(out.size()) { out_.put32(0); }
  BagHeader(ByteBuffer& out, BagOpcode opcode) : BagHeader(out) {
    put("op", static_cast<std::uint8_t>(opcode));
  }
  void put_text(std::string_view name, std::string_view value) {
    out_.put32(name.size() + 1 + value.size());
    out_.put_text(name);
    out_.put_text("=");
    out_.put_text(value);
  }
  template <typename T>
  void put(std::string_view name, T value) {
    out_.put32(name.size() + 1 + sizeof value);
    out_.put_text(name);
    out_.put_text("=");
    out_.put(value);
  }
  void put(std::string_view name, Time value) {
    out_.put32(name.size() + 1 + 8);
    out_.put_text(name);
    out_.put_text("=");
    put_bag_time(out_, value);
  }
  void finish() {
    out_.put_at(start_, static_cast<std::uint32_t>(out_.size() - start_ - sizeof(std::uint32_t)));
  }

 private:
  ByteBuffer& out_;
  std::size_t start_;
};

void put_connection(ByteBuffer& out, const BagConnection& connection) {
  BagHeader header(out, BagOpcode::kConnection);
  header.put("conn", connection.id);
  header.put_text("topic", connection.topic);
  header.finish();
  BagHeader data(out);  // has the shape of a header
  data.put_text("topic", connection.topic);
  data.put_text("type", connection.type);
  data.put_text("md5sum", connection.md5);
  data.put_text("message_definition", connection.definition);
  if (!connection.publisher.empty()) {
    data.put_text("callerid", connection.publisher);
  }
  if (connection.is_latched) {
    data.put_text("latching", "1");
  }
  data.finish();
}

}  // namespace

Result<std::unique_ptr<BagWriter>> BagWriter::open(const std::string& path, BagOptions options) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<BagWriter>(new BagWriter(path, file, options));
}

BagWriter::BagWriter(std::string path, std::FILE* file, BagOptions options)
    : path_(std::move(path)), file_(file), options_(options) {
  put_file_header(0);  // says that the file was not closed
}

std::uint32_t BagWriter::add_connection(BagConnection connection) {
  connection.id = static_cast<std::uint32_t>(connections_.size());
  connections_.push_back(std::move(connection));
  is_written_.push_back(false);
  return connections_.back().id;
}

void BagWriter::write(std::uint32_t connection, Time time, std::span<const std::byte> data) {
  check(connection < connections_.size(), "a message needs its connection");
  if (!is_written_[connection]) {
    is_written_[connection] = true;
    put_connection(content_, connections_[connection]);
  }
  entries_[connection].push_back({time, static_cast<std::uint32_t>(content_.size())});
  BagHeader header(content_, BagOpcode::kMessage);
  header.put("conn", connection);
  header.put("time", time);
  header.finish();
  content_.put32(data.size());
  content_.put(data);
  if (content_.size() >= options_.chunk_size_bytes) {
    flush_chunk();
  }
}

void BagWriter::flush_chunk() {
  if (entries_.empty()) {
    return;
  }
  Chunk chunk;
  chunk.at = file_size_;
  chunk.first = chunk.last = entries_.begin()->second.front().time;
  compress_chunk(options_.compression, content_.bytes(), compressed_);
  BagHeader header(out_, BagOpcode::kChunk);
  header.put_text("compression", compression_name(options_.compression));
  header.put("size", static_cast<std::uint32_t>(content_.size()));
  header.finish();
  out_.put32(compressed_.size());
  out_.put(compressed_);
  for (const auto& [connection, entries] : entries_) {
    const auto count = static_cast<std::uint32_t>(entries.size());
    chunk.counts.emplace_back(connection, count);
    BagHeader index(out_, BagOpcode::kIndex);
    index.put("ver", std::uint32_t{1});
    index.put("conn", connection);
    index.put("count", count);
    index.finish();
    out_.put32(entries.size() * (8 + sizeof(std::uint32_t)));
    for (const Entry& entry : entries) {
      put_bag_time(out_, entry.time);
      out_.put(entry.offset);
      chunk.first = std::min(chunk.first, entry.time);
      chunk.last = std::max(chunk.last, entry.time);
    }
  }
  put_out();
  chunks_.push_back(std::move(chunk));
  entries_.clear();
  content_.clear();
}

void BagWriter::put_file_header(std::uint64_t index_at) {
  const auto connections = std::count(is_written_.begin(), is_written_.end(), true);
  BagHeader header(out_, BagOpcode::kFileHeader);
  header.put("index_pos", index_at);
  header.put("conn_count", static_cast<std::uint32_t>(connections));
  header.put("chunk_count", static_cast<std::uint32_t>(chunks_.size()));
  header.finish();
  const std::size_t padding = kBagFileHeaderSize - out_.size() - sizeof(std::uint32_t);
  out_.put32(padding);
  out_.put_text(std::string(padding, ' '));
  const std::string record = out_.str();
  out_.clear();
  out_.put_text(kBagMagic);
  out_.put_text(record);
  put_out();
}

Result<bool> BagWriter::close() {
  flush_chunk();
  const std::uint64_t index_at = file_size_;
  for (const BagConnection& connection : connections_) {
    if (is_written_[connection.id]) {
      put_connection(out_, connection);
    }
  }
  for (const Chunk& chunk : chunks_) {
    BagHeader header(out_, BagOpcode::kChunkInfo);
    header.put("ver", std::uint32_t{1});
    header.put("chunk_pos", chunk.at);
    header.put("start_time", chunk.first);
    header.put("end_time", chunk.last);
    header.put("count", static_cast<std::uint32_t>(chunk.counts.size()));
    header.finish();
    out_.put32(chunk.counts.size() * 2 * sizeof(std::uint32_t));
    for (const auto& [connection, count] : chunk.counts) {
      out_.put(connection);
      out_.put(count);
    }
  }
  put_out();
  if (error_ == 0 && std::fseek(file_.get(), 0, SEEK_SET) != 0) {
    error_ = errno;
  }
  put_file_header(index_at);
  if (std::fclose(file_.release()) != 0 && error_ == 0) {
    error_ = errno;
  }
  if (error_ != 0) {
    return Error{fmt::format("cannot write {}: {}", path_, std::strerror(error_))};
  }
  return true;
}

void BagWriter::put_out() {
  if (error_ == 0 && std::fwrite(out_.bytes().data(), 1, out_.size(), file_.get()) != out_.size()) {
    error_ = errno == 0 ? EIO : errno;
  }
  file_size_ += out_.size();
  out_.clear();
}

}  // namespace longarm::record
