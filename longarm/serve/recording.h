// SPDX-License-Identifier: Apache-2.0
// Everything that clients said to a run, line by line, as it came; and reading it back.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/serve/door_event.h"

namespace longarm::serve {

constexpr const char* kRecordingFile = "received.jsonl";

struct RecordingHead {
  Duration period{};
  std::vector<std::string> doors;
  std::string files_hash{};  ///< of the files that the scenario names
};

/// What the world and its doors had come to after so many steps.
struct Checkpoint {
  std::uint64_t step = 0;
  std::string world_hash;
  std::string said_hash;
  std::string end{};  ///< why the run ended here; empty: it went on
};

/// Lines are kept for 5 ms at most, if the owner keeps calling flush_if_old(), and then written
/// together: a run that is killed has lost no more than that. Checkpoints are written at once.
class RecordingWriter {
 public:
  static Result<RecordingWriter> make(const std::filesystem::path& file, const RecordingHead& head);
  RecordingWriter(RecordingWriter&& other) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) = delete;
  ~RecordingWriter();

  /// Heard after so many steps.
  void add(std::uint64_t step, const DoorEvent& event);
  void add(const Checkpoint& checkpoint);
  /// Hands over to the operating system what is kept.
  void flush();
  /// The same, if the first line is 5 ms old.
  void flush_if_old();

  /// Why it is not whole (a full disk); empty if it is.
  const std::string& problem() const { return problem_; }

 private:
  using Clock = std::chrono::steady_clock;

  RecordingWriter(int descriptor, RecordingHead head);

  int descriptor_ = -1;
  RecordingHead head_;
  std::string kept_;
  Clock::time_point kept_since_{};
  std::string problem_;
};

/// One line after the other; a recording may be larger than memory.
class RecordingReader {
 public:
  static Result<RecordingReader> make(const std::filesystem::path& file);

  const RecordingHead& head() const { return head_; }

  struct Entry {
    std::uint64_t step = 0;
    std::optional<DoorEvent> event;  ///< this, or
    Checkpoint checkpoint{};         ///< that
  };
  /// Nothing at the end, or where the recording is cut off or damaged.
  std::optional<Entry> next();
  /// Why it ends where it does; empty: it is whole.
  const std::string& problem() const { return problem_; }

 private:
  std::ifstream file_;
  RecordingHead head_;
  std::uint64_t line_ = 1;
  std::uint64_t last_step_ = 0;
  std::string problem_;
};

}  // namespace longarm::serve
