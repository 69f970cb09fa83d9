// SPDX-License-Identifier: Apache-2.0
// A network simulator in a process of its own, behind a local socket; docs/how-to/backends.md has
// the protocol.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/backend.h"

namespace longarm::network {

struct ExternalOptions {
  std::string name = "external";     ///< what error messages call it
  std::vector<std::string> command;  ///< program and arguments; `--socket PATH` is added
  /// Wall-clock: after so long without an answer it has hung. It has at least 10 s to start.
  Duration patience{10'000'000'000};
};

/// Splits a command line at blanks; quotes (" or ') and backslashes keep blanks. No shell is
/// involved: nothing is expanded.
Result<std::vector<std::string>> split_command(const std::string& line);

/// The same command, but files that are not where the program is started, and are beside the
/// scenario, with their whole path. Only plain words before the first quote are looked at.
std::string with_found_files(const std::string& command, const InputFiles& files);

/// Where longarm-ns3 is: $LONGARM_NS3, beside this program, in the same build tree, on the PATH.
/// The error says where it was looked for.
Result<std::string> find_ns3_backend();

/// Starts the process and has it build the topology. Throws InputError if that fails: no such
/// program, another protocol, something in the topology that it cannot do (which is named). The
/// process ends with the backend.
std::unique_ptr<Backend> make_external_backend(const Topology& topology,
                                               const BackendOptions& options,
                                               const ExternalOptions& external);

}  // namespace longarm::network
