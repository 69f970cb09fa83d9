// SPDX-License-Identifier: Apache-2.0
// What an executor did and noticed, in time, and the figures that come of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/time.h"

namespace longarm::kitting {

/// One action, as it was done.
struct JournalEntry {
  std::string who;   ///< a robot, or "belt"
  std::string what;  ///< "(pick fanuc medium_gear_1 …)"
  Time start{};
  Time end{};
  bool is_done = false;
  std::string words{};  ///< why not
};

/// Something that did not go as planned, when it was noticed.
struct Setback {
  Time noticed{};
  std::string who;
  std::string kind;  ///< "drop", "failed grasp", "robot", "belt", "camera", "part", "slot", "seat"
  std::string words;
  std::string part{};               ///< that it is about; empty: none
  std::optional<Time> recovered{};  ///< the end of the first action that succeeded after it
};

struct JournalCounts {
  std::int64_t plans = 0;
  std::int64_t replans = 0;  ///< plans after the first, because something did not go as planned
  std::int64_t parts_placed = 0;
  std::int64_t drops = 0;
  std::int64_t failed_grasps = 0;
  std::map<std::string, std::int64_t> tool_changes{};  ///< tools taken, by robot
};

class Journal {
 public:
  void add(JournalEntry entry);
  void add(Setback setback);
  JournalCounts& counts() { return counts_; }
  const JournalCounts& counts() const { return counts_; }

  const std::vector<JournalEntry>& entries() const { return entries_; }
  const std::vector<Setback>& setbacks() const { return setbacks_; }

  /// During which actions of two robots ran at the same time.
  Duration overlap() const;
  /// When the last action of an arm or the belt ended; nothing: there was none.
  std::optional<Time> last_action() const;

  /// start_s,end_s,who,what,done,words
  std::string csv() const;
  nlohmann::ordered_json json() const;

 private:
  std::vector<JournalEntry> entries_;
  std::vector<Setback> setbacks_;
  JournalCounts counts_;
};

/// For a field of a CSV file.
std::string csv_quoted(const std::string& text);

}  // namespace longarm::kitting
