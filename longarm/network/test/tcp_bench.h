// SPDX-License-Identifier: Apache-2.0
// Two TCP endpoints and a wire between them, with rate, delay, queue and drops as a test wants
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/tcp_endpoint.h"

namespace longarm::network::tcp {

/// One direction: a port that serialises, a queue in front of it, a cable.
struct WireOptions {
  std::int64_t rate_bps = 10'000'000;
  Duration delay{10'000'000};
  std::size_t queue_packets = 1'000'000;  ///< waiting, besides the one on its way out
  std::int64_t overhead_bytes = 22;       ///< IP and PPP
  /// By count of segments that carry data, from 1.
  std::set<std::uint64_t> dropped;
  /// Of any segment, by count from 1; may drop (nullopt) or delay further.
  std::function<bool(std::uint64_t index, const Segment& segment)> is_dropped;
  std::function<Duration(std::uint64_t index)> extra_delay;
};

/// A wire on which only distance takes time: 10 ms.
inline WireOptions distance() {
  WireOptions wire;
  wire.rate_bps = 1'000'000'000'000'000;
  return wire;
}

struct TraceEntry {
  Time time{};  ///< the first bit leaves
  int side = 0;
  Segment segment;
};

class TcpBench {
 public:
  TcpBench(const TcpOptions& client, const TcpOptions& server, const WireOptions& there,
           const WireOptions& back)
      : ends_{End(*this, 0, client, there), End(*this, 1, server, back)} {}
  TcpBench(const TcpOptions& options, const WireOptions& wire)
      : TcpBench(options, options, wire, wire) {}

  Endpoint& client() { return ends_[0].endpoint; }
  Endpoint& server() { return ends_[1].endpoint; }
  Time now() const { return now_; }

  void connect_at(Time at) {
    server().listen();
    call_at(at, [this] { client().connect(now_); });
  }
  void call_at(Time at, std::function<void()> call) {
    events_.emplace(std::pair(at, sequence_++), std::move(call));
  }

  /// Until nothing happens any more, or `limit`. Returns whether it came to rest.
  bool run(Time limit = Time::max()) {
    while (true) {
      const Time timer = std::min(client().deadline(), server().deadline());
      const Time event = events_.empty() ? Time::max() : events_.begin()->first.first;
      const Time next = std::min(timer, event);
      if (next == Time::max()) {
        return true;
      }
      if (next > limit || is_stopped_) {
        return is_stopped_;
      }
      now_ = next;
      if (event < timer) {
        auto call = std::move(events_.begin()->second);
        events_.erase(events_.begin());
        call();
        continue;
      }
      for (End& end : ends_) {
        if (end.endpoint.deadline() <= now_) {
          end.endpoint.wake(now_);
        }
      }
    }
  }
  void stop() { is_stopped_ = true; }

  Offset readable(int side) const { return ends_[side].arrived; }
  const std::string& why_reset(int side) const { return ends_[side].why; }
  bool is_connected(int side) const { return ends_[side].is_connected; }
  bool is_peer_closed(int side) const { return ends_[side].is_peer_closed; }
  std::uint64_t dropped(int side) const { return ends_[side].dropped; }

  std::vector<TraceEntry> trace;
  bool has_trace = true;
  std::function<void(int side, Offset offset)> on_readable;
  std::function<void(int side)> on_connected;

 private:
  struct End final : Owner {
    End(TcpBench& owner, int index, const TcpOptions& tcp, const WireOptions& out)
        : bench(owner), side(index), options(tcp), wire(out), endpoint(tcp, *this) {}

    void transmit(const Segment& segment) override { bench.carry(*this, segment); }
    void connected() override {
      is_connected = true;
      if (bench.on_connected) {
        bench.on_connected(side);
      }
    }
    void readable(Offset offset) override {
      arrived = offset;
      if (bench.on_readable) {
        bench.on_readable(side, offset);
      }
    }
    void peer_closed() override { is_peer_closed = true; }
    void reset(Ending ending) override { why = text(ending); }

    TcpBench& bench;
    int side;
    TcpOptions options;
    WireOptions wire;
    Offset arrived = 1;
    bool is_connected = false;
    bool is_peer_closed = false;
    std::string why;
    std::uint64_t packets = 0;
    std::uint64_t data_packets = 0;
    std::uint64_t dropped = 0;
    Time free_at{};
    std::deque<Time> starts;
    Endpoint endpoint;
  };

  void carry(End& from, const Segment& segment) {
    const WireOptions& wire = from.wire;
    while (!from.starts.empty() && from.starts.front() <= now_) {
      from.starts.pop_front();
    }
    if (from.starts.size() >= wire.queue_packets) {
      ++from.dropped;
      return;
    }
    const Time start = std::max(now_, from.free_at);
    const std::int64_t bits =
        8 * (wire.overhead_bytes + segment.length + segment.header_bytes(from.options));
    from.free_at = start + Duration{bits * 1'000'000'000 / wire.rate_bps};
    if (start > now_) {
      from.starts.push_back(start);
    }
    if (has_trace) {
      trace.push_back({start, from.side, segment});
    }
    const std::uint64_t index = ++from.packets;
    from.data_packets += segment.length > 0 ? 1 : 0;
    if ((segment.length > 0 && wire.dropped.contains(from.data_packets)) ||
        (wire.is_dropped && wire.is_dropped(index, segment))) {
      ++from.dropped;
      return;
    }
    const Duration extra = wire.extra_delay ? wire.extra_delay(index) : Duration{0};
    End& to = ends_[1 - from.side];
    call_at(from.free_at + wire.delay + extra,
            [this, &to, segment] { to.endpoint.receive(now_, segment); });
  }

  Time now_{};
  std::uint64_t sequence_ = 0;
  bool is_stopped_ = false;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> events_;
  End ends_[2];
};

}  // namespace longarm::network::tcp
