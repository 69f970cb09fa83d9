// SPDX-License-Identifier: Apache-2.0
// What the user says about the link in the middle, as one link model for each direction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/network/flow.h"
#include "longarm/network/link.h"

namespace longarm::proxy {

/// As it stands on the command line, which wins over the file.
struct LinkOptions {
  std::string file;               ///< --link-file: a file with a `link:` group, e.g. a scenario
  std::string line;               ///< --link: a netem line for both directions
  std::string line_up;            ///< --link-up: client to server
  std::string line_down;          ///< --link-down: server to client
  std::vector<std::string> sets;  ///< --set: "link.model=preset", "link.up.delay=5ms"
};

/// `up` is from client to server, `down` back. Never null: a direction of which nothing is said has
/// the model `none`.
struct RelayLinks {
  std::shared_ptr<const network::LinkModel> up;
  std::shared_ptr<const network::LinkModel> down;
  bool is_up_none = true;  ///< passes everything on as it comes
  bool is_down_none = true;
  std::string yaml;  ///< the resolved `link:` group; reads back as the same links
  std::vector<Diagnostic> warnings;
};

/// Throws InputError with everything that is wrong.
RelayLinks read_links(const LinkOptions& options, const network::LinkModelRegistry& models);

/// Changes of the TCP model: "min_rto=50ms", "congestion=reno"; the keys of `network.flows.tcp` in
/// a scenario. Throws InputError.
network::TcpOptions read_tcp_options(const std::vector<std::string>& sets,
                                     const network::TcpOptions& defaults);

}  // namespace longarm::proxy
