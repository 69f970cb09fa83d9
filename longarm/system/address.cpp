// SPDX-License-Identifier: Apache-2.0
// Addresses in and out of text.
#include "longarm/system/address.h"

#include <charconv>

#include <fmt/format.h>

namespace longarm::system {

Result<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const Error bad{fmt::format("'{}' is not an address; write it as HOST:PORT", text)};
  if (colon == std::string_view::npos || colon == 0) {
    return bad;
  }
  Address result;
  result.host = text.substr(0, colon);
  if (result.host.starts_with('[') && result.host.ends_with(']')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), result.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) {
    return bad;
  }
  return result;
}

std::string to_text(const Address& address) {
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                 : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace longarm::system
