// SPDX-License-Identifier: Apache-2.0
// The executor as a process of its own: real sockets to the doors of a served cell, the same code
// behind them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "labs/kitting/kitting_actors.h"
#include "longarm/core/result.h"
#include "longarm/system/address.h"

namespace longarm::kitting {

struct OutsideOptions {
  /// Where a door of the cell is.
  std::function<system::Address(const protocols::Door&)> address_of;
  double speed = 1.0;                 ///< of the cell: simulated seconds per real one
  Duration patience{10'000'000'000};  ///< for the first frame, of real time
  std::string folder{};               ///< for world.db; empty: it is kept in memory
  std::function<void(const std::string& line)> tell{};  ///< what happens, for people
  std::function<bool()> is_asked_to_stop{};
};

/// Connects to every door of the job, waits for a first frame, and makes kits until there is
/// nothing left to do. Its clock is the cell's, as the cameras' frames tell it.
class OutsideExecutor {
 public:
  OutsideExecutor(KittingJob job, OutsideOptions options);
  ~OutsideExecutor();

  /// False if it was asked to stop; arms and belt were told to stop then. An error if no camera
  /// could be reached or spoke.
  Result<bool> run();

  /// Null before the first frame.
  const Executor* executor() const;
  nlohmann::ordered_json results() const;
  std::vector<std::string> warnings() const;

 private:
  class Process;
  std::unique_ptr<Process> process_;
};

}  // namespace longarm::kitting
