// SPDX-License-Identifier: Apache-2.0
// Keeps the record, and adds it up.
#include "labs/kitting/journal.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::kitting {
namespace {

using Json = nlohmann::ordered_json;

bool is_robot(const JournalEntry& entry) {
  return entry.who != "belt";
}

}  // namespace

void Journal::add(JournalEntry entry) {
  if (entry.is_done) {
    for (Setback& setback : setbacks_) {
      // what was under way when it was noticed says nothing of recovery
      if (!setback.recovered && entry.start >= setback.noticed) {
        setback.recovered = entry.end;
      }
    }
  }
  entries_.push_back(std::move(entry));
}

void Journal::add(Setback setback) {
  setbacks_.push_back(std::move(setback));
}

Duration Journal::overlap() const {
  // +1 and -1 at starts and ends; ends first, so that what only touches does not overlap
  std::vector<std::pair<Time, int>> changes;
  for (const JournalEntry& entry : entries_) {
    if (is_robot(entry)) {
      changes.emplace_back(entry.start, 1);
      changes.emplace_back(entry.end, -1);
    }
  }
  std::ranges::sort(changes);
  Duration sum{};
  int busy = 0;
  Time last{};
  for (const auto& [when, change] : changes) {
    if (busy > 1) {
      sum += when - last;
    }
    busy += change;
    last = when;
  }
  return sum;
}

std::optional<Time> Journal::last_action() const {
  std::optional<Time> last;
  for (const JournalEntry& entry : entries_) {
    last = std::max(last.value_or(entry.end), entry.end);
  }
  return last;
}

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') {
      out += c;
    }
  }
  return out + "\"";
}

std::string Journal::csv() const {
  std::string out = "start_s,end_s,who,what,done,words\n";
  for (const JournalEntry& entry : entries_) {
    out += fmt::format("{:.3f},{:.3f},{},{},{},{}\n", to_seconds(entry.start),
                       to_seconds(entry.end), entry.who, csv_quoted(entry.what),
                       entry.is_done ? 1 : 0, csv_quoted(entry.words));
  }
  return out;
}

Json Journal::json() const {
  Json setbacks = Json::array();
  double longest_s = 0.0;
  double sum_s = 0.0;
  std::size_t recovered = 0;
  for (const Setback& setback : setbacks_) {
    Json row{{"noticed_s", to_seconds(setback.noticed)},
             {"who", setback.who},
             {"kind", setback.kind},
             {"words", setback.words}};
    if (!setback.part.empty()) {
      row["part"] = setback.part;
    }
    if (setback.recovered) {
      const double span_s = to_seconds(*setback.recovered - setback.noticed);
      row["recovered_s"] = to_seconds(*setback.recovered);
      longest_s = std::max(longest_s, span_s);
      sum_s += span_s;
      ++recovered;
    }
    setbacks.push_back(std::move(row));
  }
  Json out{{"parts_placed", counts_.parts_placed},
           {"plans", counts_.plans},
           {"replans", counts_.replans},
           {"drops", counts_.drops},
           {"failed_grasps", counts_.failed_grasps},
           {"overlap_s", to_seconds(overlap())}};
  if (!counts_.tool_changes.empty()) {
    std::int64_t changes = 0;
    for (const auto& [robot, count] : counts_.tool_changes) {
      changes += count;
    }
    out["tool_changes"] = changes;
    out["tool_changes_by_robot"] = counts_.tool_changes;
  }
  out["time_to_recover_s"] = recovered == 0 ? Json() : Json(longest_s);
  out["time_to_recover_mean_s"] =
      recovered == 0 ? Json() : Json(sum_s / static_cast<double>(recovered));
  out["setbacks"] = std::move(setbacks);
  return out;
}

}  // namespace longarm::kitting
