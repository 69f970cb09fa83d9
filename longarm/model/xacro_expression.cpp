// SPDX-License-Identifier: Apache-2.0
// Reads an expression and works it out on the way; what need not be worked out is only read.
#include "longarm/model/xacro_expression.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/model/xacro_functions.h"

namespace longarm::model {
namespace {

constexpr const char* kBeyond =
    "this expression is not supported; expand the file with xacro: xacro FILE -o robot.urdf";

constexpr int kDeepestNesting = 40;

enum class TokenKind { kNumber, kText, kName, kSign, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string read_quoted(const std::string& text, std::size_t& at) {
  const char quote = text[at++];
  std::string inside;
  while (at < text.size() && text[at] != quote) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      const char next = text[++at];
      inside += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    } else {
      inside += text[at];
    }
    ++at;
  }
  if (at == text.size()) {
    throw XacroProblem{fmt::format("a quote is not closed in '{}'", text), ""};
  }
  ++at;
  return inside;
}

std::string read_digits(const std::string& text, std::size_t& at) {
  const std::size_t start = at;
  while (at < text.size()) {
    const bool is_sign = (text[at] == '+' || text[at] == '-') && at > start &&
                         (text[at - 1] == 'e' || text[at - 1] == 'E');
    const bool is_part =
        is_digit(text[at]) || text[at] == '.' || text[at] == 'e' || text[at] == 'E' || is_sign;
    if (!is_part) {
      break;
    }
    ++at;
  }
  return text.substr(start, at - start);
}

std::vector<Token> tokens_of(const std::string& text) {
  static constexpr std::array<const char*, 6> kLongSigns{"**", "//", "==", "!=", "<=", ">="};
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (c == '\'' || c == '"') {
      tokens.push_back({TokenKind::kText, read_quoted(text, at)});
    } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      tokens.push_back({TokenKind::kNumber, read_digits(text, at)});
    } else if (starts_name(c)) {
      const std::size_t start = at;
      while (at < text.size() && (starts_name(text[at]) || is_digit(text[at]))) {
        ++at;
      }
      tokens.push_back({TokenKind::kName, text.substr(start, at - start)});
    } else {
      std::string sign(1, c);
      for (const char* longer : kLongSigns) {
        if (text.compare(at, 2, longer) == 0) {
          sign = longer;
        }
      }
      at += sign.size();
      tokens.push_back({TokenKind::kSign, sign});
    }
  }
  tokens.push_back({});
  return tokens;
}

/// A parser by recursive descent, one function per level of Python's grammar.
class Evaluator {
 public:
  Evaluator(const std::string& expression, const XacroSurroundings& around)
      : expression_(expression), around_(around), tokens_(tokens_of(expression)) {
    for (const Token& token : tokens_) {
      has_choice_ = has_choice_ || (token.kind == TokenKind::kName && token.text == "if");
      if (token.kind == TokenKind::kName && (token.text == "for" || token.text == "lambda")) {
        fail_at(token);
      }
    }
  }

