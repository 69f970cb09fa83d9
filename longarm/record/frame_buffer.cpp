// SPDX-License-Identifier: Apache-2.0
// Histories of frames, and the way between two of them through the tree.
#include "longarm/record/frame_buffer.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::record {
namespace {

std::string seconds(Time time) {
  return fmt::format("{:.9f} s", to_seconds(time.time_since_epoch()));
}

FramePose between(const FramePose& a, const FramePose& b, double part) {
  return {(1.0 - part) * a.translation_m + part * b.translation_m,
          a.rotation.slerp(part, b.rotation)};
}

}  // namespace

int FrameBuffer::find(const std::string& name) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int FrameBuffer::find_or_add(const std::string& name) {
  const int found = find(name);
  if (found >= 0) {
    return found;
  }
  frames_.push_back({name, false, {}});
  return static_cast<int>(frames_.size()) - 1;
}

Result<bool> FrameBuffer::check_place(const FramePlace& place) const {
  if (place.child.empty() || place.parent.empty()) {
    return Error{"a frame needs a name"};
  }
  if (place.child == place.parent) {
    return Error{fmt::format("frame '{}' is its own parent", place.child)};
  }
  return true;
}

Result<bool> FrameBuffer::add(Time stamp, const FramePlace& place) {
  if (const auto checked = check_place(place); !checked) {
    return checked;
  }
  const int parent = find_or_add(place.parent);
  Frame& frame = frames_[static_cast<std::size_t>(find_or_add(place.child))];
  if (frame.is_fixed) {
    return Error{fmt::format("frame '{}' is fixed but moves at {}", frame.name, seconds(stamp))};
  }
  std::vector<Entry>& entries = frame.entries;
  const auto at = std::lower_bound(entries.begin(), entries.end(), stamp,
                                   [](const Entry& e, Time t) { return e.stamp < t; });
  if (at != entries.end() && at->stamp == stamp) {
    *at = {stamp, parent, place.X_PC};
  } else {
    entries.insert(at, {stamp, parent, place.X_PC});
  }
  if (history_) {
    const Time oldest = entries.back().stamp - *history_;
    std::erase_if(entries, [&](const Entry& entry) { return entry.stamp < oldest; });
  }
  return true;
}

Result<bool> FrameBuffer::add_fixed(const FramePlace& place) {
  if (const auto checked = check_place(place); !checked) {
    return checked;
  }
  const int parent = find_or_add(place.parent);
  Frame& frame = frames_[static_cast<std::size_t>(find_or_add(place.child))];
  if (!frame.is_fixed && !frame.entries.empty()) {
    return Error{fmt::format("frame '{}' moves and cannot be declared fixed", frame.name)};
  }
  frame.is_fixed = true;
  frame.entries = {{Time{}, parent, place.X_PC}};
  return true;
}

Error FrameBuffer::unknown(const std::string& name) const {
  return Error{fmt::format("there is no frame '{}'; {}", name, suggest(name, frames()))};
}

Result<FrameBuffer::Entry> FrameBuffer::entry_at(const Frame& frame, Time time) const {
  const std::vector<Entry>& entries = frame.entries;
  if (frame.is_fixed) {
    return entries.front();
  }
  if (time < entries.front().stamp) {
    std::string why = fmt::format("frame '{}' is known from {} on, which is after {}", frame.name,
                                  seconds(entries.front().stamp), seconds(time));
    if (history_) {
      why += fmt::format(" (only {:g} s are kept)", to_seconds(*history_));
    }
    return Error{std::move(why)};
  }
  if (time > entries.back().stamp) {
    return Error{fmt::format("frame '{}' is known up to {}, which is before {}", frame.name,
                             seconds(entries.back().stamp), seconds(time))};
  }
  // the first one not before `time`, and the one before it
  const auto after = std::lower_bound(entries.begin(), entries.end(), time,
                                      [](const Entry& e, Time t) { return e.stamp < t; });
  if (after->stamp == time) {
    return *after;
  }
  const Entry& before = *(after - 1);
  if (before.parent != after->parent) {
    return before;  // it changed hands in between; until the next stamp the last word counts
  }
  const double part = static_cast<double>((time - before.stamp).count()) /
                      static_cast<double>((after->stamp - before.stamp).count());
  return Entry{time, before.parent, between(before.X_PC, after->X_PC, part)};
}

