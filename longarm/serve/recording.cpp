// SPDX-License-Identifier: Apache-2.0
// JSON lines: text where bytes are text, hexadecimal where they are not.
#include "longarm/serve/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace longarm::serve {
namespace {

using Json = nlohmann::ordered_json;

using namespace std::chrono_literals;

constexpr int kFormat = 1;
// how long, and how much, is kept before it is written
constexpr auto kKeep = 5ms;
constexpr std::size_t kMostKept = 64 * 1024;
constexpr const char* kDigits = "0123456789abcdef";

/// In the order of DoorEventKind.
constexpr std::array<const char*, 4> kWords = {"open", "data", "close", "call_failed"};

const char* word(DoorEventKind kind) {
  return kWords[static_cast<std::size_t>(kind)];
}

bool is_text(const std::string& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
  });
}

void append_text(std::string& out, const std::string& bytes) {
  for (const char c : bytes) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
}

void append_hex(std::string& out, const std::string& bytes) {
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

std::optional<std::string> from_hex(const std::string& text) {
  const std::string digits = kDigits;
  std::string bytes;
  if (text.size() % 2 != 0) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]);
    const std::size_t low = digits.find(text[i + 1]);
    if (high == std::string::npos || low == std::string::npos) {
      return std::nullopt;
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// Throws what the JSON library throws, for what is no line of a recording.
std::optional<RecordingReader::Entry> entry_of(const Json& line, const RecordingHead& head) {
  RecordingReader::Entry entry;
  entry.step = line.at("step").get<std::uint64_t>();
  if (!line.contains("event")) {
    entry.checkpoint = {entry.step, line.at("world").get<std::string>(),
                        line.at("said").get<std::string>(), line.value("end", "")};
    return entry;
  }
  const std::string kind = line.at("event").get<std::string>();
  const std::string name = line.at("door").get<std::string>();
  const auto door = std::find(head.doors.begin(), head.doors.end(), name);
  const auto known = std::find(kWords.begin(), kWords.end(), kind);
  if (door == head.doors.end() || known == kWords.end()) {
    return std::nullopt;
  }
  DoorEvent event;
  event.door = static_cast<std::size_t>(door - head.doors.begin());
  event.client = ConnectionId{line.at("client").get<std::uint32_t>()};
  event.kind = static_cast<DoorEventKind>(known - kWords.begin());
  if (line.contains("text")) {
    event.bytes = line.at("text").get<std::string>();
  } else if (line.contains("hex")) {
    const auto bytes = from_hex(line.at("hex").get<std::string>());
    if (!bytes) {
      return std::nullopt;
    }
    event.bytes = *bytes;
  }
  entry.event = std::move(event);
  return entry;
}

}  // namespace

Result<RecordingWriter> RecordingWriter::make(const std::filesystem::path& file,
                                              const RecordingHead& head) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return Error{fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))};
  }
  RecordingWriter writer(descriptor, head);
  const Json first = {{"format", kFormat},
                      {"period_ns", head.period.count()},
                      {"doors", head.doors},
                      {"files_hash", head.files_hash}};
  writer.kept_ = first.dump() + "\n";
  writer.flush();
  if (!writer.problem().empty()) {
    return Error{writer.problem()};
  }
  return writer;
}

RecordingWriter::RecordingWriter(int descriptor, RecordingHead head)
    : descriptor_(descriptor), head_(std::move(head)) {}

RecordingWriter::RecordingWriter(RecordingWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      head_(std::move(other.head_)),
      kept_(std::exchange(other.kept_, {})),
      kept_since_(other.kept_since_),
      problem_(std::move(other.problem_)) {}

RecordingWriter::~RecordingWriter() {
  if (descriptor_ >= 0) {
    flush();
    close(descriptor_);
  }
}

void RecordingWriter::flush() {
  std::string_view rest = kept_;
  while (!rest.empty() && problem_.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      problem_ = fmt::format("the recording stops: {}", std::strerror(errno));
    }
  }
  kept_.clear();
}

void RecordingWriter::flush_if_old() {
  if (!kept_.empty() && Clock::now() - kept_since_ >= kKeep) {
    flush();
  }
}

void RecordingWriter::add(std::uint64_t step, const DoorEvent& event) {
  if (kept_.empty()) {
    kept_since_ = Clock::now();
  }
  const auto out = std::back_inserter(kept_);
  fmt::format_to(out, "{{\"step\":{},\"door\":\"", step);
  append_text(kept_, head_.doors.at(event.door));
  fmt::format_to(out, "\",\"client\":{},\"event\":\"{}\"", static_cast<std::uint32_t>(event.client),
                 word(event.kind));
  if (event.kind == DoorEventKind::kData || event.kind == DoorEventKind::kCallFailed) {
    const bool is_readable = is_text(event.bytes);
    kept_ += is_readable ? ",\"text\":\"" : ",\"hex\":\"";
    (is_readable ? append_text : append_hex)(kept_, event.bytes);
    kept_ += '"';
  }
  kept_ += "}\n";
  if (kept_.size() >= kMostKept) {
    flush();
  }
}

void RecordingWriter::add(const Checkpoint& checkpoint) {
  Json line = {
      {"step", checkpoint.step}, {"world", checkpoint.world_hash}, {"said", checkpoint.said_hash}};
  if (!checkpoint.end.empty()) {
    line["end"] = checkpoint.end;
  }
  kept_ += line.dump() + "\n";
  flush();
}

Result<RecordingReader> RecordingReader::make(const std::filesystem::path& file) {
  RecordingReader reader;
  reader.file_.open(file);
  std::string line;
  if (!reader.file_ || !std::getline(reader.file_, line)) {
    return Error{fmt::format("cannot read {}", file.string())};
  }
  try {
    const Json head = Json::parse(line);
    if (head.at("format").get<int>() != kFormat) {
      return Error{fmt::format("{} was written by another version", file.string())};
    }
    reader.head_ = {Duration(head.at("period_ns").get<std::int64_t>()),
                    head.at("doors").get<std::vector<std::string>>(),
                    head.at("files_hash").get<std::string>()};
  } catch (const Json::exception&) {
    return Error{fmt::format("{} is not a recording", file.string())};
  }
  return reader;
}

std::optional<RecordingReader::Entry> RecordingReader::next() {
  std::string text;
  if (!problem_.empty() || !std::getline(file_, text)) {
    return std::nullopt;
  }
  ++line_;
  if (file_.eof()) {
    problem_ = fmt::format("cut off in line {}", line_);
    return std::nullopt;
  }
  try {
    auto entry = entry_of(Json::parse(text), head_);
    if (entry && entry->step >= last_step_) {
      last_step_ = entry->step;
      return entry;
    }
  } catch (const Json::exception&) {
    // as any other damage
  }
  problem_ = fmt::format("damaged in line {}", line_);
  return std::nullopt;
}

}  // namespace longarm::serve
