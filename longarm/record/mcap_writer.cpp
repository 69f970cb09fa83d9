// SPDX-License-Identifier: Apache-2.0
// The order of an MCAP file: magic, header, chunks with their indexes, data end, summary, footer,
// magic.
#include "longarm/record/mcap_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/version.h"

namespace longarm::record {
namespace {

/// Records of one kind, and where they are.
struct Group {
  McapOpcode opcode{};
  std::uint64_t start = 0;
  std::uint64_t length = 0;
};

template <typename Records>
void put_all(ByteBuffer& out, const Records& records) {
  for (const auto& record : records) {
    put_record(out, record);
  }
}

}  // namespace

Result<std::unique_ptr<McapWriter>> McapWriter::open(const std::string& path, McapOptions options) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<McapWriter>(new McapWriter(path, file, std::move(options)));
}

McapWriter::McapWriter(std::string path, std::FILE* file, McapOptions options)
    : path_(std::move(path)),
      file_(file),
      options_(std::move(options)),
      chunk_(options_.compression_level) {
  out_.put(kMcapMagic);
  McapRecord record(out_, McapOpcode::kHeader);
  out_.put_string(options_.profile);
  out_.put_string("longarm " LONGARM_VERSION);
  record.finish();
  put_out(out_);
}

McapWriter::~McapWriter() {
  if (file_ != nullptr) {
    flush_chunk();
  }
}

McapChannelId McapWriter::add_channel(const McapTopic& topic) {
  auto schema = std::find_if(schemas_.begin(), schemas_.end(), [&](const McapSchema& known) {
    return known.name == topic.schema_name;
  });
  if (schema == schemas_.end()) {
    const auto id = static_cast<std::uint16_t>(schemas_.size() + 1);  // zero means none
    schema = schemas_.insert(schemas_.end(),
                             {id, topic.schema_name, topic.schema_encoding, topic.schema_text});
    chunk_.add(*schema);
  }
  const auto id = static_cast<std::uint16_t>(channels_.size());
  channels_.push_back({id, schema->id, topic.topic, topic.message_encoding, topic.metadata});
  message_counts_.push_back(0);
  chunk_.add(channels_.back());
  return McapChannelId{id};
}

void McapWriter::attach(std::string_view name, std::string_view media_type,
                        std::string_view content) {
  out_.clear();
  McapRecord record(out_, McapOpcode::kAttachment);
  out_.put(std::uint64_t{0});  // log time
  out_.put(std::uint64_t{0});  // time of creation
  out_.put_string(name);
  out_.put_string(media_type);
  out_.put(static_cast<std::uint64_t>(content.size()));
  out_.put(as_bytes(content));
  out_.put(crc32(out_.bytes().subspan(kMcapPrefixSize)));
  const std::size_t length = record.finish();
  attachments_.push_back(
      {file_size_, length, 0, content.size(), std::string(name), std::string(media_type)});
  put_out(out_);
}

void McapWriter::write(McapChannelId channel, Time log_time, std::span<const std::byte> data) {
  check(log_time >= Time{}, "messages are logged from time zero on");
  const auto time_ns = static_cast<std::uint64_t>(log_time.time_since_epoch().count());
  const auto span_ns = static_cast<std::uint64_t>(options_.chunk_span.count());
  if (chunk_.has_messages() &&
      (chunk_.size() >= options_.chunk_size_bytes || time_ns >= chunk_.start_time_ns() + span_ns)) {
    flush_chunk();
  }
  const auto index = static_cast<std::uint16_t>(channel);
  const auto sequence = static_cast<std::uint32_t>(message_counts_[index]++);
  chunk_.add_message(index, sequence, time_ns, data);
}

