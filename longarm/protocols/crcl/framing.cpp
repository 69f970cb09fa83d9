// SPDX-License-Identifier: Apache-2.0
// A small lexer that runs over the bytes once and stops where a root element ends.
#include "longarm/protocols/crcl/framing.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longarm/protocols/crcl/xml_text.h"

namespace longarm::protocols::crcl {
namespace {

constexpr std::array<std::string_view, 3> kRoots{"CRCLCommandInstance", "CRCLStatus",
                                                 "CRCLProgram"};

bool may_stand_between(char byte) {
  return is_xml_space(byte) || byte == '\0' || byte == '\xEF' || byte == '\xBB' || byte == '\xBF';
}

// What stands behind '<' or '</', up to white space, '/' or '>'.
std::string_view tag_name(std::string_view markup) {
  markup.remove_prefix(markup.starts_with("</") ? 2 : 1);
  return markup.substr(0, markup.find_first_of(" \t\r\n/>"));
}

}  // namespace

void Framing::feed(std::string_view bytes) {
  if (error_) {
    return;
  }
  // moving the rest to the front now and then costs less than a copy of each byte
  if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    markup_begin_ -= std::min(begin_, markup_begin_);
    begin_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<std::string>> Framing::next() {
  while (!error_ && scanned_ < buffer_.size()) {
    const char byte = buffer_[scanned_++];
    const bool is_end = scan_byte(byte);
    if (!error_ && scanned_ - begin_ > max_bytes_) {
      fail(fmt::format("no end of the document within {} bytes", max_bytes_));
    } else if (is_end) {
      std::string document = buffer_.substr(begin_, scanned_ - begin_);
      begin_ = scanned_;
      where_ = Where::kBetween;
      return std::optional(std::move(document));
    }
  }
  if (error_) {
    return *error_;
  }
  return std::optional<std::string>();
}

// True when the byte ends the document.
bool Framing::scan_byte(char byte) {
  switch (where_) {
    case Where::kBetween:
      scan_between(byte);
      return false;
    case Where::kText:
      if (byte == '<') {
        begin_markup();
      }
      return false;
    case Where::kMarkup:
      return scan_markup(byte);
    case Where::kTag:
      if (byte == '>') {
        return end_tag();
      }
      if (byte == '"' || byte == '\'') {
        quote_ = byte;
        where_ = Where::kQuoted;
      } else if (byte == '<') {
        begin_markup();
      }
      return false;
    case Where::kQuoted:
      if (byte == quote_) {
        where_ = Where::kTag;
      } else if (byte == '<') {
        begin_markup();  // not allowed in a value: a quote was forgotten
      }
      return false;
    case Where::kComment:
      // "<!-->" is the beginning of a comment, not a whole one
      if (byte == '>' && markup().ends_with("-->") && markup().size() >= 7) {
        where_ = Where::kText;
      }
      return false;
    case Where::kCdata:
      if (byte == '>' && markup().ends_with("]]>")) {
        where_ = Where::kText;
      }
      return false;
    case Where::kInstruction:
      if (byte == '>' && markup().ends_with("?>") && markup().size() >= 4) {
        where_ = Where::kText;
      }
      return false;
  }
  return false;
}

void Framing::scan_between(char byte) {
  begin_ = scanned_ - 1;
  if (byte == '<') {
    root_.clear();
    begin_markup();
  } else if (may_stand_between(byte)) {
    begin_ = scanned_;
  } else {
    fail("text before the first '<' of a document");
  }
}

// Behind a '<', until it is clear what it begins.
bool Framing::scan_markup(char byte) {
  if (!markup().starts_with("<!") && !markup().starts_with("<?")) {
    where_ = Where::kTag;
    return scan_byte(byte);
  }
  if (markup() == "<!--") {
    where_ = Where::kComment;
  } else if (markup() == "<![CDATA[") {
    where_ = Where::kCdata;
  } else if (markup() == "<?") {
    where_ = Where::kInstruction;
  } else if (markup().starts_with("<!D")) {
    fail("a document type (<!DOCTYPE …>) is not allowed");
  } else if (byte == '>') {
    where_ = Where::kText;  // no markup we know; the codec will say so
  }
  return false;
}

void Framing::begin_markup() {
  markup_begin_ = scanned_ - 1;
  where_ = Where::kMarkup;
}

// At the '>' of a tag. A document ends with its root, even if elements inside were not closed: the
// next document shall not suffer for it.
bool Framing::end_tag() {
  where_ = Where::kText;
  const std::string_view tag = markup();
  const std::string_view name = tag_name(tag);
  if (root_.empty()) {
    if (std::find(kRoots.begin(), kRoots.end(), name) == kRoots.end()) {
      fail("the root element is not CRCLCommandInstance, CRCLStatus or CRCLProgram");
      return false;
    }
    root_ = name;
    return tag.ends_with("/>");
  }
  return tag.starts_with("</") && name == root_;
}

std::string_view Framing::markup() const {
  return std::string_view(buffer_).substr(markup_begin_, scanned_ - markup_begin_);
}

void Framing::fail(std::string message) {
  error_ = Error{std::move(message)};
  buffer_.clear();
  buffer_.shrink_to_fit();
  begin_ = 0;
  scanned_ = 0;
}

}  // namespace longarm::protocols::crcl
