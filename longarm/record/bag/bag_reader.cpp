// SPDX-License-Identifier: Apache-2.0
// Scans a bag record by record, trusting no length it states. The index at its end is not needed.
#include "longarm/record/bag/bag_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "longarm/record/bag/bag_compression.h"
#include "longarm/record/mcap_format.h"

namespace longarm::record {
namespace {

struct CloseBag {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr const char* kReindex = "; repair it with `rosbag reindex FILE` and give the new file";

/// The fields of a record's header. Good while the bytes are.
class HeaderFields {
 public:
  explicit HeaderFields(ByteReader in) {
    while (in.size() > 0) {
      const std::string_view field = in.get_string();
      const std::size_t equals = field.find('=');
      if (!in.is_good() || equals == std::string_view::npos) {
        is_good_ = false;
        return;
      }
      fields_.emplace_back(field.substr(0, equals), field.substr(equals + 1));
    }
  }
  bool is_good() const { return is_good_; }
  std::optional<std::string_view> text(std::string_view name) const {
    for (const auto& [its_name, value] : fields_) {
      if (its_name == name) {
        return value;
      }
    }
    return std::nullopt;
  }
  template <typename T>
  std::optional<T> number(std::string_view name) const {
    const std::optional<std::string_view> value = text(name);
    if (!value || value->size() != sizeof(T)) {
      return std::nullopt;
    }
    return ByteReader(*value).get<T>();
  }
  std::optional<Time> time(std::string_view name) const {
    const std::optional<std::string_view> value = text(name);
    if (!value || value->size() != 8) {
      return std::nullopt;
    }
    ByteReader in(*value);
    return get_bag_time(in);
  }

 private:
  bool is_good_ = true;
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

/// What else a file that starts so may be, and what to do with it; empty: who knows.
std::string other_format(std::string_view start) {
  if (start.starts_with("#ROSBAG V1")) {
    return "a bag of the old format 1; convert it with `rosbag fix` where it was recorded";
  }
  if (start.starts_with("SQLite format")) {
    return "an SQLite database, perhaps of ROS 2; convert it to MCAP with `ros2 bag convert`";
  }
  if (start.starts_with(std::string_view(reinterpret_cast<const char*>(kMcapMagic.data()), 5))) {
    return "an MCAP file; let its name end in .mcap";
  }
  return "";
}

class BagScanner {
 public:
  BagScanner(std::FILE* file, std::string name, const BagCallback& on_message)
      : file_(file), name_(std::move(name)), on_message_(on_message) {}

  Result<BagContents> scan() {
    if (std::optional<Error> error = read_start()) {
      return *std::move(error);
    }
    while (!is_over_) {
      if (std::optional<Error> error = read_record()) {
        return *std::move(error);
      }
    }
    return std::move(contents_);
  }

 private:
  Error damaged(std::string_view why) const {
    return Error{fmt::format("{} is damaged at byte {}: {}", name_, record_at_, why)};
  }
  Error cut_short() const {
    return Error{fmt::format("{} is cut short: the record at byte {} is not whole{}", name_,
                             record_at_, kReindex)};
  }

  /// The next `count` bytes of the file; false: it ends before.
  bool load(std::uint64_t count, std::vector<std::byte>& out) {
    out.clear();
    while (out.size() < count) {
      constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
      const std::size_t before = out.size();
      const auto wanted = static_cast<std::size_t>(std::min(kAtOnce, count - before));
      out.resize(before + wanted);
      const std::size_t got = std::fread(out.data() + before, 1, wanted, file_);
      out.resize(before + got);
      at_ += got;
      if (got < wanted) {
        return false;
      }
    }
    return true;
  }
  /// After its length.
  bool load_block(std::vector<std::byte>& out) {
    return load(sizeof(std::uint32_t), out) && load(ByteReader(out).get<std::uint32_t>(), out);
  }

  std::optional<Error> read_start();
  std::optional<Error> read_record();
  std::optional<Error> read_chunk(const HeaderFields& header);
  std::optional<Error> read_content(ByteReader in);
  std::optional<Error> read_connection(const HeaderFields& header, ByteReader data);
  std::optional<Error> read_message(const HeaderFields& header, ByteReader data);

