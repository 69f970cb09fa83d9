// SPDX-License-Identifier: Apache-2.0
// Reading CRCL documents: the XML around the fields, simple values, and the words for what is
// wrong.
#include "longarm/protocols/crcl/reader.h"

#include <algorithm>
#include <cmath>

namespace longarm::protocols::crcl {
namespace {

// Long texts are cut before they go into a message.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out;
  append_escaped(out, text.substr(0, kLongest));
  return text.size() > kLongest ? out + "…" : out;
}

bool is_text(pugi::xml_node node) {
  return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
}

pugi::xml_node element_from(pugi::xml_node node) {
  while (node && node.type() != pugi::node_element) {
    node = node.next_sibling();
  }
  return node;
}

constexpr std::string_view kSchemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

/// What a prefix stands for at an element; nothing: it is declared neither there nor around it.
std::optional<std::string_view> namespace_of(pugi::xml_node element, std::string_view prefix) {
  for (; element; element = element.parent()) {
    for (const pugi::xml_attribute attribute : element.attributes()) {
      const std::string_view name = attribute.name();
      if (name.starts_with("xmlns:") && name.substr(6) == prefix) {
        return attribute.value();
      }
    }
  }
  return std::nullopt;
}

/// Of bytes that are no XML text.
std::string why_no_text(std::string_view document) {
  const auto is_forbidden = [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
  };
  const auto found = std::find_if(document.begin(), document.end(), is_forbidden);
  return found == document.end()
             ? "not XML: bytes that are no UTF-8 text"
             : fmt::format("not XML: control character 0x{:02X} at byte {}, which XML forbids",
                           static_cast<int>(*found), found - document.begin());
}

}  // namespace

std::string_view type_of(pugi::xml_node element) {
  for (const pugi::xml_attribute attribute : element.attributes()) {
    const std::string_view name = attribute.name();
    if (!name.ends_with(":type")) {
      continue;
    }
    const std::string_view type = trimmed(attribute.value());
    const std::size_t colon = type.find(':');  // in statuses of other servers
    return colon == std::string_view::npos ? type : type.substr(colon + 1);
  }
  return {};
}

pugi::xml_node next_element(pugi::xml_node element) {
  return element_from(element.next_sibling());
}

pugi::xml_node Reader::open(std::string_view document, std::string_view root,
                            pugi::xml_document& tree) {
  if (!is_xml_text(document)) {
    fail(why_no_text(document));
    return {};
  }
  // Entities are left alone here, so that those nobody knows can be told from the five of XML.
  constexpr unsigned kFlags =
      pugi::parse_cdata | pugi::parse_eol | pugi::parse_doctype | pugi::parse_ws_pcdata;
  const pugi::xml_parse_result parsed =
      tree.load_buffer(document.data(), document.size(), kFlags, pugi::encoding_utf8);
  if (!parsed) {
    fail(fmt::format("not XML: {} at byte {}", parsed.description(), parsed.offset));
    return {};
  }
  for (const pugi::xml_node node : tree.children()) {
    if (node.type() == pugi::node_doctype) {
      fail("a document type (<!DOCTYPE …>) is not allowed");
      return {};
    }
  }
  const pugi::xml_node element = element_from(tree.first_child());
  if (element.name() != root) {
    fail(fmt::format("the root is '{}' where '{}' was expected", shown(element.name()), root));
  } else if (next_element(element)) {
    fail(fmt::format("'{}' follows the end of the document", shown(next_element(element).name())));
  } else if (!tolerance_.of_namespaces) {
    check_namespaces(element);
  }
  return element;
}

