// SPDX-License-Identifier: Apache-2.0
// For those who want to know where each frame is: hop by hop, and how many wait at each port.
#pragma once

#include <cstdint>
#include <optional>

#include "longarm/core/time.h"
#include "longarm/network/backend.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// Which end of which cable frames leave by: 2c is cable c's first end, 2c + 1 its second.
enum class PortId : std::uint32_t {};

/// What is in a frame. Numbers go to traces.
enum class FrameKind : std::uint8_t {
  kRaw = 0,
  kUdp = 1,
  kTcpData = 2,
  kTcpAcknowledgement = 3,  ///< and nothing else
  kTcpControl = 4           ///< SYN, RST, or FIN without data
};

/// How a hop ended. Numbers go to traces.
enum class FrameFate : std::uint8_t {
  kArrived = 0,    ///< at the far end of the cable
  kQueueFull = 1,  ///< of the port, or of the link model
  kCoDel = 2,      ///< waited too long
  kDamaged = 3,    ///< lost or spoiled by the cable's link model
  kCableDown = 4   ///< was to be sent, waited or was on its way; told when it would have arrived
};

/// One frame over one cable, once that is over.
struct FrameHop {
  std::uint64_t frame = 0;  ///< from 1 on, the same on all its hops; copies have their own
  PortId port{};
  NodeId from{};  ///< hosts, not the ends of this cable
  NodeId to{};
  FlowId flow{};
  std::optional<MessageId> message{};  ///< that its first byte is of, if it is known
  std::uint32_t bytes = 0;             ///< on the cable, without the gap
  FrameKind kind{};
  bool is_retransmission = false;
  bool is_followed = false;  ///< what the watcher said of it
  FrameFate fate{};
  Time queued{};                ///< came to the port
  std::optional<Time> began{};  ///< its first bit left; nothing: it was never sent
  std::optional<Time> left{};   ///< its last bit
  Time ended{};                 ///< arrived, or was lost
};

/// Hears of everything at the instant at which it happens, in order of time.
class FrameWatcher {
 public:
  virtual ~FrameWatcher() = default;
  /// Asked once of each frame that is new, when it comes to its first port.
  virtual bool follows(Time now) = 0;
  /// Of every frame, whether it is followed or not.
  virtual void hop(const FrameHop& hop) = 0;
  /// So many wait, without the one that is being sent. May come several times an instant.
  virtual void queue(Time now, PortId port, std::uint64_t packets, std::uint64_t bytes) = 0;
};

}  // namespace longarm::network
