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

std::string list_text(const std::vector<double>& numbers) {
  std::vector<std::string> words;
  for (const double number : numbers) {
    words.push_back(format_number(number));
  }
  return "[" + join(words) + "]";
}

}  // namespace

void ConfigWriter::write(std::string_view key, std::string value, std::string_view doc,
                         std::string choices) {
  if (!value.empty()) {
    yaml_ += indent_ + std::string(key) + ": " + value + "\n";
  }
  lines_.push_back(
      {prefix_ + std::string(key), std::move(value), std::string(doc), std::move(choices)});
}

void ConfigWriter::field(std::string_view key, bool& value, std::string_view doc) {
  write(key, value ? "true" : "false", doc);
}

void ConfigWriter::field(std::string_view key, double& value, std::string_view doc) {
  write(key, format_number(value), doc);
}

void ConfigWriter::field(std::string_view key, std::int64_t& value, std::string_view doc) {
  write(key, std::to_string(value), doc);
}

void ConfigWriter::field(std::string_view key, std::string& value, std::string_view doc) {
  write(key, in_quotes(value), doc);
}

void ConfigWriter::field(std::string_view key, Duration& value, std::string_view doc) {
  write(key, format_duration(value), doc);
}

void ConfigWriter::field(std::string_view key, std::optional<double>& value, std::string_view doc) {
  write(key, value ? format_number(*value) : "", doc);
}

void ConfigWriter::field(std::string_view key, std::optional<Duration>& value,
                         std::string_view doc) {
  write(key, value ? format_duration(*value) : "", doc);
}

void ConfigWriter::field(std::string_view key, std::vector<double>& value, std::string_view doc) {
  write(key, list_text(value), doc);
}

void ConfigWriter::field(std::string_view key, std::vector<std::vector<double>>& value,
                         std::string_view doc) {
  std::vector<std::string> rows;
  for (const std::vector<double>& row : value) {
    rows.push_back(list_text(row));
  }
  write(key, "[" + join(rows) + "]", doc);
}

void ConfigWriter::field(std::string_view key, std::vector<std::string>& value,
                         std::string_view doc) {
  std::vector<std::string> words;
  for (const std::string& word : value) {
    words.push_back(in_quotes(word));
  }
  write(key, "[" + join(words) + "]", doc);
}

void ConfigWriter::choice(std::string_view key, std::string& value,
                          const std::vector<std::string>& choices, std::string_view doc) {
  std::vector<std::string> words;
  for (const std::string& word : choices) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  write(key, in_quotes(value), doc, join(words));
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
