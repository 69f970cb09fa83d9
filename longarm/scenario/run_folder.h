// SPDX-License-Identifier: Apache-2.0
// Where a run leaves its files, and what it says of the machine it ran on.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace longarm::scenario {

/// Makes the folder `out`, or the next free runs/NAME if that is empty. Throws InputError if it
/// cannot, or if there is something in it.
std::filesystem::path make_run_folder(const std::string& name, const std::string& out);

/// The `machine` part of metrics.json: outside every comparison of results.
nlohmann::ordered_json machine_json(double wall_s, double simulated_s);

}  // namespace longarm::scenario
