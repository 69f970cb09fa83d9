// SPDX-License-Identifier: Apache-2.0
// Which ports `longarm proxy` listens at and where each leads to.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/proxy/relay_run.h"

namespace longarm::app {

/// As given on the command line.
struct ProxyRoutes {
  std::vector<std::string> listen;  ///< [tcp:|udp:]HOST:PORT
  std::vector<std::string> to;      ///< HOST:PORT: one for all, or one for each
  std::string ports;                ///< "30001-30004,29999", at both ends
  bool is_open = false;

  bool is_empty() const { return listen.empty() && to.empty() && ports.empty(); }
};

void add_route_options(CLI::App& word, ProxyRoutes& routes);

std::vector<proxy::RelayRoute> read_routes(const ProxyRoutes& routes, Diagnostics& problems);

}  // namespace longarm::app