void McapWriter::flush_chunk() {
  if (chunk_.is_empty()) {
    return;
  }
  out_.clear();
  McapChunkIndex index;
  if (!chunk_.finish(out_, file_size_, index)) {
    note_error(ENOMEM);
    return;
  }
  chunks_.push_back(std::move(index));
  put_out(out_);
  // in the hands of the operating system, so that killing us does not lose it
  if (std::fflush(file_.get()) != 0) {
    note_error(errno);
  }
}

Result<bool> McapWriter::close() {
  flush_chunk();
  out_.clear();
  McapRecord data_end(out_, McapOpcode::kDataEnd);
  out_.put(data_crc_.value());
  data_end.finish();
  put_summary_and_footer(out_);
  put_out(out_);
  if (std::fclose(file_.release()) != 0) {
    note_error(errno);
  }
  if (error_ != 0) {
    return Error{fmt::format("cannot write {}: {}", path_, std::strerror(error_))};
  }
  return true;
}

void McapWriter::put_statistics(ByteBuffer& out) const {
  std::uint64_t messages = 0;
  for (const std::uint64_t count : message_counts_) {
    messages += count;
  }
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    start_ns = i == 0 ? chunks_[i].start_time_ns : std::min(start_ns, chunks_[i].start_time_ns);
    end_ns = std::max(end_ns, chunks_[i].end_time_ns);
  }
  McapRecord record(out, McapOpcode::kStatistics);
  out.put(messages);
  out.put(static_cast<std::uint16_t>(schemas_.size()));
  out.put(static_cast<std::uint32_t>(channels_.size()));
  out.put(static_cast<std::uint32_t>(attachments_.size()));
  out.put(std::uint32_t{0});  // metadata records
  out.put(static_cast<std::uint32_t>(chunks_.size()));
  out.put(start_ns);
  out.put(end_ns);
  out.put(static_cast<std::uint32_t>(message_counts_.size() * (2 + 8)));
  for (std::size_t i = 0; i < message_counts_.size(); ++i) {
    out.put(static_cast<std::uint16_t>(i));
    out.put(message_counts_[i]);
  }
  record.finish();
}

void McapWriter::put_summary_and_footer(ByteBuffer& out) const {
  const std::size_t summary_at = out.size();
  const std::uint64_t summary_start = file_size_ + summary_at;
  std::vector<Group> groups;
  const auto put_group = [&](McapOpcode opcode, const auto& put) {
    const std::size_t before = out.size();
    put();
    if (out.size() > before) {
      groups.push_back({opcode, file_size_ + before, out.size() - before});
    }
  };
  put_group(McapOpcode::kSchema, [&] { put_all(out, schemas_); });
  put_group(McapOpcode::kChannel, [&] { put_all(out, channels_); });
  put_group(McapOpcode::kStatistics, [&] { put_statistics(out); });
  put_group(McapOpcode::kChunkIndex, [&] { put_all(out, chunks_); });
  put_group(McapOpcode::kAttachmentIndex, [&] { put_all(out, attachments_); });

  const std::uint64_t offsets_start = file_size_ + out.size();
  for (const Group& group : groups) {
    McapRecord record(out, McapOpcode::kSummaryOffset);
    out.put(static_cast<std::uint8_t>(group.opcode));
    out.put(group.start);
    out.put(group.length);
    record.finish();
  }

  out.put(static_cast<std::uint8_t>(McapOpcode::kFooter));
  out.put(static_cast<std::uint64_t>(kMcapFooterSize));
  out.put(summary_start);
  out.put(offsets_start);
  out.put(crc32(out.bytes().subspan(summary_at)));
  out.put(kMcapMagic);
}

void McapWriter::put_out(const ByteBuffer& bytes) {
  if (error_ != 0) {
    return;
  }
  errno = 0;
  if (std::fwrite(bytes.bytes().data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    note_error(errno);
    return;
  }
  data_crc_.add(bytes.bytes());
  file_size_ += bytes.size();
}

void McapWriter::note_error(int error) {
  if (error_ == 0) {
    error_ = error != 0 ? error : EIO;
  }
}

}  // namespace longarm::record
