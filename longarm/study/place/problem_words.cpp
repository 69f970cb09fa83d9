// SPDX-License-Identifier: Apache-2.0
// Reads constraints as users write them.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/study/place/problem.h"

namespace longarm::study {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Turns words into indices and gathers what cannot be read.
class WordReader {
 public:
  explicit WordReader(PlacementProblem& problem) : problem_(problem) {}

  void pin(const std::string& text) {
    const std::string option = "--pin " + text;
    const std::vector<std::string> parts = split(text, '=');
    if (parts.size() != 2) {
      diagnostics_.error({option}, "expected a component and its host", "--pin NAME=HOST");
      return;
    }
    const std::optional<int> component = find("component", parts[0], problem_.components, option);
    const std::optional<int> host = find("host", parts[1], problem_.hosts, option);
    if (!component || !host) {
      return;
    }
    int& pinned = problem_.pinned[static_cast<std::size_t>(*component)];
    if (pinned != kAnyHost && pinned != *host) {
      diagnostics_.error({option},
                         fmt::format("'{}' is already pinned to '{}'", parts[0],
                                     problem_.hosts[static_cast<std::size_t>(pinned)]),
                         "remove one of the two");
      return;
    }
    pinned = *host;
  }

  void group(const std::string& option_name, const std::string& text,
             std::vector<std::vector<int>>& groups) {
    const std::string option = option_name + " " + text;
    std::vector<int> group;
    for (const std::string& name : split(text, ',')) {
      const std::optional<int> component = find("component", name, problem_.components, option);
      if (component && std::find(group.begin(), group.end(), *component) != group.end()) {
        diagnostics_.error({option}, fmt::format("'{}' is named twice", name), "name it once");
      } else if (component) {
        group.push_back(*component);
      }
    }
    if (text.find(',') == std::string::npos) {
      diagnostics_.error({option}, "expected two or more components", option_name + " A,B");
    }
    groups.push_back(std::move(group));
  }

  void capacity(const std::string& text) {
    const std::string option = "--capacity " + text;
    const std::vector<std::string> parts = split(text, '=');
    const std::optional<double> count =
        parts.size() == 2 ? parse_number(parts[1]) : std::optional<double>();
    if (!count || *count < 0.0 || *count > 1e6 ||
        *count != static_cast<double>(static_cast<int>(*count))) {
      diagnostics_.error({option}, "expected a host and a whole number of components",
                         "--capacity HOST=COUNT");
      return;
    }
    if (const std::optional<int> host = find("host", parts[0], problem_.hosts, option)) {
      problem_.capacity[static_cast<std::size_t>(*host)] = static_cast<int>(*count);
    }
  }

  void throw_if_errors() const { diagnostics_.throw_if_errors(); }

 private:
  std::optional<int> find(const std::string& what, const std::string& name,
                          const std::vector<std::string>& names, const std::string& option) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      diagnostics_.error({option}, fmt::format("unknown {} '{}'", what, name),
                         suggest(name, names));
      return std::nullopt;
    }
    return static_cast<int>(found - names.begin());
  }

  PlacementProblem& problem_;
  Diagnostics diagnostics_;
};

}  // namespace

PlacementProblem make_problem(std::vector<std::string> components, std::vector<std::string> hosts,
                              const PlacementWords& words) {
  PlacementProblem problem;
  problem.components = std::move(components);
  problem.hosts = std::move(hosts);
  problem.host_kind.assign(problem.hosts.size(), 0);
  problem.is_balanced = words.is_balanced;
  problem.pinned.assign(problem.components.size(), kAnyHost);
  problem.capacity.assign(problem.hosts.size(), kNoLimit);
  WordReader reader(problem);
  for (const std::string& text : words.pins) {
    reader.pin(text);
  }
  for (const std::string& text : words.together) {
    reader.group("--together", text, problem.together);
  }
  for (const std::string& text : words.apart) {
    reader.group("--apart", text, problem.apart);
  }
  for (const std::string& text : words.capacities) {
    reader.capacity(text);
  }
  reader.throw_if_errors();
  check_problem(problem);
  return problem;
}

}  // namespace longarm::study
