// SPDX-License-Identifier: Apache-2.0
// How messages cross a topology. Backends see sizes and ids, never contents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/flow.h"
#include "longarm/network/topology.h"

namespace longarm::network {

enum class FlowId : std::uint32_t {};
/// Chosen by the sender; unique among what is under way on one side of a flow.
enum class MessageId : std::uint64_t {};

/// The end of a flow: the host that opened it, or the other one.
enum class Side : std::uint8_t { kOpener, kPeer };

constexpr Side other(Side side) {
  return side == Side::kOpener ? Side::kPeer : Side::kOpener;
}

enum class Fate : std::uint8_t {
  kConnected,  ///< a flow of TCP is established at `side`; `message` means nothing
  kDelivered,  ///< all of the message reached `side`
  kLost,       ///< a datagram that will not arrive at `side`; said when it is known, if ever
  kReset       ///< the flow ended at `side` without being asked to (RST, no answers, or the other
               ///< side's FIN after all its messages); `message` means nothing
};

struct Delivery {
  Time time{};
  FlowId flow{};
  MessageId message{};
  Side side{};  ///< where it happened
  Fate fate = Fate::kDelivered;
  DropReason reason = DropReason::kLoss;  ///< if lost, as far as it is known
};

struct FlowRequest {
  NodeId opener{};
  NodeId peer{};
  FlowOptions options;
};

/// What one direction of a flow did.
struct FlowFigures {
  std::string name;  ///< "edge > robot tcp 3"
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_delivered = 0;
  std::uint64_t bytes_delivered = 0;  ///< of messages, without headers
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_lost = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t tail_probes = 0;  ///< of TCP as Linux has it; may wait as long as a time-out
  std::uint64_t duplicate_acks = 0;
  std::uint64_t duplicates = 0;  ///< packets of datagrams that arrived again
};

/// What one direction of a cable carried: never more than its rate times the time.
struct CableFigures {
  std::string name;  ///< "uplink: edge > switch"
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  ///< with headers and framing
  std::uint64_t dropped_queue = 0;
  std::uint64_t dropped_loss = 0;
  std::uint64_t longest_queue_packets = 0;
  Duration busy{0};  ///< sending, without gaps between frames
};

struct NetworkFigures {
  std::vector<FlowFigures> flows;
  std::vector<CableFigures> cables;
  std::uint64_t events = 0;
};

class StreamBackend;

/// One network in operation. Its clock stands at the last event it ran; what it is told may not lie
/// before that. Errors (a backend process that died) end the run: it says who and when.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "builtin", "ns3", … and what it cannot do that the topology asked for is refused when made.
  virtual std::string name() const = 0;

  /// The flow exists at once; a TCP handshake starts at `at`. Messages sent before it is
  /// established wait.
  virtual Result<FlowId> open(const FlowRequest& request, Time at) = 0;
  virtual void send(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes,
                    Time at) = 0;
  /// TCP: sends what is left, then FIN. Later deliveries on this side are dropped.
  virtual void close(FlowId flow, Side side, Time at) = 0;
  /// As if its process had died: RST to the other side.
  virtual void reset(FlowId flow, Side side, Time at) = 0;
  virtual void change(CableId cable, const CableChange& change) = 0;

  /// What programs' bytes need beyond messages; null where there is no such thing.
  virtual StreamBackend* streams() { return nullptr; }

  /// Nothing happens before this. Time::max() when idle.
  virtual Time next_event() const = 0;
  /// Runs what happens before `until`, stopping after the first instant that has deliveries; these
  /// are appended to `out`, in order of (flow, side, order of sending).
  virtual Result<bool> advance(Time until, std::vector<Delivery>& out) = 0;

  /// As they are at `now`: a frame is carried once its last bit has left, however early it was
  /// known that it would. Without an instant: when all that is planned will have left.
  virtual NetworkFigures figures(Time now = Time::max()) const = 0;
};

class FrameWatcher;

struct BackendOptions {
  std::uint64_t seed = 1;
  /// Where packets are to be written, per interface; empty: nowhere. Backends that cannot, refuse.
  std::string capture_folder{};
  /// Who hears of frames hop by hop, and lives longer than the backend; null: nobody. Only the
  /// built-in network tells.
  FrameWatcher* frame_watcher = nullptr;
};

/// Sends each message at once, whatever the topology: what there would be without a network.
std::unique_ptr<Backend> make_ideal_backend(const Topology& topology);
/// Throws InputError for what only shows now (no such file, a way that runs in circles).
std::unique_ptr<Backend> make_builtin_backend(const Topology& topology,
                                              const BackendOptions& options);

}  // namespace longarm::network
