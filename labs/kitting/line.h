// SPDX-License-Identifier: Apache-2.0
// A client's connection that is dialled again when it was lost, and how long a silence may last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "labs/kitting/bell.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/protocols/client_link.h"

namespace longarm::kitting {

struct TalkConfig {
  Duration poll{50'000'000};               ///< between two questions how a command is getting on
  Duration silent_after{2'000'000'000};    ///< without an answer: the other side is silent
  Duration give_up_after{10'000'000'000};  ///< without an answer: it is dead
};
void list_fields(Fields& fields, TalkConfig& config);

/// Makes a new connection in place of a lost one, if there was one; who dials owns both.
using Dial = std::function<protocols::ClientLink&(protocols::ClientLink* lost)>;

/// Answers of one conversation, counted from the question.
struct RoundTrips {
  std::uint64_t count = 0;
  Duration sum{};
  Duration longest{};

  void add(Duration span) {
    ++count;
    sum += span;
    longest = std::max(longest, span);
  }
  double mean_s() const { return count == 0 ? 0.0 : to_seconds(sum) / static_cast<double>(count); }
};

/// What arrives is told to `heard`, and rings the bell.
class Line {
 public:
  using Heard = std::function<void(std::string_view bytes, Time now)>;

  Line(Dial dial, Heard heard) : dial_(std::move(dial)), heard_(std::move(heard)) {}

  /// Dials if there is no connection, but not twice in a second; true if it did.
  bool open(Time now);
  /// Lost if there is no connection.
  void send(std::string_view bytes);

  Bell& bell() { return bell_; }
  Time last_heard() const { return last_heard_; }
  std::uint64_t dials() const { return dials_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t heard_bytes() const { return heard_bytes_; }

 private:
  Dial dial_;
  Heard heard_;
  Bell bell_;
  protocols::ClientLink* link_ = nullptr;
  Time dialled_{};
  Time last_heard_{};
  std::uint64_t dials_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t heard_bytes_ = 0;
};

}  // namespace longarm::kitting