void Reader::check_namespaces(pugi::xml_node root) {
  // no CRCL document is nearly as deep, and looking for declarations takes time with depth
  constexpr int kDeepest = 32;
  int depth = 0;
  for (pugi::xml_node node = root; node && !error_;) {
    if (node.type() == pugi::node_element) {
      check_namespaces_of(node);
    }
    if (node.first_child()) {
      node = node.first_child();
      if (++depth > kDeepest) {
        return fail(fmt::format("elements within elements, more than {} deep", kDeepest));
      }
      continue;
    }
    while (node != root && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node == root ? pugi::xml_node() : node.next_sibling();
  }
}

void Reader::check_namespaces_of(pugi::xml_node element) {
  const std::string_view element_name = element.name();
  if (element_name.find(':') != std::string_view::npos) {
    return fail(
        fmt::format("'{}': elements are in no namespace, and have no prefix", shown(element_name)));
  }
  for (const pugi::xml_attribute attribute : element.attributes()) {
    const std::string_view name = attribute.name();
    const std::string_view value = attribute.value();
    const std::size_t colon = name.find(':');
    const std::string_view prefix = name.substr(0, colon);
    if (name == "xmlns" && !value.empty()) {
      return fail(fmt::format("'{}' is in the namespace '{}', and CRCL's elements are in none",
                              shown(element_name), shown(value)));
    }
    if (colon == std::string_view::npos || prefix == "xmlns" || prefix == "xml") {
      continue;
    }
    const std::optional<std::string_view> uri = namespace_of(element, prefix);
    if (!uri) {
      return fail(fmt::format("the prefix of '{}' is not declared; declare xmlns:{}=\"{}\"",
                              shown(name), shown(prefix), kSchemaInstance));
    }
    if (name.substr(colon) != ":type") {
      continue;
    }
    if (*uri != kSchemaInstance) {
      return fail(fmt::format("'{}' is in the namespace '{}', not in '{}'", shown(name),
                              shown(*uri), kSchemaInstance));
    }
    if (value.find(':') != std::string_view::npos) {
      return fail(fmt::format("xsi:type '{}': types are in no namespace, and have no prefix",
                              shown(trimmed(value))));
    }
  }
}

void Reader::enter(pugi::xml_node element) {
  name_.clear();
  for (const pugi::xml_node child : element.children()) {
    if (is_text(child) && !trimmed(child.value()).empty()) {
      return fail(fmt::format("text '{}' is not expected here", shown(trimmed(child.value()))));
    }
  }
  cursor_ = element_from(element.first_child());
  // everything may be called something
  if (cursor_.name() == std::string_view("Name")) {
    path_.push_back("Name");
    const std::string text = text_of(cursor_);
    name_ = collapsed(text);
    path_.pop_back();
    cursor_ = next_element(cursor_);
  }
}

std::string Reader::text_of(pugi::xml_node element) {
  std::string text;
  for (const pugi::xml_node child : element.children()) {
    if (child.type() == pugi::node_cdata) {
      text += child.value();
    } else if (child.type() == pugi::node_pcdata) {
      const std::optional<std::string> part = unescaped(child.value());
      if (!part.has_value()) {
        fail(fmt::format("'{}' names an entity that XML does not have", shown(child.value())));
        return {};
      }
      text += *part;
    } else {
      fail(fmt::format("'{}' is not expected here", shown(child.name())));
      return {};
    }
  }
  return text;
}

// --- simple values
// --------------------------------------------------------------------------------

void Reader::read_simple(std::string_view text, double& value, Rule rule) {
  const std::optional<double> number = parse_double(text);
  if (!number.has_value()) {
    return fail(fmt::format("'{}' is not a number", shown(trimmed(text))));
  }
  if (!std::isfinite(*number) && !tolerance_.of_nonfinite) {
    return fail(fmt::format("'{}' is not a finite number", shown(trimmed(text))));
  }
  if (rule == Rule::kFraction && !(*number >= 0.0 && *number <= 1.0)) {
    return fail(fmt::format("'{}' is not between 0 and 1", shown(trimmed(text))));
  }
  value = *number;
}

void Reader::read_simple(std::string_view text, std::int64_t& value, Rule /*rule*/) {
  const std::optional<std::int64_t> number = parse_long(text);
  if (!number.has_value()) {
    return fail(fmt::format("'{}' is not a whole number of 64 bits", shown(trimmed(text))));
  }
  value = *number;
}

void Reader::read_simple(std::string_view text, std::int32_t& value, Rule /*rule*/) {
  const std::optional<std::int32_t> number = parse_int(text);
  if (!number.has_value()) {
    return fail(fmt::format("'{}' is not a whole number of 32 bits", shown(trimmed(text))));
  }
  value = *number;
}

void Reader::read_simple(std::string_view text, bool& value, Rule /*rule*/) {
  const std::optional<bool> flag = parse_boolean(text);
  if (!flag.has_value()) {
    return fail(fmt::format("'{}' is neither true nor false", shown(trimmed(text))));
  }
  value = *flag;
}

void Reader::read_simple(std::string_view text, std::string& value, Rule rule) {
  if (rule == Rule::kNone) {
    value = text;
    return;
  }
  value = collapsed(text);
  if (rule == Rule::kNameToken && (value.empty() || value.find(' ') != std::string::npos)) {
    fail(fmt::format("'{}' is not one word", shown(value)));
  }
}

// --- failures
// -------------------------------------------------------------------------------------

void Reader::fail(std::string_view message) {
  if (error_) {
    return;
  }
  error_ = path_.empty() ? Error{std::string(message)}
                         : Error{fmt::format("{}: {}", fmt::join(path_, "/"), message)};
}

void Reader::fail_missing(std::string_view name) {
  if (cursor_) {
    return fail(fmt::format("'{}' was expected before '{}'", name, shown(cursor_.name())));
  }
  fail(fmt::format("'{}' is missing", name));
}

void Reader::fail_type(std::string_view type) {
  if (type.empty()) {
    return fail("says no xsi:type");
  }
  fail(fmt::format("xsi:type '{}' is not known here", shown(type)));
}

}  // namespace longarm::protocols::crcl
