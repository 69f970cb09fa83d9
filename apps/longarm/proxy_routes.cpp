// SPDX-License-Identifier: Apache-2.0
// From --listen, --to and --ports to pairs of addresses.
#include "apps/longarm/proxy_routes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/proxy/relay_loops.h"

namespace longarm::app {
namespace {

using proxy::AddressText;
using proxy::RelayRoute;
using proxy::RelayTransport;

constexpr std::size_t kMostPorts = 1000;

std::optional<std::uint16_t> read_port(const std::string& text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, port);
  return problem == std::errc() && stop == end && port > 0 ? std::optional(port) : std::nullopt;
}

/// "30001-30004,29999", each with "udp:" before it or not.
std::vector<AddressText> read_ports(const std::string& text, Diagnostics& problems) {
  std::vector<AddressText> all;
  std::size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, comma - begin);
    begin = comma + 1;
    AddressText address;
    address.has_port = true;
    if (item.starts_with("udp:") || item.starts_with("tcp:")) {
      address.transport = item.starts_with("udp:") ? RelayTransport::kUdp : RelayTransport::kTcp;
      item.erase(0, 4);
    }
    const std::size_t dash = item.find('-');
    const auto first = read_port(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : read_port(item.substr(dash + 1));
    if (!first || !last || *last < *first || all.size() + (*last - *first) >= kMostPorts) {
      problems.error({"--ports"}, fmt::format("'{}' is neither a port nor a range of ports", item),
                     fmt::format("e.g. --ports 30001-30004,29999; at most {}", kMostPorts));
      return {};
    }
    for (int port = *first; port <= *last; ++port) {
      address.port = static_cast<std::uint16_t>(port);
      all.push_back(address);
    }
  }
  return all;
}

std::vector<AddressText> read_addresses(const char* option, const std::vector<std::string>& texts,
                                        Diagnostics& problems) {
  std::vector<AddressText> all;
  for (const std::string& text : texts) {
    const Result<AddressText> address = proxy::parse_address_text(text);
    if (!address) {
      problems.error({option}, address.error().message,
                     fmt::format("e.g. {} 127.0.0.1:30003", option));
      continue;
    }
    all.push_back(*address);
  }
  return all;
}

/// Whoever is not meant to reach the server does not, unless the user says so.
void check_openness(const RelayRoute& route, bool is_open, Diagnostics& problems) {
  const Result<proxy::SocketAddress> address = system::resolve(route.listen);
  if (!address) {
    problems.error({"--listen"}, address.error().message,
                   fmt::format("write an address of this machine, tcp: or udp: before the port, "
                               "e.g. --listen 127.0.0.1:{0}, --listen udp:{0}",
                               route.listen.port));
    return;
  }
  if (!is_open && !system::is_loopback(*address)) {
    problems.error({"--listen"},
                   fmt::format("at {} other machines could reach the server through this relay",
                               route.listen.host),
                   "add --open to allow this, or listen at 127.0.0.1");
  }
  const Result<proxy::SocketAddress> to = system::resolve(route.to);
  if (!to) {
    problems.error({"--to"}, to.error().message, "give the name or IP address of the server");
  }
}

void refuse_loops(const std::vector<RelayRoute>& routes, Diagnostics& problems) {
  for (const std::vector<std::size_t>& loop : proxy::find_loops(routes)) {
    const RelayRoute& first = routes[loop.front()];
    if (loop.size() == 1) {
      problems.error({"--to"}, fmt::format("{} would connect to itself", system::to_text(first.to)),
                     "choose another port with --listen");
      continue;
    }
    std::string way = system::to_text(first.listen);
    for (const std::size_t each : loop) {
      way += fmt::format(" to {}", system::to_text(routes[each].to));
    }
    problems.error({"--to"}, fmt::format("relays would form a loop: {}", way),
                   "one of them must lead to a server");
  }
}

