// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would: one short run with its verdict, and a point
// of a study.
#include <cstdio>

#include <labs/labs.h>
#include <longarm/cell/run.h>
#include <longarm/study/mpi_job.h>
#include <longarm/study/point.h>
#include <nlohmann/json.hpp>

int main() {
  namespace cell = longarm::cell;
  const cell::Plugins plugins = longarm::labs::built_in_plugins();
  const cell::LoadOptions options{{"link.delay=5ms", "task.hold=2s"}, {}};
  cell::Run run(cell::load_scenario("one-joint", options, plugins));
  run.run_until(run.end());
  const auto results = run.results();
  std::printf("ran to %.1f s, stable: %s\n", results["simulated_s"].get<double>(),
              results["stable"].dump().c_str());

  namespace study = longarm::study;
  const study::Grid grid({study::parse_axis("link.delay=5ms,10ms")});
  const study::PointRunner runner({"mine", "", "one-joint", {"task.hold=2s"}, {}}, grid, {},
                                  plugins);
  const study::PointAnswer answer = runner.run(0);
  const bool is_same = answer.row && answer.row->metrics["state_hash"] == results["state_hash"];
  std::printf("the study's run is %s, %s\n", is_same ? "the same" : "ANOTHER",
              study::MpiJob::join() ? "shared" : "alone");
  return !run.failure() && results["stable"] == true && is_same ? 0 : 1;
}
