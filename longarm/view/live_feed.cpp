// SPDX-License-Identifier: Apache-2.0
// A ring of messages behind one lock, which is held only to put or take pointers.
#include "longarm/view/live_feed.h"

#include <algorithm>
#include <utility>

#include "longarm/view/table.h"

namespace longarm::view {
namespace {

using namespace std::chrono_literals;

// screens show sixty pictures a second at best
constexpr auto kThinnedTo = 16ms;
constexpr std::size_t kMostEvents = 10'000;
// frames of the network in that time
constexpr std::size_t kMostOfACrowd = 40;

/// Orders, states that change and what programs say are told once each; joints, frames and curves
/// come again and again.
bool is_stream(const record::McapChannel& channel, bool is_latched) {
  return !is_latched && (channel.message_encoding != "json" || channel.topic.ends_with("/curves") ||
                         channel.topic == "/contacts" || channel.topic == "/network/counters" ||
                         channel.topic.starts_with("/network/queues/"));
}

bool is_crowd(const record::McapChannel& channel) {
  return channel.topic == "/network/frames";
}

}  // namespace

void LiveFeed::channel(const record::McapChannel& channel, const record::McapSchema& schema,
                       bool is_latched) {
  const std::lock_guard lock(mutex_);
  channels_.push_back(
      {{channel, schema, is_latched}, is_stream(channel, is_latched), is_crowd(channel)});
}

void LiveFeed::message(std::uint16_t channel, Time log_time, std::span<const std::byte> data) {
  // once an instant: looking at the clock costs more than all the rest of a message that is left
  // out; some are told a little late
  if (log_time > now_) {
    now_ = log_time;
    wall_ = wall_clock_();
    now_ns_.store(log_time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  // only this thread changes the list and the times in it
  Channel& its = channels_[channel];
  if (its.is_stream && its.newest && wall_ - its.last < kThinnedTo) {
    its.left_out_at = log_time;
    its.left_out.assign(reinterpret_cast<const char*>(data.data()), data.size());
    return;
  }
  if (its.is_crowd && wall_ - its.last < kThinnedTo) {
    if (++its.crowd > kMostOfACrowd) {
      return;
    }
    keep(channel, log_time, data);
    return;
  }
  its.crowd = 1;
  its.last = wall_;
  its.left_out.clear();
  keep(channel, log_time, data);
}

void LiveFeed::finish() {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (const std::string left_out = std::exchange(channels_[i].left_out, {}); !left_out.empty()) {
      keep(static_cast<std::uint16_t>(i), channels_[i].left_out_at,
           std::as_bytes(std::span(left_out)));
    }
  }
  state_ = State::kOver;
}

void LiveFeed::keep(std::uint16_t channel, Time log_time, std::span<const std::byte> data) {
  Channel& its = channels_[channel];
  auto message = std::make_shared<FeedMessage>(
      FeedMessage{channel, log_time, {reinterpret_cast<const char*>(data.data()), data.size()}});
  const std::lock_guard lock(mutex_);
  bytes_ += message->data.size();
  its.newest = message;
  if (its.what.channel.topic == kEventsTopic && events_.size() < kMostEvents) {
    events_.push_back(message);
  }
  messages_.push_back(std::move(message));
  while (bytes_ > max_bytes_) {
    bytes_ -= messages_.front()->data.size();
    messages_.pop_front();
    ++first_;
  }
}

std::vector<FeedChannel> LiveFeed::channels() const {
  const std::lock_guard lock(mutex_);
  std::vector<FeedChannel> out;
  for (const Channel& each : channels_) {
    out.push_back(each.what);
  }
  return out;
}

std::vector<FeedMessagePtr> LiveFeed::newest(std::uint64_t& cursor) const {
  const std::lock_guard lock(mutex_);
  cursor = first_ + messages_.size();
  std::vector<FeedMessagePtr> out = events_;
  for (const Channel& each : channels_) {
    if (each.newest && each.what.channel.topic != kEventsTopic) {
      out.push_back(each.newest);
    }
  }
  return out;
}

std::vector<FeedMessagePtr> LiveFeed::after(std::uint64_t& cursor) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t from = std::max(cursor, first_);
  cursor = first_ + messages_.size();
  return {messages_.begin() + static_cast<std::ptrdiff_t>(std::min(from, cursor) - first_),
          messages_.end()};
}

std::uint64_t LiveFeed::end() const {
  const std::lock_guard lock(mutex_);
  return first_ + messages_.size();
}

LiveFeed::Clock LiveFeed::clock() const {
  const Time now(Duration(now_ns_.load()));
  const std::chrono::duration<double> wall = wall_clock_() - started_;
  return {now, wall.count() > 0.0 ? to_seconds(now) / wall.count() : 0.0, state_.load()};
}

}  // namespace longarm::view
