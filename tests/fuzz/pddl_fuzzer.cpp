// SPDX-License-Identifier: Apache-2.0
// PDDL texts: a domain, and after a line of dashes a problem in it.
#include "longarm/pddl/plan_file.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::pddl;

constexpr std::string_view kBorder = "\n---\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const std::size_t border = text.find(kBorder);
  const std::string_view rest =
      border == std::string_view::npos ? "" : text.substr(border + kBorder.size());

  Diagnostics of_plan;
  (void)read_plan(text, "plan", of_plan);
  Diagnostics of_domain;
  const Domain domain = read_domain(text.substr(0, border), "domain.pddl", of_domain);
  if (of_domain.has_errors()) {
    return 0;
  }
  const std::string written = write_domain(domain);
  Diagnostics again;
  const Domain reread = read_domain(written, "again.pddl", again);
  require(!again.has_errors(), "a domain that was written can be read");
  require(write_domain(reread) == written, "a domain that was read again is the same");

  Diagnostics of_problem;
  const Problem problem = read_problem(rest, "problem.pddl", domain, of_problem);
  if (of_problem.has_errors()) {
    return 0;
  }
  const std::string problem_text = write_problem(problem);
  const Problem problem_again = read_problem(problem_text, "again.pddl", domain, again);
  require(!again.has_errors(), "a problem that was written can be read");
  require(write_problem(problem_again) == problem_text,
          "a problem that was read again is the same");
  return 0;
}
