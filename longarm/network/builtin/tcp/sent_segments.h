// SPDX-License-Identifier: Apache-2.0
// What was sent and is not yet acknowledged, segment by segment: in flight, reported by SACK, lost,
// sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"

namespace longarm::network::tcp {

/// So many duplicate acknowledgements, or segments reported behind it, make one lost (RFC 5681).
inline constexpr int kDuplicateThreshold = 3;

struct SentSegment {
  Offset begin = 0;
  Time sent_at{};
  std::uint32_t length = 0;  ///< in sequence space: a FIN counts one
  bool has_fin = false;
  bool is_sacked = false;
  bool is_lost = false;          ///< presumed; false again once it is sacked
  bool is_resent = false;        ///< since it was presumed lost
  bool was_ever_resent = false;  ///< then its round trip says nothing (Karn)

  Offset end() const { return begin + length; }
};

/// A ring in order of sequence: the usual push and pop of a request touch one entry.
class SentSegments {
 public:
  /// A segment weighs its bytes; or, where windows count segments as in Linux, always `unit_bytes`.
  SentSegments(std::uint32_t unit_bytes, bool counts_segments)
      : unit_bytes_(unit_bytes), counts_segments_(counts_segments) {}

  void set_unit(std::uint32_t unit_bytes) { unit_bytes_ = unit_bytes; }

  bool is_empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const SentSegment& operator[](std::size_t index) const { return ring_[(first_ + index) & mask_]; }
  const SentSegment& front() const { return ring_[first_]; }
  const SentSegment& back() const { return (*this)[count_ - 1]; }

  /// What the network holds, by RFC 6675's estimate.
  std::uint64_t in_flight() const;
  /// Everything sent and not acknowledged, whatever became of it.
  std::uint64_t outstanding() const { return sent_; }
  bool has_sacked() const { return sacked_ > 0; }
  std::uint64_t sacked() const { return sacked_; }
  /// How many times a segment was presumed lost so far, be it for the first time or again.
  std::uint64_t lost_ever() const { return lost_ever_; }

  void push(Offset begin, std::uint32_t length, bool has_fin, Time now);

  struct Acknowledged {
    std::uint64_t weight = 0;           ///< of all that was acknowledged now
    std::uint64_t newly_delivered = 0;  ///< of it, what no SACK had reported
    std::optional<Time> sent_at;        ///< of the oldest, unless it was sent twice
    bool was_resent = false;            ///< some of it
  };
  Acknowledged acknowledge(Offset offset);
  /// Returns the weight that was not sacked before.
  std::uint64_t mark_sacked(const SackBlock& block);
  /// RFC 6675's IsLost: three sacked segments above. Returns whether the first is lost.
  bool mark_lost_below_sacked();
  void mark_first_lost();
  /// After a timeout. What was sacked stays so.
  void mark_all_lost();
  /// The same, but only what was sent long enough ago to be reported; the first in any case.
  void mark_old_lost(Time now);

  /// RFC 8985: of all segments known to have arrived, the one sent last. One that was sent twice
  /// counts only if it was on its way for `shortest` at least: else the first copy has arrived.
  struct Newest {
    Time sent_at{};
    Offset end = 0;
    Duration round_trip{0};
    bool has_reordering = false;  ///< ever: something arrived after what was sent behind it
  };
  const Newest& newest() const { return newest_; }
  void set_clock(Time now, Duration shortest);
  struct FoundLost {
    bool is_any = false;
    bool is_second_copy = false;  ///< of something that was sent again
  };
  /// What was sent before the newest and has taken longer than it, by `patience`, is lost.
  /// `next_look` is when the next one would be.
  FoundLost mark_lost_by_time(Time now, Duration patience, Time& next_look);

  /// Without SACK a duplicate acknowledgement says that one segment arrived, not which.
  void count_duplicate();
  void forget_duplicates() { duplicates_ = 0; }

  /// Lost and not sent again; or, where nothing is, none.
  std::optional<std::size_t> first_lost();
  /// Neither sacked nor sent again (rule 3 of RFC 6675's NextSeg).
  std::optional<std::size_t> first_unsacked();
  /// Joins what follows and is lost, too, as long as it fits into `limit_bytes`.
  void merge_lost(std::size_t index, std::uint32_t limit_bytes);
  void mark_resent(std::size_t index, Time now);

 private:
  SentSegment& at(std::size_t index) { return ring_[(first_ + index) & mask_]; }
  std::uint64_t weight(const SentSegment& segment) const {
    return counts_segments_ ? unit_bytes_ : segment.length;
  }
  void mark_lost(SentSegment& segment);
  void mark_lost_again(SentSegment& segment);
  void note_arrival(const SentSegment& segment);
  void forget(const SentSegment& segment);
  void trim_front(Offset offset, Acknowledged& result);
  std::size_t index_of(Offset offset) const;
  void grow();

  std::vector<SentSegment> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t mask_ = 0;
  std::uint32_t unit_bytes_;
  bool counts_segments_;
  // Weights.
  std::uint64_t sent_ = 0;
  std::uint64_t sacked_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t resent_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t lost_ever_ = 0;  ///< a count
  std::size_t waiting_ = 0;      ///< segments that are lost and not sent again
  // Nothing before these needs to be looked at again.
  Offset lost_from_ = 0;      ///< first that may be lost and not resent
  Offset unsacked_from_ = 0;  ///< first that may be neither sacked nor resent
  Offset judged_to_ = 0;      ///< losses below sacked segments are marked up to here
  Offset highest_sacked_ = 0;
  Newest newest_;
  Time now_{};
  Duration shortest_{0};
};

}  // namespace longarm::network::tcp
