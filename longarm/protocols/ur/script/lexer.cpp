// SPDX-License-Identifier: Apache-2.0
// Cuts URScript into words in one pass; nothing is copied.
#include "longarm/protocols/ur/script/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::ur::script {

namespace {

constexpr auto kReserved = std::to_array<std::pair<std::string_view, Word>>({
    {"False", Word::kFalse},
    {"True", Word::kTrue},
    {"and", Word::kAnd},
    {"break", Word::kBreak},
    {"continue", Word::kContinue},
    {"def", Word::kDef},
    {"elif", Word::kElif},
    {"else", Word::kElse},
    {"end", Word::kEnd},
    {"enter_critical", Word::kEnterCritical},
    {"exit_critical", Word::kExitCritical},
    {"global", Word::kGlobal},
    {"halt", Word::kHalt},
    {"if", Word::kIf},
    {"join", Word::kJoin},
    {"kill", Word::kKill},
    {"local", Word::kLocal},
    {"not", Word::kNot},
    {"or", Word::kOr},
    {"pass", Word::kPass},
    {"return", Word::kReturn},
    {"run", Word::kRun},
    {"sec", Word::kSec},
    {"thread", Word::kThread},
    {"while", Word::kWhile},
    {"xor", Word::kXor},
});

// The locale has no say in what a letter is.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_in_name(char c) {
  return begins_name(c) || is_digit(c);
}

