// SPDX-License-Identifier: Apache-2.0
// What passed through a relay, in figures: per direction, what came, what left, what did not, and
// how late.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/core/time.h"
#include "longarm/network/link.h"
#include "longarm/proxy/lateness.h"

namespace longarm::proxy {

/// One direction. A "packet" is a UDP datagram, an IP packet of a TUN device, or what one read of a
/// TCP socket gave.
class DirectionFigures {
 public:
  void received(std::size_t size_bytes);
  /// The model says so.
  void dropped(network::DropReason reason) { ++drops_[static_cast<std::size_t>(reason)]; }
  /// The relay's own fault, never asked for: no room here, or the kernel had none, or the far side
  /// refused it.
  void lose_here(std::uint64_t packets = 1) { lost_here_ += packets; }
  void lose_in_kernel(std::uint64_t packets) { lost_in_kernel_ += packets; }
  void refuse(std::uint64_t packets = 1) { refused_ += packets; }
  /// Came, but the other side was gone before it could leave: of TCP connections that end.
  void discard(std::uint64_t packets = 1) { discarded_ += packets; }
  /// A packet that came at `came` as number `index`, was due at `due`, and left at `left`. Second
  /// copies count as duplicates only.
  void sent(std::uint64_t index, std::size_t size_bytes, Time came, Time due, Time left,
            bool is_second_copy = false, bool is_damaged = false);
  /// The same of one that was due, but could not leave before its receiver took it: how late that
  /// was is not the relay's lateness.
  void sent_when_taken(std::size_t size_bytes, Time came, Time due, Time left);

  std::uint64_t packets_in() const { return packets_in_; }
  std::uint64_t packets_out() const { return packets_out_; }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }
  std::uint64_t drops(network::DropReason reason) const {
    return drops_[static_cast<std::size_t>(reason)];
  }
  std::uint64_t duplicated() const { return duplicated_; }
  std::uint64_t reordered() const { return reordered_; }
  std::uint64_t damaged() const { return damaged_; }
  std::uint64_t lost_here() const { return lost_here_; }
  std::uint64_t lost_in_kernel() const { return lost_in_kernel_; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t discarded() const { return discarded_; }
  std::uint64_t awaited() const { return awaited_; }
  /// Came and neither left nor was dropped yet.
  std::uint64_t held() const { return held_; }
  void set_held(std::uint64_t packets) { held_ = packets; }

  const DurationFigures& delay_asked() const { return delay_asked_; }
  const DurationFigures& delay_given() const { return delay_given_; }
  const DurationFigures& lateness() const { return lateness_.figures(); }

 private:
  std::uint64_t packets_in_ = 0;
  std::uint64_t packets_out_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::array<std::uint64_t, 3> drops_{};  // by reason
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t damaged_ = 0;
  std::uint64_t lost_here_ = 0;
  std::uint64_t lost_in_kernel_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t discarded_ = 0;
  std::uint64_t awaited_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t next_index_ = 0;  // above all that left
  DurationFigures delay_asked_;
  DurationFigures delay_given_;
  Lateness lateness_;
};

/// Everything of one relay process, or of one kind of relay in it.
struct RelayFigures {
  DirectionFigures up;              ///< client to server
  DirectionFigures down;            ///< server to client
  std::uint64_t conversations = 0;  ///< TCP connections or UDP client addresses, ever
  std::uint64_t conversations_now = 0;
  std::uint64_t conversations_refused = 0;  ///< too many at once, or the server would not
};

/// Keys in SI units; documented in docs/how-to/proxy.md.
nlohmann::ordered_json figures_json(const RelayFigures& figures);

/// A table for people, two columns of numbers. `title` stands above, e.g. "udp".
std::string figures_text(const RelayFigures& figures, const std::string& title);

/// In words, a sentence each: if the relay's own lateness is more than a tenth of what was asked,
/// or it lost packets that nobody asked it to lose.
std::vector<std::string> figures_warnings(const RelayFigures& figures, const std::string& title);

}  // namespace longarm::proxy
