// SPDX-License-Identifier: Apache-2.0
// Where frames were at any past time, as tf answers it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/frame_pose.h"

namespace longarm::record {

/// A tree of frames with a history. A frame hangs on one parent at a time, but may change it, as a
/// part does that is picked up.
class FrameBuffer {
 public:
  /// What is older than the newest transform of a frame by more than `history` is forgotten;
  /// without it, nothing is.
  explicit FrameBuffer(std::optional<Duration> history = std::nullopt) : history_(history) {}

  /// The place of a frame at one instant; a second one for the same instant replaces the first.
  /// Fails if a frame is named nothing or hangs on itself, or if it is a fixed one.
  Result<bool> add(Time stamp, const FramePlace& place);
  /// The place of a frame at all times.
  Result<bool> add_fixed(const FramePlace& place);

  /// X_target_source: where `source` was in `target` at `time`. At a stamp exactly what was added;
  /// between two, translations are interpolated on a straight line and rotations at constant speed.
  /// Never beyond the stamps there are. The error says which frame cannot be had and why.
  Result<FramePose> lookup(const std::string& target, const std::string& source, Time time) const;

  /// The newest time for which lookup() can answer; Time::max() if only fixed frames are between.
  Result<Time> newest(const std::string& target, const std::string& source) const;

  /// The oldest such time; Time{} if only fixed frames are between.
  Result<Time> oldest(const std::string& target, const std::string& source) const;

  /// All times between those two at which a frame was told of, in order; none if only fixed frames
  /// are between.
  Result<std::vector<Time>> stamps(const std::string& target, const std::string& source) const;

  bool has(const std::string& frame) const { return find(frame) >= 0; }
  /// Sorted.
  std::vector<std::string> frames() const;

 private:
  struct Entry {
    Time stamp{};
    int parent = 0;
    FramePose X_PC;
  };
  struct Frame {
    std::string name;
    bool is_fixed = false;
    std::vector<Entry> entries;  // in order of time; a fixed frame has one
  };
  /// One frame of the way up, and where the end it started from is in it.
  struct Stage {
    int frame = 0;
    FramePose X_frame_end;
  };
  struct Ascent {
    std::vector<Stage> stages;
    std::string obstacle;  ///< why it ended before the root; empty at the root
  };

  int find(const std::string& name) const;
  int find_or_add(const std::string& name);
  Result<bool> check_place(const FramePlace& place) const;
  Error unknown(const std::string& name) const;
  /// Where a frame hangs at `time`; an error in words if that is not known.
  Result<Entry> entry_at(const Frame& frame, Time time) const;
  Ascent ascend(int frame, Time time) const;

  std::optional<Duration> history_;
  std::vector<Frame> frames_;
};

/// The frames of a trace: its /tf and /tf_static, as far as the file goes.
Result<FrameBuffer> read_frames(const std::string& mcap_path);

}  // namespace longarm::record
