// SPDX-License-Identifier: Apache-2.0
// Fills CRCL types with random but allowed values, field by field.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "longarm/protocols/crcl/command_fields.h"
#include "longarm/protocols/crcl/status_fields.h"

namespace longarm::protocols::crcl {

/// An archive that makes up what a reader would read. Same seed, same documents.
class Filler {
 public:
  static constexpr bool kReads = true;

  explicit Filler(std::uint64_t seed) : state_(seed) {}

  /// A linear congruential generator (Knuth's MMIX constants); the upper bits are the good ones.
  std::uint64_t draw(std::uint64_t below) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % below;
  }

  template <typename T>
  void required(std::string_view /*name*/, T& value, Rule rule = Rule::kNone) {
    fill(value, rule);
  }

  template <typename T>
  void optional(std::string_view name, std::optional<T>& value, Rule rule = Rule::kNone) {
    // what is of 2021 is never written; what old clients leave out, we do not
    const bool is_of_2021 = name == "RequireTrigger" || name == "ErrorOnTrigger";
    const bool is_always =
        name == "ReportSensorsStatus" || name == "ReportGuardsStatus" || is_full_;
    value.reset();
    if (!is_of_2021 && (is_always || draw(2) == 0)) {
      fill(value.emplace(), rule);
    }
  }

  template <typename T>
  void list(std::string_view /*name*/, std::vector<T>& values, std::size_t least = 0) {
    values.resize(least + draw(3) + (is_full_ ? 1 : 0));
    for (T& value : values) {
      fill(value, Rule::kNone);
    }
  }

  template <typename T>
  void group(std::string_view /*name*/, std::vector<T>& values, std::string_view item) {
    list(item, values, 1);
  }

  template <typename T>
  void optional_group(std::string_view name, std::optional<std::vector<T>>& values,
                      std::string_view item) {
    if (is_full_ || draw(2) == 0) {
      group(name, values.emplace(), item);
    }
  }

  void wrapped(std::string_view name, std::optional<double>& value, std::string_view /*inner*/,
               Rule rule) {
    optional(name, value, rule);
  }

  void name(std::string& text) {
    if (draw(2) == 0) {
      text = "n" + std::to_string(++names_);
    }
  }

  /// Everything optional is there.
  void fill_all(bool is_full) { is_full_ = is_full; }

  template <typename T>
  void fill(T& value, Rule rule) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(draw(kNames<T>.size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = draw(2) == 0;
    } else if constexpr (std::is_same_v<T, double>) {
      value = number(rule);
    } else if constexpr (std::is_integral_v<T>) {
      const T edges[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1, 257};
      value = edges[draw(5)];
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text(rule);
    } else {
      choose(value);
      list_fields(*this, value);
    }
  }

 private:
  template <typename T>
  void choose(T& /*value*/) {}
  void choose(Rate& rate) { rate.is_relative = draw(2) == 0; }
  void choose(Waypoint& waypoint) {
    waypoint.settings.reset();
    if (draw(2) == 0) {
      waypoint.settings.emplace();
    }
  }
  void choose(JointDetails& details) {
    take_alternative(kJointDetailTypes[draw(2)], kJointDetailTypes, details);
  }
  void choose(GripperStatus& gripper) {
    take_alternative(kGripperTypes[draw(3)], kGripperTypes, gripper.kind);
  }

  double number(Rule rule) {
    const double fractions[] = {0.0, 1.0, 0.1, 1e-300};
    const double others[] = {-0.0, 1e300, 5e-324, 0.1, -123.456, 3.0, 1.0 / 3.0, 2e22};
    const double small = static_cast<double>(draw(1U << 30U)) / static_cast<double>(1U << 30U);
    if (draw(2) == 0) {
      return small;
    }
    return rule == Rule::kFraction ? fractions[draw(4)] : others[draw(8)];
  }

  std::string text(Rule rule) {
    const std::string free[] = {"",
                                "  two  spaces ",
                                "a<b>&\"c'",
                                "]]>",
                                "line\nline\ttab\rreturn",
                                "\xC3\xBC\xE2\x82\xAC\xF0\x9F\xA4\x96",
                                "&amp;lt;",
                                "banana"};
    const std::string tokens[] = {"", "two words", "a<b>&c", "nan", "\xC3\xBC"};
    const std::string words[] = {"jaws", "a.b-c_d:e", "0", "nan"};
    switch (rule) {
      case Rule::kToken:
        return tokens[draw(5)];
      case Rule::kNameToken:
        return words[draw(4)];
      default:
        return free[draw(8)];
    }
  }

  std::uint64_t state_;
  bool is_full_ = false;
  int names_ = 0;
};

}  // namespace longarm::protocols::crcl
