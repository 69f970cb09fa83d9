// SPDX-License-Identifier: Apache-2.0
// Cuts what a client sends to a UR controller into URScript statements and blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longarm::protocols::ur {

/// A statement is a line. A line with a `def`, `sec` or another word that needs an `end`, and
/// without that, begins a block, which ends with the `end` that belongs to it. Where everything
/// inside a block is indented, an `end` in the first column ends it in any case, and a `def` or
/// `sec` there begins the next one: so a block with an error inside does not swallow what comes
/// after it. Blank lines and comments in between are skipped; lines may end with CR LF. Whether a
/// script makes sense is for its compiler. Each byte is looked at a fixed number of times, and no
/// more than the longest block and line are kept.
class ScriptIntake {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 16;
  static constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 20;

  /// Calls `take(std::string_view script)` for all that is complete now; lines of it end with LF.
  template <typename Take>
  void feed(std::string_view bytes, const Take& take) {
    feed(bytes, take, [](const std::string&) {});
  }
  /// In between `refuse(const std::string& why)` for each script that is too long to be kept.
  template <typename Take, typename Refuse>
  void feed(std::string_view bytes, const Take& take, const Refuse& refuse) {
    while (!bytes.empty()) {
      const std::uint64_t dropped_before = dropped_;
      const bool is_complete = next(bytes);
      if (dropped_ > dropped_before) {
        refuse(last_drop_);
      }
      if (is_complete) {
        take(std::string_view(complete_));
      }
    }
  }

  /// What to say when no more will come: of a block without its `end`, a line without its LF.
  std::optional<std::string> unfinished() const;

  /// Scripts that were too long, and why the last of them was.
  std::uint64_t dropped() const { return dropped_; }
  const std::string& last_drop() const { return last_drop_; }
  /// Of a script that is not complete yet.
  std::size_t buffered_bytes() const { return block_.size() + line_.size(); }

 private:
  enum class Body : std::uint8_t { kNone, kIndented, kAtMargin };

  /// Takes a line, or what there is of it, off the front; true when there is a script in complete_.
  bool next(std::string_view& bytes);
  bool add_line(std::string_view line);
  bool add_line_to_block(std::string_view line);
  void begin_block(std::string_view line);
  bool end_block();
  void drop(std::string reason);

  std::string complete_;     // given out last
  std::string block_;        // whole lines of the one under way
  std::string line_;         // the one under way
  int depth_ = 0;            // ends that are still to come; 0: not in a block
  Body body_ = Body::kNone;  // of the block so far, without blank lines and comments
  bool is_line_dropped_ = false;
  bool is_block_dropped_ = false;
  std::uint64_t dropped_ = 0;
  std::string last_drop_;
};

}  // namespace longarm::protocols::ur
