// SPDX-License-Identifier: Apache-2.0
// Finds the CRCL documents in a stream of bytes, which has no other marks than their end tags.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"

namespace longarm::protocols::crcl {

/// Fed with bytes cut anywhere, gives out whole documents, each from its first '<' to the end of
/// its root element. Between documents, white space, NUL and byte-order marks are skipped. It looks
/// at tags, comments, CDATA and quotes just enough to know where the root ends; whether a document
/// makes sense is for the codec. Each byte is looked at once.
class Framing {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  explicit Framing(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  /// Does nothing once there was an error. Take the whole documents out after each call: what is
  /// kept is bounded by the longest document allowed and what came with one call.
  void feed(std::string_view bytes);

  /// The next whole document, nothing if there is none yet, or why the stream can no longer be
  /// read; that is final.
  Result<std::optional<std::string>> next();

  /// Of a document that is not whole yet, and of those not taken.
  std::size_t buffered_bytes() const { return buffer_.size() - begin_; }

 private:
  enum class Where { kBetween, kText, kMarkup, kTag, kQuoted, kComment, kCdata, kInstruction };

  bool scan_byte(char byte);
  void scan_between(char byte);
  bool scan_markup(char byte);
  void begin_markup();
  bool end_tag();
  std::string_view markup() const;
  void fail(std::string message);

  std::size_t max_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;         // of the document under way
  std::size_t scanned_ = 0;       // bytes of the buffer that were looked at
  std::size_t markup_begin_ = 0;  // of the '<' last seen
  Where where_ = Where::kBetween;
  char quote_ = '"';
  std::string root_;  // name of the document's root, once seen
  std::optional<Error> error_;
};

}  // namespace longarm::protocols::crcl
