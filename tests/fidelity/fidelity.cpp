// SPDX-License-Identifier: Apache-2.0
// Runs the same traffic through the built-in network, longarm-ns3 and plain ns-3, and compares them
// record by record.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/core/diagnostic.h"
#include "longarm/network/external/external_backend.h"
#include "tests/fidelity/cases.h"
#include "tests/fidelity/run_workload.h"

namespace {

using namespace fidelity;
using longarm::Result;
using longarm::network::Backend;

constexpr int kSkipped = 77;

struct Arguments {
  std::string reference;
  std::string backend;  // longarm-ns3
  std::string only;
  bool is_quick = false;
};

/// How far apart two runs are, in words; `is_good` if that is near enough.
struct Verdict {
  bool is_good = false;
  std::string text;
};

Verdict compare_bits(const std::vector<Record>& ours, const std::vector<Record>& theirs) {
  if (ours.size() != theirs.size()) {
    return {false, fmt::format("{} records instead of {}", ours.size(), theirs.size())};
  }
  std::int64_t worst_ns = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) {
      continue;
    }
    ++different;
    const std::int64_t apart_ns = ours[i].time_ns - theirs[i].time_ns;
    worst_ns = std::abs(apart_ns) > std::abs(worst_ns) ? apart_ns : worst_ns;
  }
  return {different == 0,
          fmt::format("{} records, {} differ, by at most {} ns", ours.size(), different, worst_ns)};
}

double percentile_ms(std::vector<std::int64_t> times_ns, double share) {
  std::sort(times_ns.begin(), times_ns.end());
  const auto last = static_cast<double>(times_ns.size() - 1);
  return 1e-6 * static_cast<double>(times_ns[static_cast<std::size_t>(std::llround(share * last))]);
}

double apart_percent(double ours, double theirs) {
  return 100.0 * (ours / theirs - 1.0);
}

Verdict compare_calls(const Workload& workload, const std::vector<Record>& ours,
                      const std::vector<Record>& theirs) {
  const std::vector<std::int64_t> our_times = call_times_ns(workload, ours);
  const std::vector<std::int64_t> their_times = call_times_ns(workload, theirs);
  if (our_times.size() != their_times.size() || our_times.empty()) {
    return {false, fmt::format("{} calls instead of {}", our_times.size(), their_times.size())};
  }
  const double p50 = apart_percent(percentile_ms(our_times, 0.5), percentile_ms(their_times, 0.5));
  const double p99 =
      apart_percent(percentile_ms(our_times, 0.99), percentile_ms(their_times, 0.99));
  std::size_t different = 0;
  double our_sum = 0.0;
  double their_sum = 0.0;
  for (std::size_t i = 0; i < our_times.size(); ++i) {
    different += our_times[i] != their_times[i] ? 1 : 0;
    our_sum += static_cast<double>(our_times[i]);
    their_sum += static_cast<double>(their_times[i]);
  }
  return {std::abs(p50) <= 0.5 && std::abs(p99) <= 2.0,
          fmt::format(
              "{} calls, p50 {:.3f} ms ({:+.3f} %), p99 {:.3f} ms ({:+.3f} %), mean {:+.3f} %, "
              "{} differ",
              our_times.size(), percentile_ms(our_times, 0.5), p50, percentile_ms(our_times, 0.99),
              p99, apart_percent(our_sum, their_sum), different)};
}

Verdict compare_finish(const Workload& workload, const std::vector<Record>& ours,
                       const std::vector<Record>& theirs) {
  const auto finish_ms = [&](const std::vector<Record>& records) {
    const std::vector<std::int64_t> times = call_times_ns(workload, records);
    return times.empty() ? NAN : 1e-6 * static_cast<double>(times.back());
  };
  const double apart = apart_percent(finish_ms(ours), finish_ms(theirs));
  return {std::abs(apart) <= 5.0, fmt::format("{:.3f} ms instead of {:.3f} ms ({:+.3f} %)",
                                              finish_ms(ours), finish_ms(theirs), apart)};
}

Verdict compare(const Case& one, const Workload& workload, const std::vector<Record>& ours,
                const std::vector<Record>& theirs) {
  switch (one.claim) {
    case Claim::kSameBits:
      return compare_bits(ours, theirs);
    case Claim::kSameCalls:
      return compare_calls(workload, ours, theirs);
    case Claim::kSameFinish:
      break;
  }
  return compare_finish(workload, ours, theirs);
}

