// SPDX-License-Identifier: Apache-2.0
// The sender's scoreboard (RFC 6675) on a ring of segments.
#include "longarm/network/builtin/tcp/sent_segments.h"

#include <algorithm>

namespace longarm::network::tcp {
namespace {

constexpr std::size_t kFirstCapacity = 16;  // a power of two: indices are masked

}  // namespace

std::uint64_t SentSegments::in_flight() const {
  const std::uint64_t held = sent_ + resent_ - sacked_ - lost_;
  return held - std::min(held, duplicates_);
}

void SentSegments::grow() {
  std::vector<SentSegment> larger(ring_.empty() ? kFirstCapacity : 2 * ring_.size());
  for (std::size_t i = 0; i < count_; ++i) {
    larger[i] = (*this)[i];
  }
  ring_ = std::move(larger);
  first_ = 0;
  mask_ = ring_.size() - 1;
}

void SentSegments::push(Offset begin, std::uint32_t length, bool has_fin, Time now) {
  if (count_ == ring_.size()) {
    grow();
  }
  SentSegment& segment = at(count_);
  segment = SentSegment{};
  segment.begin = begin;
  segment.length = length;
  segment.has_fin = has_fin;
  segment.sent_at = now;
  ++count_;
  sent_ += weight(segment);
}

void SentSegments::forget(const SentSegment& segment) {
  const std::uint64_t amount = weight(segment);
  sent_ -= amount;
  if (segment.is_sacked) {
    sacked_ -= amount;
  }
  if (segment.is_lost) {
    lost_ -= amount;
    waiting_ -= segment.is_resent ? 0 : 1;
  }
  if (segment.is_resent) {
    resent_ -= amount;
  }
}

SentSegments::Acknowledged SentSegments::acknowledge(Offset offset) {
  Acknowledged result;
  if (count_ == 0) {
    return result;
  }
  const SentSegment& oldest = front();
  if (!oldest.was_ever_resent && oldest.end() <= offset) {
    result.sent_at = oldest.sent_at;
  }
  const std::uint64_t first_weight = weight(oldest);
  while (count_ > 0 && front().end() <= offset) {
    const SentSegment& segment = front();
    const std::uint64_t amount = weight(segment);
    result.weight += amount;
    result.newly_delivered += segment.is_sacked ? 0 : amount;
    result.was_resent |= segment.was_ever_resent;
    if (!segment.is_sacked) {
      note_arrival(segment);
    }
    forget(segment);
    first_ = (first_ + 1) & mask_;
    --count_;
  }
  trim_front(offset, result);
  // Of n segments acknowledged at once, all but the one that was missing had caused a duplicate.
  if (duplicates_ > 0 && result.weight > first_weight) {
    duplicates_ -= std::min(duplicates_, result.weight - first_weight);
  }
  return result;
}

// A peer may take a part of a segment if its window closes there.
void SentSegments::trim_front(Offset offset, Acknowledged& result) {
  if (count_ == 0 || front().begin >= offset) {
    return;
  }
  SentSegment segment = front();
  forget(segment);
  const std::uint64_t before = weight(segment);
  segment.length = static_cast<std::uint32_t>(segment.end() - offset);
  segment.begin = offset;
  segment.is_sacked = segment.is_lost = segment.is_resent = false;
  ring_[first_] = segment;
  sent_ += weight(segment);
  result.weight += before - weight(segment);
  result.newly_delivered += before - weight(segment);
}

std::size_t SentSegments::index_of(Offset offset) const {
  std::size_t low = 0;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if ((*this)[middle].end() <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::uint64_t SentSegments::mark_sacked(const SackBlock& block) {
  std::uint64_t newly = 0;
  for (std::size_t i = index_of(block.begin); i < count_; ++i) {
    SentSegment& segment = at(i);
    if (segment.end() > block.end) {
      break;
    }
    if (segment.is_sacked || segment.begin < block.begin) {
      continue;
    }
    forget(segment);
    segment.is_sacked = true;
    segment.is_lost = segment.is_resent = false;
    const std::uint64_t amount = weight(segment);
    sent_ += amount;
    sacked_ += amount;
    newly += amount;
    note_arrival(segment);
    highest_sacked_ = std::max(highest_sacked_, segment.end());
  }
  return newly;
}

void SentSegments::mark_lost(SentSegment& segment) {
  if (segment.is_sacked || segment.is_lost) {
    return;
  }
  segment.is_lost = true;
  ++lost_ever_;
  lost_ += weight(segment);
  if (!segment.is_resent) {
    ++waiting_;
    lost_from_ = std::min(lost_from_, segment.begin);
  }
}

bool SentSegments::mark_lost_below_sacked() {
  if (sacked_ == 0) {
    return count_ > 0 && front().is_lost;
  }
  int above = 0;
  std::size_t index = index_of(highest_sacked_ - 1) + 1;
  while (index > 0 && above < kDuplicateThreshold) {
    --index;
    above += (*this)[index].is_sacked ? 1 : 0;
  }
  if (above == kDuplicateThreshold) {
    const std::size_t limit = index;
    for (std::size_t i = index_of(judged_to_); i < limit; ++i) {
      mark_lost(at(i));
    }
    judged_to_ = std::max(judged_to_, (*this)[limit].begin);
  }
  return front().is_lost;
}

void SentSegments::mark_first_lost() {
  if (count_ == 0) {
    return;
  }
  mark_lost(at(0));
}

// Whatever was sent again in its place is lost as well.
void SentSegments::mark_lost_again(SentSegment& segment) {
  if (segment.is_sacked) {
    return;
  }
  if (segment.is_resent) {
    segment.is_resent = false;
    resent_ -= weight(segment);
    if (segment.is_lost) {
      ++waiting_;
      ++lost_ever_;
    }
    lost_from_ = std::min(lost_from_, segment.begin);
  }
  mark_lost(segment);
}

void SentSegments::mark_all_lost() {
  duplicates_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    mark_lost_again(at(i));
  }
  lost_from_ = 0;
  unsacked_from_ = 0;
}

void SentSegments::mark_old_lost(Time now) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (i == 0 || now - at(i).sent_at >= newest_.round_trip) {
      mark_lost_again(at(i));
    }
  }
  unsacked_from_ = 0;
}