void refuse_twins(const std::vector<RelayRoute>& routes, Diagnostics& problems) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const RelayRoute& route = routes[i];
    const bool is_given =
        route.listen.port != 0 &&
        std::any_of(routes.begin(), routes.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const RelayRoute& other) {
                      return other.transport == route.transport &&
                             system::to_text(other.listen) == system::to_text(route.listen);
                    });
    if (is_given) {
      problems.error({"--listen"}, fmt::format("{} is given twice", system::to_text(route.listen)),
                     "each port can lead to only one server");
    }
  }
}

std::optional<RelayRoute> route_of(const AddressText& listen, const AddressText& to, bool is_open,
                                   Diagnostics& problems) {
  RelayRoute route;
  route.transport = listen.transport;
  const std::string anywhere = is_open ? "0.0.0.0" : "127.0.0.1";
  const std::string host = listen.host == "*" ? "0.0.0.0" : listen.host;
  route.listen = {host.empty() ? anywhere : host, listen.port};
  route.to = {to.host, to.has_port ? to.port : listen.port};
  if (!listen.has_port) {
    problems.error({"--listen"}, fmt::format("'{}' has no port", listen.host),
                   "e.g. --listen 127.0.0.1:30003 or --listen 30003; 0 picks a free port");
    return std::nullopt;
  }
  if (route.to.port == 0) {
    problems.error({"--to"}, fmt::format("'{}' has no port", to.host),
                   fmt::format("e.g. --to {}:30003", to.host));
    return std::nullopt;
  }
  if (to.has_transport && to.transport != listen.transport) {
    problems.error({"--to"}, "a relay cannot convert between TCP and UDP",
                   "use the same protocol at both ends");
    return std::nullopt;
  }
  return route;
}

}  // namespace

void add_route_options(CLI::App& word, ProxyRoutes& routes) {
  word.add_option("--listen", routes.listen,
                  "address for clients; TCP unless it begins with udp:; may be repeated")
      ->type_name("[tcp:|udp:]HOST:PORT")
      ->allow_extra_args(false);
  word.add_option("--to", routes.to,
                  "server: one for all ports, or one for each --listen; default port: the same")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false);
  word.add_option("--ports", routes.ports,
                  "listen at these ports and forward each to the same port of --to")
      ->type_name("30001-30004,29999");
  word.add_flag("--open", routes.is_open, "allow addresses that other machines can reach");
}

std::vector<RelayRoute> read_routes(const ProxyRoutes& routes, Diagnostics& problems) {
  const std::vector<AddressText> to = read_addresses("--to", routes.to, problems);
  std::vector<AddressText> listen = read_addresses("--listen", routes.listen, problems);
  const std::size_t listened = listen.size();
  for (const AddressText& port : read_ports(routes.ports, problems)) {
    listen.push_back(port);
  }
  if (problems.has_errors()) {
    return {};
  }
  if (listen.empty() || to.empty()) {
    problems.error({}, listen.empty() ? "no port to listen at" : "no server to forward to",
                   "e.g. longarm proxy --listen 30003 --to 192.168.1.10 --link \"delay 10ms\"");
    return {};
  }
  if (to.size() != 1 && (to.size() != listened || listen.size() != listened)) {
    problems.error({"--to"}, fmt::format("{} servers for {} ports", to.size(), listen.size()),
                   "give one server for all, or one for each --listen");
    return {};
  }
  std::vector<RelayRoute> all;
  for (std::size_t i = 0; i < listen.size(); ++i) {
    AddressText server = to[to.size() == 1 ? 0 : i];
    // a port that stands for several is a mistake
    if (i >= listened && server.has_port) {
      problems.error({"--to"}, "with --ports, the server uses the same ports",
                     fmt::format("e.g. --to {}", server.host.empty() ? "robot" : server.host));
      return {};
    }
    const std::optional<RelayRoute> route = route_of(listen[i], server, routes.is_open, problems);
    if (route) {
      check_openness(*route, routes.is_open, problems);
      all.push_back(*route);
    }
  }
  refuse_twins(all, problems);
  refuse_loops(all, problems);
  return all;
}

}  // namespace longarm::app