FrameBuffer::Ascent FrameBuffer::ascend(int frame, Time time) const {
  Ascent ascent;
  ascent.stages.push_back({frame, FramePose()});
  while (!frames_[static_cast<std::size_t>(frame)].entries.empty()) {
    if (ascent.stages.size() > frames_.size()) {
      ascent.obstacle = fmt::format("frame '{}' is its own ancestor at {}",
                                    frames_[static_cast<std::size_t>(frame)].name, seconds(time));
      break;
    }
    const Result<Entry> entry = entry_at(frames_[static_cast<std::size_t>(frame)], time);
    if (!entry) {
      ascent.obstacle = entry.error().message;
      break;
    }
    frame = entry->parent;
    ascent.stages.push_back({frame, entry->X_PC * ascent.stages.back().X_frame_end});
  }
  return ascent;
}

Result<FramePose> FrameBuffer::lookup(const std::string& target, const std::string& source,
                                      Time time) const {
  for (const std::string& name : {target, source}) {
    if (find(name) < 0) {
      return unknown(name);
    }
  }
  const Ascent from_source = ascend(find(source), time);
  const Ascent from_target = ascend(find(target), time);
  for (const Stage& up : from_source.stages) {
    const auto common = std::find_if(from_target.stages.begin(), from_target.stages.end(),
                                     [&](const Stage& other) { return other.frame == up.frame; });
    if (common != from_target.stages.end()) {
      return common->X_frame_end.inverse() * up.X_frame_end;
    }
  }
  for (const Ascent* ascent : {&from_source, &from_target}) {
    if (!ascent->obstacle.empty()) {
      return Error{ascent->obstacle};
    }
  }
  return Error{fmt::format(
      "frames '{}' and '{}' are not connected: the one is in the tree of '{}', "
      "the other in that of '{}'",
      target, source, frames_[static_cast<std::size_t>(from_target.stages.back().frame)].name,
      frames_[static_cast<std::size_t>(from_source.stages.back().frame)].name)};
}

Result<Time> FrameBuffer::newest(const std::string& target, const std::string& source) const {
  for (const std::string& name : {target, source}) {
    if (find(name) < 0) {
      return unknown(name);
    }
  }
  // every time at which a frame's last word was spoken is a candidate, the latest first
  std::vector<Time> candidates = {Time::max()};
  for (const Frame& frame : frames_) {
    if (!frame.is_fixed && !frame.entries.empty()) {
      candidates.push_back(frame.entries.back().stamp);
    }
  }
  std::sort(candidates.rbegin(), candidates.rend());
  for (const Time time : candidates) {
    if (lookup(target, source, time)) {
      return time;
    }
  }
  return lookup(target, source, candidates.back()).error();
}

Result<Time> FrameBuffer::oldest(const std::string& target, const std::string& source) const {
  const Result<Time> last = newest(target, source);
  if (!last || *last == Time::max()) {
    return last ? Result<Time>(Time{}) : last;
  }
  // as above, but the first words, and the earliest of them first
  std::vector<Time> candidates = {*last};
  for (const Frame& frame : frames_) {
    if (!frame.is_fixed && !frame.entries.empty()) {
      candidates.push_back(frame.entries.front().stamp);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  return *std::find_if(candidates.begin(), candidates.end(),
                       [&](Time time) { return lookup(target, source, time).has_value(); });
}

Result<std::vector<Time>> FrameBuffer::stamps(const std::string& target,
                                              const std::string& source) const {
  const Result<Time> from = oldest(target, source);
  const Result<Time> to = newest(target, source);
  if (!from || !to) {
    return from ? to.error() : from.error();
  }
  std::set<Time> all;
  for (const Frame& frame : frames_) {
    for (const Entry& entry : frame.entries) {
      if (!frame.is_fixed && entry.stamp >= *from && entry.stamp <= *to && *to != Time::max()) {
        all.insert(entry.stamp);
      }
    }
  }
  return std::vector<Time>(all.begin(), all.end());
}

std::vector<std::string> FrameBuffer::frames() const {
  std::vector<std::string> names;
  for (const Frame& frame : frames_) {
    names.push_back(frame.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace longarm::record
