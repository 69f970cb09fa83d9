// SPDX-License-Identifier: Apache-2.0
// The messages of a run that is under way, for those who watch: from the thread that runs the world
// to the one that serves pages.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/record/trace_listener.h"

namespace longarm::view {

struct FeedChannel {
  record::McapChannel channel;
  record::McapSchema schema;
  bool is_latched = false;
};

struct FeedMessage {
  std::uint16_t channel = 0;
  Time log_time{};
  std::string data;
};
using FeedMessagePtr = std::shared_ptr<const FeedMessage>;

/// Keeps the newest messages, up to a number of bytes; who has not taken the older ones does
/// without. Channels that repeat themselves faster than eyes can follow are thinned, by the clock
/// on the wall: so a run that goes a hundred times as fast costs no more to watch than a slow one.
class LiveFeed final : public record::TraceListener {
 public:
  /// How a run stands.
  enum class State { kRunning, kOver };
  struct Clock {
    Time now{};
    double real_time_factor = 0.0;
    State state = State::kRunning;
  };

  using Wall = std::chrono::steady_clock;
  using WallClock = std::function<Wall::time_point()>;

  explicit LiveFeed(std::size_t max_bytes = 32U << 20U, WallClock wall_clock = Wall::now)
      : max_bytes_(max_bytes), wall_clock_(std::move(wall_clock)) {}

  // --- on the thread that runs the world
  void channel(const record::McapChannel& channel, const record::McapSchema& schema,
               bool is_latched) override;
  void message(std::uint16_t channel, Time log_time, std::span<const std::byte> data) override;
  /// The run is over: of streams that were thinned, the last message counts.
  void finish();

  // --- on any thread
  std::vector<FeedChannel> channels() const;
  /// The newest message of each channel that has one, and all that actors noted; what after() gives
  /// from `cursor` on comes behind these.
  std::vector<FeedMessagePtr> newest(std::uint64_t& cursor) const;
  /// Those after number `cursor`, which is moved on; older ones than are kept are skipped.
  std::vector<FeedMessagePtr> after(std::uint64_t& cursor) const;
  /// The number after the newest one.
  std::uint64_t end() const;
  Clock clock() const;
  Wall::time_point wall_time() const { return wall_clock_(); }

 private:
  struct Channel {
    FeedChannel what;
    bool is_stream = false;  ///< one message more or less does not matter
    bool is_crowd = false;   ///< so many that not all can be shown
    std::size_t crowd = 0;   ///< since `last`
    Wall::time_point last{};
    FeedMessagePtr newest{};
    Time left_out_at{};
    std::string left_out{};  ///< the message after the newest; empty: there is none
  };

  void keep(std::uint16_t channel, Time log_time, std::span<const std::byte> data);

  std::size_t max_bytes_;
  WallClock wall_clock_;
  mutable std::mutex mutex_;
  std::vector<Channel> channels_;
  std::deque<FeedMessagePtr> messages_;
  std::vector<FeedMessagePtr> events_;  ///< for those who come later, within reason
  std::uint64_t first_ = 0;             ///< number of messages_.front()
  std::size_t bytes_ = 0;
  std::atomic<std::int64_t> now_ns_{0};
  std::atomic<State> state_{State::kRunning};
  Wall::time_point started_ = wall_clock_();
  // of the thread that runs the world
  Time now_ = Time::min();
  Wall::time_point wall_{};
};

}  // namespace longarm::view
