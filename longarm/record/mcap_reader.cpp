// SPDX-License-Identifier: Apache-2.0
// Scans an MCAP file record by record, trusting no length it states.
#include "longarm/record/mcap_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "longarm/record/crc32.h"
#include "longarm/record/mcap_decompress.h"

namespace longarm::record {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool is_index(ByteReader in) {
  in.get<std::uint16_t>();  // channel
  const auto size = in.get<std::uint32_t>();
  return size == in.size() && in.is_good();
}

/// Reading ends where a function returns false; contents.problem then says why.
class Scanner {
 public:
  Scanner(std::FILE* file, std::uint64_t size, const McapCallback& on_message)
      : file_(file), size_(size), on_message_(on_message) {}

  bool read_magic();
  void look_at_end();  // was it closed properly?
  void scan();
  McapContents take() && { return std::move(contents_); }

 private:
  bool read_record();
  bool read_content(McapOpcode opcode, std::uint64_t length);
  bool read_header(ByteReader in);
  bool read_chunk(ByteReader in, bool is_whole);
  bool read_attachment(ByteReader in);
  bool read_data_end(ByteReader in);
  bool read_footer(ByteReader in);
  bool read_records(std::span<const std::byte> bytes, bool is_whole);
  bool read_message(ByteReader in);

  /// The next bytes of the file, into content_; fewer if it ends before.
  bool load(std::uint64_t count);
  bool stop_damaged(std::string_view why, std::uint64_t at) {
    contents_.is_damaged = true;
    contents_.problem =
        fmt::format("damaged at byte {}: {}; everything after it is ignored", at, why);
    return false;
  }
  bool stop_damaged(std::string_view why) { return stop_damaged(why, record_at_); }
  bool stop_short(std::string_view why) {
    if (ends_with_magic_) {
      return stop_damaged("a record claims to be longer than the file");  // it was closed
    }
    contents_.problem = fmt::format("cut short at byte {}: {}", record_at_, why);
    return false;
  }

