// SPDX-License-Identifier: Apache-2.0
// Calls, publications and measured cycles of a system of components, as they go to the trace.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/components/loop_component.h"
#include "longarm/components/node.h"
#include "longarm/record/ros_trace.h"

namespace longarm::actors {

/// Writes a row when a call is over or a message has arrived: what the caller knows of it, and what
/// the server does. Topics are /NAME/calls and /NAME/cycles.
class ComponentTrace final : public components::NodeObserver {
 public:
  /// `hosts` by name of the component. Cycles are those of `measured`, and count in the figures
  /// from `counted` on.
  ComponentTrace(record::RosTrace& trace, const std::string& name,
                 std::map<std::string, std::string, std::less<>> hosts, std::string measured,
                 Time counted);

  void called(const components::CallRecord& record) override;
  void executed(const components::ExecutionRecord& record) override;
  void published(const std::string& publisher, const std::string& topic,
                 const std::string& subscriber, std::size_t bytes, Time sent,
                 Time arrived) override;
  /// Those that have ended since it was last told; `cycles` are all of the run.
  void cycled(Time now, const std::vector<components::LoopCycle>& cycles);
  /// At the end of the run: nobody answered.
  void left_open(Time now, std::string_view caller, const components::OpenCall& call);

 private:
  struct Execution {
    std::string method;
    components::ExecutionRecord record;  ///< its names are not looked at any more
  };

  bool is_remote(std::string_view a, std::string_view b) const;
  /// The server's side of a call; forgotten here. Nothing: it is not known.
  std::optional<components::ExecutionRecord> take(const components::CallRecord& call);

  std::unique_ptr<record::JsonTrace> calls_;
  std::unique_ptr<record::JsonTrace> cycles_;
  std::map<std::string, std::string, std::less<>> hosts_;
  std::string measured_;
  Time counted_;
  std::size_t cycles_written_ = 0;
  std::map<std::string, std::deque<Execution>, std::less<>> executions_;  ///< by server
};

}  // namespace longarm::actors
