// SPDX-License-Identifier: Apache-2.0
// Writing CRCL documents: tags and simple values.
#include "longarm/protocols/crcl/writer.h"

#include <iterator>

namespace longarm::protocols::crcl {

void Writer::name(const std::string& text) {
  if (is_id(text) && ids_.insert(text).second) {
    write_simple("Name", std::string_view(text), Rule::kNone);
  }
}

void Writer::fail(std::string message) {
  if (!error_) {
    error_ = Error{std::move(message)};
  }
}

void Writer::open(std::string_view name, std::string_view type) {
  out_ += '<';
  out_ += name;
  if (!type.empty()) {
    out_ += R"( xsi:type=")";
    out_ += type;
    out_ += '"';
  }
  out_ += '>';
}

void Writer::close(std::string_view name) {
  out_ += "</";
  out_ += name;
  out_ += '>';
}

// The shortest digits that read back as the same number.
void Writer::write_simple(std::string_view name, double value, Rule rule) {
  if (!std::isfinite(value)) {
    return fail(fmt::format("{}: {} is not a finite number", name, value));
  }
  if (rule == Rule::kFraction && !(value >= 0.0 && value <= 1.0)) {
    return fail(fmt::format("{}: {} is not between 0 and 1", name, value));
  }
  open(name, {});
  fmt::format_to(std::back_inserter(out_), "{}", value);
  close(name);
}

void Writer::write_simple(std::string_view name, std::int64_t value, Rule /*rule*/) {
  open(name, {});
  fmt::format_to(std::back_inserter(out_), "{}", value);
  close(name);
}

void Writer::write_simple(std::string_view name, std::int32_t value, Rule rule) {
  write_simple(name, std::int64_t{value}, rule);
}

void Writer::write_simple(std::string_view name, bool value, Rule /*rule*/) {
  open(name, {});
  out_ += value ? "true" : "false";
  close(name);
}

void Writer::write_simple(std::string_view name, std::string_view text, Rule rule) {
  if (rule == Rule::kNameToken && !is_name_token(text)) {
    return fail(fmt::format("{}: '{}' is not a name of letters, digits and .-_:", name, text));
  }
  open(name, {});
  append_escaped(out_, text);
  close(name);
}

}  // namespace longarm::protocols::crcl
