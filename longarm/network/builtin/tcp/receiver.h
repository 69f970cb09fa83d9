// SPDX-License-Identifier: Apache-2.0
// The receiving half of a connection: puts segments in order and decides when to acknowledge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

class Receiver {
 public:
  explicit Receiver(const TcpOptions& options);

  /// What the handshake found out.
  void start(bool has_sack, bool has_timestamps);

  /// False: wholly old or beyond the window, to be answered by an acknowledgement and dropped.
  bool is_acceptable(const Segment& segment) const;
  /// Of an acceptable segment with data or a FIN.
  void take(Time now, const Segment& segment);
  void note_timestamp(const Segment& segment);

  Offset next() const { return next_; }
  /// Everything of the stream before this has arrived; without the FIN.
  Offset readable() const { return next_ - (has_fin_ ? 1 : 0); }
  bool has_fin() const { return has_fin_; }

  /// What arrives is not read at once, as it is otherwise: it fills memory until read(). As in
  /// Linux there is twice as much memory as the buffer's size, which is the largest window: a
  /// program that reads whatever it hears of never narrows it, even if a gap has just been filled.
  void read_by_hand() { is_read_by_hand_ = true; }
  void read(std::uint64_t bytes) { read_ += bytes; }
  std::uint64_t unread() const { return readable() - std::min(readable(), read_); }
  void set_buffer(std::uint64_t bytes) { buffer_bytes_ = bytes; }
  /// Whether the window has opened so far that the peer should hear of it.
  bool is_window_update_due() const;

  /// Every segment is acknowledged at once.
  void set_quick(bool is_quick) { is_quick_ = is_quick; }
  bool is_acknowledgement_due() const { return is_due_; }
  bool is_acknowledgement_delayed() const { return acknowledge_at_ != Time::max(); }
  Time deadline() const { return acknowledge_at_; }
  void stop() { acknowledge_at_ = Time::max(); }

  /// Fills in what every segment but the first SYN tells the peer, which acknowledges.
  void fill(Segment& segment);

 private:
  struct Block {
    Offset begin = 0;
    Offset end = 0;
    std::uint64_t touched = 0;  ///< the larger, the more recently
  };

  std::uint64_t window() const { return is_read_by_hand_ ? window_by_hand() : buffer_bytes_; }
  std::uint64_t window_by_hand() const;
  void take_in_order(Time now, Offset end);
  void keep(Offset begin, Offset end);
  void fill_sack(Segment& segment) const;

  std::uint64_t buffer_bytes_;
  std::uint64_t mss_bytes_;
  int scale_ = 0;  ///< of the window field: its lowest bits are not sent
  std::int64_t segments_per_ack_;
  Duration timeout_;
  bool has_sack_ = false;
  bool has_timestamps_ = false;
  bool has_fin_ = false;
  bool is_fin_known_ = false;
  bool is_due_ = false;
  bool is_read_by_hand_ = false;
  bool is_quick_ = false;

  Offset next_ = 1;
  Offset read_ = 1;  ///< if by hand
  Offset edge_ = 1;  ///< if by hand: what the peer was ever allowed to send ends here
  Offset fin_at_ = 0;
  Offset acknowledged_ = 0;  ///< last told to the peer
  std::uint64_t advertised_ = 0;
  std::int64_t unacknowledged_segments_;
  Time acknowledge_at_ = Time::max();
  Time echo_{};
  std::vector<Block> early_;  ///< in order of sequence, apart from each other
  std::uint64_t touches_ = 0;
};

}  // namespace longarm::network::tcp
