// SPDX-License-Identifier: Apache-2.0
// One direction of the link in the middle, in real time: packets go in when they come and leave
// when the model says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/random.h"
#include "longarm/network/damage_output.h"
#include "longarm/network/link.h"
#include "longarm/proxy/relay_figures.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

enum class HandOver : std::uint8_t { kSent, kRefused, kLost };

/// Who sends packets on when they leave the link.
class PacketReceiver {
 public:
  virtual ~PacketReceiver() = default;
  /// kRefused: nobody is there. kLost: it could not be sent, and that was not asked for.
  virtual HandOver hand_over(std::uint64_t conversation, std::span<const std::byte> bytes) = 0;
};

struct RelayLinkOptions {
  network::LinkContext context;  ///< seed, and a name for the random streams
  bool passes_damaged = true;    ///< with one bit flipped, as netem does; otherwise drops them
  std::size_t most_bytes = 256'000'000;  ///< held at once; what comes then is lost, and counted
  std::size_t most_packets = 1'000'000;
};

/// Shared by all that crosses in this direction. Packets are numbered as they come, and their fates
/// follow from seed and number (and from the time, where the model looks at it).
class RelayLink {
 public:
  RelayLink(system::Reactor& reactor, const network::LinkModel& model, RelayLinkOptions options,
            DirectionFigures& figures);
  ~RelayLink();
  RelayLink(const RelayLink&) = delete;
  RelayLink& operator=(const RelayLink&) = delete;

  /// A packet that came at `came` (now, or a little before); `wire_bytes` is what a cable would
  /// carry. `receiver` must live as long as the link. Gives when it leaves, with its copies; `came`
  /// if it does not.
  Time offer(Time came, std::span<const std::byte> bytes, std::size_t wire_bytes,
             PacketReceiver& receiver, std::uint64_t conversation);

  std::size_t held_packets() const { return held_packets_; }
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    std::uint64_t index = 0;
    Time came{};
    PacketReceiver* receiver = nullptr;
    std::uint64_t conversation = 0;
    int pending = 0;
    bool has_left = false;
    bool is_taken = false;
  };
  struct Departure {
    Time due{};
    std::uint64_t order = 0;
    std::uint32_t slot = 0;
    bool is_damaged = false;
    bool operator>(const Departure& other) const {
      return due != other.due ? due > other.due : order > other.order;
    }
  };

  /// What the link says. Its bases are public, or a link could not find out about the second.
  class Output final : public network::LinkOutput, public network::DamageOutput {
   public:
    explicit Output(RelayLink& owner) : owner_(owner) {}
    void arrive(const network::Packet& packet, Time when) override;
    void damaged(const network::Packet& packet, Time when) override;
    void drop(const network::Packet& packet, network::DropReason reason) override;

   private:
    RelayLink& owner_;
  };

  void schedule(std::uint32_t slot, Time due, bool is_damaged);
  void send_what_is_due();
  void leave(const Departure& departure);
  std::uint32_t take_slot();
  void release(std::uint32_t slot);

  system::Reactor& reactor_;
  Output output_{*this};
  std::unique_ptr<network::Link> link_;
  RelayLinkOptions options_;
  DirectionFigures& figures_;
  RandomStream bits_;
  system::Reactor::TimerId timer_;
  Time last_came_{};
  Time last_due_{};  // of the packet that is offered
  std::uint64_t next_index_ = 0;
  std::uint64_t next_order_ = 0;
  std::size_t held_packets_ = 0;
  std::size_t held_bytes_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::priority_queue<Departure, std::vector<Departure>, std::greater<>> departures_;
  std::vector<std::byte> damaged_bytes_;
};

/// Both directions, and what was counted on them.
class RelayLinkPair {
 public:
  struct Models {
    const network::LinkModel& up;
    const network::LinkModel& down;
  };
  /// Random streams are named "link.up" and "link.down".
  RelayLinkPair(system::Reactor& reactor, const Models& models, std::uint64_t seed,
                bool passes_damaged = true);

  RelayLink& up() { return up_; }
  RelayLink& down() { return down_; }
  RelayFigures& counts() { return figures_; }
  /// With what is held at the moment.
  RelayFigures figures() const;

 private:
  RelayFigures figures_;
  RelayLink up_;
  RelayLink down_;
};

}  // namespace longarm::proxy
