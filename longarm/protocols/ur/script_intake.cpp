// SPDX-License-Identifier: Apache-2.0
// Lines into statements and blocks, by the first word of each.
#include "longarm/protocols/ur/script_intake.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::ur {
namespace {

constexpr std::array<std::string_view, 6> kOpeners{"def", "sec", "thread", "if", "while", "for"};

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\0';
}

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_';
}

// Nothing if the line is blank, a comment, or begins with a sign.
std::string_view first_word(std::string_view line) {
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if_not(begin, line.end(), is_word);
  return line.substr(static_cast<std::size_t>(begin - line.begin()),
                     static_cast<std::size_t>(end - begin));
}

// Up to a '#' that is not inside quotes.
std::string_view without_comment(std::string_view line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == '#' && !is_quoted) {
      return line.substr(0, i);
    }
  }
  return line;
}

// "def f(): sync() end" is unusual, but must not wait for another end.
bool ends_with_end(std::string_view line) {
  line = without_comment(line);
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\n')) {
    line.remove_suffix(1);
  }
  return line.ends_with("end") && line.size() > 3 && !is_word(line[line.size() - 4]);
}

bool is_empty(std::string_view line) {
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  return begin == line.end() || *begin == '#' || *begin == '\n';
}

bool opens_block(std::string_view line) {
  const bool is_opener =
      std::find(kOpeners.begin(), kOpeners.end(), first_word(line)) != kOpeners.end();
  return is_opener && !ends_with_end(line);
}

}  // namespace

bool ScriptIntake::next(std::string_view& bytes) {
  const std::size_t newline = bytes.find('\n');
  const bool is_whole = newline != std::string_view::npos;
  const std::string_view piece = bytes.substr(0, is_whole ? newline + 1 : newline);
  bytes.remove_prefix(piece.size());
  if (!is_line_dropped_ && line_.size() + piece.size() > kMaxLineBytes) {
    drop(fmt::format("a line of more than {} bytes", kMaxLineBytes));
    is_line_dropped_ = true;
    line_ = {};
  }
  if (!is_line_dropped_) {
    line_ += piece;
  }
  if (!is_whole) {
    return false;
  }
  if (std::exchange(is_line_dropped_, false)) {
    return false;
  }
  if (line_.ends_with("\r\n")) {
    line_.erase(line_.size() - 2, 1);
  }
  const bool is_complete = add_line(line_);
  line_.clear();
  return is_complete;
}

bool ScriptIntake::add_line(std::string_view line) {
  if (depth_ > 0) {
    return add_line_to_block(line);
  }
  if (is_empty(line)) {
    return false;
  }
  if (opens_block(line)) {
    begin_block(line);
    return false;
  }
  complete_ = line;
  return true;
}

bool ScriptIntake::add_line_to_block(std::string_view line) {
  const std::string_view word = first_word(line);
  const bool is_at_margin = !is_empty(line) && !is_blank(line.front());
  const bool is_outermost = is_at_margin && body_ == Body::kIndented;
  if (is_outermost && (word == "def" || word == "sec")) {
    // the block before it has no end: that is for the compiler to complain of
    const bool is_complete = end_block();
    begin_block(line);
    return is_complete;
  }
  if (!is_block_dropped_ && block_.size() + line.size() > kMaxBlockBytes) {
    drop(fmt::format("a block of more than {} bytes", kMaxBlockBytes));
  }
  if (!is_block_dropped_) {
    block_ += line;
  }
  if (word == "end") {
    depth_ = is_outermost ? 0 : depth_ - 1;
    return depth_ == 0 && end_block();
  }
  if (opens_block(line)) {
    ++depth_;
  }
  if (is_at_margin) {
    body_ = Body::kAtMargin;
  } else if (!is_empty(line) && body_ == Body::kNone) {
    body_ = Body::kIndented;
  }
  return false;
}

void ScriptIntake::begin_block(std::string_view line) {
  block_ = line;
  depth_ = 1;
  body_ = Body::kNone;
  is_block_dropped_ = false;
}

// True if there is anything to give out.
bool ScriptIntake::end_block() {
  depth_ = 0;
  complete_ = std::exchange(block_, {});
  return !is_block_dropped_;
}

// Of a block that is too long, the lines are still read, to see where it ends.
void ScriptIntake::drop(std::string reason) {
  if (depth_ > 0 && std::exchange(is_block_dropped_, true)) {
    return;
  }
  block_ = {};
  ++dropped_;
  last_drop_ = std::move(reason);
}

}  // namespace longarm::protocols::ur
