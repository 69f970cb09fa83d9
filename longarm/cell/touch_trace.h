// SPDX-License-Identifier: Apache-2.0
// Who touches whom, with which force, and which parts are joined to what they rest on: as it stands
// in trace.mcap, for viewers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/cell/cell_frames.h"
#include "longarm/cell/world.h"
#include "longarm/record/ros_trace.h"

namespace longarm::cell {

/// Topics /contacts (the strongest ones, while there are some) and /merged (at every change).
class TouchTrace {
 public:
  /// Borrows the world and the trace.
  TouchTrace(const World& world, record::RosTrace& trace, const CellFrames& frames);

  void look(Time now);

 private:
  void write_contacts(Time now);
  void write_merged(Time now);

  const World& world_;
  std::vector<std::string> frames_;  ///< by body
  std::unique_ptr<record::JsonTrace> contacts_;
  std::unique_ptr<record::JsonTrace> merged_;
  bool had_contacts_ = false;
  std::uint64_t last_changes_ = 0;
};

}  // namespace longarm::cell
