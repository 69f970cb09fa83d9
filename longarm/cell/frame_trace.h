// SPDX-License-Identifier: Apache-2.0
// Frames hop by hop, lengths of queues and counters of ports, as they stand in trace.mcap.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "longarm/network/frame_watcher.h"
#include "longarm/record/ros_trace.h"

namespace longarm::cell {

/// Topics /network/frames (a row when a hop is over), /network/queues/NODE-CABLE (the longest queue
/// of each millisecond that brought a change) and /network/counters (of all ports, ten times a
/// second while they count). Names of ports are those of captured files.
class FrameTrace final : public network::FrameWatcher {
 public:
  /// Follows so many frames a second, and a tenth of that at once; beside these all that are
  /// retransmissions, and where others are lost.
  explicit FrameTrace(std::int64_t frames_per_second);

  /// Before this, what it hears is only counted.
  void set_trace(record::RosTrace& trace, const network::Topology& topology);
  /// At the end of the run: what waited for the end of its interval.
  void finish();

  bool follows(Time now) override;
  void hop(const network::FrameHop& hop) override;
  void queue(Time now, network::PortId port, std::uint64_t packets, std::uint64_t bytes) override;

 private:
  struct Length {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Length&) const = default;
  };
  struct Port {
    std::string name;
    std::unique_ptr<record::JsonTrace> queue{};
    std::int64_t interval = 0;  ///< number of the millisecond of the newest change
    Length now{};
    Length longest{};  ///< of that millisecond
    Length written{};
    std::uint64_t frames = 0;
    std::uint64_t lost = 0;
    std::uint64_t retransmitted = 0;
  };

  void write_hop(const network::FrameHop& hop);
  void write_queue(Port& port, std::int64_t interval, const Length& length);
  void close_interval(Port& port, std::int64_t next);
  void write_counters(Time now);

  Duration per_frame_;  ///< zero: none is followed
  Time paid_until_{};   ///< each that is followed takes so long of it
  std::uint64_t not_followed_ = 0;
  std::vector<Port> ports_;  ///< empty: there is no trace yet
  std::unique_ptr<record::JsonTrace> frames_;
  std::unique_ptr<record::JsonTrace> counters_;
  Time next_counters_{};
  Time last_{};
  bool has_counted_ = false;
  std::string text_;  ///< room for a row
};

}  // namespace longarm::cell
