// SPDX-License-Identifier: Apache-2.0
// A workload through one of Longarm's backends, and through plain ns-3 in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/network/backend.h"
#include "tests/fidelity/workload.h"

namespace fidelity {

/// The star, with the drops of the workload as impairments.
longarm::network::Topology make_topology(const Workload& workload);

/// Sorted. An error if the backend fails, or if calls remain unanswered for ever.
longarm::Result<std::vector<Record>> run_backend(const Workload& workload,
                                                 longarm::network::Backend& backend);

/// Of the program ns3_reference.
longarm::Result<std::vector<Record>> run_reference(const std::string& program,
                                                   const Workload& workload);

/// How long each call took, of all pairs.
std::vector<std::int64_t> call_times_ns(const Workload& workload,
                                        const std::vector<Record>& records);

/// Writes a file of drops: each packet of the clients' cables is lost with this probability, by
/// netem's draws for `seed`.
void write_random_drops(const std::string& path, const Workload& workload, double loss_percent,
                        std::uint64_t seed, std::uint64_t packets);

}  // namespace fidelity
