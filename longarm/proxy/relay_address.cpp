// SPDX-License-Identifier: Apache-2.0
// Addresses in and out of text.
#include "longarm/proxy/relay_address.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace longarm::proxy {
namespace {

bool read_port(const std::string& text, std::uint16_t& port) {
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, port);
  return problem == std::errc() && stop == end && !text.empty();
}

/// Takes "udp:" off the front.
void read_transport(std::string& rest, AddressText& out) {
  for (const auto& [word, transport] :
       {std::pair{"tcp:", RelayTransport::kTcp}, std::pair{"udp:", RelayTransport::kUdp}}) {
    if (rest.starts_with(word)) {
      out.transport = transport;
      out.has_transport = true;
      rest.erase(0, std::strlen(word));
      return;
    }
  }
}

}  // namespace

Result<AddressText> parse_address_text(const std::string& text) {
  AddressText out;
  std::string rest = text;
  read_transport(rest, out);
  const bool is_number =
      std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (rest.empty()) {
    return Error{fmt::format("'{}' is not an address", text)};
  }

  // the last colon parts host and port, unless it is inside of [::1]
  const std::size_t bracket = rest.rfind(']');
  const std::size_t colon = rest.rfind(':');
  const bool has_colon =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const std::string port = is_number ? rest : (has_colon ? rest.substr(colon + 1) : "");
  out.host = is_number ? "" : rest.substr(0, has_colon ? colon : std::string::npos);
  out.has_port = is_number || has_colon;
  if (out.has_port && !read_port(port, out.port)) {
    return Error{fmt::format("'{}' is not a port between 0 and 65535", port)};
  }
  if (out.host.starts_with('[') && out.host.ends_with(']')) {
    out.host = out.host.substr(1, out.host.size() - 2);
  } else if (out.host.find(':') != std::string::npos) {
    return Error{fmt::format("'{}' has too many colons for HOST:PORT", text)};
  }
  return out;
}

}  // namespace longarm::proxy
