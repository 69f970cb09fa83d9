// SPDX-License-Identifier: Apache-2.0
// Decides which findings stop a scenario.
#include "longarm/cell/lint.h"

#include <algorithm>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/inertia_estimate.h"

namespace longarm::cell {
namespace {

/// Whether a finding is of no consequence because the engine does not know masses.
bool is_about_nothing(const model::LintFinding& finding, const std::string& engine) {
  return engine == "kinematic" && (finding.name == "mass" || finding.name.starts_with("inertia"));
}

/// Nothing that computes accelerations goes on with such a body, whatever --allow says, and not
/// every engine survives it to tell.
void check_inertias(const model::Cell& cell, const std::string& engine,
                    std::vector<network::KeyRemark>& remarks) {
  for (const model::Placement& placement : cell.placements) {
    const std::vector<model::Body>& bodies = placement.tree.bodies;
    const bool is_still = placement.tree.is_static || engine == "kinematic";
    for (std::size_t i = placement.is_fixed ? 1 : 0; i < bodies.size() && !is_still; ++i) {
      const model::Inertial& inertial = bodies[i].inertial;
      const bool is_definite = inertial.inertia_kg_m2.allFinite() &&
                               inertial.inertia_kg_m2.llt().info() == Eigen::Success;
      if (inertial.mass_kg > 0.0 && !is_definite) {
        remarks.push_back({"world",
                           fmt::format("engine '{}' cannot move body '{}': its inertia is not "
                                       "positive definite",
                                       engine, bodies[i].name),
                           "correct the model, or use engine kinematic, which needs no inertias",
                           Severity::kError, bodies[i].where});
      }
    }
  }
}

}  // namespace

void judge_findings(const std::vector<model::LintFinding>& findings, const std::string& engine,
                    const std::vector<std::string>& allow, std::vector<network::KeyRemark>& remarks,
                    bool is_robot) {
  const std::vector<std::string>& estimable = model::estimable_findings();
  for (const model::LintFinding& finding : findings) {
    if (is_about_nothing(finding, engine)) {
      continue;
    }
    const Diagnostic& found = finding.diagnostic;
    network::KeyRemark remark{"", found.message, found.hint, Severity::kWarning, found.where, true};
    const bool is_allowed = std::find(allow.begin(), allow.end(), finding.name) != allow.end();
    if (found.severity == Severity::kError && !is_allowed) {
      remark.severity = Severity::kError;
      if (is_robot &&
          std::find(estimable.begin(), estimable.end(), finding.name) != estimable.end()) {
        remark.hint += std::string(remark.hint.empty() ? "" : "; ") +
                       "robot.inertia: estimate computes one from its shapes";
      }
      remark.hint += (remark.hint.empty() ? "" : "; ") +
                     ("--allow " + finding.name + " ignores it where the engine can");
    }
    remarks.push_back(std::move(remark));
  }
}

void lint_cell(const model::Cell& cell, std::size_t first, std::size_t robots_end,
               const std::string& engine, const std::vector<std::string>& allow,
               std::vector<network::KeyRemark>& remarks) {
  for (std::size_t i = first; i < cell.placements.size(); ++i) {
    const model::Placement& placement = cell.placements[i];
    if (!placement.tree.is_static) {
      judge_findings(model::lint(placement.tree, placement.is_fixed), engine, allow, remarks,
                     i < robots_end);
    }
  }
  if (!network::has_errors(remarks)) {
    check_inertias(cell, engine, remarks);
  }
}

void check_allowed_names(const std::vector<std::string>& allow) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = model::lint_names();
  for (const std::string& name : allow) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      diagnostics.error({"--allow " + name}, "unknown lint finding '" + name + "'",
                        suggest(name, names));
    }
  }
  diagnostics.throw_if_errors();
}

}  // namespace longarm::cell
