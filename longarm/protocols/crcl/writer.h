// SPDX-License-Identifier: Apache-2.0
// Writes the fields of CRCL types as XML; keeps the first thing that cannot be written.
#pragma once

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/result.h"
#include "longarm/protocols/crcl/fields.h"
#include "longarm/protocols/crcl/xml_text.h"

namespace longarm::protocols::crcl {

class Writer {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  Result<std::string> write(const T& value, std::string_view root) {
    out_ = R"(<?xml version="1.0" encoding="UTF-8"?>)";
    out_ += fmt::format(R"(<{} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">)", root);
    list_fields(*this, value);
    close(root);
    if (error_) {
      return *error_;
    }
    return std::move(out_);
  }

  template <typename T>
  void required(std::string_view name, const T& value, Rule rule = Rule::kNone) {
    if constexpr (std::is_enum_v<T>) {
      write_simple(name, name_of(value), Rule::kNone);
    } else if constexpr (std::is_arithmetic_v<T>) {
      write_simple(name, value, rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      write_simple(name, std::string_view(value), rule);
    } else {
      open(name, type_attribute(name, value));
      list_fields(*this, value);
      close(name);
    }
  }

  template <typename T>
  void optional(std::string_view name, const std::optional<T>& value, Rule rule = Rule::kNone) {
    if (value.has_value()) {
      required(name, *value, rule);
    }
  }

  template <typename T>
  void list(std::string_view name, const std::vector<T>& values, std::size_t least = 0) {
    if (values.size() < least) {
      fail(fmt::format("{}: there must be at least {}", name, least));
    }
    for (const T& value : values) {
      required(name, value);
    }
  }

  template <typename T>
  void group(std::string_view name, const std::vector<T>& values, std::string_view item) {
    open(name, {});
    list(item, values, 1);
    close(name);
  }

  template <typename T>
  void optional_group(std::string_view name, const std::optional<std::vector<T>>& values,
                      std::string_view item) {
    if (values.has_value()) {
      group(name, *values, item);
    }
  }

  void wrapped(std::string_view name, const std::optional<double>& value, std::string_view inner,
               Rule rule) {
    if (value.has_value()) {
      open(name, {});
      required(inner, *value, rule);
      close(name);
    }
  }

  /// Names are IDs by the schema of 2019: those that are none, or were used before, are left out.
  void name(const std::string& text);

  void fail(std::string message);

 private:
  void open(std::string_view name, std::string_view type);
  void close(std::string_view name);
  void write_simple(std::string_view name, double value, Rule rule);
  void write_simple(std::string_view name, std::int64_t value, Rule rule);
  void write_simple(std::string_view name, std::int32_t value, Rule rule);
  void write_simple(std::string_view name, bool value, Rule rule);
  void write_simple(std::string_view name, std::string_view text, Rule rule);

  std::string out_;
  std::set<std::string> ids_;
  std::optional<Error> error_;
};

}  // namespace longarm::protocols::crcl
