// SPDX-License-Identifier: Apache-2.0
// Folders are made by whoever comes first; nothing is ever written over.
#include "longarm/scenario/run_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/version.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The next free runs/NAME, made by whoever comes first.
fs::path make_next_folder(const std::string& name) {
  fs::path folder = fs::path("runs") / name;
  std::error_code problem;
  fs::create_directories("runs", problem);
  for (int i = 2; !fs::create_directory(folder, problem); ++i) {
    if (problem || i > 1'000'000) {
      refuse(fmt::format("cannot make folder '{}': {}", folder.string(), problem.message()),
             "choose another with --out");
    }
    folder = fs::path("runs") / fmt::format("{}-{}", name, i);
  }
  return folder;
}

fs::path make_folder(const fs::path& folder) {
  std::error_code problem;
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    refuse(fmt::format("'{}' is a file, not a folder", folder.string()), "choose another --out");
  }
  if (fs::exists(folder) && !fs::is_empty(folder)) {
    refuse(fmt::format("'{}' is there already and has something in it", folder.string()),
           "choose another --out, or remove it first");
  }
  fs::create_directories(folder, problem);
  if (problem) {
    refuse(fmt::format("cannot make folder '{}': {}", folder.string(), problem.message()),
           "choose another --out");
  }
  return folder;
}

}  // namespace

fs::path make_run_folder(const std::string& name, const std::string& out) {
  return out.empty() ? make_next_folder(name) : make_folder(out);
}

Json machine_json(double wall_s, double simulated_s) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Json out;
  out["wall_time_s"] = wall_s;
  out["real_time_factor"] = wall_s > 0.0 ? simulated_s / wall_s : 0.0;
  out["peak_memory_mib"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  out["longarm_version"] = LONGARM_VERSION;
  out["compiler"] = fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
  return out;
}

}  // namespace longarm::scenario
