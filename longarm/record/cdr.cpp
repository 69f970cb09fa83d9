// SPDX-License-Identifier: Apache-2.0
// CDR, written and read.
#include "longarm/record/cdr.h"

#include <algorithm>
#include <array>

namespace longarm::record {
namespace {

constexpr std::array<std::byte, kCdrHeaderSize> kHeader = {std::byte{0}, std::byte{1}, std::byte{0},
                                                           std::byte{0}};
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::size_t padding(std::size_t at, std::size_t size) {
  return (size - (at - kCdrHeaderSize) % size) % size;
}

}  // namespace

RosTime to_ros_time(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  return {static_cast<std::int32_t>(seconds.count()),
          static_cast<std::uint32_t>((time.time_since_epoch() - seconds).count())};
}

CdrWriter::CdrWriter(ByteBuffer& out) : out_(out) {
  out_.clear();
  out_.put(kHeader);
}

void CdrWriter::align(std::size_t size) {
  out_.put_zeros(padding(out_.size(), size));
}

void CdrWriter::put(std::string_view text) {
  put_length(text.size() + 1);
  out_.put_text(text);
  out_.put_zeros(1);
}

void CdrWriter::put(Time time) {
  const RosTime ros = to_ros_time(time);
  put(ros.seconds);
  put(ros.nanoseconds);
}

void CdrWriter::put(std::span<const double> numbers) {
  put_length(numbers.size());
  if (!numbers.empty()) {
    align(sizeof(double));
    out_.put(std::as_bytes(numbers));
  }
}

void CdrWriter::put(std::span<const std::string> texts) {
  put_length(texts.size());
  for (const std::string& text : texts) {
    put(std::string_view(text));
  }
}

CdrReader::CdrReader(std::span<const std::byte> bytes) : bytes_(bytes) {
  if (bytes.size() < kCdrHeaderSize || bytes[0] != kHeader[0] || bytes[1] != kHeader[1]) {
    has_failed_ = true;
  }
}

const std::byte* CdrReader::take(std::size_t alignment, std::size_t size, std::size_t count) {
  if (has_failed_) {
    return nullptr;
  }
  const std::size_t start = at_ + padding(at_, alignment);
  if (start > bytes_.size() || (bytes_.size() - start) / size < count) {
    has_failed_ = true;
    return nullptr;
  }
  at_ = start + size * count;
  return bytes_.data() + start;
}

std::size_t CdrReader::get_length(std::size_t smallest) {
  const auto count = get<std::uint32_t>();
  if (has_failed_ || count > (bytes_.size() - at_) / smallest) {
    has_failed_ = true;
    return 0;
  }
  return count;
}

std::string CdrReader::get_string() {
  const std::size_t length = get_length(1);
  if (length == 0) {  // some writers leave the closing zero out of an empty string
    return {};
  }
  const std::byte* place = take(1, 1, length);
  if (place == nullptr || place[length - 1] != std::byte{0}) {
    has_failed_ = true;
    return {};
  }
  return {reinterpret_cast<const char*>(place), length - 1};
}

Time CdrReader::get_time() {
  const auto seconds = get<std::int32_t>();
  const auto nanoseconds = get<std::uint32_t>();
  return Time(Duration(seconds * kNanosecondsPerSecond + nanoseconds));
}

std::vector<double> CdrReader::get_numbers() {
  const std::size_t count = get_length(sizeof(double));
  std::vector<double> numbers(count);
  if (count == 0) {
    return numbers;
  }
  const std::byte* place = take(sizeof(double), sizeof(double), count);
  if (place == nullptr) {
    return {};
  }
  std::memcpy(numbers.data(), place, count * sizeof(double));
  return numbers;
}

std::vector<std::string> CdrReader::get_strings() {
  const std::size_t count = get_length(sizeof(std::uint32_t));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count && !has_failed_; ++i) {
    texts.push_back(get_string());
  }
  return texts;
}

void CdrReader::get_numbers(std::span<double> out) {
  const std::size_t count = get_length(sizeof(double));
  if (count == 0) {
    return;
  }
  if (const std::byte* place = take(sizeof(double), sizeof(double), count)) {
    std::memcpy(out.data(), place, std::min(count, out.size()) * sizeof(double));
  }
}

void CdrReader::skip_strings() {
  const std::size_t count = get_length(sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count && !has_failed_; ++i) {
    take(1, 1, get_length(1));
  }
}

}  // namespace longarm::record
