// SPDX-License-Identifier: Apache-2.0
// Resolves, remaps and judges names; base64 for binary parameters.
#include "longarm/components/names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "longarm/core/base64.h"

namespace longarm::components {
namespace {

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

std::pair<std::string, std::string> resolve_service(
    std::string_view server, std::string_view method, std::string_view node,
    const std::map<std::string, std::string>& remap) {
  const std::string component = resolve_name(server, node, remap);
  const std::string service = component + "/" + std::string(method);
  for (const auto& [from, to] : remap) {
    if (resolve_plain(from, node) != service) {
      continue;
    }
    const std::string other = resolve_plain(to, node);
    // methods may have slashes of their own
    const std::string tail = "/" + std::string(method);
    const std::size_t at = other.ends_with(tail) ? other.size() - tail.size()
                                                 : std::max<std::size_t>(other.rfind('/'), 1);
    return {other.substr(0, at), other.substr(std::min(at + 1, other.size()))};
  }
  return {component, std::string(method)};
}

std::string node_name(std::string_view name_space, std::string_view name) {
  while (name_space.starts_with('/')) {
    name_space.remove_prefix(1);
  }
  while (name_space.ends_with('/')) {
    name_space.remove_suffix(1);
  }
  return name_space.empty() ? "/" + std::string(name)
                            : "/" + std::string(name_space) + "/" + std::string(name);
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
    return fmt::format("the name '{}' contains '{}'; use letters, digits, '_', '-', '.' and '/'",
                       name, *bad);
  }
  return {};
}

Parameter binary_parameter(std::span<const std::byte> bytes) {
  return base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::vector<std::byte>> binary_value(const Parameter& parameter) {
  const Result<std::string> bytes =
      from_base64(parameter.is_string() ? parameter.get_ref<const std::string&>() : "?");
  if (!bytes) {
    return bytes.error();
  }
  const auto view = std::as_bytes(std::span(bytes->data(), bytes->size()));
  return std::vector<std::byte>(view.begin(), view.end());
}

}  // namespace longarm::components
