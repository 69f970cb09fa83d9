// SPDX-License-Identifier: Apache-2.0
// What an expression of a xacro file can be: Python's plain values. Internal to the folder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace longarm::model {

/// A mistake in a xacro file, from where it is noticed to where its element is known.
struct XacroProblem {
  std::string message;
  std::string hint;
};

class XacroValue;
using XacroList = std::vector<XacroValue>;
/// In the order of the file, as Python keeps it.
using XacroDict = std::vector<std::pair<std::string, XacroValue>>;

/// Lists and dictionaries are shared by copies, which nobody can tell: expressions change nothing.
class XacroValue {
 public:
  XacroValue() = default;  ///< None
  explicit XacroValue(bool value) : value_(value) {}
  explicit XacroValue(std::int64_t value) : value_(value) {}
  explicit XacroValue(double value) : value_(value) {}
  explicit XacroValue(std::string value) : value_(std::move(value)) {}
  explicit XacroValue(XacroList value)
      : value_(std::make_shared<const XacroList>(std::move(value))) {}
  explicit XacroValue(XacroDict value)
      : value_(std::make_shared<const XacroDict>(std::move(value))) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  /// Null if it is something else.
  const bool* as_bool() const { return std::get_if<bool>(&value_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }
  const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  const XacroList* as_list() const;
  const XacroDict* as_dict() const;

  /// Of what counts as a number, truth values included; throws XacroProblem for the rest.
  double number() const;
  bool is_number() const;
  /// Whether Python's int or bool.
  bool is_whole() const { return as_integer() != nullptr || as_bool() != nullptr; }
  std::int64_t whole() const;

  /// Python's truth.
  bool is_true() const;
  /// As str() writes it.
  std::string text() const;
  /// As repr() writes it: texts in quotes.
  std::string quoted() const;
  /// "a number", "a text", …
  std::string kind() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string,
               std::shared_ptr<const XacroList>, std::shared_ptr<const XacroDict>>
      value_;
};

/// The last value of a key counts, as in Python.
void set_key(XacroDict& dict, const std::string& key, XacroValue value);

/// Numbers by value, whatever their type; throws XacroProblem for lists of different kinds.
bool is_equal(const XacroValue& a, const XacroValue& b);

/// What a plain text means to xacro: 'quoted' without its quotes, numbers and truth values as such.
XacroValue literal_value(const std::string& text);

/// The truth of a condition; a text must spell it. Throws XacroProblem for others.
bool condition_value(const XacroValue& value, const std::string& condition);

/// A YAML document as a value; !degrees and xacro's other units count. Throws XacroProblem.
XacroValue yaml_value(const std::string& text, const std::string& path);

}  // namespace longarm::model
