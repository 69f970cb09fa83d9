// SPDX-License-Identifier: Apache-2.0
// Finds models that no engine can simulate, and servos that cannot be stable, before they run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"

namespace longarm::model {

/// `name` says which check found it; users allow findings by that name.
struct LintFinding {
  std::string name;
  Diagnostic diagnostic;
};

/// Names of all checks, sorted.
std::vector<std::string> lint_names();

/// Bodies first, then joints, each in tree order:
///   mass              a moving body without a positive, finite mass
///   inertia-definite  principal moments that are not all positive
///   inertia-triangle  principal moments that no solid can have
///   inertia-size      an inertia that no body as large as the collision shapes can have; (warning)
///   up to ten times their size, as shapes may be smaller than what they stand for
///   limits            limits that exclude each other or are negative; (warning) some given, others
///   missing, or limits of joints that mimic it leave it at most one position
///   axis              an axis that is not a unit vector
/// The root is judged as a moving body only if it floats; otherwise a root without mass is fine,
/// and what is wrong with its inertia a warning.
std::vector<LintFinding> lint(const BodyTree& tree, bool root_is_fixed = true);

/// What it says of one body.
std::vector<LintFinding> lint_body(const BodyTree& tree, int body, bool is_moving);

/// servo-step: a velocity servo that acts once per period obeys v⁺ = v + (kv·h/J)(v* - v) and is
/// stable only while kv·h/J < 2. `gains` are kv per joint (effort per rate), `effective_inertias`
/// the smallest J each joint can have, rotor included. Joints with a gain of 0 are not servoed.
std::vector<LintFinding> lint_servo(const BodyTree& tree, std::span<const double> gains,
                                    double period_s, std::span<const double> effective_inertias);

}  // namespace longarm::model
