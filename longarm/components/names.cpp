// SPDX-License-Identifier: Apache-2.0
// Resolves, remaps and judges names; base64 for binary parameters.
#include "longarm/components/names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace longarm::components {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// without remapping
std::string resolve_plain(std::string_view name, std::string_view node) {
  const std::string own = node.starts_with('/') ? std::string(node) : "/" + std::string(node);
  if (name.starts_with('/')) {
    return std::string(name);
  }
  if (name.starts_with('~')) {
    name.remove_prefix(1);
    if (name.starts_with('/')) {
      name.remove_prefix(1);
    }
    return name.empty() ? own : own + "/" + std::string(name);
  }
  return own.substr(0, own.rfind('/') + 1) + std::string(name);
}

}  // namespace

std::string resolve_name(std::string_view name, std::string_view node,
                         const std::map<std::string, std::string>& remap) {
  const auto written = remap.find(std::string(name));
  if (written != remap.end()) {
    return resolve_plain(written->second, node);
  }
  std::string resolved = resolve_plain(name, node);
  for (const auto& [from, to] : remap) {
    if (resolve_plain(from, node) == resolved) {
      return resolve_plain(to, node);
    }
  }
  return resolved;
}

std::string complaint_about_name(std::string_view name) {
  if (name.empty()) {
    return "a name is empty";
  }
  std::string_view rest = name;
  if (rest.starts_with('~')) {
    rest.remove_prefix(1);
  }
  if (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  if (rest.empty() || rest.ends_with('/') || rest.find("//") != rest.npos ||
      rest.starts_with('/')) {
    return fmt::format("the name '{}' has an empty part", name);
  }
  const auto bad = std::find_if(rest.begin(), rest.end(),
                                [](char c) { return c != '/' && !is_name_character(c); });
  if (bad != rest.end()) {
    return fmt::format("the name '{}' has a '{}': letters, digits, '_', '-', '.' and '/' are meant",
                       name, *bad);
  }
  return {};
}

Parameter binary_parameter(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kBase64[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

Result<std::vector<std::byte>> binary_value(const Parameter& parameter) {
  if (!parameter.is_string() || parameter.get_ref<const std::string&>().size() % 4 != 0) {
    return Error{"no base64 text: its length is not a multiple of four"};
  }
  std::string_view text = parameter.get_ref<const std::string&>();
  while (text.ends_with('=') && parameter.get_ref<const std::string&>().size() - text.size() < 2) {
    text.remove_suffix(1);
  }
  std::vector<std::byte> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kBase64.find(c);
    if (value == kBase64.npos) {
      return Error{fmt::format("no base64 text: it has a '{}'", c)};
    }
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    }
  }
  return bytes;
}

}  // namespace longarm::components
