// SPDX-License-Identifier: Apache-2.0
// Names and numbers out of words.
#include "apps/longarm/door_ports.h"

#include <optional>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::app {

std::map<std::string, std::uint16_t> read_ports(const std::vector<std::string>& texts,
                                                Diagnostics& problems) {
  std::map<std::string, std::uint16_t> ports;
  for (const std::string& text : texts) {
    const auto equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const std::optional<double> port =
        equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!port || !(*port >= 0.0) || !(*port <= 65'535.0) ||
        *port != static_cast<double>(static_cast<std::uint16_t>(*port))) {
      problems.error({"--port"}, fmt::format("'{}' is not of the form NAME=PORT", text),
                     "e.g. --port plc=1502; 0 picks a free one");
      continue;
    }
    if (!ports.emplace(name, static_cast<std::uint16_t>(*port)).second) {
      problems.error({"--port"}, fmt::format("'{}' is given twice", name),
                     "give each name one number");
    }
  }
  return ports;
}

}  // namespace longarm::app
