// SPDX-License-Identifier: Apache-2.0
// YAML out, exact enough to read back the same bits.
#include "longarm/config/config_writer.h"

#include <cctype>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::config {
namespace {

/// Plain where YAML cannot misread it, otherwise in double quotes.
std::string in_quotes(const std::string& text) {
  bool is_plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
                  text != "true" && text != "false" && text != "null";
  for (const char c : text) {
    is_plain = is_plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
                            c == '_' || c == '/' || c == '.');
  }
  if (is_plain) {
    return text;
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(double value) {
  return format_number(value);
}
std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of(const std::string& value) {
  return in_quotes(value);
}
std::string text_of(Duration value) {
  return format_duration(value);
}
template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "";
}
std::string text_of(const JointPositions& positions);
template <typename T>
std::string text_of(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) {
    words.push_back(text_of(value));
  }
  return "[" + join(words) + "]";
}
std::string text_of(const JointPositions& positions) {
  if (positions.names.empty()) {
    return text_of(positions.values);
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < positions.names.size(); ++i) {
    words.push_back(in_quotes(positions.names[i]) + ": " + text_of(positions.values[i]));
  }
  return "{" + join(words) + "}";
}

}  // namespace

void ConfigWriter::do_field(const Field& field) {
  const std::string key(field.key);
  const std::string value = std::visit([](const auto* at) { return text_of(*at); }, field.value);
  if (!value.empty() && value != field.unwritten) {
    yaml_ += indent_ + key + ": " + value + "\n";
  }
  std::vector<std::string> choices =
      field.choices == nullptr ? std::vector<std::string>() : *field.choices;
  std::erase(choices, "");
  lines_.push_back({prefix_ + key, value, std::string(field.doc), join(choices)});
}

void ConfigWriter::section(std::string_view key, std::string_view,
                           const std::function<void(Fields&)>& list, std::string_view) {
  group(std::string(key), list);
}

void ConfigWriter::entries(std::string_view key, std::string_view, std::vector<std::string>& names,
                           const std::function<void(Fields&, std::size_t index)>& list) {
  if (names.empty()) {
    // what such an entry could have, for those who ask for the keys
    const std::string before = yaml_;
    group(std::string(key) + ".NAME", [&](Fields& fields) { list(fields, kAnyName); });
    yaml_ = before;
    return;
  }
  group(std::string(key), [&](Fields&) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t before = yaml_.size();
      group(in_quotes(names[i]), [&](Fields& fields) { list(fields, i); });
      if (yaml_.size() == before) {
        yaml_ += indent_ + in_quotes(names[i]) + ": {}\n";  // the name itself says something
      }
    }
  });
}

void ConfigWriter::group(const std::string& key, const std::function<void(Fields&)>& list) {
  const std::string outer_prefix = prefix_;
  const std::string outer_indent = indent_;
  const std::size_t before = yaml_.size();
  const std::string heading = indent_ + key + ":\n";
  yaml_ += heading;
  prefix_ += key + ".";
  indent_ += "  ";
  list(*this);
  if (yaml_.size() == before + heading.size()) {
    yaml_.resize(before);  // nothing in it
  }
  prefix_ = outer_prefix;
  indent_ = outer_indent;
}

}  // namespace longarm::config
