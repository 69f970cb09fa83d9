// SPDX-License-Identifier: Apache-2.0
// What lint finds in models and servos, as remarks on a scenario.
#pragma once

#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/model/lint.h"
#include "longarm/network/key_remark.h"

namespace longarm::cell {

/// Findings that are not among `allow` are errors if lint says so; everything else is a warning.
/// Those on a robot can be mended by its key `inertia`.
void judge_findings(const std::vector<model::LintFinding>& findings, const std::string& engine,
                    const std::vector<std::string>& allow, std::vector<network::KeyRemark>& remarks,
                    bool is_robot = false);

/// All that moves in the cell, from placement `first` on; those before `robots_end` are robots.
void lint_cell(const model::Cell& cell, std::size_t first, std::size_t robots_end,
               const std::string& engine, const std::vector<std::string>& allow,
               std::vector<network::KeyRemark>& remarks);

/// Throws InputError for names of findings that there are not.
void check_allowed_names(const std::vector<std::string>& allow);

}  // namespace longarm::cell
