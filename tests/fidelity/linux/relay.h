// SPDX-License-Identifier: Apache-2.0
// Carries packets between two TUN devices in real time, through the simulator's own link models.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "longarm/network/link.h"

namespace longarm::fidelity {

/// How late packets left the relay, against what their link said.
struct Lateness {
  std::uint64_t packets = 0;
  std::uint64_t dropped = 0;
  double mean_s = 0.0;
  double max_s = 0.0;
};

/// One thread runs it until it is told to stop.
class Relay final : private network::LinkOutput {
 public:
  /// `devices` are non-blocking files of packets; what is read from the first goes through
  /// `links[0]` to the second.
  Relay(std::array<int, 2> devices, std::array<std::unique_ptr<network::Link>, 2> links);

  void run(const std::atomic<bool>& is_over);
  Lateness lateness() const;

 private:
  struct Due {
    Time at{};
    std::uint64_t sequence = 0;
    int to = 0;
    std::vector<std::byte> bytes;
    bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };

  void arrive(const network::Packet& packet, Time when) override;
  void drop(const network::Packet& packet, network::DropReason reason) override;
  void take_all_from(int side);
  void send_what_is_due();
  void wait();
  Time now() const;

  std::array<int, 2> devices_;
  std::array<std::unique_ptr<network::Link>, 2> links_;
  std::array<std::uint64_t, 2> next_index_{};
  std::int64_t start_ns_;
  std::vector<std::byte> present_;  // the packet that a link is asked about
  int present_to_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  Lateness lateness_;
  double lateness_sum_s_ = 0.0;
};

}  // namespace longarm::fidelity
