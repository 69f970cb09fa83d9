// SPDX-License-Identifier: Apache-2.0
// Reads the fields of CRCL types out of an XML tree; keeps the first thing that is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pugixml.hpp>

#include "longarm/core/result.h"
#include "longarm/protocols/crcl/fields.h"
#include "longarm/protocols/crcl/xml_text.h"

namespace longarm::protocols::crcl {

class Reader {
 public:
  static constexpr bool kReads = true;

  struct Tolerance {
    bool of_nonfinite = false;   ///< takes INF and NaN
    bool of_extensions = false;  ///< reads over what follows the last field of the root
    bool of_namespaces = false;  ///< does not look at them
  };

  explicit Reader(Tolerance tolerance) : tolerance_(tolerance) {}

  /// Whatever can be wrong with a whole document, then its fields.
  template <typename T>
  Result<T> read(std::string_view document, std::string_view root);

  template <typename T>
  void required(std::string_view name, T& value, Rule rule = Rule::kNone) {
    if (!is_next(name)) {
      return fail_missing(name);
    }
    read_next(name, value, rule);
  }

  template <typename T>
  void optional(std::string_view name, std::optional<T>& value, Rule rule = Rule::kNone) {
    value.reset();
    if (is_next(name)) {
      read_next(name, value.emplace(), rule);
    }
  }

  template <typename T>
  void list(std::string_view name, std::vector<T>& values, std::size_t least = 0) {
    while (is_next(name)) {
      read_next(name, values.emplace_back(), Rule::kNone);
    }
    if (values.size() < least) {
      fail_missing(name);
    }
  }

  template <typename T>
  void group(std::string_view name, std::vector<T>& values, std::string_view item) {
    if (!is_next(name)) {
      return fail_missing(name);
    }
    inside_next(name, [&] { list(item, values, 1); });
  }

  template <typename T>
  void optional_group(std::string_view name, std::optional<std::vector<T>>& values,
                      std::string_view item) {
    if (is_next(name)) {
      group(name, values.emplace(), item);
    }
  }

  void wrapped(std::string_view name, std::optional<double>& value, std::string_view inner,
               Rule rule) {
    if (is_next(name)) {
      inside_next(name, [&] { required(inner, value.emplace(), rule); });
    }
  }

  void name(std::string& text) { text = name_; }

 private:
  bool is_next(std::string_view name) const { return !error_ && cursor_.name() == name; }

  template <typename T>
  void read_next(std::string_view name, T& value, Rule rule);
  template <typename Work>
  void inside_next(std::string_view name, const Work& work);
  template <typename Work>
  void read_fields(pugi::xml_node element, const Work& work);

  pugi::xml_node open(std::string_view document, std::string_view root, pugi::xml_document& tree);
  void enter(pugi::xml_node element);
  /// CRCL's elements and types are in no namespace; xsi:type is in that of XML Schema instances.
  void check_namespaces(pugi::xml_node root);
  void check_namespaces_of(pugi::xml_node element);

  void read_simple(std::string_view text, double& value, Rule rule);
  void read_simple(std::string_view text, std::int64_t& value, Rule rule);
  void read_simple(std::string_view text, std::int32_t& value, Rule rule);
  void read_simple(std::string_view text, bool& value, Rule rule);
  void read_simple(std::string_view text, std::string& value, Rule rule);
  template <typename Enumeration>
  void read_enumeration(std::string_view text, Enumeration& value);

  /// The text of an element without elements; fails if it has some.
  std::string text_of(pugi::xml_node element);

  void fail(std::string_view message);
  void fail_missing(std::string_view name);
  void fail_type(std::string_view type);

  Tolerance tolerance_;
  pugi::xml_node cursor_;  // the element that stands next
  std::string name_;       // of the element entered last
  std::vector<std::string_view> path_;
  std::optional<Error> error_;
};

/// An element's xsi:type, whatever the prefix; the prefix of the type itself is dropped too.
std::string_view type_of(pugi::xml_node element);
pugi::xml_node next_element(pugi::xml_node element);

template <typename T>
Result<T> Reader::read(std::string_view document, std::string_view root) {
  pugi::xml_document tree;
  const pugi::xml_node element = open(document, root, tree);
  T value;
  if (!error_) {
    read_fields(element, [&] {
      list_fields(*this, value);
      if (tolerance_.of_extensions) {
        cursor_ = {};
      }
    });
  }
  if (error_) {
    return *error_;
  }
  return value;
}

template <typename Work>
void Reader::read_fields(pugi::xml_node element, const Work& work) {
  enter(element);
  work();
  if (!error_ && cursor_) {
    fail(fmt::format("'{}' is not expected here", cursor_.name()));
  }
}

template <typename Work>
void Reader::inside_next(std::string_view name, const Work& work) {
  const pugi::xml_node element = cursor_;
  path_.push_back(name);
  read_fields(element, work);
  path_.pop_back();
  cursor_ = next_element(element);
}

template <typename T>
void Reader::read_next(std::string_view name, T& value, Rule rule) {
  const pugi::xml_node element = cursor_;
  path_.push_back(name);
  if constexpr (std::is_enum_v<T>) {
    read_enumeration(trimmed(text_of(element)), value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    read_simple(text_of(element), value, rule);
  } else if (take_type(name, type_of(element), value)) {
    read_fields(element, [&] { list_fields(*this, value); });
  } else {
    fail_type(type_of(element));
  }
  path_.pop_back();
  cursor_ = next_element(element);
}

template <typename Enumeration>
void Reader::read_enumeration(std::string_view text, Enumeration& value) {
  constexpr auto& kChoices = kNames<Enumeration>;
  const auto found = std::find(kChoices.begin(), kChoices.end(), text);
  if (found == kChoices.end()) {
    return fail(fmt::format("'{}' is none of {}", text, fmt::join(kChoices, ", ")));
  }
  value = static_cast<Enumeration>(found - kChoices.begin());
}

}  // namespace longarm::protocols::crcl