void SentSegments::set_clock(Time now, Duration shortest) {
  now_ = now;
  shortest_ = shortest;
}

void SentSegments::note_arrival(const SentSegment& segment) {
  if (segment.was_ever_resent && now_ - segment.sent_at < shortest_) {
    return;
  }
  newest_.has_reordering |= !segment.was_ever_resent && segment.end() < highest_sacked_;
  if (segment.sent_at > newest_.sent_at ||
      (segment.sent_at == newest_.sent_at && segment.end() > newest_.end)) {
    newest_.sent_at = segment.sent_at;
    newest_.end = segment.end();
    newest_.round_trip = now_ - segment.sent_at;
  }
}

SentSegments::FoundLost SentSegments::mark_lost_by_time(Time now, Duration patience,
                                                        Time& next_look) {
  FoundLost found;
  next_look = Time::max();
  for (std::size_t i = 0; i < count_; ++i) {
    SentSegment& segment = at(i);
    const bool is_older = segment.sent_at < newest_.sent_at ||
                          (segment.sent_at == newest_.sent_at && segment.end() < newest_.end);
    if (!is_older || segment.is_sacked || (segment.is_lost && !segment.is_resent)) {
      continue;
    }
    const Time due = segment.sent_at + newest_.round_trip + patience;
    if (due > now) {
      next_look = std::min(next_look, due);
      continue;
    }
    found.is_any = true;
    found.is_second_copy |= segment.is_resent;
    mark_lost_again(segment);
  }
  return found;
}

void SentSegments::count_duplicate() {
  duplicates_ += unit_bytes_;
}

std::optional<std::size_t> SentSegments::first_lost() {
  if (waiting_ == 0) {
    return std::nullopt;
  }
  for (std::size_t i = index_of(lost_from_); i < count_; ++i) {
    const SentSegment& segment = (*this)[i];
    if (segment.is_lost && !segment.is_resent) {
      lost_from_ = segment.begin;
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> SentSegments::first_unsacked() {
  for (std::size_t i = index_of(unsacked_from_); i < count_; ++i) {
    const SentSegment& segment = (*this)[i];
    if (!segment.is_sacked && !segment.is_resent) {
      unsacked_from_ = segment.begin;
      return i;
    }
  }
  return std::nullopt;
}

void SentSegments::merge_lost(std::size_t index, std::uint32_t limit_bytes) {
  SentSegment merged = (*this)[index];
  std::size_t last = index;
  while (last + 1 < count_ && !merged.has_fin) {
    const SentSegment& next = (*this)[last + 1];
    const bool fits = merged.length + next.length - (next.has_fin ? 1U : 0U) <= limit_bytes;
    if (!fits || !next.is_lost || next.is_resent) {
      break;
    }
    merged.length += next.length;
    merged.has_fin = next.has_fin;
    merged.was_ever_resent |= next.was_ever_resent;
    ++last;
  }
  if (last == index) {
    return;
  }
  for (std::size_t i = index; i <= last; ++i) {
    forget(at(i));
  }
  // What comes before moves up; it is rarely much.
  const std::size_t gone = last - index;
  for (std::size_t i = index; i > 0; --i) {
    at(i - 1 + gone) = (*this)[i - 1];
  }
  at(last) = merged;
  first_ = (first_ + gone) & mask_;
  count_ -= gone;
  sent_ += weight(merged);
  lost_ += weight(merged);
  ++waiting_;
}

void SentSegments::mark_resent(std::size_t index, Time now) {
  SentSegment& segment = at(index);
  segment.sent_at = now;
  segment.was_ever_resent = true;
  if (segment.is_resent || segment.is_sacked) {
    return;
  }
  segment.is_resent = true;
  resent_ += weight(segment);
  waiting_ -= segment.is_lost ? 1 : 0;
}

}  // namespace longarm::network::tcp
