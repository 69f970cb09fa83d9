// SPDX-License-Identifier: Apache-2.0
// Names that nest and remap, parameter values, and the component that keeps both: the name service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/result.h"

namespace longarm::components {

/// Scalars, lists, dictionaries; binary values as base64 text.
using Parameter = nlohmann::ordered_json;

/// Base64 and back.
Parameter binary_parameter(std::span<const std::byte> bytes);
Result<std::vector<std::byte>> binary_value(const Parameter& parameter);

/// "/a/b" stays; "c" in "/a/b" is "/a/c"; "~c" is "/a/b/c". Remapping happens before and after.
std::string resolve_name(std::string_view name, std::string_view node,
                         const std::map<std::string, std::string>& remap);
/// The component and the method of a call. Services and actions are called NODE/METHOD, and
/// remapped by that name, too: {"server/ask", "backup/ask"}.
std::pair<std::string, std::string> resolve_service(
    std::string_view server, std::string_view method, std::string_view node,
    const std::map<std::string, std::string>& remap);
/// "/left/camera" of "left" (or "/left") and "camera"; no namespace is the global one.
std::string node_name(std::string_view name_space, std::string_view name);
/// What is wrong with a name, or empty.
std::string complaint_about_name(std::string_view name);

class Node;

/// Serves registration, look-up, topics (in the seven steps of ROS), parameters, and the broker.
/// One per system, a component like others: what it does takes time and crosses the network.
class NameService {
 public:
  explicit NameService(Node& node);
  ~NameService();
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;

  /// For systems whose parts are known beforehand: as if they had registered.
  void add(const std::string& component, const std::string& host, std::uint16_t port);
  void set_parameter(const std::string& name, Parameter value);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longarm::components