/// The workload of a case, with its drops in a file.
Workload with_drops(const Case& one, const std::string& path) {
  Workload workload = one.workload;
  if (one.loss_percent > 0.0) {
    // a call takes three packets a way, or one for each 1448 bytes, and few are sent again
    const std::int64_t of_calls = std::max<std::int64_t>(5, workload.request_bytes / 1000);
    const auto packets = static_cast<std::uint64_t>(workload.calls * of_calls + 100);
    write_random_drops(path, workload, one.loss_percent, 1, packets);
    workload.drops = path;
  } else if (!one.drops.empty()) {
    std::ofstream file(path);
    for (const Drop& drop : one.drops) {
      file << drop.host << ' ' << drop.direction << ' ' << drop.index << '\n';
    }
    workload.drops = path;
  }
  return workload;
}

std::unique_ptr<Backend> make_backend(const std::string& name, const Arguments& arguments,
                                      const longarm::network::Topology& topology) {
  if (name == "builtin") {
    return longarm::network::make_builtin_backend(topology, {});
  }
  longarm::network::ExternalOptions external;
  external.name = name;
  external.command = {arguments.backend};
  external.patience = std::chrono::seconds(60);
  return longarm::network::make_external_backend(topology, {}, external);
}

struct Tally {
  int good = 0;
  int gaps = 0;
  int failed = 0;
};

void tell(const Case& one, const char* backend, const Verdict& verdict, Tally& tally) {
  const bool is_gap = !verdict.is_good && one.is_known_gap && std::string(backend) == "builtin";
  ++(verdict.is_good ? tally.good : is_gap ? tally.gaps : tally.failed);
  fmt::print("{}  {:<38} {:<8} {}\n",
             verdict.is_good ? "good"
             : is_gap        ? "gap "
                             : "FAIL",
             one.name, backend, verdict.text);
  std::fflush(stdout);
}

void run_case(const Case& one, const Arguments& arguments, const std::string& folder,
              Tally& tally) {
  const Workload workload = with_drops(one, folder + "/drops");
  const Result<std::vector<Record>> theirs = run_reference(arguments.reference, workload);
  if (!theirs) {
    tell(one, "plain", {false, theirs.error().message}, tally);
    return;
  }
  for (const char* const name : {"builtin", "ns3"}) {
    const std::unique_ptr<Backend> backend = make_backend(name, arguments, make_topology(workload));
    const Result<std::vector<Record>> ours = run_backend(workload, *backend);
    tell(one, name,
         ours ? compare(one, workload, *ours, *theirs) : Verdict{false, ours.error().message},
         tally);
  }
}

int run(const Arguments& arguments) {
  if (access(arguments.reference.c_str(), X_OK) != 0 ||
      access(arguments.backend.c_str(), X_OK) != 0) {
    fmt::print("skipped: the programs that use ns-3 were not built\n");
    return kSkipped;
  }
  std::string folder = std::filesystem::temp_directory_path() / "longarm-fidelity-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    fmt::print("no folder for the drops\n");
    return 1;
  }
  Tally tally;
  for (const Case& one : all_cases()) {
    if (one.name.find(arguments.only) != std::string::npos &&
        (one.is_quick || !arguments.is_quick)) {
      run_case(one, arguments, folder, tally);
    }
  }
  std::filesystem::remove_all(folder);
  fmt::print("{} comparisons with plain ns-3 hold, {} known gaps, {} failures\n", tally.good,
             tally.gaps, tally.failed);
  return tally.failed == 0 && tally.good > 0 ? 0 : 1;
}

}  // namespace

/// fidelity NS3_REFERENCE LONGARM_NS3 [--quick] [PART_OF_A_NAME]
int main(int argc, char** argv) {
  Arguments arguments;
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      arguments.is_quick = true;
      continue;
    }
    (count == 0 ? arguments.reference : count == 1 ? arguments.backend : arguments.only) = word;
    ++count;
  }
  if (count < 2) {
    fmt::print(stderr, "fidelity NS3_REFERENCE LONGARM_NS3 [--quick] [PART_OF_A_NAME]\n");
    return 2;
  }
  try {
    return run(arguments);
  } catch (const longarm::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