  std::FILE* file_;
  std::string name_;
  const BagCallback& on_message_;
  BagContents contents_;
  std::vector<std::byte> header_;
  std::vector<std::byte> data_;
  std::vector<std::byte> content_;
  std::uint64_t at_ = 0;         // in the file
  std::uint64_t record_at_ = 0;  // where the present record starts
  std::uint64_t index_at_ = 0;   // where chunks end
  bool is_over_ = false;
};

std::optional<Error> BagScanner::read_start() {
  const bool is_long = load(kBagMagic.size(), data_);
  const std::string_view start(reinterpret_cast<const char*>(data_.data()), data_.size());
  if (!is_long || start != kBagMagic) {
    const std::string other = other_format(start);
    return Error{other.empty() ? name_ + " is not a bag: it does not start with '#ROSBAG V2.0'"
                               : fmt::format("{} is {}", name_, other)};
  }
  record_at_ = at_;
  if (!load_block(header_) || !load_block(data_)) {
    return cut_short();
  }
  const HeaderFields header{ByteReader(header_)};
  const std::optional<std::uint64_t> index_at = header.number<std::uint64_t>("index_pos");
  const bool is_header =
      header.number<std::uint8_t>("op") == static_cast<std::uint8_t>(BagOpcode::kFileHeader);
  if (!header.is_good() || !is_header || !index_at) {
    return damaged("the file's header is not one");
  }
  if (const auto encryptor = header.text("encryptor"); encryptor && !encryptor->empty()) {
    return Error{fmt::format("{} is encrypted; decrypt it with `rosbag decrypt`", name_)};
  }
  if (*index_at == 0) {
    return Error{
        fmt::format("{} was not closed when it was recorded: it has no index{}", name_, kReindex)};
  }
  index_at_ = *index_at;
  return std::nullopt;
}

std::optional<Error> BagScanner::read_record() {
  record_at_ = at_;
  if (!load(sizeof(std::uint32_t), header_)) {
    is_over_ = header_.empty() && at_ >= index_at_;
    return is_over_ ? std::nullopt : std::optional(cut_short());
  }
  const auto size = ByteReader(header_).get<std::uint32_t>();
  if (!load(size, header_) || !load_block(data_)) {
    return cut_short();
  }
  const HeaderFields header{ByteReader(header_)};
  const std::optional<std::uint8_t> opcode = header.number<std::uint8_t>("op");
  if (!header.is_good() || !opcode) {
    return damaged("this is no record");
  }
  switch (static_cast<BagOpcode>(*opcode)) {
    case BagOpcode::kChunk:
      return read_chunk(header);
    case BagOpcode::kConnection:
      return read_connection(header, ByteReader(data_));
    case BagOpcode::kMessage:
      return read_message(header, ByteReader(data_));  // outside a chunk, which is allowed
    default:
      return std::nullopt;  // of the index
  }
}

std::optional<Error> BagScanner::read_chunk(const HeaderFields& header) {
  const std::optional<std::string_view> compression = header.text("compression");
  const std::optional<std::uint32_t> size = header.number<std::uint32_t>("size");
  if (!compression || !size) {
    return damaged("the chunk says neither its size nor its compression");
  }
  const Result<bool> opened = decompress_chunk(*compression, data_, *size, content_);
  if (!opened) {
    return damaged(opened.error().message);
  }
  return read_content(ByteReader(content_));
}

std::optional<Error> BagScanner::read_content(ByteReader in) {
  while (in.size() > 0) {
    const HeaderFields header{ByteReader(in.get_string())};
    const ByteReader data(in.get_string());
    const std::optional<std::uint8_t> opcode = header.number<std::uint8_t>("op");
    if (!in.is_good() || !header.is_good() || !opcode) {
      return damaged("a record does not fit into its chunk");
    }
    std::optional<Error> error;
    if (*opcode == static_cast<std::uint8_t>(BagOpcode::kConnection)) {
      error = read_connection(header, data);
    } else if (*opcode == static_cast<std::uint8_t>(BagOpcode::kMessage)) {
      error = read_message(header, data);
    }
    if (error) {
      return error;
    }
  }
  return std::nullopt;
}

std::optional<Error> BagScanner::read_connection(const HeaderFields& header, ByteReader data) {
  const std::optional<std::uint32_t> id = header.number<std::uint32_t>("conn");
  const std::optional<std::string_view> topic = header.text("topic");
  const HeaderFields said(data);
  const std::optional<std::string_view> type = said.text("type");
  const std::optional<std::string_view> md5 = said.text("md5sum");
  if (!id || !topic || !said.is_good() || !type || !md5) {
    return damaged("a connection has no number, topic, type or MD5 sum");
  }
  BagConnection connection{*id,
                           std::string(*topic),
                           std::string(*type),
                           std::string(*md5),
                           std::string(said.text("message_definition").value_or("")),
                           std::string(said.text("callerid").value_or("")),
                           said.text("latching").value_or("0") == "1"};
  contents_.connections.try_emplace(*id, std::move(connection));  // the index repeats them
  return std::nullopt;
}

std::optional<Error> BagScanner::read_message(const HeaderFields& header, ByteReader data) {
  const std::optional<std::uint32_t> id = header.number<std::uint32_t>("conn");
  const std::optional<Time> time = header.time("time");
  const auto connection = id ? contents_.connections.find(*id) : contents_.connections.end();
  if (!time || connection == contents_.connections.end()) {
    return damaged("a message has no time or no connection");
  }
  ++contents_.message_count;
  if (on_message_) {
    on_message_({connection->second, *time, data.get_bytes(data.size())});
  }
  return std::nullopt;
}

}  // namespace

Result<BagContents> read_bag(const std::string& path, const BagCallback& on_message) {
  const std::unique_ptr<std::FILE, CloseBag> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  return BagScanner(file.get(), path, on_message).scan();
}

Result<BagContents> read_bag_bytes(std::span<const std::byte> bytes, const std::string& name,
                                   const BagCallback& on_message) {
  // opened for reading only: nobody writes through that pointer
  const std::unique_ptr<std::FILE, CloseBag> file(
      fmemopen(const_cast<std::byte*>(bytes.data()), bytes.size(), "rb"));
  if (file == nullptr) {
    return Error{fmt::format("cannot read {}: {}", name, std::strerror(errno))};
  }
  return BagScanner(file.get(), name, on_message).scan();
}

}  // namespace longarm::record