  XacroValue whole() {
    XacroValue value = tuple();
    if (here().kind != TokenKind::kEnd) {
      fail_here();
    }
    return value;
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  bool is_here(const std::string& text) const {
    return (here().kind == TokenKind::kSign || here().kind == TokenKind::kName) &&
           here().text == text;
  }
  bool take(const std::string& text) {
    if (!is_here(text)) {
      return false;
    }
    ++at_;
    return true;
  }
  void expect(const std::string& text) {
    if (!take(text)) {
      fail_here();
    }
  }
  [[noreturn]] void fail_here() const { fail_at(here()); }
  [[noreturn]] void fail_at(const Token& token) const {
    throw XacroProblem{
        token.kind == TokenKind::kEnd
            ? fmt::format("the expression '{}' is not complete", expression_)
            : fmt::format("unexpected '{}' in the expression '{}'", token.text, expression_),
        kBeyond};
  }

  /// One value, or several with commas between them as a list.
  XacroValue tuple() {
    XacroValue first = choice();
    if (!is_here(",")) {
      return first;
    }
    XacroList list{first};
    while (take(",")) {
      if (here().kind == TokenKind::kEnd || is_here(")")) {
        break;
      }
      list.push_back(choice());
    }
    return XacroValue(std::move(list));
  }

  XacroValue choice() {
    if (++depth_ > kDeepestNesting) {
      throw XacroProblem{"the expression is nested too deeply", ""};
    }
    XacroValue value = has_choice_ ? chosen() : either();
    --depth_;
    return value;
  }

  /// a if condition else b: read over a, then come back for it.
  XacroValue chosen() {
    const std::size_t start = at_;
    const bool was_live = is_live_;
    is_live_ = false;
    either();
    const bool is_choice = is_here("if");
    is_live_ = was_live;
    if (!is_choice) {
      at_ = start;
      return either();
    }
    expect("if");
    const bool is_first = either().is_true();
    expect("else");
    is_live_ = was_live && !is_first;
    XacroValue second = choice();
    const std::size_t end = at_;
    is_live_ = was_live;
    if (!was_live || !is_first) {
      return second;
    }
    at_ = start;
    XacroValue first = either();
    at_ = end;
    return first;
  }

  XacroValue either() {
    XacroValue value = both();
    while (take("or")) {
      const bool was_live = is_live_;
      const bool is_decided = value.is_true();
      is_live_ = was_live && !is_decided;
      XacroValue next = both();
      is_live_ = was_live;
      value = is_decided ? value : next;
    }
    return value;
  }

  XacroValue both() {
    XacroValue value = negation();
    while (take("and")) {
      const bool was_live = is_live_;
      const bool is_decided = !value.is_true();
      is_live_ = was_live && !is_decided;
      XacroValue next = negation();
      is_live_ = was_live;
      value = is_decided ? value : next;
    }
    return value;
  }

  XacroValue negation() {
    if (take("not")) {
      return XacroValue(!negation().is_true());
    }
    return comparison();
  }

  std::string comparison_sign() {
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">", "in"}) {
      if (take(sign)) {
        return sign;
      }
    }
    if (take("not")) {
      expect("in");
      return "not in";
    }
    if (take("is")) {
      return take("not") ? "!=" : "==";
    }
    return "";
  }

  XacroValue comparison() {
    XacroValue left = sum();
    std::string sign = comparison_sign();
    if (sign.empty()) {
      return left;
    }
    bool holds = true;
    while (!sign.empty()) {
      const XacroValue right = sum();
      holds = holds && (!is_live_ || xacro_comparison(sign, left, right));
      left = right;
      sign = comparison_sign();
    }
    return XacroValue(holds);
  }

  XacroValue operate(const std::string& sign, const XacroValue& a, const XacroValue& b) const {
    return is_live_ ? xacro_operation(sign, a, b) : XacroValue();
  }

  XacroValue sum() {
    XacroValue value = product();
    while (is_here("+") || is_here("-")) {
      const std::string sign = tokens_[at_++].text;
      value = operate(sign, value, product());
    }
    return value;
  }

  XacroValue product() {
    XacroValue value = signed_value();
    while (is_here("*") || is_here("/") || is_here("//") || is_here("%")) {
      const std::string sign = tokens_[at_++].text;
      value = operate(sign, value, signed_value());
    }
    return value;
  }

  XacroValue signed_value() {
    if (take("-")) {
      const XacroValue value = signed_value();
      return operate("*", value.is_whole() ? XacroValue(std::int64_t{-1}) : XacroValue(-1.0),
                     value);
    }
    if (take("+")) {
      return signed_value();
    }
    return power();
  }

  XacroValue power() {
    const XacroValue base = postfix();
    return take("**") ? operate("**", base, signed_value()) : base;
  }

  XacroValue postfix() {
    XacroValue value = atom();
    while (true) {
      if (take("[")) {
        value = subscript(value);
      } else if (take(".")) {
        value = attribute(value);
      } else {
        return value;
      }
    }
  }

  XacroValue subscript(const XacroValue& self) {
    const XacroValue first = is_here(":") ? XacroValue() : choice();
    if (take(":")) {
      const XacroValue last = is_here("]") ? XacroValue() : choice();
      expect("]");
      return is_live_ ? xacro_slice(self, first, last) : XacroValue();
    }
    expect("]");
    return is_live_ ? xacro_item(self, first) : XacroValue();
  }

  std::string name() {
    if (here().kind != TokenKind::kName) {
      fail_here();
    }
    return tokens_[at_++].text;
  }

  /// A method of a value, or a key of a dictionary.
  XacroValue attribute(const XacroValue& self) {
    const std::string key = name();
    if (!take("(")) {
      return is_live_ ? xacro_item(self, XacroValue(key)) : XacroValue();
    }
    const XacroArguments given = arguments();
    return is_live_ ? xacro_method(self, key, given) : XacroValue();
  }

  /// What follows "(".
  XacroArguments arguments() {
    XacroArguments given;
    while (!take(")")) {
      if (here().kind == TokenKind::kName && tokens_[at_ + 1].text == "=" &&
          tokens_[at_ + 1].kind == TokenKind::kSign) {
        const std::string key = name();
        expect("=");
        set_key(given.named, key, choice());
      } else {
        given.values.push_back(choice());
      }
      if (!is_here(")")) {
        expect(",");
      }
    }
    return given;
  }

  XacroValue atom() {
    if (here().kind == TokenKind::kNumber) {
      const std::string text = tokens_[at_++].text;
      const XacroValue value = literal_value(text);
      if (!value.is_number()) {
        throw XacroProblem{fmt::format("'{}' is not a number", text), ""};
      }
      return value;
    }
    if (here().kind == TokenKind::kText) {
      std::string text;
      while (here().kind == TokenKind::kText) {
        text += tokens_[at_++].text;
      }
      return XacroValue(text);
    }
    if (take("(")) {
      if (take(")")) {
        return XacroValue(XacroList{});
      }
      XacroValue value = tuple();
      expect(")");
      return value;
    }
    if (take("[")) {
      return list();
    }
    if (take("{")) {
      return dictionary();
    }
    return named();
  }

  XacroValue list() {
    XacroList list;
    while (!take("]")) {
      list.push_back(choice());
      if (!is_here("]")) {
        expect(",");
      }
    }
    return XacroValue(std::move(list));
  }

  XacroValue dictionary() {
    XacroDict dict;
    while (!take("}")) {
      const std::string key = choice().text();
      expect(":");
      set_key(dict, key, choice());
      if (!is_here("}")) {
        expect(",");
      }
    }
    return XacroValue(std::move(dict));
  }

  std::optional<XacroValue> property(const std::string& name) const {
    return around_.property && is_live_ ? around_.property(name) : std::nullopt;
  }

  /// A property, a constant or a function, perhaps behind math., python., xacro. or a namespace.
  XacroValue named() {
    std::string word = name();
    if (const std::optional<XacroValue> value = property(word)) {
      return *value;
    }
    const bool is_module = word == "math" || word == "python" || word == "xacro";
    if (is_module && is_here(".")) {
      expect(".");
      word = name();
    } else if (is_here(".") && !is_module) {
      // a namespace may hold others
      const std::size_t start = at_;
      std::string path = word;
      while (take(".")) {
        path += "." + name();
        if (const std::optional<XacroValue> value = property(path)) {
          return *value;
        }
      }
      at_ = start;
    }
    if (take("(")) {
      return call(word, arguments());
    }
    if (const std::optional<XacroValue> value = xacro_constant(word)) {
      return *value;
    }
    if (!is_live_) {
      return {};
    }
    throw XacroProblem{fmt::format("there is no property '{}'", word),
                       "define it with <xacro:property name=\"" + word +
                           "\" value=\"…\"/> before "
                           "it is used"};
  }

  XacroValue call(const std::string& name, const XacroArguments& given) const {
    if (!is_live_) {
      return {};
    }
    if (around_.function) {
      if (const std::optional<XacroValue> value = around_.function(name, given.values)) {
        return *value;
      }
    }
    if (!is_xacro_function(name)) {
      throw XacroProblem{fmt::format("the function '{}' is not supported", name), kBeyond};
    }
    return xacro_function(name, given);
  }

  std::string expression_;
  const XacroSurroundings& around_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool is_live_ = true;      ///< whether values count
  bool has_choice_ = false;  ///< there is an `if`, for which values are read twice
  int depth_ = 0;
};

}  // namespace

XacroValue evaluate_xacro(const std::string& expression, const XacroSurroundings& around) {
  return Evaluator(expression, around).whole();
}

}  // namespace longarm::model
