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

// Blocks that a line opens less those that it ends; words in strings and comments do not count.
int blocks_opened_by(std::string_view line) {
  int opened = 0;
  for (std::size_t i = 0; i < line.size() && line[i] != '#';) {
    if (line[i] == '"' || line[i] == '\'') {
      const std::size_t end = line.find(line[i], i + 1);
      i = end == std::string_view::npos ? line.size() : end + 1;
      continue;
    }
    if (!is_word(line[i])) {
      ++i;
      continue;
    }
    const auto* const begin = line.begin() + static_cast<std::ptrdiff_t>(i);
    const auto* const end = std::find_if_not(begin, line.end(), is_word);
    const std::string_view word = line.substr(i, static_cast<std::size_t>(end - begin));
    if (word == "end") {
      --opened;
    } else if (std::find(kOpeners.begin(), kOpeners.end(), word) != kOpeners.end()) {
      ++opened;
    }
    i += word.size();
  }
  return opened;
}

bool is_empty(std::string_view line) {
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  return begin == line.end() || *begin == '#' || *begin == '\n';
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
  if (blocks_opened_by(line) > 0) {
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
  const int opened = blocks_opened_by(line);
  const bool is_over = (is_outermost && word == "end") || depth_ + opened <= 0;
  if (is_over) {
    return end_block();
  }
  depth_ += opened;
  if (is_at_margin) {
    body_ = Body::kAtMargin;
  } else if (!is_empty(line) && body_ == Body::kNone) {
    body_ = Body::kIndented;
  }
  return false;
}

void ScriptIntake::begin_block(std::string_view line) {
  block_ = line;
  depth_ = blocks_opened_by(line);
  body_ = Body::kNone;
  is_block_dropped_ = false;
}

// True if there is anything to give out.
bool ScriptIntake::end_block() {
  depth_ = 0;
  complete_ = std::exchange(block_, {});
  return !is_block_dropped_;
}

std::optional<std::string> ScriptIntake::unfinished() const {
  constexpr std::size_t kShown = 80;
  if (depth_ > 0 && !is_block_dropped_) {
    const std::string head = block_.substr(0, std::min(block_.find('\n'), kShown));
    return fmt::format("the connection was closed before the 'end' of '{}'", head);
  }
  if (depth_ == 0 && !is_line_dropped_ && !is_empty(line_)) {
    return fmt::format("the connection was closed before the end of the line '{}'",
                       line_.substr(0, kShown));
  }
  return std::nullopt;
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
