// SPDX-License-Identifier: Apache-2.0
// The built-in network, with choices that few users of it have to make.
#pragma once

#include <memory>

#include "longarm/network/backend.h"

namespace longarm::network {

struct BuiltinOptions {
  /// Every port decides at the instant when its cable falls free, also where it could foresee that:
  /// two events for each hop instead of one, and the same results.
  bool always_decides = false;
  /// A TCP flow on which nothing can happen any more gives its memory and its id back, and its
  /// figures become part of one sum. For networks that run for days.
  bool forgets_closed_flows = false;
};

std::unique_ptr<Backend> make_builtin_backend(const Topology& topology,
                                              const BackendOptions& options,
                                              const BuiltinOptions& builtin);

/// Of several flows; the name stays that of the sum.
void operator+=(FlowFigures& sum, const FlowFigures& more);

}  // namespace longarm::network