Word word_of(std::string_view name) {
  const auto* found = std::lower_bound(
      kReserved.begin(), kReserved.end(), name,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return found != kReserved.end() && found->first == name ? found->second : Word::kName;
}

bool is_operator(Word word) {
  return word == Word::kAnd || word == Word::kOr || word == Word::kXor ||
         (word >= Word::kEqual && word <= Word::kModulo);
}

class Cutter {
 public:
  Cutter(std::string_view text, std::vector<Token>& tokens, SyntaxError& error)
      : text_(text), tokens_(tokens), error_(error) {}

  bool cut() {
    while (at_ < text_.size()) {
      if (!cut_one()) {
        return false;
      }
    }
    add_newline();
    push(Word::kEndOfText, at_, 0);
    place_end();
    return true;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void push(Word word, std::size_t from, std::size_t size, double number = 0.0) {
    tokens_.push_back(
        {word, text_.substr(from, size), number, line_, static_cast<int>(from - line_begin_) + 1});
  }

  // Of several in a row one is enough; after an operator the expression goes on.
  void add_newline() {
    if (tokens_.empty() || tokens_.back().word == Word::kNewline) {
      return;
    }
    if (at_ < text_.size() && is_operator(tokens_.back().word)) {
      return;
    }
    push(Word::kNewline, at_, 0);
  }

  // The end is where the last word ends, not below it: what is missing is missing there.
  void place_end() {
    std::size_t words = tokens_.size() - 1;
    if (words > 0 && tokens_[words - 1].word == Word::kNewline) {
      --words;
    }
    if (words == 0) {
      return;
    }
    const Token& last = tokens_[words - 1];
    const std::size_t quotes = last.word == Word::kText ? 2 : 0;
    for (std::size_t i = words; i < tokens_.size(); ++i) {
      tokens_[i].line = last.line;
      tokens_[i].column = last.column + static_cast<int>(last.text.size() + quotes);
    }
  }

  bool fail(std::size_t at, std::string message, std::string hint) {
    error_ = {line_, static_cast<int>(at - line_begin_) + 1, std::move(message), std::move(hint)};
    return false;
  }

  bool cut_one() {
    const char c = peek();
    if (c == '\n') {
      if (brackets_ == 0) {
        add_newline();
      }
      ++at_;
      ++line_;
      line_begin_ = at_;
      return true;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
      return true;
    }
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (c == '"' || c == '\'') {
      return cut_text(c);
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      return cut_number();
    }
    if (begins_name(c)) {
      return cut_name();
    }
    return cut_sign();
  }

  bool cut_text(char quote) {
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\n" : "'\n", begin);
    if (end == std::string_view::npos || text_[end] == '\n') {
      return fail(at_, "a string without an end", "close it with a quotation mark on its line");
    }
    push(Word::kText, begin, end - begin);
    tokens_.back().column -= 1;
    at_ = end + 1;
    return true;
  }

  bool cut_name() {
    std::size_t end = at_;
    while (end < text_.size() && is_in_name(text_[end])) {
      ++end;
    }
    push(word_of(text_.substr(at_, end - at_)), at_, end - at_);
    at_ = end;
    return true;
  }

  bool cut_number() {
    const std::size_t begin = at_;
    const bool is_hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    bool is_whole = true;
    if (is_hex) {
      at_ += 2;
    }
    while (is_in_name(peek()) || peek() == '.') {
      const char c = peek();
      if (!is_hex && !is_digit(c)) {
        is_whole = false;
      }
      ++at_;
      // the sign of an exponent
      if (!is_hex && (c == 'e' || c == 'E') && (peek() == '-' || peek() == '+')) {
        ++at_;
      }
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    const auto value = is_hex ? hexadecimal(written.substr(2)) : decimal(written);
    if (!value) {
      return fail(begin, fmt::format("'{}' is not a number", written.substr(0, 40)),
                  "write 12, 0.5, 1e-3 or 0xFF");
    }
    const bool fits = *value <= std::numeric_limits<std::int32_t>::max();
    push(is_whole && fits ? Word::kInteger : Word::kFloat, begin, at_ - begin, *value);
    return true;
  }

  static std::optional<double> decimal(std::string_view written) {
    double value = 0.0;
    const auto [end, problem] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    if (problem != std::errc{} || end != written.data() + written.size()) {
      return std::nullopt;
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  static std::optional<double> hexadecimal(std::string_view written) {
    std::uint32_t value = 0;
    const auto [end, problem] =
        std::from_chars(written.data(), written.data() + written.size(), value, 16);
    if (problem != std::errc{} || end != written.data() + written.size()) {
      return std::nullopt;
    }
    return static_cast<double>(value);
  }

  bool cut_sign() {
    const char c = peek();
    const bool is_double = peek(1) == '=';
    const auto one = [&](Word word) { return add_sign(word, 1); };
    switch (c) {
      case '(':
        ++brackets_;
        return one(Word::kOpen);
      case '[':
        ++brackets_;
        return one(Word::kOpenList);
      case ')':
        brackets_ = std::max(0, brackets_ - 1);
        return one(Word::kClose);
      case ']':
        brackets_ = std::max(0, brackets_ - 1);
        return one(Word::kCloseList);
      case ',':
        return one(Word::kComma);
      case ':':
        return one(Word::kColon);
      case '+':
        return one(Word::kPlus);
      case '-':
        return one(Word::kMinus);
      case '*':
        return one(Word::kTimes);
      case '/':
        return one(Word::kDivide);
      case '%':
        return one(Word::kModulo);
      case '=':
        return is_double ? add_sign(Word::kEqual, 2) : one(Word::kAssign);
      case '<':
        return is_double ? add_sign(Word::kLessOrEqual, 2) : one(Word::kLess);
      case '>':
        return is_double ? add_sign(Word::kGreaterOrEqual, 2) : one(Word::kGreater);
      case '!':
        if (is_double) {
          return add_sign(Word::kUnequal, 2);
        }
        return fail(at_, "'!' is not an operator", "write 'not'");
      default:
        return fail_at_sign(c);
    }
  }

  bool add_sign(Word word, std::size_t size) {
    push(word, at_, size);
    at_ += size;
    return true;
  }

  bool fail_at_sign(char c) {
    const auto code = static_cast<unsigned char>(c);
    const bool is_printable = code > 0x20 && code < 0x7f;
    return fail(at_,
                is_printable ? fmt::format("unexpected '{}'", c)
                             : fmt::format("unexpected byte 0x{:02x}", code),
                c == ';' ? "one statement per line" : "outside of strings and comments only ASCII");
  }

  std::string_view text_;
  std::vector<Token>& tokens_;
  SyntaxError& error_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int brackets_ = 0;
};

}  // namespace

bool cut(std::string_view text, std::vector<Token>& tokens, SyntaxError& error) {
  return Cutter(text, tokens, error).cut();
}

}  // namespace longarm::protocols::ur::script
