// SPDX-License-Identifier: Apache-2.0
// What a safety controller reaches: whoever can be stopped, and goes on when told to.
#pragma once

#include <optional>

#include "longarm/cell/wish.h"
#include "longarm/model/cell.h"

namespace longarm::actors {

/// What those say who are asked to move meanwhile.
constexpr const char* kStoppedBySafety = "stopped by the safety system";

class StopInput {
 public:
  static constexpr cell::Interface kInterface{"stop input", cell::Reach::kSpoken};

  virtual ~StopInput() = default;
  virtual void safety_stop() = 0;
  virtual void safety_resume() = 0;
  /// The truth, for figures: where the point is whose way counts; nothing: none does.
  virtual std::optional<model::Vector3> controlled_point() const { return std::nullopt; }
};

}  // namespace longarm::actors