  std::FILE* file_;
  std::uint64_t size_;
  const McapCallback& on_message_;
  McapContents contents_;
  std::vector<std::byte> content_;
  std::vector<std::byte> records_;
  std::uint64_t at_ = 0;         // in the file
  std::uint64_t record_at_ = 0;  // where the present record starts
  std::uint64_t summary_at_ = 0;
  McapOpcode previous_{};  // of the last record, and where it starts
  std::uint64_t previous_at_ = 0;
  Crc32 crc_before_;  // up to the present record, from the start of the data or of the summary
  Crc32 crc_;
  bool ends_with_magic_ = false;
  bool has_header_ = false;
  bool has_data_end_ = false;
  bool is_over_ = false;
};

bool Scanner::load(std::uint64_t count) {
  const auto wanted = static_cast<std::size_t>(std::min(count, size_ - at_));
  content_.resize(wanted);
  const std::size_t got = std::fread(content_.data(), 1, wanted, file_);
  content_.resize(got);
  at_ += got;
  crc_.add(content_);
  return got == count;
}

bool Scanner::read_magic() {
  return load(kMcapMagic.size()) &&
         std::equal(content_.begin(), content_.end(), kMcapMagic.begin());
}

void Scanner::look_at_end() {
  std::array<std::byte, kMcapMagic.size()> end{};
  ends_with_magic_ = size_ >= 2 * end.size() &&
                     std::fseek(file_, -static_cast<long>(end.size()), SEEK_END) == 0 &&
                     std::fread(end.data(), 1, end.size(), file_) == end.size() &&
                     std::equal(end.begin(), end.end(), kMcapMagic.begin());
  std::fseek(file_, static_cast<long>(at_), SEEK_SET);
}

void Scanner::scan() {
  while (!is_over_ && read_record()) {
  }
  contents_.is_complete = is_over_ && contents_.problem.empty();
}

bool Scanner::read_record() {
  record_at_ = at_;
  crc_before_ = crc_;
  if (!load(kMcapPrefixSize)) {
    return stop_short("the file ends here without its last records");
  }
  ByteReader prefix(content_);
  const auto opcode = static_cast<McapOpcode>(prefix.get<std::uint8_t>());
  const auto length = prefix.get<std::uint64_t>();
  // Indexes come right after their chunk: otherwise it is there, but as something else.
  if (opcode == McapOpcode::kMessageIndex && !has_data_end_ && previous_ != McapOpcode::kChunk &&
      previous_ != McapOpcode::kMessageIndex) {
    return stop_damaged("here should be the chunk of the index that follows", previous_at_);
  }
  previous_ = opcode;
  previous_at_ = record_at_;
  return read_content(opcode, length);
}

bool Scanner::read_content(McapOpcode opcode, std::uint64_t length) {
  if (!has_header_ && opcode != McapOpcode::kHeader) {
    return stop_damaged("the first record is not a header");
  }
  if (opcode == McapOpcode::kFooter) {
    // its checksum covers all but itself
    if (length != kMcapFooterSize || !load(kMcapFooterSize - sizeof(std::uint32_t))) {
      return length == kMcapFooterSize ? stop_short("the file ends inside the footer")
                                       : stop_damaged("the footer is of a wrong size");
    }
    return read_footer(ByteReader(content_));
  }
  const bool is_whole = load(length);
  const ByteReader in(content_);
  if (opcode == McapOpcode::kChunk && !has_data_end_) {
    return read_chunk(in, is_whole);
  }
  if (!is_whole) {
    return stop_short("the file ends inside this record");
  }
  switch (opcode) {
    case McapOpcode::kHeader:
      return read_header(in);
    case McapOpcode::kSchema:
    case McapOpcode::kChannel:
    case McapOpcode::kMessage: {
      // outside a chunk, which is allowed; in the summary they only repeat
      if (has_data_end_) {
        return true;
      }
      ByteBuffer whole;
      whole.put(static_cast<std::uint8_t>(opcode));
      whole.put(length);
      whole.put(content_);
      return read_records(whole.bytes(), true);
    }
    case McapOpcode::kAttachment:
      return read_attachment(in);
    case McapOpcode::kMessageIndex:
      return is_index(in) || stop_damaged("this is no index");
    case McapOpcode::kDataEnd:
      return read_data_end(in);
    default:
      return true;  // indexes, and what later versions may add
  }
}

bool Scanner::read_header(ByteReader in) {
  if (has_header_) {
    return stop_damaged("a second header");
  }
  has_header_ = true;
  contents_.profile = in.get_string();
  contents_.library = in.get_string();
  return in.is_good() || stop_damaged("the header is shorter than its text");
}

bool Scanner::read_chunk(ByteReader in, bool is_whole) {
  in.get_bytes(8 + 8);  // earliest and latest time, which the messages say themselves
  const auto size = in.get<std::uint64_t>();
  const auto crc = in.get<std::uint32_t>();
  const std::string_view compression = in.get_string();
  const auto stored_size = in.get<std::uint64_t>();
  if (!in.is_good()) {
    return is_whole ? stop_damaged("the chunk's head does not fit into it")
                    : stop_short("the file ends inside this chunk");
  }
  if (is_whole && stored_size != in.size()) {
    return stop_damaged("the chunk is not as long as it claims");
  }
  const auto stored = in.get_bytes(std::min<std::uint64_t>(stored_size, in.size()));
  const Result<bool> opened = decompress(compression, stored, size, records_);
  if (!opened) {
    return stop_damaged(opened.error().message);
  }
  if (!is_whole) {
    return (ends_with_magic_ || read_records(records_, false)) &&
           stop_short("the file ends inside this chunk");
  }
  if (records_.size() != size || (crc != 0 && crc32(records_) != crc)) {
    return stop_damaged("the chunk does not match its checksum");
  }
  return read_records(records_, true);
}

bool Scanner::read_records(std::span<const std::byte> bytes, bool is_whole) {
  ByteReader in(bytes);
  while (in.size() > 0) {
    const auto opcode = static_cast<McapOpcode>(in.get<std::uint8_t>());
    ByteReader content(in.get_bytes(in.get<std::uint64_t>()));
    if (!in.is_good()) {
      return !is_whole || stop_damaged("a record does not fit into its chunk");
    }
    if (opcode == McapOpcode::kSchema) {
      McapSchema schema = get_schema(content);
      if (find_record(contents_.schemas, schema.id) == nullptr) {
        contents_.schemas.push_back(std::move(schema));
      }
    } else if (opcode == McapOpcode::kChannel) {
      McapChannel channel = get_channel(content);
      if (find_record(contents_.channels, channel.id) == nullptr) {
        contents_.channels.push_back(std::move(channel));
      }
    } else if (opcode == McapOpcode::kMessage && !read_message(content)) {
      return false;
    }
    if (!content.is_good()) {
      return stop_damaged("a schema or channel is shorter than its text");
    }
  }
  return true;
}

bool Scanner::read_message(ByteReader in) {
  const McapChannel* channel = find_record(contents_.channels, in.get<std::uint16_t>());
  const auto sequence = in.get<std::uint32_t>();
  const auto time_ns = in.get<std::uint64_t>();
  in.get<std::uint64_t>();  // publish time
  if (!in.is_good() || channel == nullptr ||
      time_ns > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return stop_damaged("a message has no head, no channel or no valid time");
  }
  const McapSchema none;
  const McapSchema* schema = find_record(contents_.schemas, channel->schema_id);
  const Time log_time(Duration(static_cast<std::int64_t>(time_ns)));
  ++contents_.message_count;
  contents_.first = std::min(contents_.first.value_or(log_time), log_time);
  contents_.last = std::max(contents_.last.value_or(log_time), log_time);
  if (on_message_) {
    on_message_({*channel, schema != nullptr ? *schema : none, log_time, sequence,
                 in.get_bytes(in.size())});
  }
  return true;
}

bool Scanner::read_attachment(ByteReader in) {
  in.get_bytes(8 + 8);  // log time, time of creation
  McapAttachment attachment;
  attachment.name = in.get_string();
  attachment.media_type = in.get_string();
  const auto data = in.get_bytes(in.get<std::uint64_t>());
  const auto crc = in.get<std::uint32_t>();
  if (!in.is_good()) {
    return stop_damaged("the attachment is shorter than its content");
  }
  if (crc != 0 &&
      crc32(std::span(content_).first(content_.size() - in.size() - sizeof crc)) != crc) {
    return stop_damaged("the attachment does not match its checksum");
  }
  attachment.content.assign(reinterpret_cast<const char*>(data.data()), data.size());
  contents_.attachments.push_back(std::move(attachment));
  return true;
}

bool Scanner::read_data_end(ByteReader in) {
  const auto crc = in.get<std::uint32_t>();
  if (!in.is_good() || has_data_end_) {
    return stop_damaged("a second end of the data, or one without a checksum");
  }
  if (crc != 0 && crc != crc_before_.value()) {
    return stop_damaged("what is before does not match its checksum, although the chunks do");
  }
  has_data_end_ = true;
  summary_at_ = at_;
  crc_ = Crc32();
  return true;
}

bool Scanner::read_footer(ByteReader in) {
  const auto summary_start = in.get<std::uint64_t>();
  in.get<std::uint64_t>();  // where the offsets of the summary are
  const std::uint32_t wanted = crc_.value();
  if (!load(sizeof(std::uint32_t))) {
    return stop_short("the file ends inside the footer");
  }
  const auto crc = ByteReader(content_).get<std::uint32_t>();
  if (!has_data_end_ || (summary_start != 0 && summary_start != summary_at_)) {
    return stop_damaged("the footer does not tell where the summary is");
  }
  if (crc != 0 && crc != wanted) {
    return stop_damaged("the summary does not match its checksum");
  }
  record_at_ = at_;
  if (!read_magic() || at_ != size_) {
    return stop_damaged("the file does not end as it should");
  }
  is_over_ = true;
  return true;
}

Result<McapContents> read_stream(std::FILE* file, std::uint64_t size, const std::string& name,
                                 const McapCallback& on_message) {
  Scanner scanner(file, size, on_message);
  if (!scanner.read_magic()) {
    return Error{name + " is not an MCAP file: it does not start with the MCAP magic bytes"};
  }
  scanner.look_at_end();
  scanner.scan();
  McapContents contents = std::move(scanner).take();
  if (contents.is_damaged && contents.message_count == 0) {
    return Error{name + " is " + contents.problem};
  }
  return contents;
}

}  // namespace

Result<McapContents> read_mcap(const std::string& path, const McapCallback& on_message) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) {
    return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  const long size = std::ftell(file.get());
  if (size < 0 || size == std::numeric_limits<long>::max()) {  // a folder opens, but has no size
    return Error{fmt::format("cannot read {}: it is not a file", path)};
  }
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) {
    return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  return read_stream(file.get(), static_cast<std::uint64_t>(size), path, on_message);
}

Result<McapContents> read_mcap_bytes(std::span<const std::byte> bytes, const std::string& name,
                                     const McapCallback& on_message) {
  // opened for reading only: nobody writes through that pointer
  const std::unique_ptr<std::FILE, CloseFile> file(
      fmemopen(const_cast<std::byte*>(bytes.data()), bytes.size(), "rb"));
  if (file == nullptr) {
    return Error{fmt::format("cannot read {}: {}", name, std::strerror(errno))};
  }
  return read_stream(file.get(), bytes.size(), name, on_message);
}

}  // namespace longarm::record
