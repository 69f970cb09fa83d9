// SPDX-License-Identifier: Apache-2.0
// The sending half of a connection: what may be sent now, what an acknowledgement means, and when
// to send again.
#pragma once

#include <cstdint>
#include <optional>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/congestion_window.h"
#include "longarm/network/builtin/tcp/recovery.h"
#include "longarm/network/builtin/tcp/round_trip.h"
#include "longarm/network/builtin/tcp/sent_segments.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

struct Counters {
  std::uint64_t segments_sent = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t tail_probes = 0;
  std::uint64_t fast_recoveries = 0;
  std::uint64_t duplicate_acks = 0;
};

/// A piece of the stream to be sent now.
struct Piece {
  Offset begin = 0;
  std::uint32_t length = 0;  ///< bytes, without the FIN
  bool has_fin = false;
  bool is_last = false;   ///< nothing more is written: PSH
  bool is_probe = false;  ///< carries nothing; asks the peer for its window
};

class Sender {
 public:
  /// Both outlive it.
  Sender(const TcpOptions& options, Counters& counters);

  /// What the handshake found out.
  void start(std::uint32_t mss_bytes, bool has_sack, bool has_timestamps);
  void measure(Duration round_trip);
  void set_peer_window(std::uint32_t bytes);

  void write(std::uint32_t size_bytes) { end_ += size_bytes; }
  /// No more will be written: a FIN follows the last byte.
  void finish() { is_finished_ = true; }
  /// Only whole segments leave, until it is let go or a time-out's length has passed.
  void set_cork(bool is_corked) { is_corked_ = is_corked; }

  /// The next piece that windows, Nagle and recovery let out; it counts as sent. Called until there
  /// is none.
  std::optional<Piece> next_piece(Time now);
  void acknowledge(Time now, const Segment& segment);

  Time deadline() const { return timer_at_; }
  /// After the deadline. False: given up.
  bool wake(Time now);
  void stop() { stop_timer(); }

  Offset next() const { return next_; }
  Offset unacknowledged() const { return first_; }
  bool is_fin_acknowledged() const { return is_fin_sent_ && first_ == next_; }
  bool is_idle() const { return first_ == next_ && end_ == next_; }
  const CongestionWindow& window() const { return window_; }
  const RoundTrip& round_trip() const { return round_trip_; }
  Duration timeout() const;
  std::uint64_t unsent_bytes() const { return is_fin_sent_ ? 0 : end_ - next_; }

 private:
  enum class Phase : std::uint8_t { kOpen, kDisorder, kRecovery, kLoss };
  enum class Timer : std::uint8_t { kNone, kRetransmit, kTailProbe, kReorder, kWindowProbe };

  struct News {
    std::uint64_t delivered = 0;
    std::uint64_t acknowledged = 0;
    bool is_duplicate = false;
    bool is_advance = false;
  };

  /// How well the window was used since what `end` stands for was sent.
  struct WindowUse {
    bool is_full = false;
    std::uint64_t outstanding = 0;  ///< at most, while it was not
    Offset end = 1;
  };

  bool is_like_linux() const { return options_.rto_rule == RtoRule::kLinux; }
  /// Linux with SACK: losses are found by time, whatever the number of duplicates.
  bool goes_by_time() const { return is_like_linux() && has_sack_; }
  Offset sendable_end() const;
  std::uint64_t allowance() const;
  bool is_fin_due() const { return is_finished_ && !is_fin_sent_ && next_ == end_; }
  std::uint64_t peer_room() const;
  bool may_send_new(std::uint64_t allowed) const;
  Piece send_new(Time now, std::uint64_t allowed);
  Piece resend(Time now, std::size_t index);
  std::optional<Piece> allowed_piece(Time now);
  std::optional<Piece> forced_piece(Time now);
  std::optional<Piece> probe_piece(Time now);
  void count_sent(Time now, std::uint32_t length);
  void restart_after_idle(Time now);
  void note_window_use();
  bool may_grow() const;

  News take_in(Time now, const Segment& segment);
  void measure_round_trip(Time now, const Segment& segment,
                          const SentSegments::Acknowledged& acknowledged);
  void on_duplicate(const News& news);
  void on_advance(Time now, const News& news);
  void judge_by_time(Time now, const News& news);
  void end_recovery();
  void grow(Time now, std::uint64_t weight);
  void enter_recovery();
  void reduce_in_proportion(std::uint64_t delivered, bool may_speed_up = true);
  void detect_by_time(Time now);
  void on_reorder_timer(Time now);

  void start_timer(Timer timer, Time at);
  void stop_timer();
  void arm(Time now);
  void arm_window_probe(Time now);
  bool on_timeout(Time now);
  bool on_window_probe(Time now);

  const TcpOptions& options_;
  Counters& counters_;
  std::uint32_t mss_bytes_;
  bool has_sack_ = false;
  bool has_timestamps_ = false;
  bool is_finished_ = false;
  bool is_corked_ = false;
  bool is_fin_sent_ = false;
  Phase phase_ = Phase::kOpen;
  Timer timer_ = Timer::kNone;
  bool must_send_one_ = false;  ///< recovery sends its first segment whatever the window says
  bool is_tail_probed_ = false;
  bool is_tail_probe_due_ = false;
  bool is_window_probe_due_ = false;

  Offset first_ = 1;  ///< not acknowledged
  Offset next_ = 1;   ///< not sent
  Offset end_ = 1;    ///< not written
  Offset recover_ = 0;
  Offset tail_probe_end_ = 0;
  std::uint64_t peer_window_ = 0;
  std::uint64_t largest_peer_window_ = 0;
  Offset window_sequence_ = 0;  ///< of the segment that last said so (RFC 9293's SND.WL1, WL2)
  Offset window_acknowledged_ = 0;

  Time timer_at_ = Time::max();
  Time last_sent_at_{};
  int back_off_ = 0;
  std::int64_t retries_ = 0;
  int duplicates_ = 0;
  std::uint64_t odd_weight_ = 0;  ///< acknowledged, not yet a whole segment
  WindowUse use_;
  bool has_sent_ = false;  ///< since its use was last noted

  SentSegments sent_;
  RoundTrip round_trip_;
  CongestionWindow window_;
  ProportionalRateReduction reduction_;
};

}  // namespace longarm::network::tcp
